import Inkling

/// A generator that yields the same numbers in every run. Draw real secrets from `SystemRandomNumberGenerator()`.
struct Dice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}

var dice = Dice(state: 1)

/// The reading of the clocks this many milliseconds after the start of the example.
func reading(_ milliseconds: UInt64) -> ClockReading {
    ClockReading(tick: Tick(milliseconds: milliseconds), unixMilliseconds: 1_785_600_600_000 + milliseconds)
}

guard let epoch = Epoch(containing: reading(0).unixSeconds), let nextEpoch = epoch.next,
    let lastPeriod = Period(epoch.period.number + 167)
else { fatalError("the tree of keys ends in 2089") }
print("epoch \(epoch.number), which ends at \(epoch.end)")

/// A person with one device.
struct Person: ~Copyable, Sendable {
    let identity: IdentityKey
    let presence: PresenceKey
    let deviceKey: NoiseKeyPair
    let card: ContactCard

    init(_ name: String, from: Period, to: Period, using dice: inout Dice) throws {
        let seed = RootSeed(from: &dice)  // The one thing to back up.
        identity = seed.identityKey(generation: 1)
        presence = seed.presenceKey(generation: 1)
        deviceKey = NoiseKeyPair(from: &dice)
        let certificate = try DeviceCertificate(
            index: .first, key: deviceKey.publicKey, from: from, to: to, isPrimary: true, signedBy: identity)
        card = try ContactCard(
            identity: identity, generation: 1, serial: 1, presence: presence.publicKey,
            certificates: [certificate], name: name)
    }
}

let ada = try Person("Ada", from: epoch.period, to: lastPeriod, using: &dice)
let bob = try Person("Bob", from: epoch.period, to: lastPeriod, using: &dice)

let (fromAda, fromBob) = (ada.card.bytes, bob.card.bytes)
let adasCard = try ContactCard(parsing: fromAda.span, now: epoch.period)
let bobsCard = try ContactCard(parsing: fromBob.span, now: epoch.period)
for card in [adasCard, bobsCard] {
    print("\(card.name): \(card.bytes.count) bytes, user \(card.userID.octets)")
}

let friends = Audience(from: epoch.period, using: &dice)
let tree = friends.tree
let signed = try friends.grant(
    from: epoch.period, to: lastPeriod, certificates: adasCard.certificates, to: bobsCard.userID, issuer: ada.identity
).signed(by: ada.identity)

let grant = try signed.withBytes { bytes in
    try Grant(
        parsing: bytes, issuer: adasCard.identity, grantee: bobsCard.userID, now: epoch.period, heldGeneration: 0)
}
let nodes = grant.tree.value.nodes
print("\(signed.count) bytes of grant: \(nodes.count) keys yield periods \(grant.from.number) to \(grant.to.number)")

/// The values that a device shows in an epoch; nil without the keys of that period.
func shown(under tree: borrowing AudienceTree, in epoch: Epoch) -> (name: OpaqueServiceName, minor: BeaconMinor)? {
    guard let key = tree.periodKey(epoch.period) else { return nil }
    let keys = key.deviceKeys(.first)
    return (keys.mdns.serviceName(epoch), keys.beacon.minor(epoch))
}

guard let present = shown(under: tree.value, in: epoch), let future = shown(under: tree.value, in: nextEpoch)
else { fatalError("Ada holds the whole tree") }
let advertisement = IBeacon(minor: present.minor).encoded()
print("Ada shows \(present.name), and minor \(present.minor.value) in \(advertisement.count) bytes")

let contact = ContactID(rawValue: 1)
let everybody = [PredictedContact(contact, grants: [HeldGrant(grant)])]
let table = PredictedTable(of: everybody, around: epoch)
for prediction in table.predictions(for: present.name) {
    print("Bob expects that name of contact \(prediction.contact.rawValue) in epoch \(prediction.epoch.number)")
}

/// An engine with its timer.
struct Observer {
    private var engine = RecognitionEngine()
    private var dice: Dice
    private var timer: Tick?

    init(_ dice: Dice) { self.dice = dice }

    /// Handles one event and prints its effects; returns the attempt to make, if there is one.
    mutating func take(_ event: RecognitionEngine.Event, at milliseconds: UInt64) -> Attempt? {
        var attempt: Attempt?
        for effect in engine.handle(event, at: reading(milliseconds), using: &dice) {
            switch effect {
            case .stateChanged(_, let old, let new): print("\(milliseconds) ms: \(old.word) → \(new.word)")
            case .confirm(let wanted): attempt = wanted
            case .arrived: print("\(milliseconds) ms: Ada is here")
            case .left: print("\(milliseconds) ms: Ada has left")
            case .wake(let tick): timer = tick
            case .outsideWindow: print("\(milliseconds) ms: a value of Ada's outside its window")
            case .readTag, .contested, .replayed: print("\(milliseconds) ms: \(effect)")
            }
        }
        return attempt
    }

    /// Fires timers until an attempt is due; returns nil if none is due before `end`.
    mutating func wait(until end: UInt64) -> (attempt: Attempt, at: UInt64)? {
        while let due = timer, due.milliseconds <= end {
            timer = nil
            if let attempt = take(.timerFired, at: due.milliseconds) { return (attempt, due.milliseconds) }
        }
        return nil
    }
}

var observer = Observer(Dice(state: 2))
_ = observer.take(.contactAdded(contact), at: 0)
_ = observer.take(.tableReplaced(table), at: 0)

guard let address = DeviceAddress(0x5a_0102_0304) else { fatalError("48 bits are an address") }
let heard = try IBeacon(parsing: advertisement.span)
let sighting = BeaconSighting(heard.minor, from: address, rssi: -61, observed: ObservedTime(at: reading(1000)))
_ = observer.take(.beaconHeard(sighting), at: 1000)

_ = observer.take(.nameAppeared(present.name, observed: ObservedTime(at: reading(2000))), at: 2000)
guard let (attempt, began) = observer.wait(until: 10_000) else { fatalError("no attempt to make") }
print("\(began) ms: try \(attempt.value)")

/// Sends a packet over a link as bytes, and returns the packet that the other side reads.
func carried(_ packet: Packet) throws -> Packet {
    var stream: [UInt8] = []
    packet.appendFrame(to: &stream)
    var decoder = FrameDecoder()
    decoder.append(stream.span)
    guard let bytes = try decoder.next() else { throw PacketError.truncated }
    print("      \(stream.count) bytes of \(packet.type)")
    return try Packet(parsing: bytes.span)
}

/// Derives the context of the handshake for the device and the epoch of the value that was seen.
func context(of tree: borrowing AudienceTree, _ prediction: Prediction) throws -> ConfirmContext {
    guard let key = tree.periodKey(prediction.epoch.period) else { throw HandshakeError.gateMismatch }
    return ConfirmContext(
        key.deviceKeys(prediction.device), device: prediction.device, epoch: prediction.epoch, transport: .tcp)
}

/// Bob calls and Ada answers; each proves to the other that the device on its card is present now.
func meet(
    _ prediction: Prediction, ada: borrowing Person, bob: borrowing Person, tree: borrowing AudienceTree,
    grant: Grant, at now: ClockReading, using dice: inout Dice
) throws -> EstablishedSession {
    let period = prediction.epoch.period
    guard let certificate = grant.certificates.first(where: { $0.index == prediction.device && $0.isValid(in: period) })
    else { throw HandshakeError.unknownContact }
    let calling = try ConfirmInitiator(
        context(of: grant.tree.value, prediction), deviceKey: bob.deviceKey, responder: certificate.key,
        payload: ConfirmPayload(
            transports: .tcp, generation: grant.generation, unixMilliseconds: now.unixMilliseconds),
        using: &dice)

    var door = ConfirmResponder()
    let bobsCard = bob.card
    let secret = SecretBox(try PairAudience.staticPairwiseKey(own: ada.presence, peer: bobsCard.presence))
    let request = try door.receive(
        carried(calling.packet), contexts: [context(of: tree, prediction)], deviceKey: ada.deviceKey,
        at: now.tick.milliseconds, using: &dice
    ) { key in
        bobsCard.certificate(ofKey: key, in: period) == nil ? nil : secret.value.duplicate()
    }
    // Write `request.entry` to disk first in a real program, so that no call is answered again after a restart.
    let answered = try request.reply(
        ConfirmPayload(transports: .tcp, generation: 0, unixMilliseconds: now.unixMilliseconds))

    var bobsEnd = try calling.receive(
        carried(answered.packet),
        pairwiseKey: PairAudience.staticPairwiseKey(own: bob.presence, peer: ada.card.presence))
    let hello = try Hello(ownSerial: bobsCard.serial, peerSerial: ada.card.serial, grants: [])
    let adasEnd = try answered.receive(carried(bobsEnd.seal(hello.record)))
    print("      the same fingerprint: \(adasEnd.exporter.fingerprint() == bobsEnd.exporter.fingerprint())")
    return bobsEnd
}

_ = try meet(
    attempt.prediction, ada: ada, bob: bob, tree: tree.value, grant: grant, at: reading(began), using: &dice)
_ = observer.take(.confirmed(contact, attempt.prediction.device, .initiator), at: began)

_ = observer.take(.sessionEnded(contact, attempt.prediction.device), at: 200_000)
_ = observer.take(.nameVanished(present.name), at: 295_000)
_ = observer.take(.tableReplaced(PredictedTable(of: everybody, around: nextEpoch, reusing: table)), at: 300_000)
_ = observer.take(.nameAppeared(future.name, observed: ObservedTime(at: reading(303_000))), at: 303_000)
print("Ada shows \(future.name), and minor \(future.minor.value)")

let copy = ObservedTime(at: reading(500_000))
_ = observer.take(.nameAppeared(present.name, observed: copy), at: 500_000)
_ = observer.take(.nameVanished(future.name), at: 600_000)
_ = observer.wait(until: 900_000)
