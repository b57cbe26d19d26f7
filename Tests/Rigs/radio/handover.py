"""Two nodes whose session moves from Bluetooth to a network without multicast, and back: what they are told to do, and the checks.

At first the network carries everything but multicast, until the interface of one node goes down. In the epoch after that the interface
is up again, and the network lets nothing pass between the nodes, which cannot know that: it is the control.

When both nodes call each other at the same time, btvirt leaves no beacon on the air after that (README.md), so that the session could
not come back: then the network stays, and the session moves again in the next epoch.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import network
from judge import EPOCH, Fault
from meeting import epoch_of, text
from people import NAMES
from rig import expect, expect_kinds, told

OTHER = dict(zip(NAMES, reversed(NAMES)))
# An offer comes with the session, its link is opened 2 to 25 s later, and the session that is left ends 10 s after that at the latest.
MOVED_WITHIN = 90
# The nodes hear each other again when their scans begin again, 300 s after the last frame, because a controller of btvirt hands over a
# frame only when a set or a scan is enabled, and bluetoothd has forgotten the device by then.
CONFIRMED_WITHIN, BACK_WITHIN = 400, 360
# How long nothing may happen in the control: both offers of a session are over then.
QUIET = 200
DOTS = 8000
# Between two texts of a node; sending one takes about as long.
PAUSE = 0.1
TRIES = 12
# The epochs in which both may call each other.
ROUNDS = 6

BEFORE = f"network start {' '.join(NAMES)}; network capture {' '.join(NAMES)}; node later 2"
WITHIN = "network within $1"
SCRIPT = f"""
both() {{ for name in {' '.join(NAMES)}; do node await $1 $name "$2"; done; }}
# Whether a text had a receipt is judged from what is noted.
say() {{ node say $1 $2 {DOTS} || true; }}
# Texts with short pauses, so that some are sent while the session moves.
talk() {{ until [ -e /run/enough ]; do say $1 $2; sleep {PAUSE}; done; }}
# After the network has gone, texts get no receipt until the session is back.
again() {{ for try in $(seq {TRIES}); do if node say $1 $2 {DOTS}; then say $1 $2; return; fi; done; }}
together() {{ $1 ada Bob & first=$!; $1 bob Ada & wait $!; wait $first; }}

called() {{ node since $1 | grep -q '"technology":"bluetooth","milliseconds":[0-9]'; }}

round=0
while :; do
    both {CONFIRMED_WITHIN} '"event":"confirmed"'
    rm -f /run/enough
    together talk & talks=$!
    both {MOVED_WITHIN} '"event":"hand-over"' || true
    touch /run/enough
    wait $talks
    together say
    together say
    if ! called ada || ! called bob; then break; fi
    round=$((round + 1))
    if [ $round -eq {ROUNDS} ]; then echo "the nodes have called each other in $round epochs"; exit 1; fi
    node later 2
    node mark {' '.join(NAMES)}
done
note
network down ada
together again
note

network apart
node later 2
node mark {' '.join(NAMES)}
network up ada
both {CONFIRMED_WITHIN} '"event":"confirmed"'
together say
sleep {QUIET}
together say
note
network captured
"""


@dataclass(frozen=True)
class Said:
    """A text that a node has sent; status 0 when it had a receipt."""

    number: int
    begun: int
    ended: int
    status: int


@dataclass(frozen=True)
class Arrived:
    """A text that a node has shown, and when."""

    time: float
    text: str

    @property
    def number(self):
        return int(self.text[:4]) if self.text[:4].isdigit() else None


def check(name, folder, seen):
    """Checks what a run has left in its work folder."""
    changes = {word: int(time) for word, time in map(str.split, text(folder, "network.log").splitlines())}
    if not expect("down" in changes and all(len(seen.notes[one]) == 3 for one in NAMES),
                  f"{name}: the nodes confirm each other, and their status was noted {[len(seen.notes[one]) for one in NAMES]} times"):
        return
    down, epoch = changes["down"], changes["down"] // EPOCH
    captured = [frame for one in NAMES for frame in network.frames(one, Path(folder, f"{one}.pcap").read_bytes())]
    talks = {one: talk(folder, seen, one) for one in NAMES}
    if moved := move(name, seen, epoch):
        texts_over(name, talks, captured, moved, down)
        comes_back(name, seen, epoch, down)
    texts(name, talks)
    crossing(name, captured, {epoch_of(event) for event in seen.events[NAMES[0]] if event["event"] == "hand-over"})
    control(name, seen, talks, captured, epoch + 1)
    found = seen.faults(0)
    expect(seen.shown and not found, f"{name}: {len(seen.shown)} advertisements, {len(found)} faults{told(found)}")
    plant(name, talks, captured)


# Events

def moments(seen, one, kind, epoch, **members):
    """Returns when a node had events of a kind in an epoch."""
    return [event["unixMilliseconds"] / 1000 for event in seen.events[one] if event["event"] == kind and epoch_of(event) == epoch
            and all(event.get(key) == value for key, value in members.items())]


def move(name, seen, epoch):
    """Returns when the session of each node had moved, or None when it has not."""
    confirmed = {one: moments(seen, one, "confirmed", epoch, technology="bluetooth")[:1] for one in NAMES}
    moved = {one: moments(seen, one, "hand-over", epoch, technology="lan")[:1] for one in NAMES}
    taken = [moved[one][0] - confirmed[one][0] for one in NAMES if moved[one] and confirmed[one]]
    expect(len(taken) == 2 and all(0 < seconds <= MOVED_WITHIN for seconds in taken),
           f"{name}: the session goes on over the network " + (" and ".join(f"{seconds:.1f} s" for seconds in taken) or "never")
           + " after the handshake over Bluetooth")
    over, heard = reached(seen, 0), sorted({kind for one in NAMES for noted in seen.notes[one] for kind in contact_of(noted).get("by", [])})
    expect("session" in heard and "name" not in heard, f"{name}: the nodes hear each other by {', '.join(heard)}, and no name")
    expect(over == [["lan"], ["lan"]], f"{name}: then the contacts are reachable over {over}")
    return {one: moved[one][0] for one in NAMES} if len(taken) == 2 else None


def comes_back(name, seen, epoch, down):
    back = [min((time for time in moments(seen, one, "confirmed", epoch, technology="bluetooth") if time > down), default=None) for one in NAMES]
    taken = [time - down for time in back if time]
    expect(len(taken) == 2 and max(taken) <= BACK_WITHIN, f"{name}: without the network they confirm each other over Bluetooth "
           + (" and ".join(f"{seconds:.0f} s" for seconds in taken) or "never") + " later, in the same epoch")
    over = reached(seen, 1)
    expect(over == [["bluetooth"], ["bluetooth"]], f"{name}: then the contacts are reachable over {over}")


def reached(seen, number):
    """Returns over what each node reaches the other one, in one of its notes."""
    return [contact_of(seen.notes[one][number]).get("reachableOver") for one in NAMES]


def contact_of(noted):
    """Returns the only contact in what a node said of itself."""
    return next((fact for fact in noted[1] if "reachableOver" in fact), {})


# Texts

def talk(folder, seen, one):
    """Returns what a node sent, and what of it the other one has shown."""
    said = [Said(*map(int, line.split())) for line in text(folder, f"{one}.said.log").splitlines()]
    return said, [Arrived(event["unixMilliseconds"] / 1000, event["text"]) for event in seen.events[OTHER[one]] if event["event"] == "message"]


def text_faults(said, arrived):
    """Returns what is wrong with the texts of a node that have arrived."""
    found, numbers = [], [one.number for one in arrived]
    for index, one in enumerate(arrived):
        if one.text != f"{one.number:04d} {'.' * DOTS}" if one.number else True:
            found.append(Fault("altered", one.time, f"a text of {len(one.text)} characters arrived that was not sent: {one.text[:20]}"))
        if one.number in numbers[:index]:
            found.append(Fault("twice", one.time, f"text {one.number} arrived again"))
        elif index and None not in (one.number, numbers[index - 1]) and one.number < numbers[index - 1]:
            found.append(Fault("order", one.time, f"text {one.number} arrived after text {numbers[index - 1]}"))
    return found + [Fault("lost", one.ended, f"text {one.number} has a receipt and has not arrived") for one in said
                    if one.status == 0 and one.number not in numbers]


def texts(name, talks):
    for one, (said, arrived) in talks.items():
        found = text_faults(said, arrived)
        received = sum(text.status == 0 for text in said)
        expect(received and not found, f"{name}: {one} has receipts for {received} of {len(said)} texts, and {len(arrived)} arrived, each once and in order"
               + told(found))


def texts_over(name, talks, captured, moved, down):
    """Requires that texts were sent before, during and after the move, all with a receipt, and that the later ones crossed the network."""
    for one, (said, arrived) in talks.items():
        sent = [text for text in said if text.begun // EPOCH == down // EPOCH and text.ended <= down]
        before, after = ([text for text in arrived if is_meant(text.time)] for is_meant in
                         (lambda time: down // EPOCH * EPOCH < time < moved[one], lambda time: moved[one] < time <= down + 1))
        expect(sent and before and after and all(text.status == 0 for text in sent),
               f"{name}: of {len(sent)} texts of {one} {sum(text.status == 0 for text in sent)} have a receipt; {len(before)} arrived before "
               f"the session had moved, {len(after)} afterwards")
        carried = sum(frame.payload for frame in captured if frame.port == one == owner(frame) and frame.is_tcp and moved[one] - 1 < frame.time <= down + 1)
        expect(carried > len(after) * DOTS, f"{name}: TCP of {one} carried {carried} bytes")


# Frames

def crossing(name, captured, moves):
    """Judges what the capture has of all epochs. In those of `moves` the session moved."""
    for one in NAMES:
        sent = [frame for frame in captured if frame.port == one and owner(frame) == one and frame.target in network.MULTICAST_DNS]
        expect(sent, f"{name}: {one} sent {len(sent)} packets of multicast DNS")
    asked, passed = ({frame.connection for frame in captured if frame.opens and (frame.port == owner(frame)) == is_own} for is_own in (True, False))
    expect(len(passed) == len(moves) > 0 and passed <= asked, f"{name}: epochs in which the session moved: {len(moves)}; connections asked for: {len(asked)}, made: "
           f"{len(passed)}: " + ", ".join(sorted(
        {f"{frame.source} to {frame.destination}, hop limit {frame.hop_limit}" for frame in captured if frame.opens})))
    found = network.faults(captured)
    expect(not found, f"{name}: {len(captured)} frames at both ports, {len(found)} faults: no multicast crossed, TCP had private addresses alone{told(found)}")


def owner(frame):
    return next((name for name, address in network.HARDWARE.items() if address == frame.sender), None)


# The control

def control(name, seen, talks, captured, epoch):
    """Requires that the session stayed over Bluetooth where the network lets nothing pass, although a link was called."""
    confirmed = [moments(seen, one, "confirmed", epoch, technology="bluetooth") for one in NAMES]
    moved = [moments(seen, one, "hand-over", epoch) for one in NAMES]
    over = reached(seen, 2)
    expect(all(confirmed) and not any(moved) and over == [["bluetooth"], ["bluetooth"]],
           f"{name}: control: on a network that lets nothing pass there were {sum(map(len, moved))} moves in {QUIET} s, and the contacts are reachable over {over}")
    frames = [frame for frame in captured if frame.time // EPOCH == epoch]
    called = {(owner(frame), frame.calls) for frame in frames if frame.calls and owner(frame)}
    passed = [frame for frame in frames if owner(frame) not in (None, frame.port)]
    expect(called and not passed, f"{name}: control: {sorted(called)} were called, {len(passed)} frames passed")
    for one, (said, arrived) in talks.items():
        sent = [text for text in said if text.begun // EPOCH == epoch]
        later = [text for text in arrived if text.time // EPOCH == epoch]
        expect(len(sent) == len(later) > 0, f"{name}: control: {len(later)} of {len(sent)} texts of {one} arrived")


# Planted faults

def plant(name, talks, captured):
    """Plants faults in what was really sent and shown, each of which must be found."""
    said, arrived = talks[NAMES[0]]
    opened = next((frame for frame in captured if frame.opens), None)
    multicast = next((frame for frame in captured if frame.is_multicast and owner(frame) == frame.port), None)
    if not expect(len(arrived) > 1 and opened and multicast, f"{name}: planted: there are texts, a connection and multicast to plant faults in"):
        return
    one, two, *rest = arrived
    expect_kinds(text_faults(said, [one, two, one, *rest]), ["twice"], f"{name}: a text that arrives again")
    expect_kinds(text_faults(said, [two, one, *rest]), ["order"], f"{name}: two texts in the other order")
    expect_kinds(text_faults(said, [one, replace(two, text=two.text[:-1]), *rest]), ["altered"], f"{name}: a text that is a character shorter")
    expect_kinds(text_faults(said, [one, *rest]), ["lost"], f"{name}: a text with a receipt that did not arrive")
    for kinds, change, what in (
            (["far"], replace(opened, hop_limit=64), "a connection with hop limit 64"),
            (["public", "unoffered"], replace(opened, destination="192.0.2.2"), "a connection to a public address"),
            (["multicast"], replace(multicast, port=OTHER[multicast.port]), "multicast at the port of the other node")):
        known = {fault.text for fault in network.faults(captured)}
        expect_kinds([fault for fault in network.faults([*captured, change]) if fault.text not in known], kinds, f"{name}: {what}")
