"""A client of a running node, by its control socket: what `inkling` itself uses, documented in the README of the command line.

    from inkling.node import Node

    node = Node("/home/ada/.local/share/inkling")
    for contact in node.contacts():
        print(contact["contact"], contact["presence"])
    with node.events() as events:
        for event in events:
            print(event["event"], event.get("contact"))

A fact is a dictionary with the members that the README names; members may be added at any time. Any thread may use a node;
one thread at a time uses a subscription.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from typing import Any

__all__ = ["Fact", "Node", "NodeFailure", "Subscription"]

Fact = dict[str, Any]

# The longest line of the protocol in bytes, its line feed included.
_LINE_LIMIT = 65_536


class NodeFailure(Exception):
    """A request that the node did not carry out, or a node that cannot be reached.

    status: the exit code that the command would end with, such as 69 for what is not available.
    remedy: what to do about it; None where nothing is known.
    refusal: the code of the refusal behind it, `stage/reason`; None without one.
    """

    def __init__(self, what: str, status: int = 69, remedy: str | None = None, refusal: str | None = None):
        super().__init__(what)
        self.status, self.remedy, self.refusal = status, remedy, refusal


class _Stopped(NodeFailure):
    """The connection has ended without a last message."""


class Subscription:
    """Facts as they happen, until the node ends or this is closed. An iterator, and a context manager that closes it."""

    def __init__(self, control: socket.socket, kind: str):
        self._control, self._kind, self._is_closed = control, kind, False
        self._lines = control.makefile("rb")

    def __enter__(self) -> Subscription:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Fact]:
        return self

    def __next__(self) -> Fact:
        try:
            fact = None if self._is_closed else _next_fact(self._lines)
        except _Stopped:
            fact = None
        except NodeFailure:
            if not self._is_closed:
                raise
            fact = None
        if fact is None:
            self.close()
            raise StopIteration
        found: Fact = fact[self._kind]
        return found

    def close(self) -> None:
        """Ends the request; a thread that waits for a fact gets no more."""
        if self._is_closed:
            return
        self._is_closed = True
        try:
            # A thread that waits returns from its read, and releases what it reads with.
            self._control.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._lines.close()
        self._control.close()


class Node:
    """A node that runs in a home. Each call opens a connection of its own."""

    def __init__(self, home: str | os.PathLike[str], timeout: float = 30):
        """timeout: how many seconds a request may take that is no subscription."""
        self._path, self._timeout = os.path.join(home, "control"), timeout

    def status(self) -> Fact:
        """What the node shows, and why it is silent if it is."""
        return self._one("status", "status")

    def contacts(self) -> list[Fact]:
        """The contacts, each with its presence."""
        return self.request("contact", "contacts")

    def explain(self, contact: str) -> Fact:
        """Why a contact is or is not recognised; its name, id, or 8 characters of the id."""
        return self._one("explanation", "explain", contact=contact)

    def send(self, contact: str, text: str, wait: int = 0) -> Fact:
        """Queues a text of 1 to 8,192 bytes, and waits so many seconds until the contact's node has stored it."""
        return self._one("delivered", "send", contact=contact, text=text, wait=wait, timeout=self._timeout + wait)

    def messages(self, contact: str | None = None) -> list[Fact]:
        """The stored messages, without their texts."""
        if contact is None:
            return self.request("message", "messages")
        return self.request("message", "messages", contact=contact)

    def events(self) -> Subscription:
        """Every event from now on."""
        return self._subscribe("event", "events")

    def presence(self) -> Subscription:
        """Every contact, and again whenever its presence changes."""
        return self._subscribe("contact", "presence")

    def request(self, kind: str, do: str, *, timeout: float | None = None, **members: Any) -> list[Fact]:
        """Carries out any request without questions and secrets, and returns its facts of one kind.

        Raises NodeFailure when the node refuses, does not answer in time, or does not run.
        """
        with self._open(do, timeout or self._timeout, members) as control, control.makefile("rb") as lines:
            facts = []
            while (fact := _next_fact(lines)) is not None:
                if kind in fact:
                    facts.append(fact[kind])
            return facts

    def _one(self, kind: str, do: str, timeout: float | None = None, **members: Any) -> Fact:
        facts = self.request(kind, do, timeout=timeout, **members)
        if not facts:
            raise NodeFailure(f"the node answered '{do}' without a fact '{kind}'")
        return facts[0]

    def _subscribe(self, kind: str, do: str) -> Subscription:
        control = self._open(do, self._timeout, {})
        control.settimeout(None)
        return Subscription(control, kind)

    def _open(self, do: str, timeout: float, members: dict[str, Any]) -> socket.socket:
        control = socket.socket(socket.AF_UNIX)
        try:
            control.settimeout(timeout)
            control.connect(self._path)
            line = json.dumps({"request": {"do": do, **members}}).encode() + b"\n"
            if len(line) > _LINE_LIMIT:
                raise NodeFailure(f"the request has {len(line)} bytes; at most {_LINE_LIMIT} are allowed", 64)
            control.sendall(line)
        except OSError as error:
            control.close()
            raise NodeFailure(f"cannot reach a node at {self._path}: {error}", remedy="inkling run") from error
        except NodeFailure:
            control.close()
            raise
        return control


def _next_fact(lines: Any) -> Fact | None:
    """Returns the next fact; None when the request is done."""
    try:
        line = lines.readline(_LINE_LIMIT + 1)
    except ConnectionResetError as error:
        # It has ended without reading everything that was sent to it.
        raise _Stopped("the node has stopped") from error
    except (OSError, ValueError) as error:
        # ValueError: another thread has closed the subscription.
        raise NodeFailure(f"the node does not answer: {error}") from error
    if not line.endswith(b"\n"):
        if line:
            raise NodeFailure("the node has stopped in the middle of a line, or sends one that is too long")
        raise _Stopped("the node has stopped")
    message: dict[str, Any] = json.loads(line)
    if "failed" in message:
        failed = message["failed"]
        raise NodeFailure(failed["what"], failed["status"], failed.get("remedy"), failed.get("refusal"))
    if "done" in message:
        return None
    fact: Fact = message.get("fact", {})
    return fact
