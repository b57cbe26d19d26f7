"""Sockets of swift-nio that a program which the process starts would inherit.

swift-nio sets no close-on-exec. Such a program keeps a closed connection open, so that the other side waits for its end.
"""

import re

from tree import Finding, Tree

TITLE = "sockets of swift-nio are closed in programs that the process starts"

BOOTSTRAP = re.compile(r"\b(?:Server|Client|Datagram|NIOPipe|NIORawSocket)Bootstrap\(")
CLOSED = re.compile(r"\bcloseOnExecution\(\)")


def findings(tree: Tree):
    for path in tree.files("Sources", "Tests", suffix=".swift"):
        lines = tree.code_lines(path)
        created = [line for line, text in lines if BOOTSTRAP.search(text)]
        closed = sum(bool(CLOSED.search(text)) for _, text in lines)
        # Fewer are certainly wrong; a server needs one for what it accepts, and one for the socket that listens.
        for line in created[closed:]:
            yield Finding(path, line, "the channels of this bootstrap are inherited: call closeOnExecution() in each initializer")
