"""Searches: for an inviter, or for a name that is answered and not announced."""

from .parts import (
    BOTH,
    SRV,
    announced_by,
    asked,
    found,
    heard,
    instance,
    interface,
    known,
    message,
    not_found,
    other_host,
    other_name,
    question,
    records_of,
    response,
    scenario,
    search,
    sent,
    start,
    step,
    vanished,
)

LASTS = 240_000
THERE = ("0a4d0002",)


def asks(at, number, interface=2, ipv6=False):
    return sent(at, message([question(instance(other_name(number)), SRV)]), interface, ipv6)


def searching_cases():
    def case(comment, requirements, steps, *effects, until=20_000, flags=(), **more):
        members = {"announced": None, **more}
        return scenario(comment, requirements, [start(), *steps], until, list(effects), flags=flags, **members)

    def lasting(comment, requirements, steps, *effects, **more):
        """A case in which the name was found at 5,300 ms, and is remembered until the end."""
        return case(comment, requirements, [search(5_000, 1), *steps], asks(5_020, 1), *effects, **more)

    answer = response(*records_of(1)[1:])
    again = vanished(5_300 + LASTS, 1)
    return [
        case("nobody answers: two queries, and the end after 3 s", (1, 17, 27, 34), [search(5_000, 1)], asks(5_020, 1), asks(6_020, 1), not_found(8_000, 1)),
        case("the delay is drawn", (34,), [search(5_000, 1)], asks(5_120, 1), asks(6_120, 1), not_found(8_000, 1), draws=["0", "100"]),
        lasting("an answer: 100 ms later the search ends, without the second query", (17, 27, 34), [heard(5_300, answer)], found(5_400, 1, THERE)),
        case("an answer after the second query", (34,), [search(5_000, 1), heard(6_300, answer)], asks(5_020, 1), asks(6_020, 1), found(6_400, 1, THERE)),
        case("an answer before the first query", (34,), [search(5_000, 1), heard(5_010, answer)], found(5_110, 1, THERE)),
        case("an answer in the last 100 ms: the search ends after 3 s all the same", (27,), [search(5_000, 1), heard(7_950, answer)], asks(5_020, 1), asks(6_020, 1), found(8_000, 1, THERE), flags=("boundary",)),
        case("an answer at the moment of the end", (27,), [search(5_000, 1), heard(8_000, answer)], asks(5_020, 1), asks(6_020, 1), found(8_000, 1, THERE), flags=("boundary",)),
        case("an answer a moment after the end comes too late", (27,), [search(5_000, 1), heard(8_001, answer)], asks(5_020, 1), asks(6_020, 1), not_found(8_000, 1), flags=("boundary",)),
        lasting("what others say within 100 ms counts as well", (28, 40), [announced_by(5_300, 1, "0a4d0009", port=9), announced_by(5_399, 1)], found(5_400, 1, THERE, (*THERE, 9))),
        lasting("a second endpoint does not make the search longer", (27,), [heard(5_300, answer), announced_by(5_350, 1, "0a4d0009", port=9)], found(5_400, 1, THERE, (*THERE, 9))),
        lasting("a name that is searched for does not appear, and vanishes", (23, 38), [announced_by(5_300, 1), announced_by(5_350, 1, "0a4d0009")], found(5_400, 1, THERE), vanished(5_350 + LASTS, 1), until=400_000),
        lasting("not even if it is predicted", (23,), [announced_by(5_300, 1), announced_by(6_000, 1)], found(5_400, 1, THERE), known=known(1)),
        lasting("a second search finds at once what was heard", (17,), [heard(5_300, answer), search(6_000, 1)], found(5_400, 1, THERE), found(6_000, 1, THERE)),
        lasting("a second search within the 100 ms: both end", (17,), [heard(5_300, answer), search(5_350, 1)], found(5_350, 1, THERE), found(5_400, 1, THERE)),
        lasting("without a host, also", (17,), [heard(5_300, answer), search(6_000, 1, host=False)], found(5_400, 1, THERE), found(6_000, 1, THERE)),
        lasting("after the search the name is not known", (38,), [heard(5_300, answer), announced_by(100_000, 1, port=9), search(300_000, 1, host=False)], found(5_400, 1, THERE), again, not_found(300_000, 1), until=300_000),
        case("without a host nothing is asked", (17,), [search(5_000, 1, host=False)], not_found(5_000, 1)),
        case("the host of the search counts, and not that of the prediction", (38,), [search(5_000, 1), announced_by(5_300, 1, host=other_host(2)), announced_by(5_400, 1)], asks(5_020, 1), found(5_500, 1, THERE), known=[{"name": other_name(1), "host": other_host(2)}]),
        case("another host answers", (38,), [search(5_000, 1), announced_by(5_300, 1, host=other_host(2))], asks(5_020, 1), asks(6_020, 1), not_found(8_000, 1)),
        case("four at once", (26,), [search(5_000, n) for n in (4, 2, 1, 3)], *[asks(5_020, n) for n in (1, 2, 3, 4)], *[asks(6_020, n) for n in (1, 2, 3, 4)], *[not_found(8_000, n) for n in (1, 2, 3, 4)], flags=("boundary",)),
        case("a fifth ends at once", (26,), [*[search(5_000, n) for n in (1, 2, 3, 4)], search(5_001, 5)], not_found(5_001, 5), *[asks(5_020, n) for n in (1, 2, 3, 4)], *[asks(6_020, n) for n in (1, 2, 3, 4)], *[not_found(8_000, n) for n in (1, 2, 3, 4)], flags=("boundary",)),
        case("a fifth draws nothing", (26, 34), [*[search(5_000, n) for n in (1, 2, 3, 4)], search(5_001, 5), search(8_100, 6)], not_found(5_001, 5), *[asks(5_020 + n, n) for n in (1, 2, 3, 4)], *[asks(6_020 + n, n) for n in (1, 2, 3, 4)], *[not_found(8_000, n) for n in (1, 2, 3, 4)], asks(8_125, 6), asks(9_125, 6), not_found(11_100, 6), draws=["0", "1", "2", "3", "4", "5"]),
        case("when one has ended there is a place", (26,), [*[search(5_000 + 10 * n, n) for n in (1, 2, 3, 4)], search(8_011, 5)], *[asks(5_020 + 10 * n, n) for n in (1, 2, 3, 4)], *[asks(6_020 + 10 * n, n) for n in (1, 2, 3, 4)], not_found(8_010, 1), not_found(8_020, 2), not_found(8_030, 3), asks(8_031, 5), not_found(8_040, 4), asks(9_031, 5), not_found(11_011, 5)),
        case("a search for a name that is searched for begins anew", (26, 27), [search(5_000, 1), search(7_000, 1)], asks(5_020, 1), asks(6_020, 1), asks(7_020, 1), asks(8_020, 1), not_found(10_000, 1)),
        case("with four open, a search for one of them begins anew", (26,), [*[search(5_000, n) for n in (1, 2, 3, 4)], search(7_500, 2)], *[asks(5_020, n) for n in (1, 2, 3, 4)], *[asks(6_020, n) for n in (1, 2, 3, 4)], asks(7_520, 2), *[not_found(8_000, n) for n in (1, 3, 4)], asks(8_520, 2), not_found(10_500, 2)),
        case("it begins anew with another host", (38,), [step(5_000, "search", name=other_name(1), host=other_host(2)), search(5_100, 1), announced_by(5_300, 1)], asks(5_020, 1), asks(5_120, 1), found(5_400, 1, THERE)),
        case("over every path, in their order", (17, 34), [search(5_000, 1)], *[asks(at, 1, *path) for at in (5_020, 6_020) for path in ((2, False), (2, True), (4, False))], not_found(8_000, 1), interfaces=[interface(4, shown=False, published=[]), BOTH]),
        case("an interface that comes into use is asked on as well", (34,), [search(5_000, 1), step(5_500, "interfaces", interfaces=[interface(), interface(3)])], asks(5_020, 1), asks(6_020, 1), asks(6_020, 1, 3), not_found(8_000, 1)),
        case("without an interface", (27,), [search(5_000, 1)], not_found(8_000, 1), interfaces=[]),
        case("the same query of another device is nobody's question to us", (22, 34), [search(5_000, 1), asked(5_021, instance(other_name(1)), SRV)], asks(5_020, 1), asks(6_020, 1), not_found(8_000, 1)),
        case("two searches at one moment, found by one packet", (34,), [search(5_000, 2), search(5_000, 1), heard(5_300, response(*records_of(2), *records_of(1)))], asks(5_020, 1), asks(5_020, 2), found(5_400, 1, THERE), found(5_400, 2, ("0a4d0003",))),
        case("the interface goes during the search", (27,), [search(5_000, 1), heard(5_050, answer), step(5_100, "interfaces", interfaces=[])], asks(5_020, 1), vanished(5_100, 1), not_found(5_150, 1)),
        case("a name that is predicted and was not heard is asked for, if its host is given", (17,), [search(5_000, 1), announced_by(5_300, 1)], asks(5_020, 1), found(5_400, 1, THERE), known=known(1)),
    ]  # fmt: skip
