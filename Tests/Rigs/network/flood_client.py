"""Sends random first messages to a node, each over its own connection, as fast as one process can.

    python3 flood_client.py ADDRESS PORT SECONDS [SOURCE …]

Every message has the length and the type of a first message, and random content. Several connections are opened at a time,
and the client does not wait for one that the node's system has dropped. After its message a connection stays open until
there are 256 newer ones, so that the node has to handle it. Prints one JSON object; SIGINT ends it early.
"""

import collections
import json
import os
import select
import signal
import socket
import struct
import sys
import time

OPENING, HELD = 32, 256
PATIENCE = 0.02  # seconds: within this time the other system has replied, or has dropped the request
RESET = struct.pack("ii", 1, 0)  # no linger: the port is free again at once


def main():
    address, port, seconds, sources = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4:]
    ended = []
    signal.signal(signal.SIGINT, lambda *_: ended.append(True))
    noise = os.urandom(1 << 20)
    poll, opening, held = select.epoll(), {}, collections.deque()
    messages = connections = refused = dropped = 0
    begun = time.time()
    while not ended and time.time() - begun < seconds:
        while len(opening) < OPENING:
            plain = socket.socket(socket.AF_INET, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            if sources:
                plain.bind((sources[(connections + len(opening)) % len(sources)], 0))
            plain.connect_ex((address, port))
            poll.register(plain, select.EPOLLOUT | select.EPOLLONESHOT)
            opening[plain.fileno()] = plain, time.time() + PATIENCE
        for descriptor, _ in poll.poll(PATIENCE / 4):
            plain, _ = opening.pop(descriptor)
            poll.unregister(plain)
            connections += 1
            offset = (messages * 131) % (len(noise) - 128)
            try:
                plain.send(b"\x00\x81\x10" + noise[offset : offset + 128])
                messages += 1
                held.append(plain)
            except OSError:
                refused += 1
                plain.close()
            if len(held) > HELD:
                held.popleft().close()
        now = time.time()
        while opening and next(iter(opening.values()))[1] < now:
            plain, _ = opening.pop(next(iter(opening)))
            poll.unregister(plain)
            plain.close()
            dropped += 1
    took = time.time() - begun
    for plain in [*(plain for plain, _ in opening.values()), *held]:
        plain.close()
    print(json.dumps({
        "messages": messages, "connections": connections, "refused": refused, "dropped": dropped, "seconds": took}))


if __name__ == "__main__":
    main()
