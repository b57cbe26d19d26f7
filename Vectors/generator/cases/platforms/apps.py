"""Apps of a platform, as arguments."""

EVERYTHING = ("bluetooth", "central", "peripheral", "when-in-use", "always", "local-network")
UNLIKE_IOS = ("bluetooth", "local-network")


def app(family, version, state, *traits, met=(), without=(), low_power=False):
    met = [need for need in met if need not in without] + (["low-power"] if low_power else [])
    return {"family": family, "version": version, "traits": list(traits), "state": state, "met": met}


def phone(version, state, *traits, without=(), low_power=False):
    """An app on iOS that declares every need and has every permission, except `without`."""
    if "always" in without:
        without = (*without, "when-in-use")
    return app("ios", version, state, *traits, met=EVERYTHING, without=without, low_power=low_power)


def android(state, *traits, without=(), low_power=False, version="16"):
    return app("android", version, state, *traits, met=UNLIKE_IOS, without=without, low_power=low_power)


def linux(*traits, without=(), state="foreground", version="6.12"):
    return app("linux", version, state, *traits, met=UNLIKE_IOS, without=without)
