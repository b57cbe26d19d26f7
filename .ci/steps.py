"""The steps of `make test` and of .ci/run, in their order."""

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Step:
    """`script`: what a shell runs in the folder of the repository. `needs`: steps that must have passed. `width`: how many of the
    machine's processors the step is counted for; one of all processors runs alone, and its output is shown as it comes."""

    name: str
    title: str
    script: str
    needs: tuple[str, ...] = ()
    width: int = 1
    environment: dict[str, str] = field(default_factory=dict)


PURE = "Keys|Wire|Engine|Platforms|Matching|Fleet|HomeAssistant|JSON|Vectors|Conformance|Vault|Node|Simulation"
# The programs of the one debug build, for rigs that would take those of the release build.
PROGRAMS = Path(__file__).resolve().parents[1] / ".build/node/debug"
DEBUG = {"INKLING": str(PROGRAMS / "inkling"), "INKLING_KIT": str(PROGRAMS / "inkling-kit")}
SETUP = ("setup",)
BUILT = ("setup", "build")


def suites(names: str, width: int) -> str:
    return (f".ci/swift test --experimental-maximum-parallelization-width {width} "
            f"--filter '^Inkling({names})Tests\\.' $(Tests/Tools/quarantine.py skip)")


TEST = [
    Step("setup", "installs what is missing on this machine", ".ci/setup make library checks node test python c tls models arm64", width=9),
    Step("build", "one debug build of all suites, programs and peers, with undeclared imports as errors", ".ci/swift tests", SETUP),
    Step("check", "the static checks: format, purity, words, labels, specifications, requirements and others",
         "Tests/Tools/check.py; Tests/Rigs/attacks/old_behaviours.py check; Tests/Tools/verify_gate check; Tests/Rigs/mutants/check --fits", SETUP),
    Step("check-checks", "the static checks find planted violations: all of those of rules that changed, one of each other rule", "Tests/Tools/self_test.py --changed", BUILT),
    Step("vectors", "the vector files are those that this generator has written, and each is whole",
         "(cd Vectors && python3 -m generator.tools.digest); Tests/Tools/vectors.py; Tests/Rigs/hostile-inputs/census.py", SETUP),
    Step("first-contact", "two sides of first contacts, all orders; every weaker reading is found", ".venv/bin/python3 Tests/Rigs/first-contact/check", BUILT, environment=DEBUG),
    Step("sync", "all orders of the steps of the delivery of texts; every weaker reading is found", "python3 Tests/Rigs/sync/check", SETUP),
    Step("tls-psk", "TLS links between processes of OpenSSL with the keys of a handshake", ".venv/bin/python3 Tests/Rigs/tls-psk/check", BUILT, environment=DEBUG),
    Step("arm64", "the kernels in C, compiled for arm64 and emulated", "Tests/Rigs/arm64/check emulated", SETUP),
    Step("pure", "the suites that only compute, in virtual time", suites(PURE, 2), BUILT),
    Step("programs", "the suites that run the programs", suites("Command|Kit", 12), BUILT),
    Step("kernel", "the suite of the kernel's parts: sockets, D-Bus, files, signals", suites("Linux", 4), BUILT, width=9),
    Step("quarantine", "tests that failed without a cause in the code, without a vote", "Tests/Tools/quarantine.py run .ci/swift test", BUILT),
    Step("interface", "C programs against the C interface of this build: exports, statuses, calls in any order",
         "Tests/Rigs/c-interface/check quick --library .build/node/debug/libInklingCABI.so", BUILT),
    Step("documents", "the commands and the code of every page", "Tests/Tools/documents.py", ("build", "interface"),
         environment={**DEBUG, "INKLING_C_STAGE": ".build/c/quick"}),
    Step("worlds", "twenty worlds of whole nodes with faults and attackers, their digest, and every planted fault", "Tests/Rigs/world/gate", BUILT),
    Step("fuzz", "every parser on past failures, seeds and changed inputs; planted bugs are found", "Tests/Rigs/fuzzing/fuzz gate", BUILT),
    Step("durability", "what was acknowledged is still there after power cuts, wrong files and wrong clocks", "python3 Tests/Rigs/durability/durability --gate", BUILT),
    Step("kit", "the shims conform, and a planted fault of each page, drawn by the commit, is found", ".venv/bin/python3 Tests/Rigs/shims/check --drawn", BUILT, environment=DEBUG),
    Step("package", "the package by URL, as a user builds it, with libsodium alone", "Tests/Examples/swift/check; Tests/Rigs/linkage/check pure", SETUP),
]

# What needs the release build. Nothing here judges real time either: the links and the radio are in machines whose time is virtual.
RELEASED = ("release",)
AFTER = [
    Step("release", "the release programs and the C library", "make --no-print-directory build c-library"),
    Step("plain", "everything without the trait Node builds with libsodium alone",
         ".ci/library-only .ci/swift build --scratch-path .build/plain --explicit-target-dependency-import-check error"),
    Step("linkage", "what the products link, how large the programs are, and their installation",
         "Tests/Rigs/linkage/check plain release; Tests/Rigs/linkage/install", ("release", "plain")),
    Step("documentation", "the documentation of the products builds as a site", "Tests/Tools/docs", RELEASED),
    Step("interface-release", "the C library: exports, statuses, C and C++ programs under sanitizers and valgrind, the wheel", "Tests/Rigs/c-interface/check", RELEASED),
    Step("packages", "the Debian packages: unit, bytes, content and libraries",
         ".ci/setup deb; .venv/bin/python3 Tests/Rigs/package/package --only unit bytes content libraries", RELEASED),
    Step("vectors-release", "the release build reproduces every vector", ".build/inkling-kit vectors verify Vectors", RELEASED),
    Step("constant-time", "no branch or address depends on a secret; planted leaks are found", "Tests/Rigs/constant-time/check release"),
    Step("memory", "past failures, seeds and planted bugs of every parser under AddressSanitizer", "Tests/Rigs/fuzzing/fuzz kept"),
    Step("radio", "two nodes over Bluetooth for four epochs, with a real bluetoothd, in virtual time", ".ci/setup radio; Tests/Rigs/radio/nodes links", RELEASED),
    # Two guests with the release program, which costs them less than that of the debug build; that is continued with old behaviours.
    Step("links", "nodes meet, rotate and stay silent, and withstand every attack; each row finds its old behaviour; in virtual time",
         ".ci/setup radio; Tests/Rigs/stage/link InklingNetworkPeer .build/stage/InklingNetworkPeer; "
         "Tests/Rigs/attacks/old_behaviours.py build; Tests/Rigs/links/links --old .build/old/inkling", RELEASED, width=2),
]
