"""What every antenna of inkling.antennas does: it connects, hears frames, and connects again."""

from __future__ import annotations

import asyncio
import json
import ssl
import sys
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

# The most bytes of advertising data and scan response that a line holds.
DATA_LIMIT = 62
_RSSI = range(-127, 21)
# How long a step of a protocol may take, in seconds.
_STEP = 10.0
# The waits between two connections, in seconds, and how long one must have lasted for the wait to begin anew.
_FIRST_WAIT, _LONGEST_WAIT, _LASTED = 5.0, 300.0, 60.0


class AntennaFailure(Exception):
    """Why an antenna cannot be heard now, for people. It is tried again."""


class HopelessFailure(AntennaFailure):
    """A failure that lasts until the user has changed something."""


@dataclass(frozen=True)
class Sighting:
    """A frame that an antenna has heard: its data, the address from which it came, and the power in dBm."""

    data: bytes
    address: str
    rssi: int | None

    def line(self, room: str | None) -> str:
        """The line of the sighting, without its line feed."""
        members: dict[str, Any] = {"data": self.data.hex(), "address": self.address}
        if self.rssi is not None:
            members["rssi"] = self.rssi
        if room is not None:
            members["room"] = room
        return json.dumps(members, separators=(",", ":"))


def address_of(value: object) -> str | None:
    """An address in the form of a line; None for what is none."""
    if not isinstance(value, str):
        return None
    digits = value.replace(":", "").replace("-", "")
    try:
        return bytes.fromhex(digits).hex(":") if len(digits) == 12 else None
    except ValueError:
        return None


def power_of(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value in _RSSI else None


def object_of(text: str | bytes) -> dict[str, Any]:
    """A message, which is an object in JSON."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise AntennaFailure("it sent a message that is not JSON") from None
    if not isinstance(value, dict):
        raise AntennaFailure("it sent a message that is not an object")
    return value


class Antenna:
    """One WebSocket that tells what its radio hears.

    name: how messages call it.
    deaf_after: after how many seconds without a frame it is called deaf and connected anew.
    """

    deaf_after = 90.0
    message_limit = 65_536

    def __init__(self, name: str, url: str):
        self.name, self.url = name, url
        # How many frames could not be read.
        self.unreadable = 0

    def room(self, source: str | None) -> str | None:
        """The room of a sighting; `source` is the radio that heard it, where the antenna names one."""
        raise NotImplementedError

    async def subscribe(self, socket: Any) -> None:
        """Does what is needed before frames come."""
        raise NotImplementedError

    def frames(self, message: dict[str, Any]) -> list[tuple[Sighting, str | None]]:
        """The frames of a message, each with the radio that heard it."""
        raise NotImplementedError

    def overdue(self) -> list[tuple[Sighting, str | None]]:
        """Frames that are still on the air although no message says so again."""
        return []

    def say(self, text: str) -> None:
        print(f"{self.name}: {text}", file=sys.stderr, flush=True)

    async def run(self, write: Callable[[str], None], tls: ssl.SSLContext | None = None) -> None:
        """Connects, and writes a line for each frame; connects again after a failure, and never returns.

        Raises what `write` raises.
        """
        wait, last = _FIRST_WAIT, ""
        while True:
            begun = time.monotonic()
            try:
                await self._listen(write, tls)
            except AntennaFailure as failure:
                lasted = time.monotonic() - begun
                if lasted >= _LASTED:
                    wait = _FIRST_WAIT
                # Each reason once; the node counts what it does not hear.
                if str(failure) != last or lasted >= _LASTED:
                    self.say(f"{failure}; trying again")
                last = str(failure)
                if isinstance(failure, HopelessFailure):
                    wait = _LONGEST_WAIT
            await asyncio.sleep(wait)
            wait = min(wait * 2, _LONGEST_WAIT)

    async def _listen(self, write: Callable[[str], None], tls: ssl.SSLContext | None) -> None:
        import websockets

        options: dict[str, Any] = {"ssl": tls} if self.url.startswith("wss:") and tls else {}
        try:
            async with websockets.connect(
                self.url, max_size=self.message_limit, open_timeout=_STEP, close_timeout=2, **options
            ) as socket:
                await self.subscribe(socket)
                self.say("listening")
                async for sighting, source in self._heard(socket):
                    write(sighting.line(self.room(source)))
        except BrokenPipeError:
            # Nobody reads the lines any more.
            raise
        except websockets.ConnectionClosed as closed:
            raise AntennaFailure(f"it ended the connection: {closed}") from None
        except ssl.SSLCertVerificationError as fault:
            raise HopelessFailure(f"its certificate is refused: {fault.verify_message}") from None
        except (OSError, asyncio.TimeoutError, websockets.InvalidHandshake, websockets.InvalidURI) as fault:
            raise AntennaFailure(f"cannot connect to {self.url}: {fault or 'no answer within 10 s'}") from None
        raise AntennaFailure("it ended the connection")

    async def _heard(self, socket: Any) -> AsyncIterator[tuple[Sighting, str | None]]:
        latest = time.monotonic()
        while True:
            try:
                text = await asyncio.wait_for(socket.recv(), 5)
            except asyncio.TimeoutError:
                text = None
            found = self.frames(object_of(text)) if text is not None else []
            if found:
                latest = time.monotonic()
            elif time.monotonic() - latest > self.deaf_after:
                raise AntennaFailure(f"it has heard nothing for {self.deaf_after:.0f} s")
            for frame in [*found, *self.overdue()]:
                yield frame


async def reply(socket: Any, fits: Callable[[dict[str, Any]], bool], what: str) -> dict[str, Any]:
    """The next message that fits, within a step's time."""
    end = time.monotonic() + _STEP
    while (left := end - time.monotonic()) > 0:
        try:
            message = object_of(await asyncio.wait_for(socket.recv(), left))
        except asyncio.TimeoutError:
            break
        if fits(message):
            return message
    raise AntennaFailure(f"no {what} within {_STEP:.0f} s")
