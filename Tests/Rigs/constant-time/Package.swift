// swift-tools-version: 6.3

import PackageDescription

// The sources are symbolic links instead of a dependency. So the rig can use what is visible only inside the package, and
// users of Inkling do not need valgrind.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
]

/// The comparison of gates and the key of a vault are visible only inside their targets.
let testable: [SwiftSetting] = [.unsafeFlags(["-enable-testing"])]

/// The functions of libsodium whose results are partly public; `PublicResults.c` says which parts, and why.
let functionsWithPublicResults = [
    "crypto_scalarmult", "crypto_scalarmult_base", "crypto_sign_seed_keypair", "crypto_sign_detached",
    "crypto_sign_verify_detached",
    "crypto_aead_chacha20poly1305_ietf_encrypt", "crypto_aead_chacha20poly1305_ietf_decrypt",
    "crypto_aead_xchacha20poly1305_ietf_encrypt", "crypto_aead_xchacha20poly1305_ietf_decrypt",
    "sodium_memcmp",
]

let package = Package(
    name: "ConstantTime",
    targets: [
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium"),
        // The valgrind of Debian 12 does not read DWARF 5.
        .target(name: "CPoison", cSettings: [.unsafeFlags(["-gdwarf-4"])]),
        .target(name: "CSHA256Lanes", cSettings: [.unsafeFlags(["-gdwarf-4"])]),
        .target(name: "CNameLines", cSettings: [.unsafeFlags(["-gdwarf-4"])]),
        .target(name: "CSecretMemory", cSettings: [.unsafeFlags(["-gdwarf-4"])]),
        .target(
            name: "InklingKeys", dependencies: ["CSodium", "CSHA256Lanes", "CNameLines", "CSecretMemory"],
            swiftSettings: settings),
        .target(name: "InklingWire", dependencies: ["InklingKeys", "CSodium"], swiftSettings: settings + testable),
        .target(
            name: "InklingVault", dependencies: ["InklingWire", "InklingKeys", "CSodium"],
            swiftSettings: settings + testable),
        .executableTarget(
            name: "ConstantTime", dependencies: ["CPoison", "InklingVault", "InklingKeys", "InklingWire"],
            swiftSettings: settings,
            linkerSettings: [
                .unsafeFlags(functionsWithPublicResults.flatMap { ["-Xlinker", "--wrap=\($0)"] })
            ]),
    ],
    swiftLanguageModes: [.v6]
)
