// swift-tools-version: 6.3

import PackageDescription

// Programs that link the product `Inkling` as a user's package would; `check` examines which libraries they link. One of
// them imports Inkling beside modules whose names it must not hide. `check` replaces the URL by a copy of this working tree.
let package = Package(
    name: "linkage",
    dependencies: [.package(url: "https://example.org/inkling.git", branch: "main")],
    targets: [
        .executableTarget(name: "PureProducts", dependencies: [.product(name: "Inkling", package: "inkling")]),
        .executableTarget(name: "BesideOthers", dependencies: [.product(name: "Inkling", package: "inkling")]),
    ],
    swiftLanguageModes: [.v6]
)
