// swift-tools-version: 6.3

import PackageDescription

// The sources are symbolic links instead of a dependency: so the rig can use what is visible only inside the package.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
    name: "Unlinkability",
    targets: [
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium"),
        .target(name: "CSHA256Lanes"),
        .target(name: "CNameLines"),
        .target(name: "CSecretMemory"),
        .target(
            name: "InklingKeys", dependencies: ["CSodium", "CSHA256Lanes", "CNameLines", "CSecretMemory"],
            swiftSettings: settings),
        .target(name: "InklingSession", dependencies: ["InklingKeys", "CSodium"], swiftSettings: settings),
        .target(name: "InklingEngine", dependencies: ["InklingKeys", "CNameLines"], swiftSettings: settings),
        .target(
            name: "InklingPlatforms", dependencies: ["InklingEngine", "InklingSession", "InklingKeys"],
            swiftSettings: settings),
        // What a node derives for an epoch, and the durations of its radio, are visible only inside the target.
        .target(
            name: "InklingNode",
            dependencies: ["InklingPlatforms", "InklingEngine", "InklingSession", "InklingKeys", "CSodium"],
            swiftSettings: settings + [.unsafeFlags(["-enable-testing"])]),
        .executableTarget(
            name: "Generator", dependencies: ["InklingNode", "InklingEngine", "InklingSession", "InklingKeys"],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
