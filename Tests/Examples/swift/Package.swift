// swift-tools-version: 6.3

import PackageDescription

// A package of somebody else's: it names Inkling by URL, turns no trait on, and needs libsodium alone. `check` lets a
// copy of this working tree stand in for the URL.
let package = Package(
    name: "recognise",
    dependencies: [.package(url: "https://example.org/inkling.git", branch: "main")],
    targets: [
        .executableTarget(name: "recognise", dependencies: [.product(name: "Inkling", package: "inkling")])
    ],
    swiftLanguageModes: [.v6]
)
