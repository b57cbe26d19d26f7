"""Encodings for which X25519 returns zero with every private key."""

P = 2**255 - 19

# The u-coordinates of order 1, 2, 4 and 8 on the curve and its twist, and their values plus p that
# still fit into 255 bits. The top bit is ignored, so each has a twin.
COORDINATES = [
    0,
    1,
    P - 1,
    39382357235489614581723060781553021112529911719440698176882885853963445705823,
    325606250916557431795983626356110631294008115727848805560023387167927233504,
    P,
    P + 1,
]
LOW_ORDER = [(u | top << 255).to_bytes(32, "little") for top in (0, 1) for u in COORDINATES]
