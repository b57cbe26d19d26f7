// swift-tools-version: 6.3

import PackageDescription

// Warnings are errors in our own builds; SwiftPM drops the setting when Inkling is somebody's dependency.
let imports: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
]
let strict = [.strictMemorySafety(), .treatAllWarnings(as: .error)] + imports

// The targets below Sources by house: the folder says who needs them. A house depends on those above it here, as
// Tests/Tools/rules/houses.py has it.
let houses: KeyValuePairs<String, [Target]> = [
    // Pure: no clock, randomness, I/O, concurrency or Foundation.
    "Core": [
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .target(name: "CSHA256Lanes"),
        .target(name: "CNameLines"),
        .target(name: "CSecretMemory"),
        .target(
            name: "InklingKeys", dependencies: ["CSodium", "CSHA256Lanes", "CNameLines", "CSecretMemory"],
            swiftSettings: strict),
        // Not part of the umbrella: what is sent has no JSON.
        .target(name: "InklingJSON", swiftSettings: strict),
        .target(name: "InklingWire", dependencies: ["InklingKeys", "CSodium"], swiftSettings: strict),
        // The file of a profile, which is JSON and is not sent.
        .target(name: "InklingProfile", dependencies: ["InklingWire", "InklingJSON"], swiftSettings: strict),
        .target(name: "InklingEngine", dependencies: ["InklingKeys", "CNameLines"], swiftSettings: strict),
        .target(
            name: "Inkling", dependencies: ["InklingEngine", "InklingWire", "InklingKeys"], swiftSettings: strict),
    ],
    // As pure.
    "Policy": [
        .target(
            name: "InklingPlatforms", dependencies: ["InklingEngine", "InklingWire", "InklingKeys"],
            swiftSettings: strict)
    ],
    // What a node stores, the node, and the ports without a world.
    "Node": [
        .target(
            name: "InklingVault", dependencies: ["InklingWire", "InklingKeys", "CSodium"], swiftSettings: strict),
        .target(
            name: "InklingNode",
            dependencies: ["InklingVault", "InklingPlatforms", "InklingEngine", "InklingWire", "InklingKeys"],
            swiftSettings: strict),
        .target(
            name: "InklingSimulation",
            dependencies: [
                "InklingNode", "InklingVault", "InklingPlatforms", "InklingEngine", "InklingWire", "InklingKeys",
            ],
            swiftSettings: strict),
    ],
    // The ports of Linux.
    "Linux": [
        .systemLibrary(name: "CLinux"),
        // Bluetooth: sd-bus speaks to bluetoothd, and checks every message before we read it.
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        // Messages: a database that keeps what it has acknowledged through a power cut, and of which that is known.
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        // Without the trait Node it has the clock and multicast DNS, and neither links nor Bluetooth.
        .target(
            name: "InklingLinux",
            dependencies: [
                "InklingNode", "InklingVault", "InklingEngine", "InklingWire", "InklingKeys", "CLinux", "CSecretMemory",
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Node"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Node"])),
                .target(name: "CSystemd", condition: .when(traits: ["Node"])),
                .target(name: "CSQLite", condition: .when(traits: ["Node"])),
                .target(name: "CMosquitto", condition: .when(traits: ["Node"])),
            ],
            swiftSettings: strict),
    ],
    // Vectors, archives, the judgement of other programs, and the program for who needs these.
    "Kit": [
        .target(name: "CLogLines", dependencies: ["CNameLines"]),
        .target(
            name: "InklingMatching", dependencies: ["InklingEngine", "InklingKeys", "InklingJSON", "CLogLines"],
            swiftSettings: strict),
        .target(
            name: "InklingVectors",
            dependencies: [
                "InklingPlatforms", "InklingEngine", "InklingProfile", "InklingWire", "InklingKeys", "InklingJSON",
            ],
            swiftSettings: strict),
        .target(
            name: "InklingConformance",
            dependencies: [
                "InklingVectors", "InklingNode", "InklingVault", "InklingEngine", "InklingWire", "InklingKeys",
                "InklingJSON",
            ],
            swiftSettings: strict),
        // Predictions from keys, from a node that runs, and from files.
        .target(
            name: "InklingPredictions",
            dependencies: [
                "InklingAccess", "InklingTerminal", "InklingMatching", "InklingNode", "InklingEngine", "InklingKeys",
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "InklingKit",
            dependencies: [
                "InklingAccess", "InklingTerminal", "InklingPredictions", "InklingConformance", "InklingVectors",
                "InklingMatching", "InklingLinux", "InklingSimulation", "InklingNode", "InklingVault",
                "InklingPlatforms", "InklingEngine", "InklingWire", "InklingKeys", "InklingJSON",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
    ],
    // C, C++ and Python.
    "Bindings": [
        .target(name: "CInkling", exclude: ["inkling.map", "inkling.pc.in"]),
        .target(
            name: "InklingCABI",
            dependencies: [
                "CInkling", "InklingVectors", "InklingPlatforms", "InklingEngine", "InklingWire", "InklingKeys",
            ],
            swiftSettings: strict),
    ],
    // Who runs a house or a site. As pure as Policy.
    "Home": [
        // MQTT: a client with TLS, by the authors of the broker that most homes have. It is loaded when a node has a broker.
        .systemLibrary(name: "CMosquitto", providers: [.apt(["libmosquitto-dev"])]),
        .target(name: "InklingHomeAssistant", dependencies: ["InklingKeys", "InklingJSON"], swiftSettings: strict),
        .target(
            name: "InklingFleet", dependencies: ["InklingEngine", "InklingKeys", "InklingJSON"], swiftSettings: strict),
    ],
    "Program": [
        // What every program shares: output, failures, files, progress, the start. It needs neither a network nor a disk.
        .target(
            name: "InklingTerminal",
            dependencies: [
                "InklingEngine", "InklingWire", "InklingKeys", "InklingJSON",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            // The one place of the version number.
            resources: [.embedInCode("VERSION")], swiftSettings: strict),
        // What opens a home: its options, its configuration, its vault, and the socket of the node that runs in it.
        .target(
            name: "InklingAccess",
            dependencies: [
                "InklingTerminal", "InklingLinux", "InklingNode", "InklingVault", "InklingEngine", "InklingProfile",
                "InklingWire", "InklingKeys", "InklingJSON",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "TOMLKit", package: "TOMLKit", condition: .when(traits: ["Node"])),
            ],
            swiftSettings: strict),
        .systemLibrary(name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        .executableTarget(
            name: "InklingCommand",
            dependencies: [
                "InklingAccess", "InklingTerminal", "InklingPredictions", "InklingMatching", "InklingLinux",
                "InklingNode", "InklingVault", "InklingPlatforms", "InklingEngine", "InklingProfile", "InklingWire",
                "InklingKeys", "InklingJSON", "InklingHomeAssistant", "InklingFleet",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Node"])),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["Node"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Node"])),
                .target(name: "CQREncode", condition: .when(traits: ["Node"])),
            ],
            exclude: ["README.md"],
            resources: [
                .embedInCode("Dashboard/dashboard.html"), .embedInCode("Dashboard/dashboard.css"),
                .embedInCode("Dashboard/dashboard.js"),
            ],
            swiftSettings: strict),
    ],
]

let package = Package(
    name: "Inkling",
    products: [
        // What people choose. `Inkling` is one import for keys, wire and engine, which need libsodium alone.
        .library(name: "Inkling", targets: ["Inkling", "InklingKeys", "InklingWire", "InklingEngine"]),
        .library(name: "InklingPlatforms", targets: ["InklingPlatforms"]),
        .library(name: "InklingNode", targets: ["InklingNode", "InklingVault"]),
        .library(name: "InklingSimulation", targets: ["InklingSimulation"]),
        .library(name: "InklingLinux", targets: ["InklingLinux"]),
        // `make c-library` builds libinkling.so.1 from it.
        .library(name: "InklingCABI", type: .dynamic, targets: ["InklingCABI"]),
        .executable(name: "inkling", targets: ["InklingCommand"]),
        .executable(name: "inkling-kit", targets: ["InklingKit"]),
    ],
    traits: [
        .trait(
            name: "Node",
            description:
                "The running node: links by swift-nio, Bluetooth by libsystemd, messages by SQLite, QR by libqrencode, MQTT by libmosquitto."
        )
    ],
    dependencies: [
        // TCP links: an event loop that holds every byte of an unauthenticated peer before we do. The limits of
        // InklingLinux were tested against the version in .ci/versions.
        .package(url: "https://github.com/apple/swift-nio.git", .upToNextMinor(from: "2.101.2")),
        // The command line: parsing, help, completions and usage errors that people already know.
        .package(url: "https://github.com/apple/swift-argument-parser.git", .upToNextMinor(from: "1.8.2")),
        // The configuration file of the command line: TOML 1.0 by a parser that passes its suite of tests.
        .package(url: "https://github.com/LebJe/TOMLKit.git", .upToNextMinor(from: "0.6.0")),
    ],
    // Tests and rigs; the houses follow.
    targets: [
        .target(
            name: "InklingTesting", dependencies: ["InklingJSON"], path: "Tests/InklingTesting", swiftSettings: strict),
        .testTarget(
            name: "InklingKeysTests", dependencies: ["InklingKeys", "CSHA256Lanes", "CSodium", "InklingTesting"],
            swiftSettings: strict),
        .testTarget(
            name: "InklingWireTests", dependencies: ["InklingWire", "InklingKeys", "InklingTesting"],
            swiftSettings: strict),
        .testTarget(
            name: "InklingEngineTests", dependencies: ["InklingEngine", "InklingKeys", "InklingTesting"],
            swiftSettings: strict),
        .testTarget(
            name: "InklingPlatformsTests",
            dependencies: ["InklingPlatforms", "InklingEngine", "InklingWire", "InklingKeys", "InklingTesting"],
            swiftSettings: strict),
        .testTarget(
            name: "InklingMatchingTests",
            dependencies: ["InklingMatching", "InklingEngine", "InklingKeys", "InklingTesting"], swiftSettings: strict),
        .testTarget(
            name: "InklingHomeAssistantTests",
            dependencies: ["InklingHomeAssistant", "InklingKeys", "InklingJSON", "InklingTesting"],
            swiftSettings: strict),
        .testTarget(
            name: "InklingFleetTests", dependencies: ["InklingFleet", "InklingKeys", "InklingJSON", "InklingTesting"],
            swiftSettings: strict),
        .testTarget(name: "InklingJSONTests", dependencies: ["InklingJSON"], swiftSettings: strict),
        .testTarget(
            name: "InklingVectorsTests",
            dependencies: ["InklingVectors", "InklingEngine", "InklingJSON", "InklingTesting"], swiftSettings: strict),
        .testTarget(
            name: "InklingConformanceTests",
            dependencies: [
                "InklingConformance", "InklingVectors", "InklingNode", "InklingVault", "InklingWire", "InklingKeys",
                "InklingJSON", "InklingTesting",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "InklingVaultTests", dependencies: ["InklingVault", "InklingWire", "InklingKeys", "InklingTesting"],
            swiftSettings: strict),
        .testTarget(
            name: "InklingNodeTests",
            dependencies: [
                "InklingSimulation", "InklingNode", "InklingVault", "InklingPlatforms", "InklingEngine", "InklingWire",
                "InklingKeys", "InklingTesting",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "InklingSimulationTests",
            dependencies: [
                "InklingSimulation", "InklingNode", "InklingVault", "InklingPlatforms", "InklingEngine", "InklingWire",
                "InklingKeys", "InklingTesting",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "InklingLinuxTests",
            dependencies: [
                "InklingLinux", "InklingNode", "InklingVault", "InklingEngine", "InklingWire", "InklingKeys", "CLinux",
                "InklingTesting",
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Node"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Node"])),
            ],
            swiftSettings: strict),
        // Runs the built programs in processes of their own.
        .target(
            name: "InklingProgramTesting",
            dependencies: [
                "InklingAccess", "InklingLinux", "InklingSimulation", "InklingNode", "InklingVault", "InklingEngine",
                "InklingKeys", "InklingJSON", "InklingTesting",
            ],
            path: "Tests/InklingProgramTesting", swiftSettings: strict),
        .testTarget(
            name: "InklingCommandTests",
            dependencies: [
                "InklingCommand", "InklingKit", "InklingAccess", "InklingTerminal", "InklingPredictions",
                "InklingLinux", "InklingSimulation", "InklingNode", "InklingVault", "InklingEngine", "InklingWire",
                "InklingKeys", "InklingJSON", "InklingProgramTesting", "InklingTesting",
                .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["Node"])),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "InklingKitTests",
            dependencies: ["InklingKit", "InklingCommand", "InklingJSON", "InklingProgramTesting", "InklingTesting"],
            swiftSettings: strict),
        .executableTarget(
            name: "InklingNetworkPeer",
            dependencies: ["InklingLinux", "InklingNode", "InklingEngine", "InklingWire", "InklingKeys"],
            path: "Tests/Rigs/network/Peer", swiftSettings: strict),
        // Worlds of whole nodes, for `make verify-worlds`.
        .target(
            name: "InklingWorld",
            dependencies: [
                "InklingSimulation", "InklingNode", "InklingVault", "InklingEngine", "InklingWire", "InklingKeys",
            ],
            path: "Tests/Rigs/world/World", swiftSettings: strict),
        .executableTarget(
            name: "inkling-world", dependencies: ["InklingWorld"], path: "Tests/Rigs/world/Program",
            swiftSettings: strict),
        // What is heard of a crowd, for the games of linkage.
        .executableTarget(
            name: "InklingUnlinkability", dependencies: ["InklingEngine", "InklingWire", "InklingKeys"],
            path: "Tests/Rigs/unlinkability/Generator", swiftSettings: strict),
        .executableTarget(
            name: "InklingDurabilityPeer",
            dependencies: [
                "InklingSimulation", "InklingLinux", "InklingNode", "InklingVault", "InklingEngine", "InklingWire",
                "InklingKeys",
            ],
            path: "Tests/Rigs/durability/Peer", swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)

for (house, targets) in houses {
    for target in targets { target.path = "Sources/\(house)/\(target.name)" }
    package.targets += targets
}

// The gate's one build is a debug build, in which loops over 65,536 minors would cost more than everything else in the tests:
// it optimises the targets that have them. SwiftPM refuses unsafe flags in somebody's dependency, hence the variable.
if Context.environment["INKLING_OPTIMISED"] != nil {
    for target in package.targets
    where ["InklingKeys", "InklingWire", "InklingEngine", "InklingMatching"].contains(target.name) {
        target.swiftSettings?.append(.unsafeFlags(["-O"]))
    }
    // The fuzz targets without a fuzzer. Some parsers are visible only inside their target, so only a debug build has them.
    let parsers: [Target.Dependency] = [
        "InklingLinux", "InklingFleet", "InklingConformance", "InklingVectors", "InklingMatching", "InklingNode",
        "InklingVault", "InklingPlatforms", "InklingEngine", "InklingWire", "InklingKeys", "InklingJSON",
    ]
    package.targets += [
        .target(name: "CFuzzing", path: "Tests/Rigs/fuzzing/Sources/CFuzzing"),
        // A link to a folder of the command, which nothing can depend on.
        .target(
            name: "AntennaFormats", dependencies: parsers, path: "Tests/Rigs/fuzzing/Sources/AntennaFormats",
            swiftSettings: imports),
        .target(
            name: "FuzzTargets", dependencies: ["CFuzzing", "AntennaFormats"] + parsers,
            path: "Tests/Rigs/fuzzing/Sources/FuzzTargets", swiftSettings: imports),
        .executableTarget(
            name: "InklingFuzzReplay", dependencies: ["FuzzTargets"], path: "Tests/Rigs/fuzzing/Replay",
            swiftSettings: strict,
            linkerSettings: [.unsafeFlags(["-Xlinker", "--wrap=crypto_sign_verify_detached"])]),
    ]
}

// `make verify-sanitizers` runs two faults as tests beside the others, and requires that they are found.
if Context.environment["INKLING_PLANTED_FAULTS"] != nil {
    package.targets.append(
        .testTarget(name: "PlantedFaults", path: "Tests/Rigs/sanitizers/PlantedFaults", swiftSettings: strict))
}
