import InklingConformance
import InklingEngine
import InklingKeys
import InklingLinux
import InklingNode
import InklingSession

/// Looks at one running node, from the first question to the last: what it does is decided here, and nothing is judged.
final class LiveRun {
    /// How a run is made.
    struct Settings {
        var interface: String?
        /// The instance under test; nil for the only one.
        var node: String?
        /// Where the node is; nil for where multicast DNS says.
        var address: Endpoint?
        /// For how long a node is searched for, in seconds.
        var search: Int64
        /// For how long the end of an epoch may be waited for, in seconds.
        var maximumWait: Int64
        /// How far this machine's clock may be from the node's, in milliseconds, when nothing tells better.
        var clockError: Int64
        /// In milliseconds.
        var tolerance: Int64
        var clock: VaultClock
    }

    let settings: Settings
    let contact: LiveContact?
    let sockets: LiveSockets
    let progress: LiveProgress
    var silence: SilenceEvidence
    private var contactEvidence: ContactEvidence?
    var rotation: RotationEvidence?
    var shown: ShownInstance?
    var endpoint: Endpoint?
    var session: LiveSession?
    /// By how much the node's clock is ahead of ours, in real milliseconds; nil when no handshake told.
    var clockDifference: Int64?
    private var firstMessage: [UInt8] = []
    var device: LiveContact.Device?

    /// The last second before a boundary, in which nodes fall silent, and some time to be early.
    static let lead: Int64 = 1_500
    /// No more strangers at once than a node must hold of one address.
    private static let strangersAtOnce = 7
    static let answerTime: Int64 = 5_000

    init(_ settings: Settings, contact: LiveContact?, sockets: LiveSockets, progress: LiveProgress) {
        self.settings = settings
        self.contact = contact
        self.sockets = sockets
        self.progress = progress
        silence = SilenceEvidence(tolerance: settings.tolerance)
    }

    /// Looks, and returns a verdict for everything that could be looked at.
    ///
    /// - Throws: `Failure` when no node is found.
    func verdictsOfRun() throws(Failure) -> [LiveVerdict] {
        try find()
        let first = shown
        describe()
        try probe(StrangerProbe.all(using: &generator).map { ($0.check, $0.bytes, $0.endsStream) })
        if contact != nil {
            try makeRoom(for: 2 * Self.answerTime)
            call()
            try probe(
                refusedMessages().map { ($0.check, $0.bytes, false) }
                    + (firstMessage.isEmpty ? [] : [("live-silence-replay", firstMessage, false)]))
        }
        watchBoundary()
        progress.clear()
        return judge(first)
    }

    private var generator = SystemRandomNumberGenerator()

    // MARK: Clocks

    var protocolTime: UInt64 { SystemClock(settings.clock).read().unixMilliseconds }

    var epoch: Epoch? { Epoch(containing: protocolTime / 1000) }

    var rate: Int64 {
        if case .accelerated(let rate, _) = settings.clock { Int64(rate) } else { 1 }
    }

    /// When an epoch ends by the node's clock, in real milliseconds.
    func end(of epoch: Epoch) -> Int64 {
        let end = Int64(epoch.end * 1000)
        let real =
            if case .accelerated(let rate, let anchor) = settings.clock {
                Int64(anchor) + (end - Int64(anchor) + Int64(rate) - 1) / Int64(rate)
            } else { end }
        return real - (clockDifference ?? 0)
    }

    func untilEnd(of epoch: Epoch) -> Int64 { end(of: epoch) - LiveSockets.now() }

    /// Waits for the next epoch when this one is too short for what takes so long.
    private func makeRoom(for milliseconds: Int64) throws(Failure) {
        guard let epoch, untilEnd(of: epoch) < milliseconds + Self.lead else { return }
        progress.show("waiting for the next epoch")
        sockets.watch(milliseconds: untilEnd(of: epoch) + 200)
        session = nil
        try find()
    }

    // MARK: Silence

    /// Sends each of these over a connection of its own and waits for the ends.
    private func probe(_ probes: [(check: String, bytes: [UInt8], endsStream: Bool)]) throws(Failure) {
        var rest = probes[...]
        while !rest.isEmpty {
            try makeRoom(for: Self.answerTime + 1_000)
            let batch = rest.prefix(Self.strangersAtOnce)
            rest = rest.dropFirst(batch.count)
            try probeAtOnce(Array(batch))
        }
    }

    func probeAtOnce(_ batch: [(check: String, bytes: [UInt8], endsStream: Bool)]) throws(Failure) {
        guard let endpoint else { return }
        let numbers = batch.map { sockets.connect(to: endpoint, sending: $0.bytes, endingStream: $0.endsStream) }
        let begun = LiveSockets.now()
        progress.show("listening to silence: \(batch.count) connections")
        sockets.watch(milliseconds: SilenceEvidence.patience) {
            numbers.allSatisfy { self.sockets.connection($0)?.end != nil } || self.isNearEnd(after: begun)
        }
        for (number, probe) in zip(numbers, batch) {
            if let outcome = sockets.connection(number)?.outcome { silence.outcomes[probe.check] = outcome }
            sockets.drop(number)
        }
    }

    /// Whether an epoch is about to end, at which every connection ends and nothing can be learned from how.
    private func isNearEnd(after begun: Int64) -> Bool {
        guard let epoch else { return false }
        let left = untilEnd(of: epoch)
        return left < Self.lead && LiveSockets.now() - begun > Self.answerTime + settings.tolerance
    }

    private func refusedMessages() -> [(check: String, bytes: [UInt8])] {
        guard let contact, let device else { return [] }
        let next = device.epoch.next.flatMap { epoch in
            contact.devices(in: epoch).first { $0.index == device.index }
        }
        return contact.refusedMessages(to: device, next: next, at: protocolTime)
    }

    // MARK: The contact

    /// Calls the device that is shown, says HELLO and sends a text.
    private func call() {
        guard let contact, let epoch else { return }
        let devices = contact.devices(in: epoch)
        guard let device = devices.first(where: { $0.name == shown?.name }) ?? devices.first else { return }
        self.device = device
        var evidence = ContactEvidence(predictedName: device.name, predictedHost: device.host, shown: shown)
        progress.show("calling as a contact")
        evidence.call = confirm(device)
        if session != nil { greet(&evidence) }
        contactEvidence = evidence
    }

    /// Makes a session.
    func confirm(_ device: LiveContact.Device) -> CallOutcome {
        guard let contact, let endpoint, let call = contact.call(device, at: protocolTime) else { return .unreachable }
        firstMessage = call.packet.framed
        let before = Int64(protocolTime)
        let number = sockets.connect(to: endpoint, sending: firstMessage)
        let begun = LiveSockets.now()
        var decoder = FrameDecoder(accepting: Packet.leastByteCount...Packet.byteLimit)
        var answer: [UInt8]?
        var isBad = false
        sockets.watch(milliseconds: Self.answerTime) {
            decoder.append(self.sockets.take(from: number).span)
            do { answer = try decoder.next() } catch { isBad = true }
            return answer != nil || isBad || self.sockets.connection(number)?.end != nil
        }
        let taken = LiveSockets.now() - begun
        let after = Int64(protocolTime)
        guard let connection = sockets.connection(number), connection.isMade else { return .unreachable }
        if isBad {
            sockets.drop(number)
            return .refused(stage: "frame", reason: "bad-length")
        }
        guard let answer else {
            let outcome = connection.outcome
            sockets.drop(number)
            return .silent(outcome)
        }
        do {
            let channel = try contact.finish(call, with: answer)
            if case .contact(let payload) = channel.introduction {
                clockDifference = (Int64(clamping: payload.unixMilliseconds) - (before + after) / 2) / rate
            }
            let session = LiveSession(channel, over: number)
            session.decoder = decoder
            self.session = session
            if let hello = contact.hello(), let packet = try? session.channel.seal(hello) {
                sockets.send(packet.framed, on: number)
            }
            return .confirmed(milliseconds: taken)
        } catch {
            sockets.drop(number)
            let refusal = error as? any Refusal
            return .refused(stage: refusal?.stage ?? "answer", reason: refusal?.reason ?? "not readable")
        }
    }

    private func greet(_ evidence: inout ContactEvidence) {
        guard let session else { return }
        evidence.greeting = .noRecord
        let number = generator.next()
        var receipts: Int?
        var strange = 0
        let begun = LiveSockets.now()
        var greeting = ContactEvidence.Greeting.noRecord
        var settled: Int64?
        sockets.watch(milliseconds: Self.answerTime) {
            session.decoder.append(self.sockets.take(from: session.connection).span)
            while let bytes = (try? session.decoder.next()) ?? nil {
                do {
                    let record = try session.channel.open(Packet(parsing: bytes.span))
                    if greeting == .noRecord {
                        greeting = .hello
                        receipts = 0
                        if let text = try? TextMessage(number: number, text: "A conformance test says hello."),
                            let packet = try? session.channel.seal(text.record)
                        {
                            self.sockets.send(packet.framed, on: session.connection)
                        }
                    }
                    guard record.type == .receipt else { continue }
                    let named = try record.withBody { body throws(TextMessageError) in
                        try TextMessage.receiptNumber(parsing: body)
                    }
                    if named == number { receipts = (receipts ?? 0) + 1 } else { strange += 1 }
                    // A second receipt would come soon.
                    settled = LiveSockets.now() + 500
                } catch {
                    let refusal = error as? any Refusal
                    if greeting == .noRecord {
                        greeting = .refused(stage: refusal?.stage ?? "open", reason: refusal?.reason ?? "not readable")
                    }
                    return true
                }
            }
            return settled.map { LiveSockets.now() > $0 } ?? (LiveSockets.now() - begun > Self.answerTime)
        }
        evidence.greeting = greeting
        evidence.receipts = receipts
        evidence.strangeReceipts = strange
    }

    // MARK: Judging

    private func judge(_ first: ShownInstance?) -> [LiveVerdict] {
        var verdicts: [LiveVerdict] = []
        if let first {
            verdicts +=
                DiscoveryEvidence(
                    name: first.name, packets: sockets.packets, ownAddresses: sockets.ownAddresses,
                    words: contact.map { [$0.person] } ?? []
                ).verdicts
        }
        verdicts += silence.verdicts
        verdicts += contactEvidence?.verdicts ?? []
        if var rotation {
            // The end of the epoch before is another matter.
            let began = rotation.boundary - Int64(Epoch.seconds) * 1000 / rate
            rotation.packets = sockets.packets.filter { $0.at >= began }
            rotation.ownAddresses = sockets.ownAddresses
            verdicts += rotation.verdicts
        }
        let judged = Set(verdicts.map(\.check))
        return verdicts
            + LiveCheck.all.filter { !judged.contains($0.id) }.map { check in
                let why =
                    if check.need == .discovery { "no record was seen" } else if check.need.isGrant, contact == nil {
                        "no grant was given: --accept or --home"
                    } else if check.need.isBoundary, rotation == nil {
                        "the end of an epoch was not waited for: --max-wait"
                    } else { "the run did not come to it" }
                return LiveVerdict(check.id, .skipped(why))
            }
    }
}

/// Tells a person at a terminal what a live run waits for.
final class LiveProgress {
    private let isShown = isTerminal(2)

    func show(_ text: String, until moment: Int64? = nil) {
        guard isShown else { return }
        let left = moment.map { max(0, ($0 - LiveSockets.now() + 999) / 1000) }.map { ", \($0) s at most" } ?? ""
        writeError("\r\u{1b}[K\(text)\(left)")
    }

    func clear() {
        if isShown { writeError("\r\u{1b}[K") }
    }
}
