// swift-tools-version: 6.3

import PackageDescription

// Warnings are errors in our own builds; SwiftPM drops the setting when Inkling is somebody's dependency.
let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
    name: "Inkling",
    products: [
        .library(name: "InklingKeys", targets: ["InklingKeys"]),
        .library(name: "InklingSession", targets: ["InklingSession"]),
        .library(name: "InklingEngine", targets: ["InklingEngine"]),
        .library(name: "InklingNode", targets: ["InklingNode"]),
    ],
    targets: [
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .target(name: "InklingKeys", dependencies: ["CSodium"], swiftSettings: strict),
        .target(name: "InklingSession", dependencies: ["InklingKeys", "CSodium"], swiftSettings: strict),
        .target(name: "InklingEngine", dependencies: ["InklingKeys", "InklingSession"], swiftSettings: strict),
        .target(
            name: "InklingNode", dependencies: ["InklingEngine", "InklingSession", "InklingKeys", "CSodium"],
            swiftSettings: strict),
        .target(name: "InklingJSON", swiftSettings: strict),
        .target(
            name: "InklingConformance", dependencies: ["InklingSession", "InklingKeys", "InklingJSON"],
            swiftSettings: strict),
        .target(name: "InklingTesting", path: "Tests/InklingTesting", swiftSettings: strict),
        .testTarget(name: "InklingKeysTests", dependencies: ["InklingKeys", "InklingTesting"], swiftSettings: strict),
        .testTarget(
            name: "InklingSessionTests", dependencies: ["InklingSession", "InklingKeys", "InklingTesting"],
            swiftSettings: strict),
        .testTarget(
            name: "InklingEngineTests",
            dependencies: ["InklingEngine", "InklingSession", "InklingKeys", "InklingTesting"],
            swiftSettings: strict),
        .testTarget(name: "InklingJSONTests", dependencies: ["InklingJSON"], swiftSettings: strict),
        .testTarget(
            name: "InklingConformanceTests", dependencies: ["InklingConformance", "InklingJSON", "InklingTesting"],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
