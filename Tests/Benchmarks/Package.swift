// swift-tools-version: 6.3

import PackageDescription

// Measurements against plain libsodium in the same process. A package of its own, so that no user of Inkling builds it.
// The sources are linked in, not depended upon, because what is measured is visible inside the package only.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
]

#if arch(x86_64)
    let ipsecLibrary: [LinkerSetting] = [.linkedLibrary("IPSec_MB")]
#else
    let ipsecLibrary: [LinkerSetting] = []
#endif

let package = Package(
    name: "Benchmarks",
    dependencies: [
        // A peer: what a Swift program would compute an HMAC with.
        .package(url: "https://github.com/apple/swift-crypto.git", .upToNextMinor(from: "4.5.2")),
        // For links over TCP.
        .package(url: "https://github.com/apple/swift-nio.git", .upToNextMinor(from: "2.101.2")),
    ],
    targets: [
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium"),
        .target(name: "CSHA256Lanes"),
        .target(name: "CNameLines"),
        .target(name: "CSecretMemory"),
        .target(name: "CLogLines", dependencies: ["CNameLines"]),
        .target(
            name: "InklingKeys", dependencies: ["CSodium", "CSHA256Lanes", "CNameLines", "CSecretMemory"],
            swiftSettings: settings),
        .target(name: "InklingWire", dependencies: ["InklingKeys", "CSodium"], swiftSettings: settings),
        .target(name: "InklingEngine", dependencies: ["InklingKeys", "CNameLines"], swiftSettings: settings),
        .target(
            name: "InklingPlatforms", dependencies: ["InklingEngine", "InklingWire", "InklingKeys"],
            swiftSettings: settings),
        .target(
            name: "InklingVault", dependencies: ["InklingWire", "InklingKeys", "CSodium"], swiftSettings: settings),
        .target(
            name: "InklingNode",
            dependencies: ["InklingVault", "InklingPlatforms", "InklingEngine", "InklingWire", "InklingKeys"],
            swiftSettings: settings),
        .target(
            name: "InklingSimulation",
            dependencies: [
                "InklingNode", "InklingVault", "InklingPlatforms", "InklingEngine", "InklingWire", "InklingKeys",
            ],
            swiftSettings: settings),
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd"),
        .systemLibrary(name: "CMosquitto"),
        .target(
            name: "InklingLinux",
            dependencies: [
                "InklingNode", "InklingVault", "InklingEngine", "InklingWire", "InklingKeys", "CLinux", "CSecretMemory",
                "CMosquitto", "CSQLite", "CSystemd", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: settings + [.define("Node")]),
        .target(name: "InklingJSON", swiftSettings: settings),
        .target(
            name: "InklingMatching", dependencies: ["InklingEngine", "InklingKeys", "InklingJSON", "CLogLines"],
            swiftSettings: settings),
        // What a C programmer would write with libsodium alone.
        .target(name: "CSodiumPeers", linkerSettings: [.linkedLibrary("sodium")]),
        // The same by OpenSSL, and the search for a Bluetooth address by AES instructions.
        .target(name: "COpenSSLPeers", linkerSettings: [.linkedLibrary("crypto")]),
        // The same by Intel's library for IPsec, which exists for x86 alone.
        .target(name: "CIPsecPeers", linkerSettings: ipsecLibrary),
        .target(name: "CAddressPeers"),
        // A table of names as one would write it in C.
        .target(name: "CTablePeers"),
        // What a C programmer would write to carry texts and files: sockets, a bare cipher, SQLite.
        .target(
            name: "CDeliveryPeers",
            linkerSettings: [.linkedLibrary("crypto"), .linkedLibrary("sodium"), .linkedLibrary("sqlite3")]),
        // Loads libinkling.so.1 at run time, as another program's plugin would.
        .target(name: "CInterfacePeers", linkerSettings: [.linkedLibrary("dl")]),
        // Prepares a node with many contacts for the measures of running nodes.
        .executableTarget(
            name: "FullVault", dependencies: ["InklingNode", "InklingVault", "InklingWire", "InklingKeys"]),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "CSodiumPeers", "COpenSSLPeers", "CIPsecPeers", "CAddressPeers", "CTablePeers", "CInterfacePeers",
                "CDeliveryPeers", "InklingSimulation", "InklingLinux", "InklingNode", "InklingVault",
                "InklingMatching", "InklingEngine",
                "InklingWire", "InklingKeys",
                .product(name: "Crypto", package: "swift-crypto"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
