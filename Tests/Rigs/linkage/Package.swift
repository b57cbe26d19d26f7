// swift-tools-version: 6.3

import PackageDescription

// Programs that link the products as a user's package would; `check` examines which libraries they link. One of them imports
// Inkling beside modules whose names it must not hide.
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
            name: "BesideOthers", dependencies: [.product(name: "Inkling", package: "Inkling")]),
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
