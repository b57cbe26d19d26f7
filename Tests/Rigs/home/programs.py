"""`inkling.antennas` turns what Shellys and a Home Assistant hear into lines, which a node reads (Specs/antennas.md).

The peers are those of `websocket_peers.py`; aioshelly's client proves that the Shelly is one.
"""

import asyncio
import json
import os
import subprocess
import sys
import threading

import aiohttp
from aioshelly.ble.parser import parse_ble_scan_result_event
from aioshelly.rpc_device.wsrpc import WsRPC

from antennas import beacon, profile_of
from house import ROOT, expect, wait, write
from peers import Peers
from websocket_peers import RADIO, HomeAssistant, Shelly

PYTHON = os.path.join(ROOT, "Sources/Bindings/python")
sys.path.insert(0, PYTHON)
from inkling import antennas  # noqa: E402

# What is heard does not matter where no node reads it.
DATA = bytes.fromhex("0201061aff4c000215" + "11" * 20 + "c5")
SHOWN = "4a:0b:1c:2d:3e:"


class Program:
    """A running `inkling.antennas` on Ada's host, whose lines go to the check, or to a node."""

    def __init__(self, house, *words, into=subprocess.PIPE, **secrets):
        self.lines, self.said = [], []
        for option, secret in secrets.items():
            words += (f"--{option.replace('_', '-')}", write(house.file(option), secret + "\n"))
        self.process = house.start("ada", sys.executable, "-m", "inkling.antennas", *words, stdout=into, stderr=subprocess.PIPE,
                                   text=True, env=os.environ | {"PYTHONPATH": PYTHON})
        threading.Thread(target=self.read, args=(self.process.stderr, self.said.append), daemon=True).start()
        if into == subprocess.PIPE:
            threading.Thread(
                target=self.read, args=(self.process.stdout, lambda line: self.lines.append(json.loads(line))), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    @staticmethod
    def read(stream, put):
        for line in stream:
            put(line.rstrip())

    def until(self, what, fits):
        return wait(lambda: f"{what}; it said {self.said[-5:]} and wrote {self.lines[-5:]}", fits)

    def says(self, text, times=1):
        self.until(f"“{text}”", lambda: sum(text in said for said in self.said) >= times)

    def writes(self, **members):
        self.until(f"line with {members}", lambda: any(
            all(line.get(key) == value for key, value in members.items()) for line in list(self.lines)))

    def written(self, address):
        return sum(line["address"] == address for line in list(self.lines))


def check_server(house):
    """aioshelly's client meets the Shelly of this rig, proves its password, and reads the same frames"""
    async def meet(password):
        peer = Shelly(password)
        await peer.start()
        heard = asyncio.get_running_loop().create_future()

        def notify(_, method, params=None):
            if method == "NotifyEvent" and not heard.done():
                heard.set_result(params)

        async with aiohttp.ClientSession() as session:
            client = WsRPC("127.0.0.1", notify, port=peer.port)
            await client.connect(session)
            if password:
                client.set_auth_data(peer.realm, "admin", password)
            await client.calls([("Script.List", None)])
            await peer.tell(peer.event((SHOWN + "4f", -61, DATA, b"")))
            frames = parse_ble_scan_result_event((await heard)["events"][0]["data"])
            expect(frames == [((SHOWN + "4f").upper(), -61, DATA)], f"frames: {frames}")
            await client.disconnect()
        await peer.stop()

    with Peers(house) as peers:
        for password in (None, "open sesame"):
            peers.call(meet(password))


def check_shelly(house):
    """frames become lines with their room; the device is restarted; what is not well-formed is left out"""
    peer = Shelly("open sesame")
    with Peers(house) as peers:
        port = peers.call(peer.start())

        def tell(event):
            peers.call(peer.tell(event))

        with Program(house, "--shelly", f"kitchen=127.0.0.1:{port}", password_file="open sesame") as program:
            program.says("listening")
            tell(peer.event((SHOWN + "4f", -61, DATA, b"\x02\x0a\x04"), ((SHOWN + "50").upper(), -70, DATA, b"")))
            program.writes(data=(DATA + b"\x02\x0a\x04").hex(), address=SHOWN + "4f", rssi=-61, room="kitchen")
            program.writes(address=SHOWN + "50", rssi=-70)
            tell(peer.event((SHOWN + "51", -62, DATA, b""), version=1))
            program.writes(address=SHOWN + "51")
            count = len(program.lines)
            bad = peer.event((SHOWN + "52", -61, DATA, b""), ("no address", -1, DATA, b""), (SHOWN + "53", -1, bytes(63), b""))
            bad["params"]["events"][0]["data"][1] += [None, 7, [SHOWN + "54", -61, "*", ""], [SHOWN + "55"]]
            bad["params"]["events"] += [None, {"event": "ble.scan_result", "data": 7}, {"event": "ble.scan_result", "data": [3, []]}]
            for event in (bad, {"method": "NotifyEvent", "params": 7}, {"method": "NotifyEvent", "params": {"events": 7}}, {}):
                tell(event)
            # Lines come in the order of the frames.
            tell(peer.event((SHOWN + "57", -61, DATA, b"")))
            program.writes(address=SHOWN + "57")
            addresses = [line["address"] for line in program.lines[count:]]
            expect(addresses == [SHOWN + "52", SHOWN + "57"], f"lines of bad frames: {program.lines[count:]}")
            peers.call(peer.stop())
            program.says("trying again")
            peers.call(peer.start(port))
            program.says("listening", 2)
            tell(peer.event((SHOWN + "56", -62, DATA, b"")))
            program.writes(address=SHOWN + "56")
            # A message that is none ends the connection, and not the program.
            tell("[" * 50_000)
            program.says("not JSON")
            program.says("listening", 3)


def check_refusals(house):
    """a wrong password, none, a script that does not run, a wrong token, no administrator, no Bluetooth, nobody, an open token"""
    shelly, home = ["--shelly", "127.0.0.1:PORT"], ["--home-assistant", "http://127.0.0.1:PORT"]
    with Peers(house) as peers:
        for text, peer, words, secrets in (
                ("refuses the password", Shelly("open sesame"), shelly, {"password_file": "open sesam"}),
                ("it has a password", Shelly("open sesame"), shelly, {}),
                ("does not run", Shelly(running=False), shelly, {}),
                ("refuses the token", HomeAssistant(), home, {"token_file": "another"}),
                ("not that of an administrator", HomeAssistant(error="unauthorized"), home, {"token_file": "a-token"}),
                ("it has no Bluetooth", HomeAssistant(error="unknown_command"), home, {"token_file": "a-token"})):
            port = peers.call(peer.start())
            with Program(house, *[word.replace("PORT", str(port)) for word in words], **secrets) as program:
                program.says(text)
    nobody = ["--home-assistant", "http://127.0.0.1:9"]
    with Program(house, *nobody, token_file="a-token") as program:
        program.says("cannot connect")
    path = write(house.file("open-token"), "a-token\n")
    os.chmod(path, 0o644)
    with Program(house, *nobody, "--token-file", path) as program:
        program.says("others can read")
        expect(program.process.wait() == 2, "the exit code")


def check_home(house):
    """a frame that Home Assistant tells once is written until it is gone; the radio's room is that of the line"""
    peer, gone, other = HomeAssistant(), SHOWN + "4f", SHOWN + "50"
    with Peers(house) as peers:
        def tell(event):
            peers.call(peer.tell(event))

        words = ["--home-assistant", f"http://127.0.0.1:{peers.call(peer.start())}", "--room", f"{RADIO}=kitchen"]
        with Program(house, *words, token_file="a-token") as program:
            program.says("listening")
            tell(peer.event(peer.advertisement(gone.upper(), -61, RADIO, raw=DATA.hex())))
            program.writes(data=DATA.hex(), address=gone, rssi=-61, room="kitchen")
            # Without the data as it was on the air, the structures of manufacturers stand for it.
            tell(peer.event(peer.advertisement(other, -62, "AA:BB:CC:DD:EE:02", manufacturer_data={"76": DATA[7:].hex()})))
            program.writes(data=DATA[3:].hex(), address=other, room=None)
            for bad in (None, 7, {"address": gone, "raw": "xyz"}, {"address": gone, "raw": "00" * 63}, {"address": "no", "raw": "00"},
                        {"address": gone, "manufacturer_data": {"-1": "00"}}, {"address": gone, "manufacturer_data": {"76": 7}}):
                tell(peer.event(bad))
            count = program.written(gone)
            program.until("repetition", lambda: program.written(gone) > count)
            # The line of a further device says that the removal was read. From then on the other alone is repeated.
            tell(peer.event(removed=[gone.upper()]))
            tell(peer.event(peer.advertisement(SHOWN + "51", -62, RADIO, raw=DATA.hex())))
            program.writes(address=SHOWN + "51")
            before, count = program.written(gone), program.written(other)
            program.until("repetition of the other", lambda: program.written(other) > count)
            expect(program.written(gone) == before, "who is gone is told")


def check_silence(house):
    """an antenna that tells nothing is connected anew, and a frame that is not told again ends; with shorter times"""
    peers_of, lines = [Shelly(), HomeAssistant()], []
    with Peers(house) as peers:
        ports = [peers.call(peer.start()) for peer in peers_of]
        shelly, home = antennas.Shelly(f"127.0.0.1:{ports[0]}"), antennas.HomeAssistant(f"http://127.0.0.1:{ports[1]}", "a-token")
        expect((shelly.deaf_after, home.deaf_after, home.repetition, home.longest) == (90, 900, 20, 960), "the times")
        # Every frame is written again whenever another comes.
        shelly.deaf_after, home.repetition = 1, 0
        for one in (shelly, home):
            asyncio.run_coroutine_threadsafe(one.run(lines.append), peers.loop)
        wait("second connection", lambda: peers_of[0].calls.count("Script.List") >= 2 and peers_of[1].sockets)

        def written():
            return [json.loads(line)["address"].removeprefix(SHOWN) for line in list(lines)]

        def show(last):
            peers.call(peers_of[1].tell(peers_of[1].event(peers_of[1].advertisement(SHOWN + last, -61, RADIO, raw="020106"))))
            wait(lambda: f"line of {last} but {written()}", lambda: last in written())

        show("4f")
        show("50")
        wait("repetition of the first frame with the second", lambda: "4f" in written()[written().index("50"):])
        # From now on a life is over when it has begun: the next frame finds none of the others.
        home.longest = 0
        show("51")
        show("52")
        later = written()[written().index("51"):]
        expect(not {"4f", "50"} & set(later), f"frames are written that were not told again: {later}")


def check_node(house):
    """a node reads the lines: its contact is probable, and in the kitchen; the program ends with the node"""
    uuid, shelly, home = profile_of(house.move_in())["proximity"], Shelly(), HomeAssistant()
    with Peers(house) as peers:
        ports, ends = [peers.call(peer.start()) for peer in (shelly, home)], os.pipe()
        node = house.run("ada", "--sightings", "-", input=ends[0])
        os.close(ends[0])
        words = ["--shelly", f"kitchen=127.0.0.1:{ports[0]}", "--home-assistant", f"http://127.0.0.1:{ports[1]}"]
        with Program(house, *words, into=ends[1], token_file="a-token") as program:
            os.close(ends[1])
            program.says("listening", 2)

            def tell():
                peers.call(shelly.tell(shelly.event((SHOWN + "4f", -61, beacon(uuid, house.minor()), b""))))
                other = beacon(uuid, house.minor() ^ 1).hex()
                peers.call(home.tell(home.event(home.advertisement(SHOWN + "50", -61, RADIO, raw=other))))

            house.until_contact(also=tell, presence="probable", room="kitchen")
            node.stop()
            # The program notices with the next line.
            program.until("end of the program", lambda: tell() or program.process.poll() is not None)
            expect(program.process.returncode == 0, f"the program ended with {program.process.returncode}")
            expect(not any("Traceback" in said for said in program.said), f"it said {program.said}")
