// swift-tools-version: 6.3

import PackageDescription

// `check` copies this file beside the changed sources. A mutant may cause warnings, so they are not errors here.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
    name: "Mutants",
    targets: [
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium"),
        .target(name: "CMutants"),
        .target(name: "CSHA256Lanes"),
        .target(name: "CNameLines"),
        .target(name: "CSecretMemory"),
        .target(
            name: "InklingKeys", dependencies: ["CMutants", "CSodium", "CSHA256Lanes", "CNameLines", "CSecretMemory"],
            swiftSettings: settings),
        .target(
            name: "InklingWire", dependencies: ["CMutants", "InklingKeys", "CSodium"], swiftSettings: settings),
        .target(
            name: "InklingEngine", dependencies: ["CMutants", "InklingKeys", "CNameLines"], swiftSettings: settings),
        .target(
            name: "InklingPlatforms", dependencies: ["CMutants", "InklingEngine", "InklingWire", "InklingKeys"],
            swiftSettings: settings),
        .target(name: "InklingJSON", swiftSettings: settings),
        .target(name: "InklingProfile", dependencies: ["InklingWire", "InklingJSON"], swiftSettings: settings),
        .target(
            name: "InklingVectors",
            dependencies: [
                "InklingPlatforms", "InklingEngine", "InklingProfile", "InklingWire", "InklingKeys", "InklingJSON",
            ],
            swiftSettings: settings),
        .executableTarget(name: "Verify", dependencies: ["InklingVectors"], path: "Verify", swiftSettings: settings),
        .target(
            name: "InklingTesting", dependencies: ["InklingJSON"], path: "Tests/InklingTesting",
            swiftSettings: settings),
        .testTarget(
            name: "InklingKeysTests", dependencies: ["InklingKeys", "CSHA256Lanes", "CSodium", "InklingTesting"],
            swiftSettings: settings),
        .testTarget(
            name: "InklingWireTests", dependencies: ["InklingWire", "InklingKeys", "InklingTesting"],
            swiftSettings: settings),
        .testTarget(
            name: "InklingEngineTests", dependencies: ["InklingEngine", "InklingKeys", "InklingTesting"],
            swiftSettings: settings),
        .testTarget(
            name: "InklingPlatformsTests",
            dependencies: ["InklingPlatforms", "InklingEngine", "InklingWire", "InklingKeys", "InklingTesting"],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
