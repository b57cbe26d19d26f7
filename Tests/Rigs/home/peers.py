"""What stands beside a node on Ada's host: servers and clients of an event loop, in a thread of their own."""

import asyncio
import concurrent.futures
import ctypes
import os
import threading

from house import HANG, Failed

CLONE_NEWNET = 0x4000_0000


class Peers:
    """An event loop whose sockets are those of Ada's host, not of this program's."""

    def __init__(self, house):
        self.house, self.loop, self.begun = house, asyncio.new_event_loop(), threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def __enter__(self):
        self.thread.start()
        if not self.begun.wait(HANG):
            raise Failed(f"the thread on Ada's host did not begin within {HANG} s")
        return self

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(HANG)

    def run(self):
        # The kernel moves one thread, and no other.
        libc = ctypes.CDLL(None, use_errno=True)
        with open(f"/run/netns/{self.house.host('ada')}", "rb") as network:
            if libc.setns(network.fileno(), CLONE_NEWNET) != 0:
                raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        asyncio.set_event_loop(self.loop)
        self.loop.call_soon(self.begun.set)
        self.loop.run_forever()
        if tasks := asyncio.all_tasks(self.loop):
            for task in tasks:
                task.cancel()
            self.loop.run_until_complete(asyncio.wait(tasks, timeout=HANG))
        self.loop.close()

    def call(self, coroutine):
        """Runs a coroutine on Ada's host, and returns its value."""
        done = asyncio.run_coroutine_threadsafe(coroutine, self.loop)
        if not concurrent.futures.wait([done], HANG).done:
            raise Failed(f"{coroutine} did not end within {HANG} s")
        return done.result()
