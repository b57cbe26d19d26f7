"""Antennas that speak WebSocket: writes what they hear as lines of sightings, which a node reads from standard input.

    python3 -m inkling.antennas --shelly kitchen=192.168.1.20 | inkling run --sightings -

The lines are those of Specs/antennas.md. Needs the package websockets: Debian's python3-websockets, or `pip install
websockets`. Nothing here has a key, or knows a contact.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import ssl
import stat
import sys

from ._antenna import Antenna, AntennaFailure, address_of
from ._home_assistant import HomeAssistant
from ._shelly import Shelly

__all__ = ["Antenna", "AntennaFailure", "HomeAssistant", "Shelly", "main"]


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
              "pip install websockets", file=sys.stderr)
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
            if (key := address_of(address)) is None or not 1 <= len(room.encode()) <= 64:
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
