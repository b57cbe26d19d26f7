// swift-tools-version: 6.3

import PackageDescription

// Two programs that link the products as a user's package would, for `check` to look at what they pull in.
let package = Package(
    name: "Linkage",
    dependencies: [.package(name: "Inkling", path: "../../..")],
    targets: [
        .executableTarget(
            name: "PureProducts",
            dependencies: [
                .product(name: "Inkling", package: "Inkling")
            ]),
        .executableTarget(
            name: "PlainProducts",
            dependencies: [
                .product(name: "Inkling", package: "Inkling"),
                .product(name: "InklingPlatforms", package: "Inkling"),
                .product(name: "InklingNode", package: "Inkling"),
                .product(name: "InklingSimulation", package: "Inkling"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
