internal import InklingKeys
internal import InklingNode
internal import InklingWire

// The end of an epoch.
extension LiveRun {
    /// Holds connections open past the end of the epoch, waits for the new name, and asks for the old one.
    func watchBoundary() {
        guard let name = shown?.name, let shown = network.packets.lastShown(name), let endpoint, let epoch,
            untilEnd(of: epoch) <= settings.maximumWait * 1000
        else { return }
        if contact != nil, session.map({ network.connection($0.connection)?.hasEnded != false }) != false, let device {
            session = nil
            if untilEnd(of: epoch) > Self.lead + 2_000 { _ = confirm(device) }
        }
        let boundary = end(of: epoch)
        var evidence = RotationEvidence(
            boundary: boundary, uncertainty: clockDifference?.uncertainty ?? settings.clockError, before: shown,
            packets: [])
        let next = epoch.next.flatMap { epoch in contact?.devices(in: epoch).first { $0.index == device?.index } }
        evidence.predicted = next.map { ($0.name, $0.host) }
        wait(until: boundary - 3_000, for: "the end of the epoch")
        let stranger = network.connect(to: endpoint)
        wait(until: boundary + 250, for: "the end of the epoch")
        var asked = network.now
        while network.now < boundary + RotationEvidence.patience + evidence.uncertainty {
            evidence.packets = network.packets
            if evidence.isSettled { break }
            progress("waiting for the new name", boundary + RotationEvidence.patience - network.now)
            if network.now - asked > 1_000 {
                asked = network.now
                network.ask([DNSMessage.Question(ServiceNames.type, DNSMessage.RecordType.ptr)])
            }
            network.watch(milliseconds: 100)
        }
        let after = evidence.after
        let oldPort = network.connect(to: endpoint)
        if let after {
            self.shown = after
            _ = resolve(after.name)
        }
        evidence.askedAt = network.now
        describe(and: [
            DNSMessage.Question(ServiceNames.instance(shown.name), DNSMessage.RecordType.srv),
            DNSMessage.Question(shown.host, DNSMessage.RecordType.a),
            DNSMessage.Question(shown.host, DNSMessage.RecordType.aaaa),
        ])
        if after?.port != shown.port { evidence.isOldPortOpen = network.connection(oldPort)?.isMade }
        evidence.strangerEnd = network.connection(stranger).flatMap(Self.linkEnd)
        evidence.sessionEnd = session.flatMap { network.connection($0.connection) }.flatMap(Self.linkEnd)
        network.drop(oldPort)
        network.drop(stranger)
        session = nil
        if after != nil, let next {
            progress("calling in the new epoch", Self.replyTime)
            evidence.call = confirm(next)
            probeOldEpoch(boundary)
        }
        rotation = evidence
    }

    /// Sends a message 1 of the previous epoch after its skew allowance has passed.
    private func probeOldEpoch(_ boundary: Int64) {
        let check = "live-silence-old-epoch"
        guard let contact, let device, let epoch, let call = contact.call(device, at: protocolTime) else { return }
        let allowance = Int64(SkewAllowance.standard.seconds) * 1000 / rate
        wait(until: boundary + allowance + 500, for: "the end of the allowance")
        guard untilEnd(of: epoch) > Self.replyTime + Self.lead else {
            silence.skipped[check] = "the new epoch was too short for this check"
            return
        }
        probeAtOnce([(check, call.packet.framed, false)])
    }

    private static func linkEnd(_ connection: LiveConnection) -> RotationEvidence.LinkEnd? {
        guard connection.isMade else { return nil }
        return connection.endedAt.map { .at($0) } ?? .never
    }

    private func wait(until moment: Int64, for what: String) {
        while network.now < moment {
            progress("waiting for \(what)", moment - network.now)
            network.watch(milliseconds: min(1_000, moment - network.now))
        }
    }
}
