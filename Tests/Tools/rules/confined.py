"""Code that a requirement confines to a few files.

Each row has a requirement, a pattern for code without comments and strings, and the only files that may match it. A listed
file that no longer matches is a finding too, because its row has no effect. `WITHOUT` constrains the inside of
a file.
"""

import re
from dataclasses import dataclass

from tree import Finding, Tree

TITLE = "keys, grants and records are used only where the requirements allow it"


@dataclass(frozen=True)
class Confined:
    requirement: str
    pattern: str
    places: tuple[str, ...]
    why: str


CONFINED = [
    Confined("INK-CRD-006", r"\bnoiseKey\.value\b",
             ("Sources/Node/InklingNode/Node/Node.swift", "Sources/Node/InklingVault/Contents/NodeIdentity.swift",
              "Sources/Kit/InklingConformance/Live/LiveContact.swift",
              "Sources/Kit/InklingConformance/Live/LiveRun+FirstContact.swift"),
             "the device key is lent to the handshake and to its public half"),
    Confined("INK-CRD-006", r"\bX25519\.agree\(",
             ("Sources/Core/InklingWire/Noise/NoiseKeyPair.swift", "Sources/Core/InklingKeys/Identity.swift",
              "Sources/Kit/InklingVectors/Operations/PrimitiveOperations.swift",
              "Sources/Kit/InklingConformance/WrongFormulas.swift"),
             "key agreement with the device key happens in Noise, and with the presence key outside it"),
    Confined("INK-GRA-005", r"\bSealedGrant\.seal\(",
             ("Sources/Node/InklingNode/Contacts/Node+Contacts.swift", "Sources/Bindings/InklingCABI/Grants.swift",
              "Sources/Kit/InklingVectors/Operations/HandshakeOperations.swift"),
             "a grant is sealed only for a device of the grantee"),
    Confined("INK-GRA-005", r"\bgrant\.signed\(|\bsigned\(grant,",
             ("Sources/Node/InklingNode/Sessions/Node+Sessions.swift", "Sources/Node/InklingNode/Contacts/Node+Contacts.swift",
              "Sources/Node/InklingVault/Contents/PassedState.swift",
              "Sources/Bindings/InklingCABI/Sessions.swift", "Sources/Bindings/InklingCABI/Grants.swift"),
             "a signed grant goes into a session or is sealed"),
    Confined("INK-MDN-029", r"\bisVersion1\b",
             ("Sources/Core/InklingWire/MDNS/MDNSMessage.swift", "Sources/Core/InklingWire/MDNS/MDNSMachine+Reception.swift",
              "Sources/Kit/InklingVectors/Operations/MDNSOperations.swift"),
             "the content of TXT is compared with our own and otherwise not read"),
    Confined("INK-PAIR-004", r"\bPresenceKey\(",
             ("Sources/Core/InklingKeys/Identity.swift", "Sources/Bindings/InklingCABI/Trees.swift",
              "Sources/Kit/InklingVectors/Operations/KeyOperations.swift"),
             "a presence key is derived from the root seed, or comes from a caller"),
    Confined("INK-REC-010", r"\bimport\s+(?:\w+\s+)?(?:Compression|C?[Zz]lib|CZstd|CLZ4|CBrotli)\b|\b(?:deflate|compress2?|inflate)\w*\(",
             (), "nothing is compressed"),
]  # fmt: skip

# Between the first two, the third must not occur.
WITHOUT = [
    ("INK-PAIR-005", "Sources/Core/InklingKeys/Identity.swift", r"\bpublic struct PresenceKey\b", r"^}",
     r"\bwithBytes\b|\bduplicate\(|\b(?:public|package)\s+(?:private\(set\)\s+)?(?:let|var)\s+secret\b"),
    ("INK-PAIR-004", "Sources/Core/InklingKeys/PairAudience.swift", r"\bpublic enum PairAudience\b", r"^}", r"\bNoiseKeyPair\b|\bSecretBytes,"),
]  # fmt: skip


def findings(tree: Tree):
    code = {path: tree.code_lines(path) for path in tree.files("Sources", suffix=".swift")}
    for row in CONFINED:
        pattern = re.compile(row.pattern)
        found = {path: [line for line, text in lines if pattern.search(text)] for path, lines in code.items()}
        for path, lines in found.items():
            if path not in row.places:
                for line in lines:
                    yield Finding(path, line, f"{row.requirement}: {row.why}, and this file is not listed for it")
        for place in row.places:
            if not found.get(place):
                yield Finding(place, 1, f"{row.requirement}: nothing in this file matches {row.pattern}; update the list")
    for requirement, path, start, end, unwanted in WITHOUT:
        inside = False
        seen = False
        for line, text in code.get(path, []):
            inside = inside or bool(re.search(start, text))
            seen = seen or inside
            if inside and re.search(unwanted, text):
                yield Finding(path, line, f"{requirement}: not allowed here")
            if inside and re.search(end, text):
                inside = False
        if not seen:
            yield Finding(path, 1, f"{requirement}: nothing in this file matches {start}; update the list")
