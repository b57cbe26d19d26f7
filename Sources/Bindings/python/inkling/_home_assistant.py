"""The antennas of a Home Assistant, which tells what they hear (Specs/antennas.md)."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import Any

from ._antenna import DATA_LIMIT, Antenna, AntennaFailure, HopelessFailure, Sighting, address_of, power_of, reply


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
        await reply(socket, lambda m: m.get("type") == "auth_required", "question for the token")
        await socket.send(json.dumps({"type": "auth", "access_token": self._token}))
        answer = await reply(socket, lambda m: m.get("type") in ("auth_ok", "auth_invalid"), "answer to the token")
        if answer["type"] != "auth_ok":
            raise HopelessFailure("it refuses the token")
        await socket.send(json.dumps({"id": 1, "type": "bluetooth/subscribe_advertisements"}))
        answer = await reply(
            socket, lambda m: m.get("type") == "result" and m.get("id") == 1, "answer to the subscription")
        if answer.get("success") is not True:
            error = answer.get("error")
            code = error.get("code") if isinstance(error, dict) else None
            if code == "unauthorized":
                raise HopelessFailure("the token is not that of an administrator")
            if code == "unknown_command":
                raise HopelessFailure("it has no Bluetooth: add the integration 'Bluetooth' there")
            raise AntennaFailure(f"it refuses the subscription: {str(code)[:80]}")

    def frames(self, message: dict[str, Any]) -> list[tuple[Sighting, str | None]]:
        event = message.get("event") if message.get("type") == "event" and message.get("id") == 1 else None
        if not isinstance(event, dict):
            return []
        found: list[tuple[Sighting, str | None]] = []
        for gone in event.get("remove") or []:
            if isinstance(gone, dict) and (address := address_of(gone.get("address"))) is not None:
                self._shown.pop(address, None)
        for told in event.get("add") or []:
            sighting = self._sighting(told)
            if sighting is None:
                self.unreadable += 1
                continue
            source = address_of(told.get("source")) or None
            self._shown.pop(sighting.address, None)
            self._shown[sighting.address] = _Shown(sighting, source, time.monotonic())
            if len(self._shown) > self.address_limit:
                self._shown.pop(next(iter(self._shown)))
            found.append((sighting, source))
        return found

    @staticmethod
    def _sighting(told: object) -> Sighting | None:
        if not isinstance(told, dict) or (address := address_of(told.get("address"))) is None:
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
        return Sighting(data, address, power_of(told.get("rssi"))) if 0 < len(data) <= DATA_LIMIT else None

    def overdue(self) -> list[tuple[Sighting, str | None]]:
        now = time.monotonic()
        for address in [a for a, shown in self._shown.items() if now - shown.told > self.longest]:
            del self._shown[address]
        late = [shown for shown in self._shown.values() if now - shown.written >= self.repetition]
        for shown in late:
            shown.written = now
        return [(shown.sighting, shown.source) for shown in late]
