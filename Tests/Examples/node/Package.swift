// swift-tools-version: 6.3

import PackageDescription

// A user's package: it depends on Inkling by URL and enables the trait Node for the network of Linux. `check` replaces
// the URL by a copy of this working tree.
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
