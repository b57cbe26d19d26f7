"""The planted leaks: which adversary must find each, and what is known of its size."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Plant:
    name: str
    text: str
    level: int = 1
    # The adversaries of whom one at least must find it by its signed advantage; none when it is found otherwise.
    adversaries: tuple = ()
    # Signed advantage that was calibrated or follows from the plant, and how far the best adversary may be from it.
    expected: float | None = None
    margin: float = 0.1
    devices: int = 50
    windows: int = 14
    # What else must be found: mixed frames, lasting values, both technologies in step.
    audit: str = ""


LEARNING = ("regression", "trees")

# The six that count, with the calibration of five of them, and others.
SIX = [
    Plant("address", "5 % of the devices keep their address", 1, ("tokens",), 0.05, 0.06, devices=200, windows=60, audit="lasting"),
    Plant("counter", "a sequence counter goes on", 1, ("counters",), 1.0, 0.02),
    Plant("rssi", "received power, at rest, 1 dB of noise", 3, LEARNING, 0.849, 0.1),
    Plant("interval", "an interval of its own, within 10 ms", 1, LEARNING, 0.976, 0.08),
    Plant("phase", "epochs of its own, without silence", 2, ("gaps",), 0.999, 0.02),
    Plant("step", "a new address with the old minor for 2 s", 1, (), None, audit="mixed"),
]
OTHERS = [
    Plant("goodbye", "goodbyes at one fixed moment, and clocks that are 20 ms apart", 2, LEARNING, 0.98, 0.1),
    Plant("offset", "a constant silent gap", 2, LEARNING),
    Plant("power", "measured power of the hardware, one of eight", 1, LEARNING, 0.875, 0.1),
    Plant("order", "the Flags structure behind the frame, on half of the devices", 1, LEARNING, 0.5, 0.1),
    Plant("host", "the host name stays", 1, ("tokens",), 1.0, 0.02, audit="lasting"),
    Plant("port", "the port stays", 1, LEARNING, 1.0, 0.05),
    Plant("prefix", "two bytes of the tag stay", 1, LEARNING, 1.0, 0.05),
    Plant("length", "a message as long as the name", 1, LEARNING),
    Plant("joint", "one silent gap for both technologies", 2, (), None, audit="crossing"),
]
ALL = SIX + OTHERS
