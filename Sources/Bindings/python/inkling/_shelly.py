"""Shellys as antennas, which pass on what their Bluetooth hears (Specs/antennas.md)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import secrets
from typing import Any

from ._antenna import DATA_LIMIT, Antenna, AntennaFailure, HopelessFailure, Sighting, address_of, object_of, power_of, reply


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
        return await reply(socket, lambda m: m.get("id") == call["id"], f"reply to {method}")

    async def subscribe(self, socket: Any) -> None:
        # A device sends its events to those who have called it.
        reply = await self._call(socket, "Script.List")
        error = reply.get("error")
        if isinstance(error, dict) and error.get("code") == 401:
            reply = await self._call(socket, "Script.List", self._proof(error))
            error = reply.get("error")
            if isinstance(error, dict) and error.get("code") == 401:
                raise HopelessFailure("it refuses the password")
        if error is not None:
            raise AntennaFailure(f"it refuses Script.List: {json.dumps(error)[:200]}")
        result = reply.get("result")
        programs = result.get("scripts") if isinstance(result, dict) else None
        running = [
            p for p in programs if isinstance(p, dict) and p.get("name") == self.program and p.get("running") is True
        ] if isinstance(programs, list) else []
        if not running:
            self.say(
                f"its program {self.program} does not run, so it may hear nothing; Home Assistant installs it: "
                "choose 'Bluetooth scanner support' in the options of the device there")

    def _proof(self, error: dict[str, Any]) -> dict[str, Any]:
        """The proof that this program has the password, for the challenge in a refusal."""
        if self._password is None:
            raise HopelessFailure("it has a password; name it with --password-file")
        challenge = object_of(str(error.get("message")))
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
        address = address_of(row[0])
        try:
            data = b"".join(base64.b64decode(part, validate=True) for part in row[2:])
        except (binascii.Error, ValueError):
            return None
        return Sighting(data, address, power_of(row[1])) if address and len(data) <= DATA_LIMIT else None
