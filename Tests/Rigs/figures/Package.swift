// swift-tools-version: 6.3

import PackageDescription

// The sources are symbolic links instead of a dependency: so the rig can use what is visible only inside the package, and
// can replace functions of libsodium by faulty ones.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
]

/// Steps of handshakes and some parsers are visible only inside their targets.
let testable = settings + [.unsafeFlags(["-enable-testing"])]

/// `CFigures.c` replaces them.
let replaced = [
    "crypto_aead_chacha20poly1305_ietf_encrypt", "crypto_aead_chacha20poly1305_ietf_decrypt", "sodium_memcmp",
    "crypto_scalarmult",
]

let package = Package(
    name: "Figures",
    targets: [
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium"),
        .target(name: "CFigures"),
        .target(name: "CFuzzing"),
        .target(name: "CSHA256Lanes"),
        .target(name: "CNameLines"),
        .target(name: "CLogLines", dependencies: ["CNameLines"]),
        .target(name: "CSecretMemory"),
        .target(
            name: "InklingKeys", dependencies: ["CSodium", "CSHA256Lanes", "CNameLines", "CSecretMemory"],
            swiftSettings: settings),
        .target(name: "InklingWire", dependencies: ["InklingKeys", "CSodium"], swiftSettings: testable),
        .target(name: "InklingEngine", dependencies: ["InklingKeys", "CNameLines"], swiftSettings: settings),
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
        // Forgeries, replays and reply times.
        .executableTarget(
            name: "Figures", dependencies: ["CFigures", "InklingWire", "InklingKeys"], swiftSettings: settings,
            linkerSettings: [.unsafeFlags(replaced.flatMap { ["-Xlinker", "--wrap=\($0)"] })]),
        // What the parsers cost, with the fuzz targets.
        .executableTarget(
            name: "Costs", dependencies: ["CFigures", "CFuzzing", "FuzzTargets", "InklingWire", "InklingKeys"],
            swiftSettings: settings,
            linkerSettings: [
                .linkedLibrary("sodium"),
                .unsafeFlags(
                    (replaced + ["crypto_sign_verify_detached"]).flatMap { ["-Xlinker", "--wrap=\($0)"] }),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
