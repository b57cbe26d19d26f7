internal import InklingKeys
internal import InklingWire

// The checks that only a contact can make: the handshake, HELLO and a text.
extension LiveRun {
    /// Opens a session with the published device, sends HELLO and a text, and collects the evidence.
    func call() {
        guard let contact, let epoch else { return }
        let devices = contact.devices(in: epoch)
        guard let device = devices.first(where: { $0.name == shown?.name }) ?? devices.first else { return }
        self.device = device
        var evidence = ContactEvidence(predictedName: device.name, predictedHost: device.host, shown: shown)
        progress("calling as a contact", Self.replyTime)
        evidence.call = confirm(device)
        if session != nil { greet(&evidence) }
        contactEvidence = evidence
    }

    /// Opens a session with a device.
    func confirm(_ device: LiveContact.Device) -> CallOutcome {
        guard let contact, let endpoint, let call = contact.call(device, at: protocolTime) else { return .unreachable }
        firstMessage = call.packet.framed
        let before = Int64(protocolTime)
        let number = network.connect(to: endpoint, sending: firstMessage)
        let begun = network.now
        var decoder = FrameDecoder(accepting: Packet.leastByteCount...Packet.byteLimit)
        var reply: [UInt8]?
        var isBad = false
        network.watch(milliseconds: Self.replyTime) {
            decoder.append(self.network.take(from: number).span)
            do { reply = try decoder.next() } catch { isBad = true }
            return reply != nil || isBad || self.network.connection(number)?.hasEnded != false
        }
        let taken = network.now - begun
        let after = Int64(protocolTime)
        guard let connection = network.connection(number), connection.isMade else { return .unreachable }
        if isBad {
            network.drop(number)
            return .refused(stage: "frame", reason: "bad-length")
        }
        guard let reply else {
            let outcome = connection.outcome
            network.drop(number)
            return .silent(outcome)
        }
        do {
            let channel = try contact.finish(call, with: reply)
            if case .contact(let payload) = channel.introduction {
                let measured = ClockDifference(
                    nodeTime: Int64(clamping: payload.unixMilliseconds), sent: before, received: after, rate: rate)
                clockDifference = clockDifference.map { $0.better(measured) } ?? measured
            }
            let session = LiveSession(channel, over: number)
            session.decoder = decoder
            self.session = session
            if let hello = contact.hello(), let packet = try? session.channel.seal(hello) {
                network.send(packet.framed, on: number)
            }
            return .confirmed(milliseconds: taken)
        } catch {
            network.drop(number)
            let refusal = error as? any Refusal
            return .refused(stage: refusal?.stage ?? "answer", reason: refusal?.reason ?? "not readable")
        }
    }

    private func greet(_ evidence: inout ContactEvidence) {
        guard let session else { return }
        evidence.greeting = .noRecord
        let text = SpokenText(stream: generator.next(), id: generator.next())
        var receipts: Int?
        var strange = 0
        let begun = network.now
        var greeting = ContactEvidence.Greeting.noRecord
        var isSent = false
        var settled: Int64?
        network.watch(milliseconds: Self.replyTime) {
            session.decoder.append(self.network.take(from: session.connection).span)
            while let bytes = (try? session.decoder.next()) ?? nil {
                do {
                    let record = try session.channel.open(Packet(parsing: bytes.span))
                    if greeting == .noRecord {
                        greeting = .hello
                        receipts = 0
                    }
                    guard record.type == .receipt else { continue }
                    let receipt = try record.withBody { body throws(SyncError) in try SyncReceipt(parsing: body) }
                    guard isSent else {
                        // Nothing is sent before the node has reported what it has.
                        isSent = true
                        for record in [text?.announcement, text?.message].compactMap(\.self) {
                            if let packet = try? session.channel.seal(record.record) {
                                self.network.send(packet.framed, on: session.connection)
                            }
                        }
                        continue
                    }
                    if text?.isNamed(by: receipt) == true { receipts = (receipts ?? 0) + 1 } else { strange += 1 }
                    // A second receipt would follow shortly.
                    settled = network.now + 500
                } catch {
                    let refusal = error as? any Refusal
                    if greeting == .noRecord {
                        greeting = .refused(stage: refusal?.stage ?? "open", reason: refusal?.reason ?? "not readable")
                    }
                    return true
                }
            }
            return settled.map { network.now > $0 } ?? (network.now - begun > Self.replyTime)
        }
        evidence.greeting = greeting
        evidence.receipts = receipts
        evidence.strangeReceipts = strange
    }
}

/// The only text that the runner sends in a session, in its own stream.
private struct SpokenText {
    let announcement: SyncRecord
    let message: SyncRecord
    private let last: SyncReceipt.Last

    init?(stream: UInt64, id: UInt64) {
        guard let stream = StreamID(rawValue: stream), let id = TextID(rawValue: Octets16(high: 1, low: id)),
            let last = SyncReceipt.Last(stream: stream, number: 1, id: id),
            let announcement = try? SyncStream(stream: stream, first: 1),
            let message = try? SyncMessage(number: 1, id: id, writtenAt: 0, text: "A conformance test says hello.")
        else { return nil }
        self.last = last
        self.announcement = .stream(announcement)
        self.message = .message(message)
    }

    func isNamed(by receipt: SyncReceipt) -> Bool { receipt.last == last }
}
