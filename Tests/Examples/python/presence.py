#!/usr/bin/env python3
"""Prints which contacts of a running node are near, and every change: presence.py HOME."""
import json
import socket
import sys

with socket.socket(socket.AF_UNIX) as control:
    control.connect(f"{sys.argv[1]}/control")
    control.sendall(b'{"request":{"do":"presence"}}\n')
    for line in control.makefile(encoding="utf-8"):
        message = json.loads(line)
        if "failed" in message:
            sys.exit(message["failed"]["what"])
        if "fact" in message:
            contact = message["fact"]["contact"]
            print(contact["contact"], contact["presence"], "since", contact["since"], flush=True)
