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
        // What one imports: keys, session and engine, which need libsodium alone.
        .library(name: "Inkling", targets: ["Inkling"]),
        .library(name: "InklingKeys", targets: ["InklingKeys"]),
        .library(name: "InklingSession", targets: ["InklingSession"]),
        .library(name: "InklingEngine", targets: ["InklingEngine"]),
        .library(name: "InklingNode", targets: ["InklingNode"]),
        .library(name: "InklingMDNS", targets: ["InklingMDNS"]),
        .library(name: "InklingTCP", targets: ["InklingTCP"]),
        // What `make c-library` makes libinkling.so.1 of; the name inkling is the command line's.
        .library(name: "InklingCABI", type: .dynamic, targets: ["InklingCABI"]),
    ],
    traits: [
        .trait(
            name: "Node",
            description: "The running node: multicast DNS by avahi-core, links by swift-nio, QR codes by libqrencode.")
    ],
    dependencies: [
        // Exact: 2.101.2 is the release that the limits of InklingTCP were tested against. An event loop holds every
        // byte of a stranger before we do, so a new release comes in by a decision and not by a resolve.
        .package(url: "https://github.com/apple/swift-nio.git", exact: "2.101.2"),
        // The command line: parsing, help, completions and usage errors that people already know.
        .package(url: "https://github.com/apple/swift-argument-parser.git", exact: "1.8.2"),
    ],
    targets: [
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        .target(name: "CSHA256Lanes"),
        .target(name: "CNameLines"),
        .target(name: "InklingKeys", dependencies: ["CSodium", "CSHA256Lanes", "CNameLines"], swiftSettings: strict),
        .target(name: "InklingSession", dependencies: ["InklingKeys", "CSodium"], swiftSettings: strict),
        .target(
            name: "InklingEngine", dependencies: ["InklingKeys", "InklingSession", "CNameLines"], swiftSettings: strict),
        // Not in Sources/Inkling: where a file system ignores case, that is the command line's folder. There a package that
        // depends on this one builds, since the command line is not built for it; this package itself needs a file
        // system that tells the two modules apart, as Linux has.
        .target(
            name: "Inkling", dependencies: ["InklingEngine", "InklingSession", "InklingKeys"],
            path: "Sources/InklingUmbrella", swiftSettings: strict),
        .target(
            name: "InklingNode",
            dependencies: ["InklingEngine", "InklingSession", "InklingKeys", "CSodium", "CLinux"],
            swiftSettings: strict),
        .target(name: "InklingJSON", swiftSettings: strict),
        .target(name: "CInkling", exclude: ["inkling.map", "inkling.pc.in"]),
        .target(
            name: "InklingCABI",
            dependencies: [
                "CInkling", "InklingVectors", "InklingEngine", "InklingSession", "InklingKeys",
            ],
            swiftSettings: strict),
        .target(
            name: "InklingMatching", dependencies: ["InklingEngine", "InklingKeys", "InklingJSON"],
            swiftSettings: strict),
        // Our own answers to vectors; what judges other programs is InklingConformance.
        .target(
            name: "InklingVectors",
            dependencies: ["InklingEngine", "InklingSession", "InklingKeys", "InklingJSON"],
            swiftSettings: strict),
        .target(
            name: "InklingConformance",
            dependencies: ["InklingVectors", "InklingKeys", "InklingJSON"],
            swiftSettings: strict),
        .executableTarget(
            name: "inkling",
            dependencies: [
                "InklingConformance", "InklingVectors", "InklingMatching", "InklingMDNS", "InklingTCP", "InklingNode",
                "InklingEngine", "InklingSession", "InklingKeys", "InklingJSON", "CLinux",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Node"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Node"])),
                .target(name: "CQREncode", condition: .when(traits: ["Node"])),
            ],
            swiftSettings: strict),
        // Without the trait Node the two targets below are empty, and neither avahi nor swift-nio is built.
        .systemLibrary(
            name: "CAvahi", providers: [.apt(["libavahi-core-dev", "libavahi-common-dev"])]),
        .target(
            name: "InklingMDNS",
            dependencies: ["InklingNode", "InklingKeys", .target(name: "CAvahi", condition: .when(traits: ["Node"]))],
            swiftSettings: strict),
        .target(
            name: "InklingTCP",
            dependencies: [
                "InklingNode", "InklingKeys",
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Node"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Node"])),
            ],
            swiftSettings: strict),
        .target(
            name: "InklingTesting", dependencies: ["InklingJSON"], path: "Tests/InklingTesting", swiftSettings: strict),
        .testTarget(name: "InklingKeysTests", dependencies: ["InklingKeys", "InklingTesting"], swiftSettings: strict),
        .testTarget(
            name: "InklingSessionTests", dependencies: ["InklingSession", "InklingKeys", "InklingTesting"],
            swiftSettings: strict),
        .testTarget(
            name: "InklingEngineTests",
            dependencies: ["InklingEngine", "InklingSession", "InklingKeys", "InklingTesting"],
            swiftSettings: strict),
        .testTarget(
            name: "InklingMatchingTests",
            dependencies: ["InklingMatching", "InklingEngine", "InklingKeys", "InklingTesting"], swiftSettings: strict),
        .testTarget(name: "InklingJSONTests", dependencies: ["InklingJSON"], swiftSettings: strict),
        .testTarget(
            name: "InklingVectorsTests",
            dependencies: ["InklingVectors", "InklingEngine", "InklingJSON", "InklingTesting"], swiftSettings: strict),
        .testTarget(
            name: "InklingConformanceTests",
            dependencies: ["InklingConformance", "InklingVectors", "InklingJSON", "InklingTesting"],
            swiftSettings: strict),
        .testTarget(
            name: "InklingNodeTests",
            dependencies: ["InklingNode", "InklingEngine", "InklingSession", "InklingKeys", "InklingTesting"],
            swiftSettings: strict),
        .executableTarget(
            name: "InklingNetworkPeer", dependencies: ["InklingMDNS", "InklingTCP", "InklingNode", "InklingKeys"],
            path: "Tests/Network/Peer", swiftSettings: strict),
        // Runs the built command line in processes of its own.
        .testTarget(
            name: "inklingTests",
            dependencies: ["InklingNode", "InklingEngine", "InklingKeys", "InklingJSON", "InklingTesting"],
            swiftSettings: strict),
        .testTarget(
            name: "InklingMDNSTests", dependencies: ["InklingMDNS", "InklingNode", "InklingKeys", "InklingTesting"],
            swiftSettings: strict),
        .testTarget(
            name: "InklingTCPTests", dependencies: ["InklingTCP", "InklingNode", "InklingKeys", "InklingTesting"],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
