"""Antennas that speak WebSocket: writes what they hear as lines of sightings, which a node reads from standard input.

    python3 -m inkling.antennas --shelly kitchen=192.168.1.20 | inkling run --sightings -

The lines are those of Specs/antennas.md. Needs the package websockets: `pip install inkling[antennas]`, or Debian's
python3-websockets. Nothing here has a key, or knows a contact.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import binascii
import hashlib
import json
import os
import secrets
import ssl
import stat
import sys
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Antenna", "AntennaFailure", "HomeAssistant", "Shelly", "main"]

# The most bytes of advertising data and scan response that a line holds.
_DATA_LIMIT = 62
_RSSI = range(-127, 21)
# How long a step of a protocol may take, in seconds.
_STEP = 10.0
# The waits between two connections, in seconds, and how long one must have lasted for the wait to begin anew.
_FIRST_WAIT, _LONGEST_WAIT, _LASTED = 5.0, 300.0, 60.0


class AntennaFailure(Exception):
    """Why an antenna cannot be heard now, for people. It is tried again."""


class _Hopeless(AntennaFailure):
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


def _address(value: object) -> str | None:
    """An address in the form of a line; None for what is none."""
    if not isinstance(value, str):
        return None
    digits = value.replace(":", "").replace("-", "")
    try:
        return bytes.fromhex(digits).hex(":") if len(digits) == 12 else None
    except ValueError:
        return None


def _power(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value in _RSSI else None


def _object(text: str | bytes) -> dict[str, Any]:
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

    def _say(self, text: str) -> None:
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
                    self._say(f"{failure}; trying again")
                last = str(failure)
                if isinstance(failure, _Hopeless):
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
                self._say("listening")
                async for sighting, source in self._heard(socket):
                    write(sighting.line(self.room(source)))
        except BrokenPipeError:
            # Nobody reads the lines any more.
            raise
        except websockets.ConnectionClosed as closed:
            raise AntennaFailure(f"it ended the connection: {closed}") from None
        except ssl.SSLCertVerificationError as fault:
            raise _Hopeless(f"its certificate is refused: {fault.verify_message}") from None
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
            found = self.frames(_object(text)) if text is not None else []
            if found:
                latest = time.monotonic()
            elif time.monotonic() - latest > self.deaf_after:
                raise AntennaFailure(f"it has heard nothing for {self.deaf_after:.0f} s")
            for frame in [*found, *self.overdue()]:
                yield frame


async def _reply(socket: Any, fits: Callable[[dict[str, Any]], bool], what: str) -> dict[str, Any]:
    """The next message that fits, within a step's time."""
    end = time.monotonic() + _STEP
    while (left := end - time.monotonic()) > 0:
        try:
            message = _object(await asyncio.wait_for(socket.recv(), left))
        except asyncio.TimeoutError:
            break
        if fits(message):
            return message
    raise AntennaFailure(f"no {what} within {_STEP:.0f} s")


class Shelly(Antenna):
    """A Shelly of the second generation or later, whose program passes on what its Bluetooth hears.

    The program is the one that Home Assistant installs for its Bluetooth proxies; it may have several listeners. The device
    needs its password where one is set.
    """

    program = "aioshelly_ble_integration"

    def __init__(self, host: str, room: str | None = None, password: str | None = None):
        super().__init__(f"Shelly {host}", f"ws://{host}/rpc")
        self._room, self._password, self._calls = room, password, 0

    def room(self, source: str | None) -> str | None:
        return self._room

    async def _call(self, socket: Any, method: str, auth: dict[str, Any] | None = None) -> dict[str, Any]:
        self._calls += 1
        call: dict[str, Any] = {"id": self._calls, "src": "inkling", "method": method}
        if auth is not None:
            call["auth"] = auth
        await socket.send(json.dumps(call))
        return await _reply(socket, lambda m: m.get("id") == call["id"], f"reply to {method}")

    async def subscribe(self, socket: Any) -> None:
        # A device sends its events to those who have called it.
        reply = await self._call(socket, "Script.List")
        error = reply.get("error")
        if isinstance(error, dict) and error.get("code") == 401:
            reply = await self._call(socket, "Script.List", self._proof(error))
            error = reply.get("error")
            if isinstance(error, dict) and error.get("code") == 401:
                raise _Hopeless("it refuses the password")
        if error is not None:
            raise AntennaFailure(f"it refuses Script.List: {json.dumps(error)[:200]}")
        result = reply.get("result")
        programs = result.get("scripts") if isinstance(result, dict) else None
        running = [
            p for p in programs if isinstance(p, dict) and p.get("name") == self.program and p.get("running") is True
        ] if isinstance(programs, list) else []
        if not running:
            self._say(
                f"its program {self.program} does not run, so it may hear nothing; Home Assistant installs it: "
                "choose 'Bluetooth scanner support' in the options of the device there")

    def _proof(self, error: dict[str, Any]) -> dict[str, Any]:
        """The proof that this program has the password, for the challenge in a refusal."""
        if self._password is None:
            raise _Hopeless("it has a password; name it with --password-file")
        challenge = _object(str(error.get("message")))
        realm, nonce, count = challenge.get("realm"), challenge.get("nonce"), challenge.get("nc", 1)
        if challenge.get("algorithm") != "SHA-256" or not isinstance(realm, str) or not isinstance(nonce, int | str):
            raise AntennaFailure("it asks for its password in a way that is not known")

        def digest(*parts: object) -> str:
            return hashlib.sha256(":".join(map(str, parts)).encode()).hexdigest()

        own = secrets.token_hex(16)
        keyed, asked = digest("admin", realm, self._password), digest("dummy_method", "dummy_uri")
        return {
            "realm": realm, "username": "admin", "nonce": nonce, "nc": count, "cnonce": own, "algorithm": "SHA-256",
            "response": digest(keyed, nonce, count, own, "auth", asked),
        }

    def frames(self, message: dict[str, Any]) -> list[tuple[Sighting, str | None]]:
        params = message.get("params")
        events = params.get("events") if message.get("method") == "NotifyEvent" and isinstance(params, dict) else None
        found: list[tuple[Sighting, str | None]] = []
        for event in events if isinstance(events, list) else []:
            if not isinstance(event, dict) or event.get("event") != "ble.scan_result":
                continue
            data = event.get("data")
            rows: list[Any] = []
            if isinstance(data, list) and len(data) == 5 and data[0] == 1:
                rows = [data[1:]]
            elif isinstance(data, list) and len(data) == 2 and data[0] == 2 and isinstance(data[1], list):
                rows = data[1]
            else:
                self.unreadable += 1
            for row in rows:
                if (sighting := self._sighting(row)) is not None:
                    found.append((sighting, None))
                else:
                    self.unreadable += 1
        return found

    @staticmethod
    def _sighting(row: object) -> Sighting | None:
        if not isinstance(row, list) or len(row) != 4 or not all(isinstance(part, str) for part in row[2:]):
            return None
        address = _address(row[0])
        try:
            data = b"".join(base64.b64decode(part, validate=True) for part in row[2:])
        except (binascii.Error, ValueError):
            return None
        return Sighting(data, address, _power(row[1])) if address and len(data) <= _DATA_LIMIT else None


@dataclass
class _Shown:
    """A frame that Home Assistant has told, the radio that heard it, when it was told, and when it was last written."""

    sighting: Sighting
    source: str | None
    told: float
    written: float = field(default_factory=time.monotonic)


class HomeAssistant(Antenna):
    """The antennas of a Home Assistant, which passes on what they hear to any number of listeners.

    It tells a frame once, and then only that the address is gone; so a line is written again every 20 s until then, and no
    longer than 16 minutes, after which every Inkling device shows something else. It needs a long-lived token of an
    administrator. `rooms` gives the room of a radio by its address.
    """

    deaf_after = 900.0
    message_limit = 4_194_304
    # How often a line is written again, and how long a frame that is not told anew counts as on the air, in seconds.
    repetition, longest = 20.0, 960.0
    # How many addresses are remembered. Those that were told longest ago are forgotten first.
    address_limit = 4096

    def __init__(self, url: str, token: str, rooms: dict[str, str] | None = None):
        super().__init__("Home Assistant", url.rstrip("/").replace("http", "ws", 1) + "/api/websocket")
        self._token, self._rooms, self._shown = token, rooms or {}, dict[str, _Shown]()

    def room(self, source: str | None) -> str | None:
        return self._rooms.get(source) if source is not None else None

    async def subscribe(self, socket: Any) -> None:
        self._shown.clear()
        await _reply(socket, lambda m: m.get("type") == "auth_required", "question for the token")
        await socket.send(json.dumps({"type": "auth", "access_token": self._token}))
        answer = await _reply(socket, lambda m: m.get("type") in ("auth_ok", "auth_invalid"), "answer to the token")
        if answer["type"] != "auth_ok":
            raise _Hopeless("it refuses the token")
        await socket.send(json.dumps({"id": 1, "type": "bluetooth/subscribe_advertisements"}))
        answer = await _reply(
            socket, lambda m: m.get("type") == "result" and m.get("id") == 1, "answer to the subscription")
        if answer.get("success") is not True:
            error = answer.get("error")
            code = error.get("code") if isinstance(error, dict) else None
            if code == "unauthorized":
                raise _Hopeless("the token is not that of an administrator")
            if code == "unknown_command":
                raise _Hopeless("it has no Bluetooth: add the integration 'Bluetooth' there")
            raise AntennaFailure(f"it refuses the subscription: {str(code)[:80]}")

    def frames(self, message: dict[str, Any]) -> list[tuple[Sighting, str | None]]:
        event = message.get("event") if message.get("type") == "event" and message.get("id") == 1 else None
        if not isinstance(event, dict):
            return []
        found: list[tuple[Sighting, str | None]] = []
        for gone in event.get("remove") or []:
            if isinstance(gone, dict) and (address := _address(gone.get("address"))) is not None:
                self._shown.pop(address, None)
        for told in event.get("add") or []:
            sighting = self._sighting(told)
            if sighting is None:
                self.unreadable += 1
                continue
            source = _address(told.get("source")) or None
            self._shown.pop(sighting.address, None)
            self._shown[sighting.address] = _Shown(sighting, source, time.monotonic())
            if len(self._shown) > self.address_limit:
                self._shown.pop(next(iter(self._shown)))
            found.append((sighting, source))
        return found

    @staticmethod
    def _sighting(told: object) -> Sighting | None:
        if not isinstance(told, dict) or (address := _address(told.get("address"))) is None:
            return None
        data = b""
        try:
            if isinstance(told.get("raw"), str):
                data = bytes.fromhex(told["raw"])
            elif isinstance(told.get("manufacturer_data"), dict):
                # One structure of manufacturer data for each company, as it was on the air.
                for company, text in told["manufacturer_data"].items():
                    content = int(company).to_bytes(2, "little") + bytes.fromhex(text)
                    data += bytes([len(content) + 1, 0xFF]) + content
        except (ValueError, TypeError, OverflowError):
            return None
        return Sighting(data, address, _power(told.get("rssi"))) if 0 < len(data) <= _DATA_LIMIT else None

    def overdue(self) -> list[tuple[Sighting, str | None]]:
        now = time.monotonic()
        for address in [a for a, shown in self._shown.items() if now - shown.told > self.longest]:
            del self._shown[address]
        late = [shown for shown in self._shown.values() if now - shown.written >= self.repetition]
        for shown in late:
            shown.written = now
        return [(shown.sighting, shown.source) for shown in late]


def _secret(path: str, parser: argparse.ArgumentParser) -> str:
    """The first line of a file that nobody else can read."""
    try:
        with open(path, encoding="utf-8") as file:
            if os.fstat(file.fileno()).st_mode & (stat.S_IRWXG | stat.S_IRWXO):
                parser.error(f"others can read {path}; chmod 600 {path}")
            return file.readline(4096).strip()
    except (OSError, UnicodeDecodeError) as fault:
        parser.error(f"cannot read {path}: {fault}")


def _write(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main(arguments: list[str] | None = None) -> int:
    """Runs the antennas that the arguments name until the reader of the lines ends."""
    parser = argparse.ArgumentParser(
        prog="python3 -m inkling.antennas", description="Writes what antennas hear as lines for 'inkling run --sightings -'.",
        epilog="example: python3 -m inkling.antennas --shelly kitchen=192.168.1.20 --shelly hall=192.168.1.21 | "
        "inkling run --sightings -")
    parser.add_argument("--shelly", metavar="[ROOM=]HOST", action="append", default=[],
                        help="a Shelly of generation 2 or later, and the room in which it is")
    parser.add_argument("--password-file", metavar="FILE", help="the password of the Shellys")
    parser.add_argument("--home-assistant", metavar="URL", help="a Home Assistant, such as http://homeassistant.local:8123")
    parser.add_argument("--token-file", metavar="FILE", help="a long-lived token of one of its administrators")
    parser.add_argument("--room", metavar="ADDRESS=ROOM", action="append", default=[],
                        help="the room of one of its radios, named by the address of the radio")
    parser.add_argument("--ca-file", metavar="FILE", help="certificates to trust for https")
    chosen = parser.parse_args(arguments)
    try:
        import websockets  # noqa: F401
    except ImportError:
        print("inkling.antennas needs the package websockets: apt install python3-websockets, or "
              "pip install 'inkling[antennas]'", file=sys.stderr)
        return 69
    if not chosen.shelly and not chosen.home_assistant:
        parser.error("name an antenna with --shelly or --home-assistant")
    if (chosen.home_assistant is None) != (chosen.token_file is None):
        parser.error("--home-assistant and --token-file belong together")
    password = _secret(chosen.password_file, parser) if chosen.password_file else None
    antennas: list[Antenna] = []
    for text in chosen.shelly:
        room, _, host = text.rpartition("=")
        antennas.append(Shelly(host, room or None, password))
    tls = None
    if chosen.home_assistant:
        if not chosen.home_assistant.startswith(("http://", "https://")):
            parser.error("--home-assistant takes an address that begins with http:// or https://")
        rooms: dict[str, str] = {}
        for text in chosen.room:
            address, _, room = text.partition("=")
            if (key := _address(address)) is None or not 1 <= len(room.encode()) <= 64:
                parser.error(f"--room {text}: expected an address, '=' and a room of at most 64 bytes")
            rooms[key] = room
        antennas.append(HomeAssistant(chosen.home_assistant, _secret(chosen.token_file, parser), rooms))
        try:
            tls = ssl.create_default_context(cafile=chosen.ca_file)
        except OSError as fault:
            parser.error(f"cannot read {chosen.ca_file}: {fault}")

    async def run() -> None:
        await asyncio.gather(*(antenna.run(_write, tls) for antenna in antennas))

    try:
        asyncio.run(run())
    except BrokenPipeError:
        # The node has ended. Python would complain once more about the lines that were not written.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
