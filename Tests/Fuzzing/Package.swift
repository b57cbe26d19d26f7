// swift-tools-version: 6.3

import PackageDescription

// The sources are linked in, not depended upon, because libFuzzer must see inside them. `fuzz` links the objects: the
// entry point comes from libFuzzer, which SwiftPM does not know.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
    .unsafeFlags(["-sanitize=fuzzer,address", "-parse-as-library"]),
]

let package = Package(
    name: "Fuzzing",
    products: [
        .library(name: "FuzzTargets", type: .static, targets: ["FuzzTargets"]),
        .library(name: "PlantedTargets", type: .static, targets: ["PlantedTargets"]),
    ],
    targets: [
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium"),
        .target(name: "CFuzzing"),
        .target(name: "InklingKeys", dependencies: ["CSodium"], swiftSettings: settings),
        .target(name: "InklingSession", dependencies: ["InklingKeys", "CSodium"], swiftSettings: settings),
        .target(name: "InklingJSON", swiftSettings: settings),
        .target(
            name: "InklingConformance", dependencies: ["InklingSession", "InklingKeys", "InklingJSON"],
            swiftSettings: settings),
        .target(
            name: "FuzzTargets",
            dependencies: ["CFuzzing", "InklingConformance", "InklingSession", "InklingKeys", "InklingJSON"],
            swiftSettings: settings),
        // The same sources with a bug in each target.
        .target(
            name: "PlantedTargets",
            dependencies: ["CFuzzing", "InklingConformance", "InklingSession", "InklingKeys", "InklingJSON"],
            swiftSettings: settings + [.define("PLANTED_BUG")]),
    ],
    swiftLanguageModes: [.v6]
)
