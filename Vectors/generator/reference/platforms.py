"""Specs/platforms.md: what platforms let an app do. The data is parsed from the tables of the page."""

import re
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..tools.fields import Entry, ListOf, Record, Text
from ..tools.operations import operation
from ..tools.refusal import Refusal

PAGE = Path(__file__).resolve().parents[3] / "Specs" / "platforms.md"
DOCUMENTS = {
    "D": "iOS BLE Deep Dive",
    "R": "How to Handle BLE Reconnection After iOS Background Termination",
    "W": "Why Most Biometric Wearable Apps Fail at Background BLE on iOS",
    "Q": "QA1962",
    "T": "TN3115",
    "P": "platform documentation",
    "C": "public code",
    "M": "measured",
}
FAMILIES = ("ios", "android", "linux")
TRAITS = ("iphone-12", "iphone-17", "aware", "legacy", "beacon-only")
NUMBER = r"(?:0|[1-9][0-9]{0,4})"
VERSION = re.compile(rf"{NUMBER}(?:\.{NUMBER}){{0,2}}")


def table(text, first):
    """The rows of the table whose first column has this title, as lists of cells."""
    lines = text.split("\n")
    start = next(at for at, line in enumerate(lines) if line.startswith(f"| {first} |"))
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def names(cell):
    return re.findall(r"`([^`]+)`", cell)


@dataclass(frozen=True)
class Range:
    """From `begin` to `end`, in milliseconds, or in metres."""

    begin: int
    end: int
    is_length: bool = False

    def __str__(self):
        return f"{self.end} m" if self.is_length else f"{self.begin}-{self.end} ms"


@dataclass(frozen=True)
class Subject:
    name: str
    order: tuple  # Ranks of values, the worst first; a range has the rank of its word.
    longer_is_worse: bool

    def rank(self, value):
        """The rank of a value; lower is worse."""
        if not isinstance(value, Range):
            return self.order.index(value), 0, 0
        sign = -1 if self.longer_is_worse else 1
        return self.order.index("range"), sign * value.end, sign * value.begin


@dataclass(frozen=True)
class Fact:
    name: str
    rows: tuple
    states: tuple
    needs: tuple
    subject: str
    value: object
    document: str
    place: str
    confidence: str


def read_subjects(text):
    for cell, _, values in table(text, "subject"):
        order = tuple(match[1] or "range" for match in re.finditer(r"`([\w-]+)`|\ba (?:time|length)\b", values))
        for name in names(cell):
            yield Subject(name, order, "longer is the worse" in values)


def read_value(text):
    if text in ("no", "overflow", "window", "yes"):
        return text
    begin, _, end = text.partition("–")
    return Range(int(begin), int(end or begin), is_length=not end)


def numbers(text):
    return tuple(int(number) for number in text.split("."))


def in_order(order, found):
    if unknown := set(found) - set(order):
        raise AssertionError(f"{PAGE.name}: unknown names {unknown}")
    return tuple(name for name in order if name in found)


class Page:
    """The tables of the page, in their order."""

    def __init__(self, text):
        rows = table(text, "row")
        self.rows = tuple(names(row[0])[0] for row in rows)
        self.versions = []  # row, first version, last version; the newest last
        for row, (_, devices) in zip(self.rows, rows):
            if span := re.fullmatch(r"([0-9.]+)(?: to ([0-9.]+))?", devices):
                self.versions.append((row, numbers(span[1]), numbers(span[2] or span[1])))
        self.states = tuple(names(row[0])[0] for row in table(text, "state"))
        self.needs = tuple(name for row in table(text, "need") for name in names(row[0]))
        self.subjects = {subject.name: subject for subject in read_subjects(text)}
        self.facts = {}
        for name, rows, states, needs, subject, value, source, confidence in table(text, "fact"):
            self.facts[names(name)[0]] = Fact(
                names(name)[0],
                in_order(self.rows, rows.split()),
                in_order(self.states, states.split()),
                in_order(self.needs, needs.split()),
                self.subjects[subject].name,
                read_value(value),
                DOCUMENTS[source[0]],
                source[2:],
                confidence,
            )
        self.of_subject = {
            subject: [fact for fact in self.facts.values() if fact.subject == subject] for subject in self.subjects
        }
        self.place = {name: at for at, name in enumerate(self.facts)}

    @contextmanager
    def without(self, name):
        """Removes a fact from the table for the length of the context."""
        fact = self.facts[name]
        among = self.of_subject[fact.subject]
        self.of_subject[fact.subject] = [one for one in among if one is not fact]
        try:
            yield
        finally:
            self.of_subject[fact.subject] = among

    def sort(self, facts):
        return sorted(set(facts), key=self.place.__getitem__)


THE = Page(PAGE.read_text(encoding="utf-8"))


def padded(version):
    return (*version, 0, 0)[:3]


def version_row(version):
    """The row for an iOS version, and how well it covers it."""
    nearest = None
    for row, first, last in THE.versions:
        if padded(version) < padded(first):
            break
        nearest = row, padded(version)[: len(last)] <= last
    if nearest is None:
        return None, "none"
    return nearest[0], "exact" if nearest[1] else "older"


@dataclass(frozen=True)
class App:
    """A platform, a state, and the needs that are met."""

    family: str
    version: tuple
    traits: frozenset
    state: str
    met: frozenset

    @property
    def coverage(self):
        """The row for the version, and how well it covers it."""
        return version_row(self.version) if self.family == "ios" else (self.family, "exact")

    @property
    def rows(self):
        rows = {self.family, self.coverage[0]}
        if self.family == "ios":
            rows |= self.traits & {"iphone-17"}
            if self.traits & {"iphone-12", "iphone-17"}:
                rows.add("iphone-12")
        else:
            rows |= {f"{self.family}-aware"} if "aware" in self.traits else set()
        if self.family == "linux":
            is_one_of = [trait for trait in ("beacon-only", "legacy") if trait in self.traits]
            rows.add(
                {"beacon-only": "linux-beacon", "legacy": "linux-legacy"}[is_one_of[0]]
                if is_one_of
                else "linux-extended"
            )
        return rows

    def changed(self, **members):
        return App(**{**self.__dict__, **members})

    def applying(self, subject):
        rows = self.rows
        met = self.met | {"when-in-use"} if "always" in self.met else self.met
        return [
            fact
            for fact in THE.of_subject[subject]
            if rows.intersection(fact.rows) and self.state in fact.states and met.issuperset(fact.needs)
        ]

    def value(self, subject):
        """The worst value of the facts that apply, and their names."""
        facts = self.applying(subject)
        worst = min((fact.value for fact in facts), key=THE.subjects[subject].rank, default="no")
        return worst, [fact.name for fact in facts]


def read_app(family, version, traits, state, met):
    if not VERSION.fullmatch(version) or max(numbers(version)) > 65_535:
        raise Refusal("platform", "bad-version")
    return App(family, numbers(version), frozenset(traits), state, frozenset(met))


FACTS = ListOf(Text(values=tuple(THE.facts)))
APP = Entry(
    family=Text(values=FAMILIES),
    version=Text(),
    traits=ListOf(Text(values=TRAITS), high=len(TRAITS)),
    state=Text(values=THE.states),
    met=ListOf(Text(values=THE.needs), high=len(THE.needs)),
)
VALUE = Text(pattern="(?:no|yes|overflow|window|[0-9]+-[0-9]+ ms|[0-9]+ m)")


@operation(
    "platform-fact",
    Record(fact=Text()),
    Record(
        rows=ListOf(Text(values=THE.rows), low=1),
        states=ListOf(Text(values=THE.states), low=1),
        needs=ListOf(Text(values=THE.needs)),
        subject=Text(values=tuple(THE.subjects)),
        value=VALUE,
        document=Text(values=tuple(DOCUMENTS.values())),
        place=Text(),
        confidence=Text(values=("measured", "documented", "reported", "disputed", "assumed")),
    ),
    refusals=[("platform", "no-such-fact")],
)
def platform_fact(fact):
    if fact not in THE.facts:
        raise Refusal("platform", "no-such-fact")
    members = dict(THE.facts[fact].__dict__)
    del members["name"]
    return {**members, "value": str(members["value"])}


@operation(
    "platform-profile",
    Record(app=APP, subject=Text(values=tuple(THE.subjects))),
    Record(
        optional=("row",),
        coverage=Text(values=("exact", "older", "none")),
        row=Text(values=THE.rows),
        value=VALUE,
        facts=FACTS,
    ),
    refusals=[("platform", "bad-version")],
)
def platform_profile(app, subject):
    app = read_app(**app)
    row, coverage = app.coverage
    value, facts = app.value(subject)
    return {"coverage": coverage, **({"row": row} if row else {}), "value": str(value), "facts": facts}
