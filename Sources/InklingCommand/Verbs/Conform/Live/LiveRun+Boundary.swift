import InklingConformance
import InklingKeys
import InklingNode
import InklingSession

// The end of an epoch.
extension LiveRun {
    func watchBoundary() {
        guard let name = shown?.name, let shown = sockets.packets.lastShown(name), let endpoint, let epoch,
            untilEnd(of: epoch) <= settings.maximumWait * 1000
        else { return }
        if contact != nil, session.map({ sockets.connection($0.connection)?.end != nil }) != false, let device {
            session = nil
            if untilEnd(of: epoch) > Self.lead + 2_000 { _ = confirm(device) }
        }
        let boundary = end(of: epoch)
        var evidence = RotationEvidence(
            boundary: boundary, uncertainty: clockDifference == nil ? settings.clockError : 300, before: shown,
            packets: [])
        let next = epoch.next.flatMap { epoch in contact?.devices(in: epoch).first { $0.index == device?.index } }
        evidence.predicted = next.map { ($0.name, $0.host) }
        wait(until: boundary - 3_000, for: "the end of the epoch")
        let stranger = sockets.connect(to: endpoint)
        wait(until: boundary + 250, for: "the end of the epoch")
        var asked = LiveSockets.now()
        while LiveSockets.now() < boundary + RotationEvidence.patience + evidence.uncertainty {
            evidence.packets = sockets.packets
            if evidence.isSettled { break }
            progress.show("waiting for the end of the silent gap", until: boundary + RotationEvidence.patience)
            if LiveSockets.now() - asked > 1_000 {
                asked = LiveSockets.now()
                sockets.ask([DNSMessage.Question(ServiceNames.type, DNSMessage.RecordType.ptr)])
            }
            sockets.watch(milliseconds: 100)
        }
        let after = evidence.after
        let oldPort = sockets.connect(to: endpoint)
        if let after {
            self.shown = after
            _ = resolve(after.name)
        }
        evidence.askedAt = LiveSockets.now()
        describe(and: [
            DNSMessage.Question(ServiceNames.instance(shown.name), DNSMessage.RecordType.srv),
            DNSMessage.Question(shown.host, DNSMessage.RecordType.a),
            DNSMessage.Question(shown.host, DNSMessage.RecordType.aaaa),
        ])
        if after?.port != shown.port { evidence.isOldPortOpen = sockets.connection(oldPort)?.isMade }
        evidence.strangerEnd = sockets.connection(stranger).flatMap(Self.linkEnd)
        evidence.sessionEnd = session.flatMap { sockets.connection($0.connection) }.flatMap(Self.linkEnd)
        sockets.drop(oldPort)
        sockets.drop(stranger)
        session = nil
        if after != nil, let next {
            progress.show("calling in the new epoch")
            evidence.call = confirm(next)
            probeOldEpoch(boundary)
        }
        rotation = evidence
    }

    /// Sends a message 1 of the epoch that is over, when its allowance is over too.
    private func probeOldEpoch(_ boundary: Int64) {
        let check = "live-silence-old-epoch"
        guard let contact, let device, let epoch, let call = contact.call(device, at: protocolTime) else { return }
        let allowance = Int64(SkewAllowance.standard.seconds) * 1000 / rate
        wait(until: boundary + allowance + 500, for: "the end of the allowance")
        guard untilEnd(of: epoch) > Self.answerTime + Self.lead else {
            silence.skipped[check] = "the new epoch was too short for it"
            return
        }
        try? probeAtOnce([(check, call.packet.framed, false)])
    }

    private static func linkEnd(_ connection: LiveSockets.Connection) -> RotationEvidence.LinkEnd? {
        guard connection.isMade else { return nil }
        return connection.end == nil ? .never : .at(connection.endedAtReal)
    }

    private func wait(until moment: Int64, for what: String) {
        while LiveSockets.now() < moment {
            progress.show("waiting for \(what)", until: moment)
            sockets.watch(milliseconds: min(1_000, moment - LiveSockets.now()))
        }
    }
}
