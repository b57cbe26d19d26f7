// swift-tools-version: 6.3

import PackageDescription

// A package of somebody else's: it names Inkling by URL and turns the trait Node on, for the network of Linux. `check`
// lets a copy of this working tree stand in for the URL.
let package = Package(
    name: "node",
    dependencies: [.package(url: "https://example.org/inkling.git", branch: "main", traits: ["Node"])],
    targets: [
        .executableTarget(
            name: "presence",
            dependencies: [
                .product(name: "Inkling", package: "inkling"),
                .product(name: "InklingNode", package: "inkling"),
                .product(name: "InklingLinux", package: "inkling"),
            ]),
        .executableTarget(
            name: "node",
            dependencies: [
                .product(name: "Inkling", package: "inkling"),
                .product(name: "InklingNode", package: "inkling"),
                .product(name: "InklingLinux", package: "inkling"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
