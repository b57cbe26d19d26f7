"""Cases for Specs/profiles.md."""

import json

from ..reference.advertising import overflow_bit
from ..reference.profiles import OWN, PARTS, SAMPLE, derive, profile_uuid
from ..tools.family import Case, Family, argument_refusals

SPECIFICATION = "Specs/profiles.md"
EXAMPLE = derive("Example Chat")


def has_setup_bit(name):
    return overflow_bit(bytes.fromhex(profile_uuid(name, "service").replace("-", "")))[0] == 66


SETUP = next(name for name in (f"app {number}" for number in range(10_000)) if has_setup_bit(name))


def derive_family():
    def case(comment, name, flags=(), **optional):
        return Case(comment, {"name": name, **optional}, flags, ("INK-PRF-003", "INK-PRF-004"))

    def refused(comment, stage, reason, name, requirement="INK-PRF-006", **optional):
        return Case(comment, {"name": name, **optional}, ("refusal",), (requirement,), error=(stage, reason))

    cases = [
        case("an application", "Example Chat"),
        case("a reverse domain name", "org.example.me"),
        case("capitals are other UUIDs under the same service type", "example chat"),
        case("one character", "x", ("boundary",)),
        case("64 characters", "a" + " " * 62 + "b", ("boundary",)),
        case("the longest service type", "abcdefghijklmno", ("boundary",)),
        case("what is no letter at the ends is left out", "--Example 2!"),
        case("a chosen service type", "org.example.application", serviceType="_example-app._tcp"),
        case("a chosen service type of one letter", "example", ("boundary",), serviceType="_z._tcp"),
        case("the greatest measured power", "example", ("boundary",), measuredPower=-20),
        case("the least measured power", "example", ("boundary",), measuredPower=-100),
        refused("no name", "name", "invalid", ""),
        refused("65 characters", "name", "invalid", "a" * 65),
        refused("a space at the start", "name", "invalid", " a"),
        refused("a space at the end", "name", "invalid", "a "),
        refused("a line feed", "name", "invalid", "a\nb"),
        refused("a line feed at the end", "name", "invalid", "ab\n"),
        refused("a letter that is not in ASCII", "name", "invalid", "Gr\u00f6\u00dfe"),
        refused("a name of 16 letters gives no service type", "service-type", "invalid", "abcdefghijklmnop"),
        refused("a name without letters gives no service type", "service-type", "invalid", "2026"),
        refused("a service type over UDP", "service-type", "invalid", "example", serviceType="_example._udp"),
        refused("no name, before the service type", "name", "invalid", "", serviceType="example"),
        refused("Inkling's name with derived UUIDs", "name", "of-inkling", "inkling"),
        refused("a name that gives Inkling's service type", "service-type", "of-inkling", "Inkling"),
        refused("a service with the bit of a watch", "service", "overflow-bit", SETUP),
    ]
    cases += [
        Case(f"a power of {power}", {"name": "example", "measuredPower": power}, ("argument",), ("INK-CNF-004",),
             error=("arguments", "out-of-range"))
        for power in (-101, -19)
    ]
    return Family(
        "profile-derive",
        SPECIFICATION,
        "The profile of an application, from its name.",
        cases + argument_refusals("profile-derive", {"name": "Example Chat"}),
    )


def read_family():
    def text(changes=None, drop=(), base=EXAMPLE, **spacing):
        profile = {**base, **(changes or {})}
        return json.dumps({k: v for k, v in profile.items() if k not in drop}, separators=(",", ":"), **spacing)

    def case(comment, document, flags=(), requirement="INK-PRF-005"):
        return Case(comment, {"document": document}, flags, (requirement, "INK-PRF-004"))

    def refused(comment, stage, reason, document, flags=("refusal",), requirement="INK-PRF-005"):
        return Case(comment, {"document": document}, flags, (requirement,), error=(stage, reason))

    plain = text()
    cases = [
        case("the form", plain),
        case("Inkling's own profile", text(base=OWN)),
        case("other order and spaces", json.dumps(dict(reversed(EXAMPLE.items())), indent=2) + "\n"),
        case("an escape", plain.replace("Example", "\\u0045xample")),
        case("a name with quotes", text({"name": 'The "Example" \\ Chat'})),
        case("UUIDs of the application's own choice", text({"proximity": "0f0e0d0c-0b0a-4908-8706-050403020100"})),
        case("other power", text({"measuredPower": -65})),
        case("4,096 bytes", plain + " " * (4096 - len(plain)), ("boundary",)),
        refused("4,097 bytes", "document", "malformed", plain + " " * (4097 - len(plain))),
        refused("nothing", "document", "malformed", ""),
        refused("a text that ends early", "document", "malformed", plain[:-1]),
        refused("two objects", "document", "malformed", plain + plain),
        refused("a member twice", "document", "malformed", plain[:-1] + ',"name":"x"}'),
        refused("a number that JSON has not", "document", "malformed", plain.replace("-59", "NaN")),
        refused("a list", "document", "not-object", f"[{plain}]"),
        refused("null", "document", "not-object", "null"),
        refused("a misspelt member", "document", "unknown-member", plain.replace("measuredPower", "measuredpower")),
        refused("a member too many, before a missing one", "document", "unknown-member", text({"major": 0}, ("name",))),
        refused("version 2", "profile", "out-of-range", text({"profile": 2}), requirement="INK-PRF-005"),
        refused("version 0", "profile", "out-of-range", text({"profile": 0})),
    ]
    stages = {**{name: name for name in EXAMPLE}, "serviceType": "service-type", "measuredPower": "measured-power",
              "epochSeconds": "epoch-seconds"}
    for member, stage in stages.items():
        cases.append(refused(f"{member} is missing", stage, "missing", text(drop=(member,))))
        cases.append(refused(f"{member} is null", stage, "wrong-type", text({member: None})))
        other = "1" if isinstance(EXAMPLE[member], int) else 1
        cases.append(refused(f"{member} is of another type", stage, "wrong-type", text({member: other})))
    cases += [
        refused("a power with a fraction", "measured-power", "wrong-type", plain.replace("-59", "-59.0")),
        refused("a power with an exponent", "measured-power", "wrong-type", plain.replace("-59", "-59e0")),
        refused("a power of more than 64 bits", "measured-power", "wrong-type", plain.replace("-59", "-9223372036854775809")),
        refused("a power above the range", "measured-power", "out-of-range", text({"measuredPower": -19})),
        refused("a power below the range", "measured-power", "out-of-range", text({"measuredPower": -101})),
        refused("two missing members", "name", "missing", text(drop=("name", "out"))),
        refused("a missing member before a wrong type", "out", "missing", text({"name": 1}, ("out",))),
        refused("a wrong form before a wrong type", "name", "invalid", text({"name": "", "out": 1})),
        refused("a wrong type before a sample", "out", "wrong-type", text({"proximity": SAMPLE, "out": 1})),
    ]
    cases += [
        refused(f"epochs of {seconds} s", "epoch-seconds", "out-of-range", text({"epochSeconds": seconds}),
                requirement="INK-PRF-008")
        for seconds in (60, 899, 901, 1800, 3600)
    ]
    for service in ("example", "_example", "_example._udp", "_example._tcp.local", "_._tcp", "_2026._tcp", "_-a._tcp",
                    "_a-._tcp", "_a--b._tcp", "_Example._tcp", "_abcdefghijklmnop._tcp", "_a b._tcp", "_a._tcp\n"):
        cases.append(refused(f"service type {service!r}", "service-type", "invalid", text({"serviceType": service})))
    for name in ("", " a", "a ", "a\tb", "a" * 65, "\u00e4", "a\u007f"):
        cases.append(refused(f"name {name!r}", "name", "invalid", text({"name": name})))
    good = EXAMPLE["proximity"]
    for comment, uuid in (("capitals", good.upper()), ("no hyphens", good.replace("-", "")), ("braces", f"{{{good}}}"),
                          ("a digit too few", good[:-1]), ("a letter that is no digit", "g" + good[1:])):
        cases.append(refused(f"a UUID with {comment}", "proximity", "invalid", text({"proximity": uuid})))
    for part in PARTS:
        cases.append(refused(f"the sample as {part}", part, "sample", text({part: SAMPLE}), requirement="INK-PRF-006"))
        cases.append(refused(f"a short UUID as {part}", part, "assigned", text({part: "0000180f-0000-1000-8000-00805f9b34fb"})))
        cases.append(refused(f"zeros as {part}", part, "assigned", text({part: "0" * 8 + "-0000-0000-0000-" + "0" * 12})))
        cases.append(refused(f"Inkling's proximity as {part}", part, "of-inkling", text({part: OWN["proximity"]})))
        earlier = PARTS[PARTS.index(part) - 1]
        if part != PARTS[0]:
            cases.append(refused(f"{part} as {earlier}", part, "repeated", text({part: EXAMPLE[earlier]})))
    cases += [
        refused("the service of a watch", "service", "overflow-bit", text({"service": "9aa4730f-b25c-4cc3-b821-c931559fc196"})),
        case("a tag with that bit", text({"tag": "9aa4730f-b25c-4cc3-b821-c931559fc196"})),
        refused("Inkling's name", "name", "of-inkling", text({"name": "inkling"})),
        refused("Inkling's service type", "service-type", "of-inkling", text({"serviceType": "_inkling._tcp"})),
        refused("Inkling's profile with another power", "name", "of-inkling", text({"measuredPower": -60}, base=OWN)),
        refused("the sample before Inkling's name", "out", "sample", text({"name": "inkling", "out": SAMPLE})),
        refused("Inkling's type before a repetition", "service-type", "of-inkling",
                text({"serviceType": "_inkling._tcp", "out": EXAMPLE["in"]})),
    ]
    return Family(
        "profile-read",
        SPECIFICATION,
        "The text of a profile, and every reason for which it is refused.",
        cases + argument_refusals("profile-read", {"document": plain}),
    )


FAMILIES = [derive_family(), read_family()]
