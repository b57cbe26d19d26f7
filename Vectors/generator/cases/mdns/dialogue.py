"""What the cases of questions, and those of what is heard, have in common."""

from ...tools.operations import answer
from .parts import (
    ADDRESS,
    ANY,
    INSTANCE,
    MDNS,
    NAME,
    browsed_at,
    instance,
    known,
    message,
    other_name,
    question,
    scenario,
    search,
    sent,
    shown_at,
    srv,
    start,
)

HIDDEN = {"name": "aa" * 16, "host": "bb" * 16, "port": 9}


LAST = {"name": "cc" * 16, "host": "dd" * 16, "port": 10}


QUERIER = "0a4d0002"


FIRST = shown_at(20, 1_020)


def legacy(question, type, number=0, announced=True, **shown):
    args = {"id": number, "question": question, "type": type, "announced": announced, **INSTANCE, **shown}
    return answer("mdns-legacy-reply", {**args, "addresses": [ADDRESS]})["result"]["packet"]


def to(at, packet, source=QUERIER, port=MDNS, **more):
    return sent(at, packet, **more, to=source, port=port)


def answered(comment, requirements, steps, *effects, until=8_000, flags=(), **more):
    """A case of a device that has announced itself."""
    return scenario(comment, requirements, [start(), *steps], until, [*FIRST, *effects], flags=flags, **more)


def probe(owner=None, kind=ANY, class_=1, port=4_001, host="bb" * 16, **more):
    """A query with which another host asks whether it may have the instance name, and tells its records."""
    owner = instance(NAME) if owner is None else owner
    authority = more.pop("authority", [srv(other_name(1), host, port, class_=1)])
    return message([question(owner, kind, class_)], authority=authority, **more)


def in_order(*lists):
    """Effects of one moment stay in the order in which the lists are given."""
    return sorted((one for effects in lists for one in effects), key=lambda one: one["at"])


LASTS = 240_000


def listening(comment, requirements, steps, *effects, until=20_000, flags=(), knows=known(1), **more):
    """A case of a device that browses and shows nothing. What it sends is known, and the effects are its reports."""
    reports = list(effects)
    moments = [20, 1_020, 4_020, 13_020, 40_020, *range(100_020, 2_000_000, 60_000)]
    if not {"interfaces", "browses", "announced"} & set(more):
        sends = browsed_at(*[at for at in moments if at <= until])
        members = {"announced": None, "browses": True, "known": knows, **more}
        return scenario(
            comment, requirements, [start(), *steps], until, in_order(reports, sends), flags=flags, **members
        )
    members = {"announced": None, "browses": True, "known": knows, **more}
    return scenario(
        comment,
        requirements,
        [start(), *steps],
        until,
        expect=lambda found: [one for one in found if one["effect"] != "send"] == reports,
        flags=flags,
        **members,
    )


def called(at, number=1, **more):
    return search(at, number, host=False)
