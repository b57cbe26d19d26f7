"""Cases of Specs/invitations.md."""

from ..reference.invitations import ALPHABET, KINDS, LONGEST_CONTENT, base32, check_bytes, invitation
from ..tools.family import Case, Family, argument_refusals, generated, replaced
from ..tools.operations import answer
from .shared import known_answers

SPECIFICATION = "Specs/invitations.md"
MINUTE = known_answers.UNIX_SECONDS // 60
COMMITMENT = generated("commitment", 16)
SECRET = known_answers.SECRET


def key_cases():
    requirements = ("INK-INV-013",)
    cases = known_answers.cases("invitation-keys", requirements)
    for fill in ("00", "ff"):
        cases.append(Case(f"a secret of 32 bytes {fill}", {"secret": fill * 32}, ("boundary",), requirements))
    for index in range(8):
        args = {"secret": generated(f"invitation {index}").hex()}
        cases.append(Case("a secret without structure", args, ("generated",), requirements))
    return cases + argument_refusals("invitation-keys", {"secret": SECRET.hex()})


def encoded(transports=0b0101, expiry=MINUTE + 5, version=1):
    return invitation(COMMITMENT, SECRET, transports, expiry, version)


def decode_cases():
    cases = []

    def valid(comment, data, minute=MINUTE, requirements=("INK-INV-010",), flags=("boundary",)):
        cases.append(Case(comment, {"invitation": data.hex(), "minute": minute}, flags, requirements))

    def refused(comment, data, error, minute=MINUTE):
        args = {"invitation": data.hex(), "minute": minute}
        cases.append(Case(comment, args, ("refusal",), ("INK-INV-010",), error=error))

    valid("GATT and TCP, five minutes to live", encoded())
    for bit, name in [(0, "GATT"), (2, "TCP"), (3, "Wi-Fi Aware")]:
        valid(f"{name} alone", encoded(transports=1 << bit))
    for bit in (1, 4, 15):
        valid(f"TCP and the reserved bit {bit}, which is ignored", encoded(1 << 2 | 1 << bit), requirements=("INK-INV-011",))
    valid("every bit of transports set", encoded(0xFFFF), requirements=("INK-INV-011",))
    valid("in the minute of its end, inside the allowance", encoded(expiry=MINUTE))
    valid("in the last minute of the allowance", encoded(expiry=MINUTE - 1))
    valid("as far ahead as is accepted", encoded(expiry=MINUTE + 13))
    valid("minute 0", encoded(expiry=0), minute=0)
    valid("the last minute that 32 bits hold", encoded(expiry=2**32 - 1), minute=2**32 - 1)
    whole = encoded()
    refused("no bytes", b"", ("length", "too-short"))
    refused("the version alone", whole[:1], ("length", "too-short"))
    refused("a byte too short", whole[:-1], ("length", "too-short"))
    refused("a byte too long", whole + b"\0", ("length", "too-long"))
    refused("twice as long", whole + whole, ("length", "too-long"))
    for version in (0, 2, 255):
        refused(f"version {version}", encoded(version=version), ("version", "unknown"))
    refused("no transport", encoded(transports=0), ("transports", "none"))
    for bit in (1, 4, 15):
        refused(f"the reserved bit {bit} alone", encoded(transports=1 << bit), ("transports", "none"))
    refused("a minute beyond the allowance", encoded(expiry=MINUTE - 2), ("expiry", "ended"))
    refused("long over", encoded(expiry=1), ("expiry", "ended"))
    refused("expiry 0", encoded(expiry=0), ("expiry", "ended"))
    refused("over, at the last minute that 32 bits hold", encoded(expiry=2**32 - 3), ("expiry", "ended"), 2**32 - 1)
    refused("a minute too far ahead", encoded(expiry=MINUTE + 14), ("expiry", "too-far"))
    refused("as far ahead as 32 bits hold", encoded(expiry=2**32 - 1), ("expiry", "too-far"))
    return cases + argument_refusals("invitation-decode", {"invitation": whole.hex(), "minute": MINUTE})


def encode_cases():
    requirements = ("INK-TXT-001", "INK-TXT-002")
    cases = []
    for kind in KINDS:
        args = {"kind": kind, "bytes": encoded().hex()}
        cases.append(Case(f"kind {kind}", args, ("boundary",), requirements))
    for count in range(1, 11):
        args = {"kind": "C", "bytes": generated(f"text {count}", count).hex()}
        cases.append(Case(f"{count} bytes: every number of unused bits occurs", args, ("boundary",), requirements))
    for fill in ("00", "ff"):
        cases.append(Case(f"bytes {fill}", {"kind": "G", "bytes": fill * 11}, ("boundary",), requirements))
    args = {"kind": "G", "bytes": generated("longest text", LONGEST_CONTENT).hex()}
    cases.append(Case("the longest content", args, ("boundary",), requirements))
    base = {"kind": "I", "bytes": "00"}
    cases += argument_refusals("text-encode", base)
    for kind in ("", "i", "A", "IL", " I", "1", "\u0130"):
        comment = f"kind {ascii(kind)} is no kind"
        cases.append(
            Case(comment, replaced(base, kind=kind), ("argument",), ("INK-CNF-004",), error=("arguments", "out-of-range"))
        )
    for count, comment in [(0, "no bytes"), (LONGEST_CONTENT + 1, "a byte more than the longest content")]:
        args = replaced(base, bytes="00" * count)
        cases.append(Case(comment, args, ("argument",), ("INK-CNF-004",), error=("arguments", "wrong-length")))
    return cases


def text(kind: str, content: bytes) -> str:
    return answer("text-encode", {"kind": kind, "bytes": content.hex()})["result"]["text"]


def text_decode_cases():
    cases = []

    def valid(comment, given, kind, content, requirements=("INK-TXT-011",)):
        result = {"kind": kind, "bytes": content.hex()}
        cases.append(Case(comment, {"text": given}, ("boundary",), requirements, result=result))

    def refused(comment, given, stage, reason, requirements=("INK-TXT-010",)):
        cases.append(Case(comment, {"text": given}, ("refusal",), requirements, error=(stage, reason)))

    whole = text("I", encoded())
    for kind in KINDS:
        valid(f"kind {kind}", text(kind, encoded()), kind, encoded())
    valid("all in lower case", whole.lower(), "I", encoded())
    valid("in mixed case", "".join(c.lower() if i % 2 else c for i, c in enumerate(whole)), "I", encoded())
    for count in range(1, 11):
        content = generated(f"text {count}", count)
        valid(f"{count} bytes", text("C", content), "C", content)
    longest = generated("longest text", LONGEST_CONTENT)
    valid("the longest text", text("G", longest), "G", longest)

    too_long = longest + b"\0"
    refused(
        "a text one byte of content too long",
        f"INKLING:G:{base32(too_long + check_bytes('G', too_long))}",
        "length",
        "too-long",
    )
    refused("prefix and ten thousand characters", "INKLING:C:" + "A" * 10_000, "length", "too-long")
    for comment, given in [
        ("empty", ""),
        ("one letter", "I"),
        ("the prefix without its colon", "INKLING"),
        ("another word", whole.replace("INKLING", "INKLINK", 1)),
        ("another scheme", "https://" + whole),
        ("a space before the prefix", " " + whole),
        ("a byte order mark before the prefix", "\ufeff" + whole),
        ("KELVIN SIGN for K, which Unicode folds to k", whole.replace("K", "\u212a", 1)),
        ("DOTLESS I for I, which Unicode raises to I", "\u0131" + whole[1:]),
        ("full-width letters", "".join(chr(ord(c) + 0xFEE0) for c in "INKLING") + whole[7:]),
        ("a semicolon for the colon", whole.replace(":", ";", 1)),
    ]:
        refused(comment, given, "prefix", "unknown")
    for comment, given in [
        ("the prefix alone", "INKLING:"),
        ("an unknown kind", whole.replace(":I:", ":X:", 1)),
        ("a digit as the kind", whole.replace(":I:", ":1:", 1)),
        ("no kind between the colons", whole.replace(":I:", "::", 1)),
        ("DOTLESS I as the kind", whole.replace(":I:", ":\u0131:", 1)),
        ("an accent on the kind", whole.replace(":I:", ":\u00cd:", 1)),
    ]:
        refused(comment, given, "kind", "unknown")
    for comment, given in [
        ("nothing behind the kind", "INKLING:I"),
        ("two letters as the kind", whole.replace(":I:", ":IL:", 1)),
        ("a full stop for the second colon", whole.replace(":I:", ":I.", 1)),
        ("an accent combined with the kind", whole.replace(":I:", ":I\u0301:", 1)),
    ]:
        refused(comment, given, "kind", "no-separator")
    digits = whole[10:]
    for comment, given in [
        ("padding", whole + "="),
        ("a space at the end", whole + " "),
        ("a line feed at the end", whole + "\n"),
        ("a line break inside", f"INKLING:I:{digits[:40]}\r\n{digits[40:]}"),
        ("the digit 0", f"INKLING:I:0{digits[1:]}"),
        ("the digit 1", f"INKLING:I:1{digits[1:]}"),
        ("the digit 8", f"INKLING:I:8{digits[1:]}"),
        ("the digit 9", f"INKLING:I:9{digits[1:]}"),
        ("a hyphen", f"INKLING:I:{digits[:5]}-{digits[6:]}"),
        ("a third colon", f"INKLING:I::{digits[1:]}"),
        ("a zero byte", f"INKLING:I:\u0000{digits[1:]}"),
        ("LONG S, which Unicode folds to S", f"INKLING:I:\u017f{digits[1:]}"),
        ("KELVIN SIGN among the digits", f"INKLING:I:\u212a{digits[1:]}"),
        ("a full-width digit", f"INKLING:I:\uff12{digits[1:]}"),
        ("an Arabic digit two", f"INKLING:I:\u0662{digits[1:]}"),
        ("a letter with an accent combined", f"INKLING:I:{digits[:4]}\u0301{digits[4:]}"),
    ]:
        refused(comment, given, "alphabet", "not-base32")
    for count, comment in [(1, "one digit"), (3, "three digits"), (6, "six digits"), (9, "nine digits")]:
        refused(comment, f"INKLING:I:{'A' * count}", "padding-bits", "impossible-length")
    refused("a digit too few", whole[:-1], "padding-bits", "impossible-length")
    for count in (1, 2, 3, 4):
        # 4 + count bytes leave 2, 1, 4 or 3 unused bits; five bytes more leave none.
        content = generated(f"text {count}", count)
        good = text("C", content)
        unused = (len(good) - 10) * 5 - (count + 4) * 8
        for bit in range(unused):
            last = ALPHABET[ALPHABET.index(good[-1]) ^ 1 << bit]
            comment = f"bit {bit} of {unused} unused bits set"
            refused(comment, good[:-1] + last, "padding-bits", "not-zero", ("INK-TXT-012",))
    refused("nothing behind the second colon", "INKLING:I:", "check", "too-short")
    refused("one byte", f"INKLING:I:{base32(bytes(1))}", "check", "too-short")
    refused("a check and no content", f"INKLING:I:{base32(check_bytes('I', b''))}", "check", "too-short")
    refused("a digit of the content changed", f"INKLING:I:{'B' if digits[0] == 'A' else 'A'}{digits[1:]}", "check", "mismatch")
    refused("a digit of the check changed", whole[:-3] + ("B" if whole[-3] == "A" else "A") + whole[-2:], "check", "mismatch")
    refused("two digits exchanged", f"INKLING:I:{digits[:20]}{digits[21]}{digits[20]}{digits[22:]}", "check", "mismatch")
    refused("another kind with the check of this one", whole.replace(":I:", ":L:", 1), "check", "mismatch")
    content = encoded()
    cut = base32((content + check_bytes("I", content))[:-5])
    refused("five bytes lost at the end", f"INKLING:I:{cut}", "check", "mismatch")
    last = check_bytes("I", content)
    refused("the check before the content", f"INKLING:I:{base32(last + content)}", "check", "mismatch")
    refused("the check of the kind in lower case", lower_case_check(content), "check", "mismatch")
    cases.append(
        Case(
            "a text of fewer digits: five bytes are enough",
            {"text": text("L", b"\0")},
            ("boundary",),
            ("INK-TXT-010",),
            result={"kind": "L", "bytes": "00"},
        )
    )
    return cases + argument_refusals("text-decode", {"text": whole})


def lower_case_check(content: bytes) -> str:
    from ..reference.notation import sha256

    check = sha256(b"inkling/1 text\x00i\x00" + content)[:4]
    return f"INKLING:I:{base32(content + check)}"


FAMILIES = [
    Family("invitation-keys", SPECIFICATION, "What is derived from the secret of an invitation.", key_cases()),
    Family(
        "invitation-decode",
        SPECIFICATION,
        "The 55 bytes of an invitation, and every way to be refused.",
        decode_cases(),
        insensitive={"minute": "The minute decides only whether the invitation is refused."},
    ),
    Family("text-encode", SPECIFICATION, "The text form of invitations, cards and grants.", encode_cases()),
    Family("text-decode", SPECIFICATION, "Reading the text form, and every way to be refused.", text_decode_cases()),
]
