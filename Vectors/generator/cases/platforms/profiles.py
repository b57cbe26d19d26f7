"""Profiles: every subject in every state of a device for each row, versions, traits, missing needs, refusals."""

from ...reference.platforms import THE, Range
from ...tools.family import Case, argument_refusals, replaced
from .apps import EVERYTHING, UNLIKE_IOS, android, app, linux, phone
from .documented import AWAY_STATES, build, in_use

# A device for each row; the one of `ios` has a version older than all others.
DEVICES = {
    "ios": ("9.3", ()),
    "ios-10": ("10.3.3", ()),
    "ios-11": ("14.8", ()),
    "ios-15": ("15.8", ()),
    "ios-16": ("16.7", ()),
    "ios-17.0": ("17.2.1", ()),
    "ios-17.3": ("17.3", ()),
    "ios-18.0": ("18.0.1", ()),
    "ios-18.1": ("18.1.1", ()),
    "ios-18.2": ("18.2", ()),
    "ios-26": ("26.4", ()),
    "iphone-12": ("26.0", ("iphone-12",)),
    "iphone-17": ("26.4", ("iphone-17",)),
    "android": ("16", ()),
    "android-aware": ("16", ("aware",)),
    "linux-extended": ("6.12", ()),
    "linux-legacy": ("6.12", ("legacy",)),
    "linux-beacon": ("5.15.0", ("beacon-only",)),
    "linux-aware": ("6.12", ("aware",)),
}
VERSIONS = (
    ("9.3", "none", None),
    ("0", "none", None),
    ("9.65535.65535", "none", None),
    ("10", "exact", "ios-10"),
    ("10.0.0", "exact", "ios-10"),
    ("11", "exact", "ios-11"),
    ("12.5.7", "exact", "ios-11"),
    ("14.8.1", "exact", "ios-11"),
    ("15.0", "exact", "ios-15"),
    ("16.7.12", "exact", "ios-16"),
    ("17", "exact", "ios-17.0"),
    ("17.2.1", "exact", "ios-17.0"),
    ("17.2.65535", "exact", "ios-17.0"),
    ("17.3", "exact", "ios-17.3"),
    ("17.6.1", "exact", "ios-17.3"),
    ("17.7", "older", "ios-17.3"),
    ("18", "exact", "ios-18.0"),
    ("18.0.0", "exact", "ios-18.0"),
    ("18.0.1", "exact", "ios-18.0"),
    ("18.0.2", "older", "ios-18.0"),
    ("18.1.1", "exact", "ios-18.1"),
    ("18.2.1", "exact", "ios-18.2"),
    ("18.3", "older", "ios-18.2"),
    ("19.0", "older", "ios-18.2"),
    ("25", "older", "ios-18.2"),
    ("26", "exact", "ios-26"),
    ("26.4.2", "exact", "ios-26"),
    ("27", "older", "ios-26"),
    ("65535.65535.65535", "older", "ios-26"),
)
BAD_VERSIONS = (
    ("", "an empty version"),
    ("18.", "a version with a dot at its end"),
    (".18", "a version with a dot at its beginning"),
    ("18..1", "a version with two dots in a row"),
    ("18.0.1.2", "a version of four numbers"),
    ("65536", "a version with a number of 65,536"),
    ("18.0.65536", "a version with a third number of 65,536"),
    ("18446744073709551634", "a version with a number above 64 bits"),
    ("018", "a version with a leading zero"),
    ("18.00", "a version with two zeros"),
    ("-18", "a negative version"),
    ("+18", "a version with a sign"),
    (" 18", "a version with a space before it"),
    ("18.1 ", "a version with a space behind it"),
    ("18.1\n", "a version with a line feed behind it"),
    ("18b1", "a version with a letter"),
    ("0x12", "a version in hexadecimal"),
    ("\u0661\u0668", "a version in digits of another script"),
    ("18,1", "a version with a comma"),
    ("ten", "a version in words"),
)


def device(row, state, met=None):
    version, traits = DEVICES[row]
    family = row.split("-")[0] if not row.startswith("iphone") else "ios"
    return app(family, version, state, *traits, met=EVERYTHING if met is None else met)


def grid_cases():
    """Every subject in every state of one device for each row, with every permission."""
    return [
        build(f"{subject} of a device of {row}, {state}", device(row, state), subject)
        for row in DEVICES
        for state in THE.states
        for subject in THE.subjects
    ]


def fits(fact):
    """Returns a device and a state in which the fact applies."""
    row = next((row for row in fact.rows if row in DEVICES and row != "ios"), None)
    row = row or ("ios-18.2" if "ios" in fact.rows else "linux-extended")
    return row, fact.states[0]


def missing_cases():
    """For each need of each fact: every other need is met."""
    cases = []
    for fact in THE.facts.values():
        row, state = fits(fact)
        for need in fact.needs:
            if need == "low-power":
                met = (*EVERYTHING, need)
                what = f"{fact.subject} of a device of {row}, {state}, in low power mode"
            else:
                without = {need, "always"} if need == "when-in-use" else {need}
                met = [one for one in EVERYTHING if one not in without]
                what = f"{fact.subject} of a device of {row}, {state}, without {need}"
            cases.append((what, device(row, state, met), fact.subject))
    nothing = [
        (f"{subject} of a device of {row}, {state}, with nothing allowed", device(row, state, ()), subject)
        for row, state in (("ios-18.2", "foreground"), ("ios-18.2", "force-quit"), ("android", "foreground"))
        for subject in THE.subjects
    ]
    unique = {}
    for what, own, subject in cases + nothing:
        unique.setdefault((str(own), subject), build(what, own, subject))
    return list(unique.values())


def low_power_cases():
    return [
        build(
            f"{subject} of a device of {row}, {state}, in low power mode",
            device(row, state, (*(EVERYTHING if row.startswith("i") else UNLIKE_IOS), "low-power")),
            subject,
        )
        for row in DEVICES
        for state in ("foreground", *AWAY_STATES, "terminated")
        for subject in ("scan", "enter")
    ]


def version_cases():
    cases = []
    for version, coverage, row in VERSIONS:
        expected = {"coverage": coverage, **({"row": row} if row else {})}
        cases += [
            build(f"iOS {version}: {subject}", phone(version, state), subject, ("boundary",), **expected)
            for state, subject in (
                ("background", "scan"),
                ("background", "callbacks"),
                ("terminated", "restart-advertising"),
            )
        ]
    return cases


def trait_cases():
    def case(comment, own, subject, **expected):
        return build(comment, own, subject, ("boundary",), **expected)

    return [
        case(
            "a trait of another family says nothing",
            phone("26", "foreground", "aware", "legacy", "beacon-only"),
            "aware",
            value="no",
        ),
        case(
            "a trait of another family says nothing",
            android("foreground", "iphone-12", "beacon-only"),
            "beacon",
            facts=["android/beacon"],
        ),
        case("a trait of another family says nothing", linux("iphone-17"), "scan", value="30-1000 ms"),
        case("a trait that is given twice", android("foreground", "aware", "aware"), "aware", value="yes"),
        case(
            "a controller with one set that only shows a beacon",
            linux("legacy", "beacon-only"),
            "beacon",
            facts=["linux/beacon/only"],
        ),
        case("with one set, and Wi-Fi Aware", linux("aware", "legacy"), "aware", facts=["linux/aware"]),
        case("only a beacon, and Wi-Fi Aware", linux("beacon-only", "aware"), "aware", facts=["linux/aware"]),
        case("both hardware traits", phone("26", "background", "iphone-12", "iphone-17"), "scan", value="no"),
        case(
            "any version of Android is covered",
            android("foreground", version="0.0.0"),
            "scan",
            coverage="exact",
            row="android",
        ),
        case("any version of Linux is covered", linux(version="65535.65535"), "scan", coverage="exact", row="linux"),
        case(
            "location always includes location while in use",
            app("ios", "18.2", "foreground", met=("bluetooth", "always")),
            "enter",
            value="5000-30000 ms",
        ),
        case("location while in use is not location always", in_use("terminated"), "region-relaunch", value="no"),
        case(
            "a need that is met twice",
            app("ios", "18.2", "foreground", met=("bluetooth", "bluetooth")),
            "scan",
            value="30-100 ms",
        ),
        case("a controller runs in the foreground only", linux(state="background"), "scan", value="no"),
    ]


def refusal_cases():
    valid = {"app": phone("18.0.1", "background", "iphone-12"), "subject": "scan"}

    def changed(**members):
        return replaced(valid, app={**valid["app"], **members})

    def argument(comment, reason, args):
        return Case(comment, args, ("argument",), ("INK-CNF-004",), error=("arguments", reason))

    cases = argument_refusals("platform-profile", valid)
    cases += [
        argument("a subject that does not exist", "out-of-range", {**valid, "subject": "weather"}),
        argument("a subject in upper case", "out-of-range", {**valid, "subject": "Scan"}),
        argument("a subject without a letter", "out-of-range", {**valid, "subject": ""}),
        *app_refusals(valid, "app"),
    ]
    for version, what in BAD_VERSIONS:
        args = changed(version=version)
        cases.append(Case(what, args, ("refusal",), (), error=("platform", "bad-version")))
    for family in ("android", "linux"):
        args = changed(family=family, version="16.0.0.0")
        cases.append(
            Case(f"a version of four numbers, {family}", args, ("refusal",), (), error=("platform", "bad-version"))
        )
    return cases


def app_refusals(valid, side):
    """Refusals of the argument `app`: each member missing, of a wrong type, and out of range."""

    def refused(comment, reason, own):
        return Case(
            comment, replaced(valid, **{side: own}), ("argument",), ("INK-CNF-004",), error=("arguments", reason)
        )

    def argument(comment, reason, **members):
        return refused(f"{side}: {comment}", reason, {**valid[side], **members})

    def absent(member):
        own = {name: value for name, value in valid[side].items() if name != member}
        return refused(f"{side}: an app without {member}", "missing", own)

    return [
        argument("an app with a member too many", "unknown-field", surplus=1),
        *[absent(member) for member in ("family", "version", "traits", "state", "met")],
        argument("a family that does not exist", "out-of-range", family="windows"),
        argument("a family in upper case", "out-of-range", family="iOS"),
        argument("a family that is a number", "wrong-type", family=1),
        argument("a version that is a number", "wrong-type", version=18.1),
        argument("traits that are a text", "wrong-type", traits="aware"),
        argument("a trait that does not exist", "out-of-range", traits=["iphone-13"]),
        argument("a trait that is null", "wrong-type", traits=[None]),
        argument("six traits", "wrong-length", traits=["aware"] * 6),
        argument("a state that does not exist", "out-of-range", state="asleep"),
        argument("a state that is a flag", "wrong-type", state=True),
        argument("needs that are an object", "wrong-type", met={}),
        argument("a need that does not exist", "out-of-range", met=["bluetooth", "luck"]),
        argument("a need that is a number", "wrong-type", met=[1]),
        argument("eight needs", "wrong-length", met=["bluetooth"] * 8),
    ]


def fact_cases():
    def value(fact):
        return str(fact.value) if isinstance(fact.value, Range) else fact.value

    def requirements(fact):
        return ("INK-PLT-005", "INK-PLT-007") if fact.confidence == "assumed" else ("INK-PLT-005",)

    cases = [
        Case(name, {"fact": name}, (), requirements(fact), result={"subject": fact.subject, "value": value(fact)})
        for name, fact in THE.facts.items()
    ]
    return [
        *cases,
        *argument_refusals("platform-fact", {"fact": "ios/scan/foreground"}),
        *[
            Case(comment, {"fact": name}, ("refusal",), (), error=("platform", "no-such-fact"))
            for comment, name in (
                ("a fact that does not exist", "ios/scan/terminated"),
                ("a fact without a letter", ""),
                ("a fact in upper case", "iOS/scan/foreground"),
                ("the beginning of a fact", "ios/scan"),
                ("a fact with a space behind it", "ios/scan/foreground "),
                ("a row, which is no fact", "ios-18.0"),
            )
        ],
    ]
