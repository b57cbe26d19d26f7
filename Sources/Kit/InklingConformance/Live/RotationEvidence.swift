/// The observations of a node around the end of an epoch, and their assessment against `Specs/rotation.md`.
public struct RotationEvidence: Sendable {
    /// The end of a link that was held open past the boundary.
    public enum LinkEnd: Hashable, Sendable {
        /// The time in milliseconds since 1970-01-01T00:00:00Z, real time.
        case at(Int64)
        /// It was still open when the run stopped waiting.
        case never
    }

    /// The end of the epoch by the node's clock: milliseconds since 1970-01-01T00:00:00Z, real time.
    public var boundary: Int64
    /// The maximum error of `boundary`, in milliseconds.
    public var uncertainty: Int64
    /// The instance published before the boundary.
    public var before: ShownInstance
    /// The predicted instance and host of the new epoch, without domains; `nil` without a grant.
    public var predicted: (name: String, host: String)?
    /// Every packet received from before the boundary to the end of the run.
    public var packets: [ObservedPacket]
    /// The addresses of the observer's own machine.
    public var ownAddresses: OwnAddresses = []
    /// The time at which the old name and host were asked for again; `nil` if they were not.
    public var askedAt: Int64?
    /// Whether the old port still accepted a connection; `nil` if it was not tried.
    public var isOldPortOpen: Bool?
    /// The end of a stranger's connection; `nil` if none was held.
    public var strangerEnd: LinkEnd?
    /// The end of a session; `nil` if none was held.
    public var sessionEnd: LinkEnd?
    /// The result of the call in the new epoch; `nil` if none was made.
    public var call: CallOutcome?

    public init(boundary: Int64, uncertainty: Int64, before: ShownInstance, packets: [ObservedPacket]) {
        self.boundary = boundary
        self.uncertainty = uncertainty
        self.before = before
        self.packets = packets
    }

    /// The longest quiet period, in milliseconds.
    static let longestGap: Int64 = 10_000
    /// The maximum time that an announcement takes to be sent and received, in milliseconds.
    static let announcing: Int64 = 1_000
    /// The maximum time before a boundary at which a device becomes silent, in milliseconds.
    static let lastSecond: Int64 = 1_000
    /// The maximum time after the boundary that the run waits for a new name, in milliseconds.
    public static let patience: Int64 = longestGap + 2_000

    /// The successor of the old instance: the predicted name, or without a grant the first name announced by its
    /// machine.
    public var after: ShownInstance? {
        let later = packets.filter { $0.at > boundary - Self.lastSecond - uncertainty }
        if let predicted, let shown = later.shown(predicted.name) { return shown }
        let sources = ownAddresses.others(of: packets.sources(of: before.name))
        let old = Set(packets.filter { $0.at <= boundary - Self.lastSecond - uncertainty }.announced.map(\.name))
        let new = later.announced.filter { $0.name != before.name && !old.contains($0.name) }
        let first = sources.isEmpty ? new.first : new.first { sources.contains($0.source) }
        return first.flatMap { later.shown($0.name) }
    }

    /// Whether the successor is certain. With a grant only the predicted name counts, because another node on the same
    /// machine may return first.
    public var isSettled: Bool {
        guard let predicted else { return after != nil }
        return packets.contains {
            $0.at > boundary - Self.lastSecond - uncertainty && [$0].shown(predicted.name) != nil
        }
    }

    /// The verdicts of the checks of this part.
    public var verdicts: [LiveVerdict] {
        [
            LiveVerdict("live-rotation-name", faults: nameFaults),
            LiveVerdict("live-rotation-host", faults: hostFaults),
            portVerdict, togetherVerdict, silenceVerdict, gapVerdict, goodbyeVerdict, oldNameVerdict,
            LiveVerdict(
                "live-rotation-old-port",
                isOldPortOpen.map { $0 ? .failed("it accepts connections on port \(before.port)") : .passed(nil) }
                    ?? .skipped("the old port was not tried")),
            linkVerdict("live-rotation-strangers", strangerEnd), linkVerdict("live-rotation-sessions", sessionEnd),
            predictedVerdict,
            LiveVerdict(
                "live-rotation-confirm",
                call.map { call in call.fault.map { .failed($0) } ?? .passed(call.note) }
                    ?? .skipped("no call was made after the boundary")),
        ]
    }

    // MARK: What changed

    private var nameFaults: [String] {
        var faults: [String] = []
        if let late = emissions(after: boundary + uncertainty).first(where: { $0.record.instance == before.name }) {
            faults.append("the old name was sent \(seconds(late.at)) after the boundary")
        }
        if after == nil {
            faults.append("no new name was received within \(Self.patience / 1000) s of the boundary")
        }
        return faults
    }

    private var hostFaults: [String] {
        var faults: [String] = []
        if after?.host.means(before.host) == true { faults.append("the new name has the old host") }
        if let late = emissions(after: boundary + uncertainty).first(where: { $0.record.concerns(before.host) }) {
            faults.append("the old host was sent \(seconds(late.at)) after the boundary")
        }
        return faults
    }

    private var portVerdict: LiveVerdict {
        guard let after else { return LiveVerdict("live-rotation-port", .skipped("no new name was received")) }
        return LiveVerdict(
            "live-rotation-port",
            faults: after.port == before.port ? ["the new name has the old port \(after.port)"] : [])
    }

    private var togetherVerdict: LiveVerdict {
        let id = "live-rotation-together"
        guard let after else { return LiveVerdict(id, .skipped("no new name was received")) }
        var hosts: Set<String> = []
        var ports: Set<UInt16> = []
        var texts: Set<[UInt8]> = []
        for packet in packets {
            for record in packet.message.records
            where record.timeToLive > 0 && ServiceNames.label(of: record.owner) == after.name {
                switch record.content {
                case .service(_, _, let port, let host):
                    hosts.insert(host.description)
                    ports.insert(port)
                case .text(let text): texts.insert(text)
                default: break
                }
            }
        }
        var faults: [String] = []
        if hosts.count > 1 { faults.append("the new name has \(hosts.count) hosts in succession") }
        if ports.count > 1 { faults.append("the new name has \(ports.count) ports in succession") }
        if texts.count > 1 { faults.append("the new name has \(texts.count) texts in succession") }
        let mixed = packets.contains { packet in
            let names = packet.message.records.filter { $0.timeToLive > 0 }.compactMap(\.instance)
            return names.contains(before.name) && names.contains(after.name)
        }
        if mixed { faults.append("one packet contains the old and the new name") }
        return LiveVerdict(id, faults: faults)
    }

    // MARK: When it changed

    /// The time of the first announcement of the new instance.
    private var announcedAt: Int64? {
        after.flatMap { after in
            packets.first { packet in
                packet.message.isResponse
                    && packet.message.records.contains { $0.timeToLive > 0 && $0.instance == after.name }
            }?.at
        }
    }

    /// The time of the node's first packet after the quiet period. Its first question may precede its announcement.
    private var firstAt: Int64? {
        announcedAt.map { announced in
            packets.first { $0.at > boundary && $0.at >= announced - Self.announcing && asks($0) }.map {
                min($0.at, announced)
            } ?? announced
        }
    }

    private var sharesAddress: Bool { ownAddresses.intersects(packets.sources(of: before.name)) }

    /// Returns whether a packet is a question of the node for the service; unknowable, so false, for a shared address.
    private func asks(_ packet: ObservedPacket) -> Bool {
        !ownAddresses.contains(packet.source) && packets.sources(of: before.name).contains(packet.source)
            && packet.message.questions.contains { $0.name.ends(in: ServiceNames.type) }
    }

    private var gapVerdict: LiveVerdict {
        let id = "live-rotation-gap"
        guard let firstAt else { return LiveVerdict(id, .failed("no new name was received")) }
        let gap = firstAt - boundary
        if gap < -uncertainty {
            return LiveVerdict(id, .failed("the new name appeared \(seconds(firstAt)) before the boundary"))
        }
        if gap > Self.longestGap + Self.announcing + uncertainty {
            return LiveVerdict(id, .failed("the new name appeared \(seconds(firstAt)) after the boundary"))
        }
        return LiveVerdict(id, .passed("the new name appeared \(seconds(firstAt)) after the boundary"))
    }

    private var silenceVerdict: LiveVerdict {
        let end = firstAt ?? boundary + Self.longestGap
        let early = packets.first { packet in
            packet.at > boundary + uncertainty && packet.at < end
                && (asks(packet)
                    || packet.message.records.contains { $0.instance == before.name || $0.concerns(before.host) })
        }
        return LiveVerdict(
            "live-rotation-silence",
            faults: early.map { ["it sent a packet \(seconds($0.at)) after the boundary, in the gap"] } ?? [],
            note: sharesAddress ? "its questions are \(OwnAddresses.sharedAddress)" : nil)
    }

    private var goodbyeVerdict: LiveVerdict {
        let id = "live-rotation-goodbye"
        let farewells = packets.filter { packet in
            packet.message.records.contains {
                $0.timeToLive == 0 && ($0.instance == before.name || $0.concerns(before.host))
            }
        }
        guard let first = farewells.first, let last = farewells.last else {
            return LiveVerdict(id, .passed("left without a goodbye"))
        }
        var faults: [String] = []
        if first.at < boundary - Self.lastSecond - uncertainty {
            faults.append("a goodbye was sent \(seconds(first.at)) before the boundary")
        }
        if last.at > boundary + uncertainty {
            faults.append("a goodbye was sent \(seconds(last.at)) after the boundary")
        }
        let withdrawn = farewells.flatMap(\.message.records).filter { $0.timeToLive == 0 }
        let wanted = packets.filter { $0.at < first.at }.flatMap(\.message.records).filter { record in
            record.timeToLive > 0
                && (record.instance == before.name || record.isAddress && record.owner.means(before.host))
        }
        let kept = Set(
            wanted.filter { one in !withdrawn.contains { $0.kind == one.kind && $0.owner.means(one.owner) } }.map(
                \.kind))
        if !kept.isEmpty { faults.append("the goodbye leaves \(kept.sorted().joined(separator: ", "))") }
        let later = packets.contains { packet in
            packet.at > last.at
                && packet.message.records.contains { $0.timeToLive > 0 && $0.instance == before.name }
        }
        if later { faults.append("the old name was sent after its goodbye") }
        return LiveVerdict(id, faults: faults, note: "\(seconds(first.at)) before the boundary")
    }

    // MARK: What remains

    private var oldNameVerdict: LiveVerdict {
        let id = "live-rotation-old-name"
        guard let askedAt else { return LiveVerdict(id, .skipped("the old name was not asked for again")) }
        let answers = emissions(after: askedAt).filter {
            $0.record.instance == before.name || $0.record.concerns(before.host)
        }
        return LiveVerdict(id, faults: answers.map { "\($0.record.kind) of \($0.record.owner) was answered" })
    }

    private func linkVerdict(_ id: String, _ end: LinkEnd?) -> LiveVerdict {
        switch end {
        case nil: LiveVerdict(id, .skipped("no such link was held open past the boundary"))
        case .never: LiveVerdict(id, .failed("it was still open after the boundary"))
        case .at(let moment):
            moment > boundary + uncertainty
                ? LiveVerdict(id, .failed("it ended \(seconds(moment)) after the boundary"))
                : LiveVerdict(id, .passed("it ended \(seconds(moment)) before the boundary"))
        }
    }

    private var predictedVerdict: LiveVerdict {
        let id = "live-rotation-predicted"
        guard let predicted else { return LiveVerdict(id, .skipped("no grant was given")) }
        guard let after else { return LiveVerdict(id, .failed("no new name was received")) }
        var faults: [String] = []
        if after.name != predicted.name { faults.append("shown \(after.name), predicted \(predicted.name)") }
        if after.host != DNSName([predicted.host, "local"]) {
            faults.append("shown \(after.host), predicted \(predicted.host).local")
        }
        return LiveVerdict(id, faults: faults)
    }

    /// Returns the records, except goodbyes, that were sent after `moment`.
    private func emissions(after moment: Int64) -> [(at: Int64, record: DNSMessage.Record)] {
        packets.filter { $0.at > moment && $0.message.isResponse }.flatMap { packet in
            packet.message.records.filter { $0.timeToLive > 0 }.map { (packet.at, $0) }
        }
    }

    /// Returns the time between a moment and the boundary, as text.
    private func seconds(_ moment: Int64) -> String { SilenceEvidence.seconds(abs(moment - boundary)) }
}

extension DNSMessage.Record {
    /// Returns whether the record belongs to a host or points to it.
    fileprivate func concerns(_ host: DNSName) -> Bool {
        if isAddress { return owner.means(host) }
        if case .service(_, _, _, let target) = content { return target.means(host) }
        return false
    }
}
