"""The pure targets only compute: time, randomness and bytes are parameters."""

import re

from tree import Finding, Tree

TITLE = "InklingKeys, InklingWire, InklingProfile, InklingEngine, InklingPlatforms, InklingHomeAssistant and InklingFleet only compute; the C boundary adds a lock and randomness; InklingVault waits for nothing"

PURE_TARGETS = ["InklingKeys", "InklingWire", "InklingProfile", "InklingEngine", "InklingPlatforms", "InklingHomeAssistant", "InklingFleet"]
# The reader and the writer of JSON, which only compute as well.
JSON_TARGETS = {"InklingProfile", "InklingHomeAssistant", "InklingFleet"}
C_TARGETS = ["CSHA256Lanes", "CNameLines", "CLogLines"]

# The modules that a pure target may import. CSecretMemory replaces malloc for secrets.
IMPORTS = {"CSodium", "CSecretMemory", *C_TARGETS, *PURE_TARGETS}

IMPORT = re.compile(r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+(?:\w+\s+)?(\w+)")
WORDS = [
    (r"\basync\b|\bawait\b", "concurrency: a pure target does not wait, its caller drives it"),
    (r"\bactor\b|@MainActor\b|@globalActor\b", "concurrency: actors belong to InklingNode"),
    (r"\bTask\b|\bTaskGroup\b|\bwithTaskGroup\b|\bAsyncSequence\b|\bAsyncStream\b", "concurrency"),
    (r"\bDate\b|\bContinuousClock\b|\bSuspendingClock\b|\bClock\b", "a clock: time is a parameter (`Tick`, Unix seconds)"),
    (r"\bclock_gettime\b|\bgettimeofday\b|\btime\(\s*(?:nil|NULL|0|&)", "a clock: time is a parameter"),
    (r"\bSystemRandomNumberGenerator\b|\brandombytes_\w+|\bgetrandom\b|\barc4random\w*", "randomness is a parameter"),
    (r"\bcrypto_(?!\w*seed_keypair)\w*_(?:keypair|keygen)\b", "libsodium's own randomness: use the seeded form"),
    (r"\bprint\s*\(|\bdebugPrint\s*\(|\bdump\s*\(|\breadLine\s*\(", "input and output belong to InklingNode and the command line"),
    (r"\bFileHandle\b|\bFileManager\b|\bfopen\b|\bopen\s*\(\s*\"|\bgetenv\b|\bProcessInfo\b|\bCommandLine\b", "files, environment and processes belong to InklingNode and the command line"),
    (r"\bDispatchQueue\b|\bpthread_\w+|\bMutex\b|\bAtomic\b", "threads and locks belong to InklingNode"),
]
PATTERNS = [(re.compile(pattern), message) for pattern, message in WORDS]
# `.random(in:using:)` draws from a generator that was passed in; without `using:` it draws from the system.
SYSTEM_RANDOM = re.compile(r"\.(?:random|shuffled|shuffle|randomElement)\((?![^()]*\busing\s*:)")

# The C boundary leaves clocks, files and sockets to its callers. It has a lock for its handles, and draws randomness.
BOUNDARY = "InklingCABI"
BOUNDARY_IMPORTS = {"CInkling", "InklingVectors", *PURE_TARGETS, "Synchronization"}
BOUNDARY_HAS = ("SystemRandomNumberGenerator", "Mutex")

# The vault opens files and draws keys. Whoever calls it decides where that happens: it has no concurrency of its own.
VAULT = "InklingVault"
CONCURRENCY = [pattern for pattern in PATTERNS if "concurrency" in pattern[1] or "locks" in pattern[1]]

# What C may use all the same: (path, word) and the reason.
C_CHOICE = "Sources/Core/CSHA256Lanes/choice.c"
C_ALLOWED = {
    (C_CHOICE, "sys/auxv.h"): "says which instructions the processor has",
    (C_CHOICE, "__rdtsc"): "times the kernels once; all of them return the same results",
    (C_CHOICE, "cntvct_el0"): "the same on arm64",
}

# path: (word, reason).
ALLOWED: dict[str, list[tuple[str, str]]] = {
    "Sources/Core/InklingKeys/SecretBytes.swift": [
        ("SystemRandomNumberGenerator", "it recognises the generator that it is given, and creates none"),
    ],
}


def findings(tree: Tree):
    for target in PURE_TARGETS:
        imports = IMPORTS | ({"InklingJSON"} if target in JSON_TARGETS else set())
        for path in tree.files_of_target(target, suffix=".swift"):
            allowed = [word for word, _ in ALLOWED.get(path, [])]
            for number, line in tree.code_lines(path):
                if (match := IMPORT.match(line)) and match[1] not in imports:
                    yield Finding(path, number, f"imports {match[1]}; a pure target imports only {', '.join(sorted(imports))}")
                for pattern, message in PATTERNS:
                    if (match := pattern.search(line)) and match[0] not in allowed:
                        yield Finding(path, number, f"`{match[0].strip()}`: {message}")
                if match := SYSTEM_RANDOM.search(line):
                    yield Finding(path, number, f"`{match[0]}` without `using:`: randomness is a parameter")
    for path in tree.files_of_target(BOUNDARY, suffix=".swift"):
        for number, line in tree.code_lines(path):
            if (match := IMPORT.match(line)) and match[1] not in BOUNDARY_IMPORTS:
                yield Finding(path, number, f"imports {match[1]}; the C boundary imports only {', '.join(sorted(BOUNDARY_IMPORTS))}")
            for pattern, message in PATTERNS:
                if (match := pattern.search(line)) and match[0] not in BOUNDARY_HAS:
                    yield Finding(path, number, f"`{match[0].strip()}`: {message}; the C boundary leaves it to its callers")
    for path in tree.files_of_target(VAULT, suffix=".swift"):
        for number, line in tree.code_lines(path):
            for pattern, message in CONCURRENCY:
                if match := pattern.search(line):
                    yield Finding(path, number, f"`{match[0].strip()}`: {message}; the vault blocks its caller")
    for target in C_TARGETS:
        for path in tree.files_of_target(target):
            for number, line in tree.lines(path):
                match = re.match(r"\s*#\s*include\s*<((?:stdio|time|unistd|pthread|sys/\w+)\.h)>", line)
                if match and (path, match[1]) not in C_ALLOWED:
                    yield Finding(path, number, f"includes <{match[1]}>; C beside the pure targets only computes")
                match = re.search(r"\b(__rdtscp?|cntvct_el0|clock_gettime)\b", line)
                if match and (path, match[1]) not in C_ALLOWED:
                    yield Finding(path, number, f"`{match[1]}`: a clock; C beside the pure targets only computes")
