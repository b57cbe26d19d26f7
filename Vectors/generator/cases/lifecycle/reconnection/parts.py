"""Steps, effects and scenarios for the cases of reconnection."""

from ....tools.family import Case
from ..steps import effect, numbers, step

SERVICES = [["normal", "data"], ["pairing", "normal"]]
JOINED = ["normal", "data", "pairing"]
ALL = ["services", "characteristics", "subscription", "authentication", "status", "resumption"]
SHORT = ["authentication", "resumption"]


def wanted(at, peer=1, known=None, stable=True, last=None):
    optional = {name: value for name, value in (("known", known), ("last", last)) if value is not None}
    return step(at, "wanted", peer=peer, stable=stable, **optional)


def on(at, event, route=None, peer=1, **members):
    return step(at, event, peer=peer, **({} if route is None else {"route": route}), **members)


def says(at, name, route=None, peer=1, **members):
    return effect(at, name, peer=peer, **({} if route is None else {"route": route}), **members)


def ready(at):
    return step(at, "ready")


def pipeline_steps(at, peer=1, steps=ALL, initialise=False):
    """Every step of the pipeline succeeds, one each millisecond."""
    done = []
    for name in steps:
        at += 1
        if name == "status":
            done.append(on(at, "status-known", peer=peer, initialise=initialise))
            if initialise:
                at += 1
                done.append(on(at, "step-done", peer=peer, step="initialisation"))
        else:
            done.append(on(at, "step-done", peer=peer, step=name))
    return done


def performs(at, route, peer=1, steps=ALL, last=None, initialise=False):
    """The effects when a link is established and `pipeline_steps` follow at once."""
    asked = []
    for name in steps:
        members = {"last": str(last)} if name == "resumption" and last is not None else {}
        asked.append(says(at, "perform", route, peer, step=name, **members))
        at += 1
        if name == "status" and initialise:
            asked.append(says(at, "perform", route, peer, step="initialisation"))
            at += 1
    return asked


def done(at, route, waited, took, peer=1):
    return says(at, "reconnected", route, peer, waited=waited, took=took)


def begins(at):
    return effect(at, "begin-search", services=JOINED)


def ends(at):
    return effect(at, "end-search")


def scenario(comment, requirements, steps, until, effects=None, pipeline=ALL, flags=()):
    args = {"services": SERVICES, "pipeline": pipeline, "steps": steps, "until": until}
    return Case(comment, args, flags, numbers(requirements), result=None if effects is None else {"effects": effects})
