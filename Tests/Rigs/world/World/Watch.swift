internal import InklingEngine
internal import InklingKeys
internal import InklingNode
internal import InklingSimulation
internal import InklingWire

/// Judges everything that nodes report and send, in the order in which it happened.
struct Watch {
    /// How many violations are described; further ones are only noticed.
    private static let limit = 20
    /// How long values are remembered, in milliseconds: longer than two epochs and every skew.
    private static let memory: UInt64 = 7_200_000

    /// A first message that was seen on the network.
    struct FirstMessage {
        let packet: [UInt8]
        let from: Int
        let to: Int
        let time: UInt64
        var isAnswered = false
    }

    /// What a host announced last.
    struct Announcement {
        let instance: ServiceInstance
        let address: Endpoint.Address
        let time: UInt64
    }

    private struct Shown {
        let host: Int
        let epoch: Epoch?
        var time: UInt64
    }

    private struct HostRecord {
        var epochs: [LinkTechnologyID: Epoch] = [:]
        /// When Bluetooth began to show which epoch; links and broadcasts are judged after they have ended.
        var radioEpochs: [(time: UInt64, epoch: Epoch)] = []
        var latest: Epoch?
        /// The names announced in an epoch since the last generation began.
        var names: [Epoch: Set<OpaqueServiceName>] = [:]
        var lastAlive: UInt64 = 0
    }

    private let people: [UserID: Int]
    private let users: [UserID]
    /// A contact of some that has no node.
    private let traitor: UserID
    private let hosts: [Int: Int]
    private let stations: [Int: Int]
    private var records: [HostRecord]
    /// Values that stay the same within an epoch.
    private var shown: [Octets16: Shown] = [:]
    /// Pieces of packets, none of which is ever sent again.
    private var sent: [Octets16: UInt64] = [:]
    private var lastPruned: UInt64 = 0
    /// When a host last answered a first message of another.
    private var replies: [Pair: UInt64] = [:]
    private var initiated: [Pair: Int] = [:]
    private var responded: [Pair: Int] = [:]
    /// Since when someone is no contact of another any more.
    private var removed: [Pair: UInt64] = [:]
    private var lastConfirmed: [Pair: UInt64] = [:]
    private var lastGiven: [Pair: Int] = [:]
    private var givenTexts: [Pair: Set<Int>] = [:]
    private var queuedTexts: [TextID: (number: Int, pair: Pair, time: UInt64)] = [:]
    private var receipts: [(id: TextID, pair: Pair, time: UInt64)] = []
    private var deliveredFiles: [Int: (pair: Pair, time: UInt64)] = [:]
    private(set) var firstMessages: [FirstMessage] = []
    private(set) var announcements: [Int: Announcement] = [:]
    private(set) var minors: [BeaconMinor] = []
    private(set) var violations: [Violation] = []
    private(set) var digest: UInt64 = 0
    var counts = WorldCounts()

    /// From whom to whom.
    struct Pair: Hashable {
        let from: Int, to: Int
    }

    init(_ inhabitants: [Inhabitant], traitor: UserID) {
        self.traitor = traitor
        users = inhabitants.map(\.user)
        people = Dictionary(inhabitants.map { ($0.user, $0.number) }) { first, _ in first }
        hosts = Dictionary(inhabitants.map { ($0.host.place, $0.number) }) { first, _ in first }
        stations = Dictionary(inhabitants.map { ($0.host.station, $0.number) }) { first, _ in first }
        records = inhabitants.map { _ in HostRecord() }
    }

    mutating func report(_ invariant: Invariant, at time: UInt64, _ words: String) {
        guard violations.count < Self.limit else { return }
        violations.append(Violation(invariant: invariant, time: time, words: words))
    }

    // MARK: What the world did

    /// Notes that a node runs, awake and with power, at a time.
    mutating func alive(_ inhabitant: Int, at time: UInt64) { records[inhabitant].lastAlive = time }

    /// Notes that an inhabitant began a new generation, so that an epoch can be shown under another secret.
    mutating func renewed(_ inhabitant: Int) { records[inhabitant].names = [:] }

    /// Notes that the operator cleared the high-water mark.
    mutating func reset(_ inhabitant: Int) {
        records[inhabitant].names = [:]
        records[inhabitant].latest = nil
    }

    mutating func removed(_ other: Int, by inhabitant: Int, at time: UInt64) {
        removed[Pair(from: inhabitant, to: other)] = time
    }

    func isRemoved(_ other: Int, by inhabitant: Int) -> Bool { removed[Pair(from: inhabitant, to: other)] != nil }

    /// When one confirmed another last; nil if never.
    func confirmation(of other: Int, by inhabitant: Int) -> UInt64? {
        lastConfirmed[Pair(from: inhabitant, to: other)]
    }

    // MARK: Observation

    /// Judges what happened since the last call.
    mutating func observe(
        _ events: [Heard], _ sightings: [NetworkSighting], _ network: SimulatedNetwork, now: UInt64
    ) {
        var place = sightings.startIndex
        for heard in events {
            while place < sightings.endIndex, sightings[place].time < heard.time {
                observe(sightings[place], network)
                place += 1
            }
            observe(heard)
        }
        while place < sightings.endIndex {
            observe(sightings[place], network)
            place += 1
        }
        for (pair, count) in responded where count > initiated[Pair(from: pair.to, to: pair.from)] ?? 0 {
            report(
                .confirmation, at: now,
                "\(pair.from) confirmed \(pair.to) as the one who called, and \(pair.to) did not call")
            responded[pair] = 0
        }
        if now - lastPruned > Self.memory {
            lastPruned = now
            shown = shown.filter { now - $0.value.time < Self.memory }
            sent = sent.filter { now - $0.value < Self.memory }
        }
    }

    private mutating func mix(_ time: UInt64, _ place: Int, _ value: some Hashable) {
        var hasher = Hasher()
        hasher.combine(digest)
        hasher.combine(time)
        hasher.combine(place)
        hasher.combine(value)
        digest = UInt64(bitPattern: Int64(hasher.finalize()))
    }

    private mutating func observe(_ heard: Heard) {
        counts.events += 1
        mix(heard.time, heard.inhabitant, heard.what)
        let event: NodeEvent
        switch heard.what {
        case .given(let sender, let text): return given(text, by: sender, to: heard.inhabitant, at: heard.time)
        case .givenAgain(let sender, let text):
            return report(
                .once, at: heard.time,
                "\(heard.inhabitant) was given '\(text)' of \(people[sender] ?? -1) again after it was acknowledged")
        case .node(let reported): event = reported
        }
        switch event {
        case .showing(let epoch, over: let technology): showing(epoch, over: technology, by: heard)
        case .confirmed(let user, over: let technology, after: let delay):
            if user != traitor { confirmed(user, over: technology, isInitiator: delay != nil, by: heard) }
        case .expired(_, let id):
            if let number = queuedTexts[id]?.number {
                report(.acknowledged, at: heard.time, "text \(number) of \(heard.inhabitant) expired within the world")
            }
        case .delivered(let user, let id):
            guard let receiver = people[user] else { return }
            counts.receipts += 1
            receipts.append((id, Pair(from: heard.inhabitant, to: receiver), heard.time))
        case .file(let file) where file.direction == .out && file.state == .delivered:
            guard let receiver = people[file.contact], let number = WorldFile.number(ofPath: file.path) else { return }
            deliveredFiles[number] = (Pair(from: heard.inhabitant, to: receiver), heard.time)
        default: break
        }
    }

    private mutating func showing(_ epoch: Epoch, over technology: LinkTechnologyID, by heard: Heard) {
        counts.showings += 1
        let latest = records[heard.inhabitant].latest
        if let latest, epoch < latest {
            report(
                .rotation, at: heard.time,
                "\(heard.inhabitant) shows epoch \(epoch.number) after \(latest.number)")
        }
        records[heard.inhabitant].latest = max(latest ?? epoch, epoch)
        records[heard.inhabitant].epochs[technology] = epoch
        if technology == .bluetooth { records[heard.inhabitant].radioEpochs.append((heard.time, epoch)) }
    }

    private mutating func confirmed(
        _ user: UserID, over technology: LinkTechnologyID, isInitiator: Bool, by heard: Heard
    ) {
        counts.confirmations += 1
        guard let other = people[user] else {
            return report(.confirmation, at: heard.time, "\(heard.inhabitant) confirmed somebody unknown")
        }
        let pair = Pair(from: heard.inhabitant, to: other)
        if removed[pair] != nil {
            report(.confirmation, at: heard.time, "\(pair.from) confirmed \(other), whom it has removed")
        }
        if let since = removed[Pair(from: other, to: pair.from)], heard.time > since + 20_000 {
            report(.confirmation, at: heard.time, "\(pair.from) confirmed \(other), who has removed it")
        }
        lastConfirmed[pair] = heard.time
        if heard.time > records[other].lastAlive + 60_000 {
            report(.confirmation, at: heard.time, "\(pair.from) confirmed \(other), whose node did not run")
        }
        guard isInitiator else { return responded[pair, default: 0] += 1 }
        initiated[pair, default: 0] += 1
        guard technology == .lan else { return }
        let reply = replies[Pair(from: other, to: pair.from)]
        if reply.map({ heard.time - min($0, heard.time) > 20_000 }) ?? true {
            report(.confirmation, at: heard.time, "\(pair.from) confirmed \(other), whose host did not answer")
        }
    }

    // MARK: Texts

    /// The text of the world with a number.
    static func text(_ number: Int) -> String { "text \(number)" }

    /// The number in a text of the world.
    static func number(of text: String) -> Int? { text.hasPrefix("text ") ? Int(text.dropFirst(5)) : nil }

    private mutating func given(_ text: String, by user: UserID, to receiver: Int, at time: UInt64) {
        guard user != traitor else {
            if !text.hasPrefix("evil ") {
                report(.once, at: time, "\(receiver) was given another's text as the traitor's")
            }
            return
        }
        guard let sender = people[user], let number = Self.number(of: text) else {
            return report(.once, at: time, "\(receiver) was given a text that nobody sent")
        }
        counts.deliveries += 1
        let pair = Pair(from: sender, to: receiver)
        guard givenTexts[pair, default: []].insert(number).inserted else {
            return report(.once, at: time, "text \(number) of \(sender) was given to \(receiver) twice")
        }
        if let last = lastGiven[pair], last > number {
            report(.order, at: time, "text \(number) of \(sender) was given to \(receiver) after \(last)")
        }
        lastGiven[pair] = number
    }

    /// The inhabitants whose node was started again at any time.
    var restarted: Set<Int> = []

    /// Notes that a text was queued: from then on it must not be lost.
    mutating func queued(_ number: Int, _ id: TextID, in pair: Pair, at time: UInt64) {
        queuedTexts[id] = (number, pair, time)
    }

    /// Judges texts and files, when everything that was delivered has been observed.
    ///
    /// - Parameters:
    ///   - met: who has confirmed whom after the last fault; what was queued for them must have arrived.
    ///   - kept: the files that each inhabitant has kept.
    mutating func judgeDeliveries(met: Set<Pair>, kept: [[[UInt8]]]) {
        for (id, pair, time) in receipts {
            guard let number = queuedTexts[id]?.number else { continue }
            if givenTexts[pair]?.contains(number) != true {
                report(
                    .acknowledged, at: time,
                    "text \(number) of \(pair.from) has a receipt, and \(pair.to) was not given it")
            }
        }
        receipts = []
        for (number, pair, time) in queuedTexts.values.sorted(by: { $0.number < $1.number })
        where met.contains(pair) && givenTexts[pair]?.contains(number) != true {
            report(.acknowledged, at: time, "text \(number) of \(pair.from) was queued and did not reach \(pair.to)")
        }
        var counted: [Int: Int] = [:]
        for (receiver, files) in kept.enumerated() {
            for file in files {
                guard let number = WorldFile.number(of: file) else {
                    report(.once, at: 0, "\(receiver) has kept a file that nobody sent")
                    continue
                }
                counted[number, default: 0] += 1
            }
        }
        counts.filesKept = counted.count
        for (number, count) in counted.sorted(by: { $0.key < $1.key }) where count > 1 {
            report(.once, at: 0, "file \(number) was kept \(count) times")
        }
        for (number, (pair, time)) in deliveredFiles.sorted(by: { $0.key < $1.key }) where counted[number] == nil {
            report(
                .acknowledged, at: time,
                "file \(number) of \(pair.from) was reported as kept, and \(pair.to) has not kept it")
        }
    }
}

// MARK: Packets

extension Watch {
    private mutating func observe(_ sighting: NetworkSighting, _ network: SimulatedNetwork) {
        counts.packets += 1
        guard let host = network.owner(of: sighting.source) else { return }
        mix(sighting.time, host, sighting.kind)
        // What strangers send is theirs.
        guard let inhabitant = hosts[host] else { return }
        let epoch = records[inhabitant].epochs[.lan]
        switch sighting.kind {
        case .announcement(let instance):
            announcements[inhabitant] = Announcement(
                instance: instance, address: sighting.source, time: sighting.time)
            announced(instance.name, by: inhabitant, at: sighting.time)
            show(instance, of: inhabitant, in: epoch, at: sighting.time)
        case .answer(let instance): show(instance, of: inhabitant, in: epoch, at: sighting.time)
        case .packet(let to, let bytes):
            let receiver = network.owner(of: to.address).flatMap { hosts[$0] }
            noteHandshake(bytes, from: inhabitant, to: receiver, at: sighting.time)
            noteOnce(bytes, from: inhabitant, at: sighting.time)
        case .goodbye, .browseQuery, .instanceQuery, .connection, .repeatedConnection, .end: break
        }
    }

    private mutating func announced(_ name: OpaqueServiceName, by inhabitant: Int, at time: UInt64) {
        guard let epoch = records[inhabitant].epochs[.lan] else { return }
        if records[inhabitant].names[epoch] == nil {
            records[inhabitant].names = records[inhabitant].names.filter { $0.key.number + 8 > epoch.number }
        }
        records[inhabitant].names[epoch, default: []].insert(name)
        if records[inhabitant].names[epoch]?.count ?? 0 > 1 {
            report(.rotation, at: time, "\(inhabitant) shows epoch \(epoch.number) under another secret")
        }
    }

    private mutating func show(_ instance: ServiceInstance, of inhabitant: Int, in epoch: Epoch?, at time: UInt64) {
        show(instance.name.octets, "name", of: inhabitant, in: epoch, at: time)
        show(instance.host.octets, "host name", of: inhabitant, in: epoch, at: time)
    }

    private mutating func show(
        _ value: Octets16, _ kind: String, of inhabitant: Int, in epoch: Epoch?, at time: UInt64
    ) {
        guard let before = shown[value] else {
            shown[value] = Shown(host: inhabitant, epoch: epoch, time: time)
            return
        }
        shown[value]?.time = time
        if before.host != inhabitant {
            report(.linkage, at: time, "\(inhabitant) shows a \(kind) of \(before.host)")
        } else if before.epoch != epoch {
            report(
                .linkage, at: time,
                "\(inhabitant) shows a \(kind) of epoch \(before.epoch?.number ?? 0) in \(epoch?.number ?? 0)")
        }
    }

    private mutating func noteHandshake(_ bytes: [UInt8], from sender: Int, to receiver: Int?, at time: UInt64) {
        guard let receiver, let kind = bytes.first.map({ $0 >> 4 }) else { return }
        if kind == 1 {
            if firstMessages.count > 256 { firstMessages.removeFirst(128) }
            firstMessages.append(FirstMessage(packet: bytes, from: sender, to: receiver, time: time))
        } else if kind == 2 {
            replies[Pair(from: sender, to: receiver)] = time
            let asked = firstMessages.lastIndex {
                $0.from == receiver && $0.to == sender && time - $0.time < 10_000
            }
            if let asked { firstMessages[asked].isAnswered = true }
        }
    }

    /// Notes a packet of a handshake or a session: every piece of it is random or encrypted.
    private mutating func noteOnce(_ bytes: [UInt8], from inhabitant: Int, at time: UInt64) {
        var start = 1
        while start + 16 <= bytes.count {
            let piece = Octets16(bytes[start..<start + 16])
            if let before = sent.updateValue(time, forKey: piece) {
                report(
                    .reuse, at: time,
                    "\(inhabitant) sends 16 bytes at place \(start) of a packet that were sent at \(before / 1000) s")
            }
            start += 16
        }
    }

    // MARK: The air

    /// Judges broadcasts and links that have ended.
    mutating func observe(_ broadcasts: [AirBroadcast], _ links: [AirLink]) {
        for broadcast in broadcasts {
            counts.frames += broadcast.frames
            mix(broadcast.first, broadcast.station, broadcast)
            guard let inhabitant = stations[broadcast.station] else { continue }
            if let minor = broadcast.minor {
                if minors.count > 64 { minors.removeFirst(32) }
                minors.append(minor)
            }
            show(broadcast.address, of: inhabitant, at: broadcast.first)
        }
        for link in links {
            mix(link.first, link.stations.first ?? 0, link)
            for exchange in link.exchanges {
                let station =
                    switch exchange.kind {
                    case .readTag, .write: link.stations.first
                    case .tag, .notify: link.stations.last
                    }
                guard let inhabitant = station.flatMap({ stations[$0] }) else { continue }
                switch exchange.kind {
                case .tag(let tag):
                    if let tag {
                        show(
                            tag.octets, "tag", of: inhabitant, in: radioEpoch(of: inhabitant, at: exchange.time),
                            at: exchange.time)
                    }
                case .write(let bytes), .notify(let bytes): noteOnce(bytes, from: inhabitant, at: exchange.time)
                case .readTag: break
                }
            }
        }
    }

    private mutating func show(_ address: DeviceAddress, of inhabitant: Int, at time: UInt64) {
        show(
            Octets16(high: 0xffff, low: address.value), "Bluetooth address", of: inhabitant,
            in: radioEpoch(of: inhabitant, at: time + 2000), at: time)
    }

    private func radioEpoch(of inhabitant: Int, at time: UInt64) -> Epoch? {
        records[inhabitant].radioEpochs.last { $0.time <= time }?.epoch
    }
}

extension Octets16 {
    fileprivate init(_ bytes: ArraySlice<UInt8>) {
        var high: UInt64 = 0, low: UInt64 = 0
        for (place, byte) in bytes.enumerated() {
            if place < 8 { high = high << 8 | UInt64(byte) } else { low = low << 8 | UInt64(byte) }
        }
        self.init(high: high, low: low)
    }
}
