internal import InklingEngine
internal import InklingKeys
internal import InklingNode
public import InklingVault
public import InklingWire

/// Examines a running node: decides on the steps and their order, and collects the evidence, which `DiscoveryEvidence`,
/// `SilenceEvidence`, `ContactEvidence` and `RotationEvidence` assess.
public final class LiveRun {
    public struct Settings: Sendable {
        /// The instance name of the node under test; `nil` if it is the only node.
        public var node: String?
        /// The endpoint of the node; `nil` to use the one from multicast DNS.
        public var address: Endpoint?
        /// The maximum time of the search for the node, in seconds.
        public var search: Int64 = 30
        /// The maximum time that the run waits for the end of an epoch, in seconds.
        public var maximumWait: Int64 = 900
        /// The maximum difference between this machine's clock and the node's, in milliseconds, unless a handshake
        /// measures it.
        public var clockError: Int64 = 1_000
        /// The tolerance of `SilenceEvidence`, in milliseconds.
        public var tolerance = SilenceEvidence.standardTolerance
        /// The clock of the node under test.
        public var clock: VaultClock = .real

        public init() {}
    }

    /// A callback that reports what the run waits for, and for how many milliseconds at most.
    public typealias Progress = (_ text: String, _ milliseconds: Int64?) -> Void

    let settings: Settings
    let contact: LiveContact?
    let network: any LiveNetwork
    let progress: Progress
    var silence: SilenceEvidence
    var contactEvidence: ContactEvidence?
    var rotation: RotationEvidence?
    /// The instance published by the node under test.
    var shown: ShownInstance?
    var endpoint: Endpoint?
    var session: LiveSession?
    /// The lead of the node's clock over this machine's; `nil` before a handshake.
    var clockDifference: ClockDifference?
    /// The last message 1 sent.
    var firstMessage: [UInt8] = []
    var device: LiveContact.Device?
    var generator = SystemRandomNumberGenerator()

    /// The time before an epoch's end in which nodes become silent, with a margin, in milliseconds.
    static let lead: Int64 = 1_500
    /// The maximum number of simultaneous connections: fewer than the eight that a node must accept.
    private static let probesAtOnce = 7
    /// The maximum time to wait for a message, in milliseconds.
    static let replyTime: Int64 = 5_000

    public init(
        _ settings: Settings, contact: LiveContact?, network: any LiveNetwork,
        progress: @escaping Progress = { _, _ in }
    ) {
        self.settings = settings
        self.contact = contact
        self.network = network
        self.progress = progress
        silence = SilenceEvidence(tolerance: settings.tolerance)
    }

    /// Runs until the end of an epoch at most, and returns a verdict for every check.
    ///
    /// - Throws: `LiveError.noNode` or `severalNodes`.
    public func verdicts() throws(LiveError) -> [LiveVerdict] {
        try find()
        let first = shown
        describe()
        try probe(StrangerProbe.all(using: &generator).map { ($0.check, $0.bytes, $0.endsStream) })
        if contact != nil {
            try makeRoom(for: 2 * Self.replyTime)
            call()
            try probe(
                refusedMessages().map { ($0.check, $0.bytes, false) }
                    + (firstMessage.isEmpty ? [] : [("live-silence-replay", firstMessage, false)]))
        }
        watchBoundary()
        return judge(first)
    }

    // MARK: Clocks

    /// The protocol time in milliseconds since 1970-01-01T00:00:00Z.
    var protocolTime: UInt64 { settings.clock.protocolMilliseconds(atReal: UInt64(max(0, network.now))) }

    var epoch: Epoch? { Epoch(containing: protocolTime / 1000) }

    /// The number of protocol milliseconds per real millisecond.
    var rate: Int64 {
        if case .accelerated(let rate, _) = settings.clock { Int64(rate) } else { 1 }
    }

    /// Returns the end of an epoch by the node's clock, in real milliseconds.
    func end(of epoch: Epoch) -> Int64 {
        let end = Int64(epoch.end * 1000)
        let real =
            if case .accelerated(let rate, let anchor) = settings.clock {
                Int64(clamping: anchor) + (end - Int64(clamping: anchor) + Int64(rate) - 1) / Int64(rate)
            } else { end }
        return real - (clockDifference?.milliseconds ?? 0)
    }

    func untilEnd(of epoch: Epoch) -> Int64 { end(of: epoch) - network.now }

    /// Waits for the next epoch unless the current one lasts for another `milliseconds`.
    private func makeRoom(for milliseconds: Int64) throws(LiveError) {
        guard let epoch, untilEnd(of: epoch) < milliseconds + Self.lead else { return }
        progress("waiting for the next epoch", untilEnd(of: epoch))
        network.watch(milliseconds: untilEnd(of: epoch) + 200)
        session = nil
        try find()
    }

    // MARK: Silence

    /// Sends each message over a separate connection and waits until the connections end.
    private func probe(_ probes: [(check: String, bytes: [UInt8], endsStream: Bool)]) throws(LiveError) {
        var rest = probes[...]
        while !rest.isEmpty {
            try makeRoom(for: Self.replyTime + 1_000)
            let batch = rest.prefix(Self.probesAtOnce)
            rest = rest.dropFirst(batch.count)
            probeAtOnce(Array(batch))
        }
    }

    func probeAtOnce(_ batch: [(check: String, bytes: [UInt8], endsStream: Bool)]) {
        guard let endpoint else { return }
        let numbers = batch.map { network.connect(to: endpoint, sending: $0.bytes, endingStream: $0.endsStream) }
        let begun = network.now
        progress("waiting for the end of \(batch.count) connections", SilenceEvidence.patience)
        network.watch(milliseconds: SilenceEvidence.patience) {
            numbers.allSatisfy { self.network.connection($0)?.hasEnded ?? true } || self.isNearEnd(after: begun)
        }
        for (number, probe) in zip(numbers, batch) {
            if let outcome = network.connection(number)?.outcome { silence.outcomes[probe.check] = outcome }
            network.drop(number)
        }
    }

    /// Returns whether an epoch is about to end. Every connection ends then, so its end proves nothing.
    private func isNearEnd(after begun: Int64) -> Bool {
        guard let epoch else { return false }
        return untilEnd(of: epoch) < Self.lead && network.now - begun > Self.replyTime + settings.tolerance
    }

    private func refusedMessages() -> [(check: String, bytes: [UInt8])] {
        guard let contact, let device else { return [] }
        let next = device.epoch.next.flatMap { epoch in
            contact.devices(in: epoch).first { $0.index == device.index }
        }
        return contact.refusedMessages(to: device, next: next, at: protocolTime)
    }

    // MARK: Judging

    private func judge(_ first: ShownInstance?) -> [LiveVerdict] {
        var verdicts: [LiveVerdict] = []
        if let first {
            verdicts +=
                DiscoveryEvidence(
                    name: first.name, packets: network.packets, ownAddresses: network.ownAddresses,
                    words: contact.map { [$0.person] } ?? []
                ).verdicts
        }
        verdicts += silence.verdicts
        verdicts += contactEvidence?.verdicts ?? []
        if var rotation {
            // Packets from the end of an earlier epoch do not belong to this boundary.
            let began = rotation.boundary - Int64(Epoch.seconds) * 1000 / rate
            rotation.packets = network.packets.filter { $0.at >= began }
            rotation.ownAddresses = network.ownAddresses
            verdicts += rotation.verdicts
        }
        let judged = Set(verdicts.map(\.check))
        return verdicts
            + LiveCheck.all.filter { !judged.contains($0.id) }.map { check in
                let why =
                    if check.need == .discovery { "no record was received" } else if check.need.isGrant, contact == nil
                    {
                        "no grant was given: --accept or --home"
                    } else if check.need.isBoundary, rotation == nil {
                        "the run did not wait for the end of an epoch: --max-wait"
                    } else { "the run ended before this check" }
                return LiveVerdict(check.id, .skipped(why))
            }
    }
}
