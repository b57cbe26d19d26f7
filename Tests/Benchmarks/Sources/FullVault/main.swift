import Glibc
import InklingKeys
import InklingNode
import InklingVault
import InklingWire

// Adds contacts to a vault: FullVault HOME KEY-FILE COUNT PERIOD. Each has a card, a pairwise key, and has granted 30 days
// from this period on, as after a first contact; none of them exists.

func end(_ message: String) -> Never {
    let line = Array("full-vault: \(message)\n".utf8)
    write(STDERR_FILENO, line, line.count)
    exit(1)
}

/// A contact with one device.
func contact(_ number: Int, now: Period, to end: Period, using generator: inout some RandomNumberGenerator) throws
    -> StoredContact?
{
    let seed = RootSeed(from: &generator)
    let identity = seed.identityKey(generation: 1)
    let certificate = try DeviceCertificate(
        index: .first, key: NoiseKeyPair(from: &generator).publicKey, from: now, to: end, isPrimary: true,
        signedBy: identity)
    let card = try ContactCard(
        identity: identity, generation: 1, serial: 1, presence: seed.presenceKey(generation: 1).publicKey,
        certificates: [certificate], name: "Contact \(number)")
    let key = PairwiseKeyNumber(rawValue: 1)
    guard
        let agreement = Agreement(standing: .complete, keys: [key], shared: key, turn: 0, grantedUntil: end),
        let tree = AudienceTree(root: SecretBytes(count: 32, from: &generator)).constrained(from: now, to: end)
    else { return nil }
    var contact = StoredContact(
        user: card.userID, card: card.bytes, petname: "", agreement: agreement,
        pairwiseKeys: [
            StoredPairwiseKey(
                number: key, origin: .firstContact, key: SecretBox(SecretBytes(count: 32, from: &generator)))
        ], added: now)
    contact.grants = [
        ReceivedGrant(
            audience: 1, generation: now.number, from: now, to: end, devices: 1, tree: SecretBox(tree))
    ]
    return contact
}

let words = CommandLine.arguments
guard words.count == 5, let count = Int(words[3]), count > 0, let now = UInt32(words[4]).flatMap({ Period($0) }),
    let last = Period(now.number + 719)
else { end("usage: FullVault HOME KEY-FILE COUNT PERIOD") }
do {
    var generator = SystemRandomNumberGenerator()
    let file = VaultFile(home: words[1])
    var vault = try file.open(
        with: try VaultKey.keyFile(at: words[2]), acceleratedClock: try file.header().clock.isAccelerated)
    for number in 1...count {
        guard let contact = try contact(number, now: now, to: last, using: &generator) else { end("no contact") }
        vault.contents.contacts.append(contact)
    }
    try vault.save()
} catch {
    end("\(error)")
}
