internal import InklingEngine
internal import InklingKeys
internal import InklingSimulation
internal import InklingWire

/// Years of one user with several devices: devices are lost and removed, the primary is lost and restored from a backup,
/// contacts come, fall out and are revoked. Keys, generations and grants are the library's.
///
/// Three watch what is shown: a contact that was revoked in the first year and keeps every grant that it ever had; the
/// thieves of the lost devices, who keep the trees that were on them; and contacts, who must go on to recognise the user.
package struct UserHistory {
    /// A fault that is planted in what the user's devices do.
    package enum Fault: String, CaseIterable, Sendable {
        /// A revocation and a removal begin no new generation.
        case keepsGeneration = "user-keeps-generation"
        /// A restored copy goes on with the generation of the copy.
        case resumesCopy = "user-resumes-copy"
        /// The generation after a restore is that of the copy and one.
        case countsGenerations = "user-counts-generations"
        /// The primary does not pass new generations on.
        case leavesDevicesAlone = "user-leaves-devices-alone"
    }

    /// What a history led to.
    package struct Result: Sendable {
        package var years = 0.0
        package var meetings = 0, healings = 0, lostDevices = 0, restores = 0, revocations = 0
        /// Names and minors that were compared with what the revoked contact and the thieves can compute, and the minors
        /// that were equal.
        package var compared = 0, equalMinors = 0
        /// How often the revoked contact recognised the user before it was revoked, and a device that had not met the
        /// primary since.
        package var matchedBefore = 0, matchedLagging = 0
        package var violations: [String] = []

        package init() {}

        package static func += (sum: inout Result, other: Result) {
            sum.years += other.years
            sum.meetings += other.meetings
            sum.healings += other.healings
            sum.lostDevices += other.lostDevices
            sum.restores += other.restores
            sum.revocations += other.revocations
            sum.compared += other.compared
            sum.equalMinors += other.equalMinors
            sum.matchedBefore += other.matchedBefore
            sum.matchedLagging += other.matchedLagging
        }
    }

    private struct Device {
        let index: DeviceIndex
        let key: Octets32
        /// The generation that it shows.
        var audience: Audience
        /// The generation that the primary had when the device met it last.
        var met: UInt32
    }

    private struct Held {
        let generation: UInt32
        let interval: ClosedRange<UInt32>
        let devices: [DeviceIndex]
        let tree: SecretBox<AudienceTree>
    }

    private struct Contact {
        let user: UserID
        let presence: SecretBox<PresenceKey>
        var held: Held?
        /// Whether the user recognises the contact; not after the contact has begun a new generation.
        var isRecognised = true
        var lastMet: UInt32
    }

    private static let contactCount = 4
    private static let devicePlaces = 5

    private var generator: SimulationGenerator
    private let fault: Fault?
    private let seed: SecretBox<RootSeed>
    private var hour: UInt32 = 500_000
    private var devices: [Device] = []
    private var contacts: [Contact] = []
    private var backup: (audience: Audience, devices: Int)?
    /// Who was revoked, what it holds, and since when.
    private var matcher: (user: UserID, held: [Held], revokedAt: UInt32?)
    /// The trees of lost devices, with their indices.
    private var stolen: [Device] = []
    private var result = Result()

    private init(seed number: UInt64, fault: Fault?) {
        generator = SimulationGenerator(seed: number ^ 0x7065_6f70_6c65)
        self.fault = fault
        seed = SecretBox(RootSeed(from: &generator))
        matcher = (UserID(Octets16(high: 1, low: number)), [], nil)
    }

    private var now: Period { Period(hour) ?? .last }

    /// Simulates years of a user.
    package static func run(seed: UInt64, years: Int, fault: Fault? = nil) -> Result {
        var history = UserHistory(seed: seed, fault: fault)
        history.live(hours: UInt32(years) * 8766)
        return history.result
    }

    private mutating func fail(_ words: String) {
        if result.violations.count < 5 { result.violations.append("hour \(hour - 500_000): \(words)") }
    }

    private mutating func draw(_ range: ClosedRange<UInt32>) -> UInt32 { UInt32.random(in: range, using: &generator) }

    private mutating func live(hours: UInt32) {
        let first = Audience(from: now, using: &generator)
        devices.append(newDevice(showing: first))
        devices.append(newDevice(showing: first))
        for _ in 0..<Self.contactCount { contacts.append(newContact()) }
        for index in contacts.indices { meet(index) }
        let end = hour + hours
        let revocation = hour + draw(500...8000)
        while hour < end {
            hour += draw(1...60)
            if matcher.revokedAt == nil {
                grantToMatcher()
                if hour >= revocation { revoke() }
            }
            happen()
            judge()
        }
        result.years = Double(hours) / 8766
    }

    private mutating func happen() {
        switch draw(0...99) {
        case 0...59: meet(Int(draw(0...UInt32(contacts.count - 1))))
        case 60...74: refresh()
        case 75, 76: loseDevice()
        case 77: if backup != nil { restore() }
        case 78...80: backup = (devices[0].audience, devices.count)
        case 81, 82:
            // A contact falls out, with a new generation, and another comes.
            contacts.remove(at: Int(draw(0...UInt32(contacts.count - 1))))
            renew()
            contacts.append(newContact())
        case 83:
            // A contact has begun a new generation, or lies away for a long time.
            contacts[Int(draw(0...UInt32(contacts.count - 1)))].isRecognised = false
        case 84: hour += draw(500...4000)
        case 85: link()
        default: break
        }
    }

    // MARK: Devices

    private mutating func newDevice(showing audience: Audience) -> Device {
        let secret = SecretBytes(count: keyByteCount, from: &generator)
        let used = Set(devices.map(\.index))
        let index = (0..<DeviceIndex.limit).compactMap { DeviceIndex($0) }.first { !used.contains($0) }
        return Device(
            index: index ?? .first, key: X25519.publicKey(of: secret), audience: audience,
            met: audience.generation)
    }

    private mutating func link() {
        guard devices.count < 3 else { return }
        devices.append(newDevice(showing: devices[0].audience))
    }

    /// A device that is not the primary is lost and removed; its index may be given to the next one.
    private mutating func loseDevice() {
        guard devices.count > 1 else { return }
        result.lostDevices += 1
        stolen.append(devices.removeLast())
        renew()
        if draw(0...1) == 0 { link() }
    }

    /// Begins a new generation on the primary; the other devices learn it when they meet the primary.
    private mutating func renew() {
        guard fault != .keepsGeneration else { return }
        devices[0].audience = devices[0].audience.renewed(from: now, using: &generator)
        devices[0].met = devices[0].audience.generation
    }

    private mutating func refresh() {
        for index in devices.indices.dropFirst() {
            devices[index].met = devices[0].audience.generation
            if fault != .leavesDevicesAlone { devices[index].audience = devices[0].audience }
        }
    }

    /// The primary device is lost, and its backup restored on a new one: under another index, with a new generation.
    private mutating func restore() {
        guard let backup else { return }
        result.restores += 1
        stolen += devices
        let lost = devices[0]
        let used = devices.map(\.index.number).max() ?? 0
        var audience = backup.audience
        switch fault {
        case .resumesCopy: break
        case .countsGenerations:
            audience = Audience(
                id: audience.id, generation: audience.generation + 1, from: now, using: &generator)
        default:
            audience = audience.renewed(from: now, ahead: draw(1...8), using: &generator)
        }
        devices = []
        let made = newDevice(showing: audience)
        let index =
            fault == .resumesCopy ? lost.index : DeviceIndex((used + 1) % UInt8(Self.devicePlaces)) ?? made.index
        devices = [Device(index: index, key: made.key, audience: audience, met: audience.generation)]
        self.backup = nil
    }

    // MARK: Contacts

    private mutating func newContact() -> Contact {
        let root = RootSeed(from: &generator)
        let user = UserID(Octets16(high: generator.next(), low: generator.next()))
        return Contact(user: user, presence: SecretBox(root.presenceKey(generation: 1)), lastMet: hour)
    }

    private func certificates() -> [DeviceCertificate] {
        let identity = seed.value.identityKey(generation: 1)
        guard let last = Period(hour + 2400) else { return [] }
        var certificates: [DeviceCertificate] = []
        for device in devices.sorted(by: { $0.index < $1.index }) {
            let certificate = try? DeviceCertificate(
                index: device.index, key: device.key, from: now, to: last, isPrimary: device.key == devices[0].key,
                signedBy: identity)
            if let certificate { certificates.append(certificate) }
        }
        return certificates
    }

    /// Signs a grant of the primary's generation, and returns what its receiver keeps; nil when the receiver refuses it.
    private mutating func granted(to user: UserID, holding generation: UInt32) -> Held? {
        let identity = seed.value.identityKey(generation: 1)
        let issuer = identity.publicKey
        let audience = devices[0].audience
        let now = now
        guard let end = Period(hour + Grant.longestSpan - 1) else { return nil }
        do {
            let signed = try audience.grant(
                from: now, to: end, certificates: certificates(), to: user, issuer: identity
            ).signed(by: identity)
            let grant = try signed.withBytes { bytes throws(GrantError) in
                try Grant(
                    parsing: bytes, issuer: issuer, grantee: user, now: now, heldGeneration: generation)
            }
            return Held(
                generation: grant.generation, interval: grant.from.number...grant.to.number,
                devices: grant.certificates.map(\.index), tree: grant.tree)
        } catch {
            fail("a contact refuses a grant of generation \(audience.generation), and holds \(generation): \(error)")
            return nil
        }
    }

    /// A contact and the primary device are on one network.
    private mutating func meet(_ index: Int) {
        result.meetings += 1
        var contact = contacts[index]
        let primary = devices[0]
        let isKnown = contact.held.map { held in
            held.generation == primary.audience.generation && held.interval.contains(hour)
                && held.devices.contains(primary.index)
        }
        if isKnown == false, !contact.isRecognised {
            // Neither recognises the other: both derive the pair audience from the cards, and find each other by it.
            result.healings += 1
            let own = seed.value.presenceKey(generation: 1)
            let here = pairName(
                of: primary.index, own: own, peer: contact.presence.value.publicKey, isAdvertising: true)
            let there = pairName(
                of: primary.index, own: contact.presence.value, peer: own.publicKey, isAdvertising: false)
            if here == nil || here != there { fail("two holders of cards do not find each other") }
        }
        contact.isRecognised = true
        contact.lastMet = hour
        if let held = granted(to: contact.user, holding: contact.held?.generation ?? 0) { contact.held = held }
        contacts[index] = contact
        if contact.held?.generation != primary.audience.generation {
            fail("a contact that has met the user does not recognise it")
        }
    }

    private mutating func grantToMatcher() {
        if let held = granted(to: matcher.user, holding: matcher.held.last?.generation ?? 0) {
            matcher.held.append(held)
        }
    }

    private mutating func revoke() {
        result.revocations += 1
        matcher.revokedAt = devices[0].audience.generation
        renew()
    }

    // MARK: Who sees what

    private var epoch: Epoch { now.firstEpoch }

    /// The name of the user's device in the pair audience with a contact.
    private func pairName(
        of device: DeviceIndex, own: borrowing PresenceKey, peer: Octets32, isAdvertising: Bool
    ) -> OpaqueServiceName? {
        guard let root = try? PairAudience.root(own: own, peer: peer, advertising: isAdvertising) else { return nil }
        let tree = AudienceTree(root: root)
        return values(of: device, in: tree)?.0
    }

    private func values(of device: DeviceIndex, in tree: borrowing AudienceTree) -> (OpaqueServiceName, BeaconMinor)? {
        guard let leaf = tree.periodKey(now) else { return nil }
        let keys = leaf.deviceKeys(device)
        return (keys.mdns.serviceName(epoch), keys.beacon.minor(epoch))
    }

    private mutating func judge() {
        let shown = devices.compactMap { device in
            values(of: device.index, in: device.audience.tree.value).map { (device, $0.0, $0.1) }
        }
        if Set(shown.map { $0.1 }).count < shown.count { fail("two devices show one name") }
        // The revoked contact computes all devices of every grant that has not ended; of equal grants once.
        var trees: [(tree: SecretBox<AudienceTree>, isThief: Bool)] = []
        var generations: Set<UInt32> = []
        for held in matcher.held.reversed() where held.interval.contains(hour) {
            if generations.insert(held.generation).inserted { trees.append((held.tree, false)) }
        }
        trees += stolen.map { ($0.audience.tree, true) }
        for (tree, isThief) in trees {
            for number in 0..<UInt8(Self.devicePlaces) {
                guard let index = DeviceIndex(number), let (name, minor) = values(of: index, in: tree.value) else {
                    continue
                }
                for (device, shownName, shownMinor) in shown {
                    // A device shows the old generation until it meets the primary.
                    let isLagging = device.met < devices[0].audience.generation
                    guard shownName == name else {
                        result.compared += 1
                        if shownMinor == minor { result.equalMinors += 1 }
                        continue
                    }
                    if !isThief, matcher.revokedAt == nil {
                        result.matchedBefore += 1
                    } else if isLagging {
                        result.matchedLagging += 1
                    } else {
                        fail(
                            isThief
                                ? "the thief of a device recognises device \(index.number)"
                                : "the revoked contact recognises device \(index.number)")
                    }
                }
            }
        }
        // What ended is of no use to anybody.
        matcher.held.removeAll { $0.interval.upperBound < hour }
        if stolen.count > 12 { stolen.removeFirst() }
    }
}
