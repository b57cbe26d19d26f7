// swift-tools-version: 6.3

import PackageDescription

// Two programs that link the products as a user's package would, for `check` to look at what they pull in.
let package = Package(
    name: "Linkage",
    dependencies: [.package(name: "Inkling", path: "../..")],
    targets: [
        .executableTarget(
            name: "PureProducts",
            dependencies: [
                .product(name: "InklingKeys", package: "Inkling"),
                .product(name: "InklingSession", package: "Inkling"),
                .product(name: "InklingEngine", package: "Inkling"),
            ]),
        .executableTarget(
            name: "PlainProducts",
            dependencies: [
                .product(name: "InklingKeys", package: "Inkling"),
                .product(name: "InklingSession", package: "Inkling"),
                .product(name: "InklingEngine", package: "Inkling"),
                .product(name: "InklingNode", package: "Inkling"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
