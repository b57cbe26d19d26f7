"""The Python client of running nodes. Its package loads the C library: $INKLING_LIBRARY, or what `make c-library` has built."""

import os
import sys
import threading

from house import HANG, ROOT, Failed, expect

sys.path.insert(0, os.path.join(ROOT, "Sources/Bindings/python"))
LIBRARY = os.environ.setdefault("INKLING_LIBRARY", os.path.join(ROOT, ".build/c/stage/lib/libinkling.so.1"))
if not os.path.exists(LIBRARY):
    raise Failed(f"{LIBRARY} is missing; build it with: make c-library")

from inkling.node import Node, NodeFailure  # noqa: E402


def failure(call):
    """The failure of a call, which must fail."""
    try:
        call()
    except NodeFailure as problem:
        return problem
    raise Failed("a call that must fail succeeded")


def check_client(house):
    """status, contacts, explanations, texts and events of running nodes as they happen, and clear failures"""
    house.move_in()
    ada = Node(house.home("ada"))
    missing = failure(ada.status)
    expect(missing.status == 69 and "cannot reach" in str(missing), f"without a node: {missing}")
    running = house.run("ada")
    running.event("visible")
    expect(ada.status()["visible"], "the node is not visible")
    expect([one["contact"] for one in ada.contacts()] == ["Bob"], f"the contacts are {ada.contacts()}")
    wrong = failure(lambda: ada.explain("Carla"))
    expect(wrong.status == 65 and "Carla" in str(wrong), f"of an unknown contact: {wrong}")
    long = failure(lambda: ada.send("Bob", "x" * 70_000))
    expect(long.status == 64, f"a request that is too long: {long}")

    seen, ended = [], threading.Event()
    with ada.events() as events:
        bob = house.run("bob")
        for event in events:
            seen.append(event["event"])
            if event["event"] == "arrived":
                break
    expect("confirmed" in seen, f"the events were {seen}")
    sent = ada.send("Bob", "tea?", wait=HANG)
    expect(sent["delivered"], f"the text was not delivered: {sent}")
    expect([one["state"] for one in ada.messages("Bob")] == ["delivered"], f"the messages are {ada.messages()}")
    got = Node(house.home("bob")).messages()
    expect([one["bytes"] for one in got] == [4], f"the messages of the contact are {got}")
    expect(ada.explain("Bob")["presence"] == "confirmed", "the contact is not confirmed")

    # A subscription ends when another thread closes it, and with its node.
    closed = ada.presence()
    expect(next(closed)["contact"] == "Bob", "presence does not begin with the contacts")
    threading.Thread(target=lambda: (list(closed), ended.set()), daemon=True).start()
    closed.close()
    expect(ended.wait(HANG), f"a closed subscription does not end within {HANG} s")
    with Node(house.home("bob")).events() as events:
        bob.stop()
        list(events)
    expect("cannot reach" in str(failure(Node(house.home("bob")).status)), "a node that has ended is reached")
    running.stop()
