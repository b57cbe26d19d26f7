"""Every refusal that a page or its vectors name is a row of a refusal table on that page.

A refusal table has the columns `stage` and `reason`, or a column of pairs `stage`/`reason`. A row whose reason says
`as in other.md` stands for the rows of that stage on the other page. The reasons that operations share, of the stages
`arguments` and `step`, are rows of conformance.md. A table whose first column is `#` or `order` is numbered: its rows count
up from 1, and a page may name only rows that exist in one of its numbered tables.
"""

import json
import re

from tree import Finding, Tree

TITLE = "refusals that pages and vectors name are rows of the refusal tables"
SHARED = "Specs/conformance.md"
SHARED_STAGES = ("arguments", "step")

CODE = re.compile(r"`([^`]+)`")
OTHER_PAGE = re.compile(r"as in \[?([\w-]+\.md)")
# A refusal in prose is written `stage`/`reason`, and a stage alone `at stage x`, each in code spans.
PAIR = re.compile(r"`([a-z0-9-]+)`/`([a-z0-9-]+)`")
STAGE = re.compile(r"\bstage `([a-z0-9-]+)`")
ROWS = re.compile(r"\brows? (\d+(?:(?:, | to | and |, and )\d+)*)")


class Page:
    """The refusal tables of one page, and the text around them."""

    def __init__(self, tree: Tree, path: str):
        self.pairs: set[tuple[str, str]] = set()
        #: Stages whose reasons are on another page, with that page.
        self.elsewhere: set[tuple[str, str]] = set()
        self.rows: set[int] = set()
        #: Lines of numbered rows whose number does not follow the previous one.
        self.misnumbered: list[int] = []
        #: Lines outside code blocks, with their numbers.
        self.text: list[tuple[int, str]] = []
        header: list[str] | None = None
        last = 0
        is_code = False
        for line, text in tree.lines(path):
            if text.lstrip().startswith("```"):
                is_code = not is_code
            if is_code:
                continue
            self.text.append((line, text))
            if not text.startswith("|"):
                header = None
                continue
            cells = [cell.strip() for cell in text.strip().strip("|").split("|")]
            if header is None:
                header, last = [cell.lower() for cell in cells], 0
            elif not set(text) <= set("|-: "):
                self.read(dict(zip(header, cells)))
                if header[0] in ("#", "order"):
                    if cells[0] != str(last + 1):
                        self.misnumbered.append(line)
                    last = int(cells[0]) if cells[0].isdigit() else last
                    self.rows.add(last)

    def read(self, row: dict[str, str]):
        for column in ("refusal", "refusals"):
            self.pairs |= set(PAIR.findall(row.get(column, "")))
        if "stage" not in row or "reason" not in row:
            return
        stages = CODE.findall(row["stage"])
        for page in OTHER_PAGE.findall(row["reason"]):
            self.elsewhere |= {(stage, f"Specs/{page}") for stage in stages}
        self.pairs |= {(stage, reason) for stage in stages for reason in CODE.findall(row["reason"])}

    @property
    def stages(self) -> set[str]:
        return {stage for stage, _ in self.pairs | self.elsewhere}


def findings(tree: Tree):
    pages = {path: Page(tree, path) for path in tree.files("Specs", suffix=".md")}
    shared = {pair for pair in pages[SHARED].pairs if pair[0] in SHARED_STAGES} if SHARED in pages else set()
    known: dict[str, set[tuple[str, str]]] = {}
    for path, page in pages.items():
        from_elsewhere = {
            pair for stage, other in page.elsewhere if other in pages for pair in pages[other].pairs if pair[0] == stage
        }
        known[path] = page.pairs | from_elsewhere | shared
    # Two code spans around a slash are a refusal when the first is a stage on any page.
    stages = {stage for page in pages.values() for stage in page.stages}

    for path, page in pages.items():
        for line in page.misnumbered:
            yield Finding(path, line, "the rows of a numbered table must count up from 1")
        own_stages = {stage for stage, _ in known[path]}
        for line, text in page.text:
            for stage, reason in PAIR.findall(text):
                if stage in stages and not stands_in(known[path], stage, reason):
                    yield Finding(path, line, f"no refusal table of this page has the row `{stage}`/`{reason}`")
            for stage in STAGE.findall(text):
                if stage not in own_stages:
                    yield Finding(path, line, f"no refusal table of this page has the stage `{stage}`")
            for named in ROWS.findall(text) if page.rows else []:
                for number in map(int, re.findall(r"\d+", named)):
                    if number not in page.rows:
                        yield Finding(path, line, f"no numbered table of this page has a row {number}")

    for path, line, stage, reason in vector_refusals(tree):
        page = path[1]
        if page in pages and not stands_in(known[page], stage, reason):
            yield Finding(path[0], line, f"no refusal table of {page} has the row `{stage}`/`{reason}`")


def stands_in(known: set[tuple[str, str]], stage: str, reason: str) -> bool:
    """Whether a table has the pair; `message-N` stands for `message-1` and so on."""
    return (stage, reason) in known or (re.sub(r"-\d+$", "-N", stage), reason) in known


def vector_refusals(tree: Tree):
    """Yields each refusal of each vector file once: the file and its page, the line of the first case, stage and reason."""
    for file in tree.files("Vectors", suffix=".json"):
        if "/schema/" in file:
            continue
        text = tree.text(file)
        try:
            content = json.loads(text)
            errors = [case["error"] for case in content["cases"] if "error" in case]
        except (ValueError, KeyError, TypeError):
            continue
        for stage, reason in sorted({(error.get("stage", ""), error.get("reason", "")) for error in errors}):
            place = text.find(f'"stage": "{stage}", "reason": "{reason}"')
            yield (file, content.get("specification", "")), text.count("\n", 0, max(place, 0)) + 1, stage, reason
