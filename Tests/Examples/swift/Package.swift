// swift-tools-version: 6.3

import PackageDescription

// A user's package: it depends on Inkling by URL, enables no trait, and needs only libsodium. `check` replaces the URL
// by a copy of this working tree.
let package = Package(
    name: "recognise",
    dependencies: [.package(url: "https://example.org/inkling.git", branch: "main")],
    targets: [
        .executableTarget(name: "recognise", dependencies: [.product(name: "Inkling", package: "inkling")])
    ],
    swiftLanguageModes: [.v6]
)
