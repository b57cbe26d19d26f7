"""Specs/lifecycle.md: what an app can do with the permissions it has."""

from ...tools.fields import Entry, Flag, ListOf, Record, Text
from ...tools.operations import operation

WORDS = ("not-determined", "denied", "restricted", "allowed")
LOCATIONS = ("not-determined", "denied", "restricted", "when-in-use", "always")
MOMENTS = ("launch", "use", "setting")
MODES = ("full", "regions", "no-regions", "foreground-only", "network-only", "nothing")
CAPABILITIES = (
    "codes",
    "local-network",
    "foreground",
    "background-scanning",
    "background-advertising",
    "restoration",
    "regions",
)
BANNERS = ("background-disabled", "bluetooth-denied", "bluetooth-restricted")
QUESTIONS = ("bluetooth", "local-network", "location-when-in-use", "location-always", "settings")


def mode_of(bluetooth, location, local_network, modes, background):
    if bluetooth != "allowed":
        return "network-only" if local_network == "allowed" else "nothing"
    if background and location == "always":
        return "full" if modes == {"central", "peripheral"} else "regions"
    return "no-regions" if background and modes else "foreground-only"


def working(bluetooth, location, local_network, modes, background):
    wanted = bluetooth == "allowed" and background
    works = {
        "codes": True,
        "local-network": local_network == "allowed",
        "foreground": bluetooth == "allowed",
        "background-scanning": wanted and "central" in modes,
        "background-advertising": wanted and "peripheral" in modes,
        "restoration": wanted and bool(modes),
        "regions": wanted and location == "always",
    }
    return [capability for capability in CAPABILITIES if works[capability]]


def banner_of(bluetooth, location, background):
    if bluetooth in ("denied", "restricted"):
        return f"bluetooth-{bluetooth}"
    if bluetooth == "allowed" and background and location != "always":
        return "background-disabled"
    return None


def question_of(bluetooth, location, local_network, background, asked, moment):
    if moment == "launch":
        return None
    if bluetooth == "not-determined":
        return "bluetooth"
    if bluetooth == "denied":
        return "settings"
    if moment == "use" or bluetooth == "restricted" or not background:
        return "local-network" if moment == "use" and local_network == "not-determined" else None
    if location == "when-in-use":
        return "settings" if asked else "location-always"
    return {"not-determined": "location-when-in-use", "denied": "settings"}.get(location)


@operation(
    "permissions",
    Record(
        states=ListOf(
            Entry(
                bluetooth=Text(values=WORDS),
                location=Text(values=LOCATIONS),
                localNetwork=Text(values=WORDS),
                modes=ListOf(Text(values=("central", "peripheral")), high=64),
                background=Flag(),
                asked=Flag(),
                moment=Text(values=MOMENTS),
            ),
            high=64,
        )
    ),
    Record(
        answers=ListOf(
            Record(
                optional=("starts", "stops", "banner", "ask"),
                mode=Text(values=MODES),
                works=ListOf(Text(values=CAPABILITIES)),
                starts=ListOf(Text(values=CAPABILITIES)),
                stops=ListOf(Text(values=CAPABILITIES)),
                banner=Text(values=BANNERS),
                ask=Text(values=QUESTIONS),
            )
        )
    ),
)
def permissions(states):
    answers = []
    before = None
    for state in states:
        bluetooth, location, network = state["bluetooth"], state["location"], state["localNetwork"]
        modes, background = set(state["modes"]), state["background"]
        works = working(bluetooth, location, network, modes, background)
        answer = {"mode": mode_of(bluetooth, location, network, modes, background), "works": works}
        if before is not None:
            answer["starts"] = [capability for capability in works if capability not in before]
            answer["stops"] = [capability for capability in before if capability not in works]
        banner = banner_of(bluetooth, location, background)
        question = question_of(bluetooth, location, network, background, state["asked"], state["moment"])
        answers.append(answer | ({"banner": banner} if banner else {}) | ({"ask": question} if question else {}))
        before = works
    return {"answers": answers}
