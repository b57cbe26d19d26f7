// swift-tools-version: 6.3

import PackageDescription

// Measurements against plain libsodium in the same process. A package of its own, so that nobody who uses Inkling
// builds it.
let package = Package(
    name: "Benchmarks",
    dependencies: [
        .package(name: "Inkling", path: "../.."),
        // A peer: what a Swift program would compute an HMAC with.
        .package(url: "https://github.com/apple/swift-crypto.git", exact: "4.5.2"),
    ],
    targets: [
        // What a C programmer would write with libsodium alone.
        .target(name: "CSodiumPeers", linkerSettings: [.linkedLibrary("sodium")]),
        // The same by OpenSSL, and the search for a Bluetooth address by AES instructions.
        .target(name: "COpenSSLPeers", linkerSettings: [.linkedLibrary("crypto")]),
        .target(name: "CAddressPeers"),
        // Loads libinkling.so.1 at run time, as another program's plugin would.
        .target(name: "CInterfacePeers", linkerSettings: [.linkedLibrary("dl")]),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "CSodiumPeers", "COpenSSLPeers", "CAddressPeers", "CInterfacePeers",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Inkling", package: "Inkling"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
