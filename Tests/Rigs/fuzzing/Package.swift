// swift-tools-version: 6.3

import PackageDescription

// The sources are symbolic links instead of a dependency, because libFuzzer must instrument them. `fuzz` links the objects,
// because the entry point comes from libFuzzer, which SwiftPM does not support.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
    .unsafeFlags(["-sanitize=fuzzer,address", "-parse-as-library"]),
]

/// Some parsers are visible only inside their target.
let testable = settings + [.unsafeFlags(["-enable-testing"])]

let package = Package(
    name: "Fuzzing",
    products: [.library(name: "FuzzTargets", type: .static, targets: ["FuzzTargets"])],
    targets: [
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium"),
        .target(name: "CFuzzing"),
        .target(name: "CSHA256Lanes"),
        .target(name: "CNameLines"),
        .target(name: "CSecretMemory"),
        .target(
            name: "CLogLines", dependencies: ["CNameLines"],
            cSettings: [.unsafeFlags(["-fsanitize=fuzzer-no-link,address"])]),
        .target(
            name: "InklingKeys", dependencies: ["CSodium", "CSHA256Lanes", "CNameLines", "CSecretMemory"],
            swiftSettings: settings),
        .target(name: "InklingWire", dependencies: ["InklingKeys", "CSodium"], swiftSettings: testable),
        .target(
            name: "InklingEngine", dependencies: ["InklingKeys", "CNameLines"], swiftSettings: settings),
        .target(
            name: "InklingPlatforms", dependencies: ["InklingEngine", "InklingWire", "InklingKeys"],
            swiftSettings: settings),
        .target(
            name: "InklingVault", dependencies: ["InklingWire", "InklingKeys", "CSodium"], swiftSettings: testable),
        .target(
            name: "InklingNode",
            dependencies: ["InklingVault", "InklingPlatforms", "InklingEngine", "InklingWire", "InklingKeys"],
            swiftSettings: testable),
        .target(name: "InklingJSON", swiftSettings: settings),
        .target(name: "InklingProfile", dependencies: ["InklingWire", "InklingJSON"], swiftSettings: settings),
        .target(
            name: "InklingVectors",
            dependencies: [
                "InklingPlatforms", "InklingEngine", "InklingProfile", "InklingWire", "InklingKeys", "InklingJSON",
            ],
            swiftSettings: settings),
        .target(
            name: "InklingConformance",
            dependencies: [
                "InklingVectors", "InklingNode", "InklingVault", "InklingEngine", "InklingWire", "InklingKeys",
                "InklingJSON",
            ],
            swiftSettings: settings),
        .target(
            name: "InklingMatching", dependencies: ["InklingEngine", "InklingKeys", "InklingJSON", "CLogLines"],
            swiftSettings: settings),
        .target(
            name: "InklingFleet", dependencies: ["InklingEngine", "InklingKeys", "InklingJSON"], swiftSettings: settings
        ),
        // The parsers of antennas, a folder of the command.
        .target(
            name: "AntennaFormats",
            dependencies: [
                "InklingMatching", "InklingNode", "InklingEngine", "InklingWire", "InklingKeys", "InklingJSON",
            ],
            swiftSettings: testable),
        // What a proxy says, a folder of the ports of Linux.
        .target(
            name: "ESPHome", dependencies: ["InklingNode", "InklingEngine", "InklingWire", "InklingKeys"],
            swiftSettings: testable),
        .target(
            name: "FuzzTargets",
            dependencies: [
                "CFuzzing", "AntennaFormats", "ESPHome", "InklingFleet", "InklingConformance", "InklingVectors",
                "InklingMatching", "InklingNode", "InklingVault", "InklingPlatforms", "InklingEngine", "InklingWire",
                "InklingKeys", "InklingJSON",
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
