// swift-tools-version: 6.3

import PackageDescription

// Measurements against plain libsodium in the same process. A package of its own, so that nobody who uses Inkling
// builds it.
let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "Inkling", path: "../..")],
    targets: [
        // What a C programmer would write with libsodium alone.
        .target(name: "CSodiumPeers", linkerSettings: [.linkedLibrary("sodium")]),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "CSodiumPeers",
                .product(name: "InklingKeys", package: "Inkling"),
                .product(name: "InklingSession", package: "Inkling"),
                .product(name: "InklingEngine", package: "Inkling"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
