"""Finds what can be mutated in Swift text. Every mutant keeps the lines of the text, so that errors and survivors have places.

A place is changed by edits of the text; `number` is that of its first mutant. All mutants of a build are in it at once, and
the environment of a run selects one.
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Tools"))
from tree import blanked  # noqa: E402

COMPARISON, AND, OR = "ComparisonPrecedence", "LogicalConjunctionPrecedence", "LogicalDisjunctionPrecedence"
ADDITION, MULTIPLICATION = "AdditionPrecedence", "MultiplicationPrecedence"
SHIFT, ASSIGNMENT = "BitwiseShiftPrecedence", "AssignmentPrecedence"

# An operator: its kind, its precedence, the constraints under which it is declared, and what its mutants compute.
ONE = ("<T: {}>(left: T, right: T)",)
INTEGERS = "<A: BinaryInteger, B: BinaryInteger>(left: A, right: B)"
ORDER = (*(form.format("Comparable") for form in ONE), INTEGERS)
EQUALITY = (*(form.format("Equatable") for form in ONE), INTEGERS)
OPERATORS = {
    "<": ("comparison", COMPARISON, ORDER, "Bool", ("<=", ">=")),
    "<=": ("comparison", COMPARISON, ORDER, "Bool", ("<", ">")),
    ">": ("comparison", COMPARISON, ORDER, "Bool", (">=", "<=")),
    ">=": ("comparison", COMPARISON, ORDER, "Bool", (">", "<")),
    "==": ("comparison", COMPARISON, EQUALITY, "Bool", ("!=",)),
    "!=": ("comparison", COMPARISON, EQUALITY, "Bool", ("==",)),
    "+": ("arithmetic", ADDITION, (ONE[0].format("AdditiveArithmetic"),), "T", ("-",)),
    "-": ("arithmetic", ADDITION, (ONE[0].format("AdditiveArithmetic"),), "T", ("+",)),
    "&+": ("arithmetic", ADDITION, (ONE[0].format("FixedWidthInteger"),), "T", ("&-",)),
    "&-": ("arithmetic", ADDITION, (ONE[0].format("FixedWidthInteger"),), "T", ("&+",)),
    "|": ("arithmetic", ADDITION, (ONE[0].format("BinaryInteger"),), "T", ("&",)),
    "^": ("arithmetic", ADDITION, (ONE[0].format("BinaryInteger"),), "T", ("|",)),
    "&": ("arithmetic", MULTIPLICATION, (ONE[0].format("BinaryInteger"),), "T", ("|",)),
    "*": ("arithmetic", MULTIPLICATION, (ONE[0].format("Numeric"),), "T", ("+",)),
    "&*": ("arithmetic", MULTIPLICATION, (ONE[0].format("FixedWidthInteger"),), "T", ("&+",)),
    "/": ("arithmetic", MULTIPLICATION, (ONE[0].format("BinaryInteger"), ONE[0].format("FloatingPoint")), "T", ("*",)),
    "%": ("arithmetic", MULTIPLICATION, (ONE[0].format("BinaryInteger"),), "T", ("/",)),
    "<<": ("arithmetic", SHIFT, (INTEGERS,), "A", (">>",)),
    ">>": ("arithmetic", SHIFT, (INTEGERS,), "A", ("<<",)),
    "+=": ("arithmetic", ASSIGNMENT, ("<T: AdditiveArithmetic>(left: inout T, right: T)",), "", ("-=",)),
    "-=": ("arithmetic", ASSIGNMENT, ("<T: AdditiveArithmetic>(left: inout T, right: T)",), "", ("+=",)),
    "|=": ("arithmetic", ASSIGNMENT, ("<T: BinaryInteger>(left: inout T, right: T)",), "", ("&=",)),
    "^=": ("arithmetic", ASSIGNMENT, ("<T: BinaryInteger>(left: inout T, right: T)",), "", ("|=",)),
    "&&": ("boolean", AND, None, "Bool", ("||",)),
    "||": ("boolean", OR, None, "Bool", ("&&",)),
}
# The letters of the names of the mutated operators: 64 arrows.
LETTERS = [chr(0x2190 + number) for number in range(64)]
DEFAULTS = (
    (re.compile(r".*\?$"), "nil"), (re.compile(r"U?Int(8|16|32|64)?$"), "0"), (re.compile(r"Double$"), "0"),
    (re.compile(r"\[[^:]*\]$|Set<.*>$"), "[]"), (re.compile(r"\[.*:.*\]$"), "[:]"), (re.compile(r"String$"), '""'),
)
# What ends the process is no behaviour, and what only describes a value to a person is not judged by tests.
LEFT_OUT = re.compile(r"\b(?:precondition|preconditionFailure|assert|assertionFailure|fatalError)\(|^\s*(?:@|#)")


@dataclass
class Place:
    """Where one or two mutants are."""

    path: str
    start: int
    line: int
    kind: str
    changes: list[str]
    edits: list[tuple[int, int, str]]
    number: int = 0


def name_of(number):
    """The name of the operator of a place."""
    return "".join(LETTERS[number >> shift & 63] for shift in (12, 6, 0))


def operators(path, text, code):
    pattern = re.compile(r"(?<=\s)(" + "|".join(map(re.escape, sorted(OPERATORS, key=len, reverse=True))) + r")(?=\s)")
    for found in pattern.finditer(code):
        before, after = code[: found.start()].rstrip(), code[found.end() :].lstrip()
        symbol = found[1]
        if re.search(r"\bfunc$|[=(,{\[]$|\bwhere .*:.*$", before[-60:].split("\n")[-1]) or after.startswith("nil"):
            continue
        if before.endswith(("nil", '"')) or (symbol == "+" and text[found.end() :].lstrip()[:1] in '"['):
            continue
        # `protocol A & B`, `some A & ~Copyable`.
        if symbol == "&" and re.match(r"~|[A-Z]", after):
            continue
        kind, _, _, _, mutated = OPERATORS[symbol]
        kinds = kind if kind != "comparison" else "boundary"
        yield Place(
            path, found.start(), 0, kinds if len(mutated) > 1 else kind, [f"{symbol} → {other}" for other in mutated],
            [(found.start(), found.end(), "OPERATOR " + symbol)])


def declare(place):
    """The Swift declarations of the operator of a place."""
    symbol = place.edits[0][2].split(" ")[1]
    _, precedence, forms, result, mutated = OPERATORS[symbol]
    name, lines = name_of(place.number), []
    lines.append(f"infix operator {name}: {precedence}")
    if forms is None:
        other = mutated[0]
        lines.append(
            f"func {name} <E: Error>(left: Bool, right: @autoclosure () throws(E) -> Bool) throws(E) -> Bool {{\n"
            f"    if isMutant({place.number}) {{ if left {{ return {'true' if other == '||' else 'try right()'} }}; return "
            f"{'try right()' if other == '||' else 'false'} }}\n"
            f"    if left {{ return {'try right()' if symbol == '&&' else 'true'} }}; return "
            f"{'false' if symbol == '&&' else 'try right()'}\n}}")
        return lines
    for place_of_form, form in enumerate(forms):
        body = "".join(
            f"    if isMutant({place.number + offset}) {{ {'' if not result else 'return '}left {other} right"
            f"{'; return' if not result else ''} }}\n"
            for offset, other in enumerate(mutated))
        arrow = f" -> {result}" if result else ""
        lines.append(
            ("@_disfavoredOverload " if place_of_form else "")
            + f"func {name} {form}{arrow} {{\n{body}    {'return ' if result else ''}left {symbol} right\n}}")
    return lines


def booleans(path, code):
    for found in re.finditer(r"(?<=[\s(\[,])!(?=[A-Za-z_(])", code):
        yield Place(path, found.start(), 0, "boolean", ["! removed"], [(found.start(), found.end(), "NOT")])
    for found in re.finditer(r"(?<![\w.])(true|false)(?![\w:])", code):
        line = line_at(code, found.start())
        if re.search(r"\bcase\b|\b(?:func|init)\b.*\(.*:.*= (?:true|false)", line):
            continue
        other = "false" if found[1] == "true" else "true"
        yield Place(
            path, found.start(), 0, "boolean", [f"{found[1]} → {other}"],
            [(found.start(), found.end(), f"flipped(NUMBER, {found[1]})")])


def line_at(code, position):
    return code[code.rfind("\n", 0, position) + 1 : (code.find("\n", position) + 1 or len(code) + 1) - 1]


def conditions(path, code):
    """The elements of conditions that are one Boolean value."""
    for found in re.finditer(r"(?:^|(?<=[\s}]))(if|guard|while)\s+", code):
        begin, depth, position = found.end(), 0, found.end()
        elements = []
        while position < len(code):
            letter = code[position]
            if depth == 0 and (letter == "{" or code.startswith(" else", position) or code.startswith("\n", position)
                               and re.match(r"\s*else\b", code[position:])):
                elements.append((begin, position))
                break
            if letter in "([{":
                depth += 1
            elif letter in ")]}":
                depth -= 1
                if depth < 0:
                    break
            elif letter == "," and depth == 0:
                elements.append((begin, position))
                begin = position + 1
            position += 1
        for begin, end in elements:
            raw = code[begin:end]
            begin, end = begin + len(raw) - len(raw.lstrip()), end - (len(raw) - len(raw.rstrip()))
            element = code[begin:end]
            if re.match(r"let\b|var\b|case\b|#", element) or element.startswith("!") or not element or "\n" in element:
                continue
            if re.search(r"\s(?:[<>]=?|[=!]=|&&|\|\||~=|is|as\??|\?\?|\?)\s", re.sub(r"\([^()]*(\([^()]*\)[^()]*)*\)", "()", element)):
                continue
            yield Place(
                path, begin, 0, "boolean", [f"{element} → not"], [(begin, begin, "flipped(NUMBER, "), (end, end, ")")])


def blocks(code):
    """For each opening brace its header and its end; the header of a declaration has its result type."""
    stack, found, last = [], [], 0
    for position, letter in enumerate(code):
        if letter == "{":
            stack.append((position, code[last:position]))
            last = position + 1
        elif letter == "}":
            if stack:
                begin, header = stack.pop()
                found.append((begin, position, header))
            last = position + 1
    return found


HEADER = re.compile(r"\b(?:func\b|init\b|subscript\b|var\s+\w+\s*:)")


def result_type(header):
    """The result type that the header of a declaration names; an empty text for none, None if it declares nothing."""
    names = list(HEADER.finditer(header))
    if not names:
        return None
    text = header[names[-1].start() :]
    if text.startswith("var"):
        return text.split(":", 1)[1].strip()
    if text.startswith("init"):
        return "Self?" if re.match(r"init\?", text) else ""
    arrow = text.rfind("->")
    if arrow < text.rfind(")"):
        return ""
    return re.split(r"\bwhere\b", text[arrow + 2 :])[0].strip()


def returns(path, code):
    """Results replaced by an empty value, nil or 0."""
    outline = blocks(code)
    for found in re.finditer(r"\breturn\b[ ]+(?=\S)", code):
        inside = sorted((one for one in outline if one[0] < found.start() < one[1]), key=lambda one: -one[0])
        kind = None
        for _, _, header in inside:
            statement = header.rstrip().split("\n")[-1]
            kind = result_type(header)
            if kind is not None:
                break
            if not re.search(r"\b(?:if|guard|for|while|switch|else|do|catch|repeat)\b", header[-400:]) or re.search(r"[(.]\w*$", statement):
                break
        if not kind:
            continue
        value = code[found.end() : (code.find("\n", found.end()) + 1 or len(code) + 1) - 1].strip().rstrip("}").strip()
        if kind == "Bool":
            if value in ("true", "false") or re.search(r"[({\[,&|=<>+-]$", value) or value.count("(") != value.count(")"):
                continue
            if re.search(r"\s(?:[<>]=?|[=!]=|&&|\|\|)\s", value) or value.startswith("!"):
                continue
            end = found.end() + len(value)
            yield Place(
                path, found.start(), 0, "return", [f"return not {value}"],
                [(found.end(), found.end(), "flipped(NUMBER, "), (end, end, ")")])
            continue
        empty = next((empty for pattern, empty in DEFAULTS if pattern.match(kind)), None)
        if empty is None or value == empty:
            continue
        yield Place(
            path, found.start(), 0, "return", [f"return {value} → return {empty}"],
            [(found.start(), found.start(), f"if isMutant(NUMBER) {{ return {empty} }}; ")])
    # Bodies of one expression in one line.
    for begin, end, header in outline:
        kind = result_type(header)
        body = code[begin + 1 : end]
        if not kind or "\n" in body or re.match(r"\s*(?:get|set|return|if|switch|guard|_modify|yield|let|var)\b", body) or ";" in body:
            continue
        first = begin + 1 + len(body) - len(body.lstrip())
        last = end - (len(body) - len(body.rstrip()))
        value = code[first:last]
        if not value or value in ("true", "false") or value.startswith("!"):
            continue
        if kind == "Bool":
            if not re.search(r"\s(?:[<>]=?|[=!]=|&&|\|\|)\s", value):
                yield Place(
                    path, first, 0, "return", [f"{value} → not"], [(first, first, "flipped(NUMBER, "), (last, last, ")")])
            continue
        empty = next((empty for pattern, empty in DEFAULTS if pattern.match(kind)), None)
        if empty is not None and value != empty:
            yield Place(
                path, first, 0, "return", [f"{value} → {empty}"], [(first, first, f"isMutant(NUMBER) ? {empty} : ")])


STATEMENT = re.compile(
    r"^(?P<indent> +)(?P<text>(?:try |_ = )?[A-Za-z_][\w.]*(?:\[[^\]]*\]|\([^()]*\)|\.[\w]+|\?)*"
    r"(?:\s(?:[-+*/|^&]|&[-+*])?=\s\S.*|\(.*\)))$")


def statements(path, code):
    """Calls and assignments that stand alone on one line."""
    lines = code.split("\n")
    outline = blocks(code)
    position = 0
    for number, line in enumerate(lines):
        start, position = position, position + len(line) + 1
        found = STATEMENT.match(line)
        if not found:
            continue
        _, _, header = max((one for one in outline if one[0] < start < one[1]), default=(0, 0, ""))
        # A stored property must be set, and the only expression of a body is its result.
        if re.search(r"\binit\b", header) and re.match(r"(?:self\.)?\w+ = ", found["text"]):
            continue
        text = found["text"].rstrip()
        if any(text.count(one) != text.count(other) for one, other in ("()", "[]", "{}")):
            continue
        if re.match(r"(?:return|throw|case|default|let|var|if|guard|for|while|switch|else|func|init|self\.init|super|break|continue|fallthrough|defer)\b", text):
            continue
        before = next((one.rstrip() for one in reversed(lines[:number]) if one.strip()), "")
        after = next((one.strip() for one in lines[number + 1 :] if one.strip()), "")
        if before.endswith("{") and after == "}" and result_type(header):
            continue
        if re.search(r"(?:[(\[,=+\-*/|&?]|\breturn|->|\bthrow)$", before) or after.startswith((".", "+", "-", "?", "&&", "||", "}.", ")", "]")):
            continue
        begin = start + len(found["indent"])
        end = begin + len(text)
        yield Place(
            path, begin, 0, "removed statement", [f"{text} removed"],
            [(begin, begin, "if !isMutant(NUMBER) { "), (end, end, " }")])


def places(path, text):
    """All places of one file, in order; those in lines that are left out are not among them."""
    code = blanked(text)
    found = [*operators(path, text, code), *booleans(path, code), *conditions(path, code), *returns(path, code), *statements(path, code)]
    kept = []
    for place in sorted(found, key=lambda one: (one.start, one.kind)):
        place.line = text.count("\n", 0, place.start) + 1
        if "s" * 3 in "".join(place.changes):
            # What strings contain was blanked.
            end = text.find("\n", place.start)
            place.changes = [f"{text[place.start:end].strip()} ({place.kind})"]
        if not LEFT_OUT.search(line_at(code, place.start)):
            kept.append(place)
    return kept


def changed(text, chosen):
    """The text with the mutants of the chosen places in it."""
    edits = []
    for place in chosen:
        for start, end, words in place.edits:
            if words.startswith("OPERATOR"):
                words = name_of(place.number)
            elif words == "NOT":
                words = f"{name_of(place.number)}"
            # What begins at a place stands outside of what begins there later; ends come before beginnings.
            edits.append((start, end, words.replace("NUMBER", str(place.number)), place.kind))
    rank = {"removed statement": 0, "return": 1, "boolean": 2}
    pieces, position = [], 0
    # At one place: ends of inner edits first, then ends of outer ones, then beginnings of outer edits, then of inner ones.
    def order(edit):
        start, end, words, kind = edit
        closes = start == end and words.lstrip().startswith((")", "}"))
        outer = rank.get(kind, 3)
        return (start, 0 if closes else 1, -outer if closes else outer, end)

    for start, end, words, _ in sorted(edits, key=order):
        pieces += [text[position:start], words]
        position = max(position, end)
    return "".join([*pieces, text[position:]])


def support(chosen):
    """The Swift file that each mutated target contains beside its own."""
    lines = [
        "internal import CMutants", "",
        "func isMutant(_ number: Int32) -> Bool { is_mutant(number) }", "",
        "func flipped(_ number: Int32, _ value: Bool) -> Bool { isMutant(number) ? !value : value }", "",
    ]
    for place in chosen:
        words = place.edits[0][2]
        if words.startswith("OPERATOR"):
            lines += declare(place)
        elif words == "NOT":
            name = name_of(place.number)
            lines += [f"prefix operator {name}", f"prefix func {name} (value: Bool) -> Bool {{ isMutant({place.number}) ? value : !value }}"]
    return "\n".join(lines) + "\n"
