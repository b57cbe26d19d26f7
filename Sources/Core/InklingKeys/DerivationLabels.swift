/// The byte strings that separate the uses of hashes, keys and signatures from one another.
///
/// Labels are defined only in this file. `Specs/keys.md` has the same table, and a check compares the two. No label is
/// used for a purpose other than that of its row in the table (INK-KEY-003).
package enum DerivationLabel {
    /// The nine bytes that begin every structured label of this project.
    package static let prefix: StaticString = "inkling/1"

    // MARK: HMAC messages of the tree and of the identifiers

    static let treeNode: StaticString = "tree"
    package static let serviceName: StaticString = "mDNS-name-"
    package static let hostName: StaticString = "mDNS-host-"
    package static let beaconMinor: StaticString = "iBeacon-minor-"
    package static let recognitionTag: StaticString = "GATT-tag-"
    package static let confirmPSK: StaticString = "confirm-psk-"
    package static let confirmGate: StaticString = "confirm-gate-"

    // MARK: Labels of Derive

    static let identity: StaticString = "identity"
    static let presenceDH: StaticString = "presence-dh"
    static let mdnsKey: StaticString = "mdns-key"
    static let beaconKey: StaticString = "beacon-key"
    static let gattKey: StaticString = "gatt-key"
    static let confirmKey: StaticString = "confirm-key"
    package static let pairRoot: StaticString = "pair-root"
    /// The pairwise key of two contacts, from static keys or from a first contact.
    package static let pairPSK: StaticString = "pair-psk"
    static let invitePSK0: StaticString = "invite-psk0"
    static let invitePSK3: StaticString = "invite-psk3"
    static let inviteGate: StaticString = "invite-gate"
    static let inviteRoot: StaticString = "invite-root"
    /// The pre-shared key of TLS 1.2 for one transport of a confirmed session.
    package static let tls12PSK: StaticString = "tls-psk"
    /// The one-time identity of the pre-shared key of TLS 1.2 for one transport of a confirmed session.
    package static let tls12PSKIdentity: StaticString = "tls-psk-id"
    /// The pre-shared key of TLS 1.3 for one transport of a confirmed session.
    package static let tls13PSK: StaticString = "tls13-psk"
    /// The one-time identity of the pre-shared key of TLS 1.3 for one transport of a confirmed session.
    package static let tls13PSKIdentity: StaticString = "tls13-psk-id"
    /// The fingerprint that two people compare after a first contact.
    package static let fingerprint: StaticString = "fingerprint"

    /// The key of the gate of an offered link.
    package static let offerGate: StaticString = "offer-gate"
    /// The first pre-shared key of the handshake over an offered link.
    package static let offerPSK: StaticString = "offer-psk"
    /// The identifier in the prologue of the handshake over an offered link.
    package static let offerIdentifier: StaticString = "offer-id"

    /// The key that wraps the data key of a vault, from a key file or a credential.
    package static let vaultWrap: StaticString = "vault-wrap"
    /// The key that seals the contents of a vault.
    package static let vaultContents: StaticString = "vault-contents"
    /// The key that authenticates the generation counter beside a vault.
    package static let vaultCounter: StaticString = "vault-counter"
    /// The key that seals the contents of a backup.
    package static let backupContents: StaticString = "backup-contents"

    /// The key that seals the rows and the head of a message store.
    package static let storeSeal: StaticString = "store-seal"
    /// The key that hides and authenticates where the rows of a message store belong.
    package static let storePlace: StaticString = "store-place"
    /// The key that authenticates the head file beside a message store.
    package static let storeHead: StaticString = "store-head"

    /// The key that seals the list of files that go to contacts.
    package static let fileQueue: StaticString = "file-queue"

    // MARK: Salts of Extract, each after `prefix` and a space

    static let userRootSalt: StaticString = "inkling/1 user-root"
    package static let pairAudienceSalt: StaticString = "inkling/1 pair-audience"
    package static let pairPSKSalt: StaticString = "inkling/1 pair-psk"
    static let invitationSalt: StaticString = "inkling/1 invitation"
    /// The salt of the exporter secret of a finished handshake.
    package static let exportSalt: StaticString = "inkling/1 export"

    // MARK: Prefixes of hashes and signatures

    static let userID: StaticString = "inkling/1 user-id"
    static let card: StaticString = "inkling/1 card"
    /// The same bytes as `card`, but no zero byte follows them.
    static let cardCommitment: StaticString = "inkling/1 card"
    static let deviceCertificate: StaticString = "inkling/1 device-cert"
    static let grant: StaticString = "inkling/1 grant"
    static let text: StaticString = "inkling/1 text"
    package static let uuid: StaticString = "inkling/1 uuid"
    /// The UUIDs of an application profile.
    package static let profileUUID: StaticString = "inkling/1 profile-uuid"
    /// The mark of the state that a primary device sends to the user's other devices.
    package static let ownState: StaticString = "inkling/1 own-state"
    /// The name of a file that is being received.
    package static let partialFile: StaticString = "inkling/1 partial-file"

    // MARK: Noise prologues

    /// The prologue of the confirm handshake.
    package static let confirmPrologue: StaticString = "inkling/1-confirm"
    /// The prologue of a first contact.
    package static let firstContactPrologue: StaticString = "inkling/1-first-contact"
    /// The prologue of a device link.
    package static let deviceLinkPrologue: StaticString = "inkling/1-device-link"
    /// The prologue of a sealed grant.
    package static let sealedGrantPrologue: StaticString = "inkling/1 grant"
}
