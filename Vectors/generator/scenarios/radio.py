"""Minors: posteriors, collisions, contested ones."""

from .parts import (
    EPOCH,
    X,
    Y,
    arrived,
    begin,
    by_minor,
    change,
    end,
    handshake,
    left,
    minor,
    minor_at,
    noted,
    prediction,
    scenario,
    states,
    step,
    strangers,
)


def radio_cases():
    one = minor(1)
    seen = change(10_000, 1, "unseen", "probable")

    def case(comment, requirements, steps, until, effects, at_end, **rest):
        beginning = rest.pop("beginning", begin(1))
        return scenario(comment, requirements, [*beginning, *steps], until, effects, at_end, **rest)

    shared = [prediction(1), prediction(2, minor=one)]
    # Of these priors a single minor makes a candidate, so that what is counted twice would show.
    unlikely = begin(1, prior=2)
    candidate = change(10_000, 1, "unseen", "candidate")
    both = [candidate, change(10_000, 2, "unseen", "candidate")]
    crowd = [
        case(
            f"a minor among {count} strangers",
            (61, 62),
            [*strangers(count), minor_at(10_000, one)],
            10_000,
            [change(10_000, 1, "unseen", state)],
            states((state, posterior)),
        )
        for count, state, posterior in ((5, "probable", 62_259), (20, "probable", 61_183), (100, "candidate", 48_829))
    ]
    return [
        case(
            "a minor makes probable, is tried when its address is steady, and fades",
            (46, 60, 62, 67),
            [minor_at(10_000, one), minor_at(11_000, one)],
            140_000,
            [
                seen,
                by_minor(11_000, 1),
                change(41_000, 1, "probable", "stale"),
                change(131_000, 1, "stale", "gone"),
            ],
            states("gone"),
        ),
        case(
            "an address is heard twice within 999 ms, and then once more",
            (46,),
            [minor_at(10_000, one), minor_at(10_999, one), minor_at(30_000, one)],
            30_000,
            [seen, by_minor(30_000, 1)],
            states(("probable", 62_259)),
            flags=("boundary",),
        ),
        case(
            "the delay ends a millisecond before a radio gap after the last sighting",
            (40, 46),
            [step(0, "gap", milliseconds=4_001), minor_at(10_000, one), minor_at(11_000, one)],
            15_001,
            [seen, by_minor(15_000, 1), change(15_001, 1, "probable", "candidate")],
            states(("candidate", 42_936)),
            draws=("5000",),
            flags=("boundary",),
        ),
        case(
            "the delay ends a radio gap after the last sighting",
            (40, 46),
            [step(0, "gap", milliseconds=4_000), minor_at(10_000, one), minor_at(11_000, one)],
            15_001,
            [seen, change(15_000, 1, "probable", "candidate")],
            states(("candidate", 42_936)),
            draws=("5000",),
            flags=("boundary",),
        ),
        *crowd,
        case(
            "repeats of a minor count once",
            (60,),
            [minor_at(10_000 + 90 * n, one) for n in range(11)],
            10_900,
            [candidate],
            states(("candidate", 42_130)),
            beginning=unlikely,
        ),
        case(
            "sightings delivered in a burst and out of order",
            (12, 46, 60),
            [minor_at(20_000, one, observed=observed) for observed in (12_000, 10_000, 11_000)],
            42_000,
            [change(20_000, 1, "unseen", "candidate"), by_minor(20_000, 1), change(42_000, 1, "candidate", "stale")],
            states(("stale", 9_996)),
            beginning=unlikely,
        ),
        case(
            "the minor of the next epoch adds to what the one before it made",
            (60, 61),
            [minor_at(890_000, one), minor_at(905_000, minor(1, EPOCH + 1), Y)],
            905_000,
            [change(890_000, 1, "unseen", "candidate"), change(905_000, 1, "candidate", "probable")],
            states(("probable", 62_259)),
            beginning=unlikely,
        ),
        case(
            "two radio gaps between two epochs leave little of the first minor",
            (61, 67),
            [*strangers(100), minor_at(840_000, one), minor_at(900_000, minor(1, EPOCH + 1), Y)],
            900_000,
            [
                change(840_000, 1, "unseen", "candidate"),
                change(870_000, 1, "candidate", "stale"),
                change(900_000, 1, "stale", "probable"),
            ],
            states(("probable", 61_808)),
        ),
        case(
            "a posterior falls by a factor of ten in odds for each radio gap, down to the prior",
            (67,),
            [step(0, "gap", milliseconds=10_000), *strangers(40), minor_at(10_000, one)],
            40_000,
            [seen, change(20_000, 1, "probable", "candidate"), change(40_000, 1, "candidate", "stale")],
            states(("stale", 468)),
        ),
        case(
            "a millisecond before the second radio gap is over",
            (67,),
            [step(0, "gap", milliseconds=10_000), *strangers(40), minor_at(10_000, one)],
            29_999,
            [seen, change(20_000, 1, "probable", "candidate")],
            states(("candidate", 27_431)),
            flags=("boundary",),
        ),
        case(
            "a minor of two contacts makes both candidates, and its address is called for one of them",
            (2, 15, 47, 61),
            [minor_at(10_000, one), minor_at(12_000, one), minor_at(28_000, one)],
            30_000,
            [*both, by_minor(12_000, 1)],
            states(("candidate", 32_712), ("candidate", 32_712)),
            beginning=begin(1, 2),
            shown=shared,
        ),
        case(
            "of two contacts with one minor, the one with the greater prior is tried first",
            (48, 61),
            [step(0, "add", contact=2, prior=3277), minor_at(10_000, one), minor_at(12_000, one)],
            12_000,
            [*both, by_minor(12_000, 2, value=one)],
            states(("candidate", 5_960), ("candidate", 59_554)),
            shown=shared,
        ),
        case(
            "importance weighs as much as the posterior",
            (48,),
            [
                step(0, "add", contact=2, prior=3277, importance=9),
                step(0, "add", contact=1, importance=100),
                minor_at(10_000, one),
                minor_at(12_000, one),
            ],
            12_000,
            [*both, by_minor(12_000, 1)],
            states(("candidate", 5_960), ("candidate", 59_554)),
            beginning=begin(),
            shown=shared,
        ),
        case(
            "the contact that another shared its minor with is removed",
            (15, 35),
            [minor_at(10_000, one), step(11_000, "remove", contact=2)],
            11_000,
            [*both, change(11_000, 1, "candidate", "probable"), change(11_000, 2, "candidate", "gone")],
            states(("probable", 62_259)),
            beginning=begin(1, 2),
            shown=shared,
        ),
        case(
            "two addresses show one minor at the same time: contested, noted once, and tried",
            (46, 49, 63),
            [
                minor_at(10_000, one, X),
                minor_at(10_500, one, Y),
                minor_at(10_900, one, X),
                minor_at(11_000, one, X),
                minor_at(12_000, one, Y),
            ],
            12_000,
            [
                seen,
                noted(10_900, 1, effect="contested"),
                change(10_900, 1, "probable", "candidate"),
                by_minor(11_000, 1, X),
            ],
            states("candidate"),
        ),
        case(
            "a contested minor keeps nobody present",
            (63,),
            [
                handshake(5_000, 1),
                end(6_000, 1),
                *(minor_at(10_000 + 10_000 * n, one, (X, Y)[n % 2]) for n in range(13)),
            ],
            150_000,
            [
                change(5_000, 1, "unseen", "confirmed"),
                arrived(5_000, 1),
                noted(30_000, 1, effect="contested"),
                by_minor(30_000, 1, X),
                change(50_000, 1, "confirmed", "stale"),
                change(140_000, 1, "stale", "candidate"),
                left(140_000, 1),
            ],
            states(("candidate", 3277)),
        ),
        case(
            "an address that replaces another is not contested and does not count anew",
            (60, 64),
            [minor_at(10_000, one, X), minor_at(10_500, one, X), minor_at(10_501, one, Y), minor_at(11_400, one, Y)],
            11_400,
            [candidate],
            states(("candidate", 42_130)),
            beginning=unlikely,
        ),
        case(
            "two addresses in the same millisecond are contested",
            (63,),
            [minor_at(10_000, one, X), minor_at(10_000, one, Y)],
            10_000,
            [seen, noted(10_000, 1, effect="contested"), change(10_000, 1, "probable", "candidate")],
            states("candidate"),
            flags=("boundary",),
        ),
        case(
            "what may have been one after the other is not contested",
            (64,),
            [
                minor_at(10_000, one, X),
                minor_at(13_000, one, Y, uncertainty=3_001),
                minor_at(14_000, one, X),
            ],
            14_000,
            [seen, by_minor(14_000, 1, X)],
            states(("probable", 62_259)),
            flags=("boundary",),
        ),
        case(
            "what cannot have been one after the other is contested, however uncertain",
            (63,),
            [
                minor_at(10_000, one, X),
                minor_at(13_000, one, Y, uncertainty=3_000),
                minor_at(14_000, one, X),
            ],
            14_000,
            [
                seen,
                noted(14_000, 1, effect="contested"),
                change(14_000, 1, "probable", "candidate"),
                by_minor(14_000, 1, X),
            ],
            states("candidate"),
            flags=("boundary",),
        ),
    ]
