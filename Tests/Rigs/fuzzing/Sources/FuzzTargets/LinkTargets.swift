internal import InklingConformance
internal import InklingKeys
internal import InklingWire

extension FuzzTarget {
    static let linkTargets = [
        FuzzTarget("packet") { input in
            guard let packet = try? Packet(parsing: input) else { return nil }
            var again: [UInt8] = []
            packet.append(to: &again)
            promise(again.span.isEqual(to: input), "a packet is its bytes")
            return packet.body.field()
        },

        FuzzTarget("mdns-message") { input in
            guard let message = try? MDNSMessage(parsing: input) else { return nil }
            promise(message.questions.count + message.records.count <= 32, "few questions and records are read")
            return message.records.first.map { $0.timeToLive & 0xffff }
        },

        FuzzTarget("dns-message") { input in
            guard let message = DNSMessage(parsing: input.array) else { return nil }
            let questions = message.questions.filter { question in
                question.name.labels.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } }
            }.prefix(255)
            let again = DNSMessage(parsing: DNSMessage.query(Array(questions)))
            promise(again?.questions == Array(questions), "questions are read as they are written")
            return message.records.first.map { $0.timeToLive & 0xffff }
        },

        // The first byte is the size of the pieces in which the rest arrives; the size must not matter.
        FuzzTarget("tcp-frames") { input in
            guard !input.isEmpty else { return nil }
            let stream = input.extracting(1...)
            let inPieces = packets(of: stream, pieces: max(1, Int(input[0])))
            promise(inPieces == packets(of: stream, pieces: max(1, stream.count)), "the cut does not matter")
            return inPieces.first?.field(at: 1)
        },

        // A length precedes each fragment.
        FuzzTarget("gatt-fragments") { input in
            var reassembler = FragmentReassembler()
            var field: UInt32?
            var offset = 0
            while offset < input.count {
                let end = min(input.count, offset + 1 + Int(input[offset]))
                let fragment = input.extracting(offset + 1..<max(offset + 1, end))
                offset = max(offset + 1, end)
                guard let result = try? reassembler.append(fragment, at: UInt64(offset)) else { continue }
                promise((try? Packet(result.type, body: result.body)) == result, "a packet of a size that exists")
                var again = FragmentReassembler()
                let parts = result.gattFragments(mtu: 23).map { try? again.append($0.span, at: 0) }
                promise(parts.last == result, "its own fragments give the same packet")
                field = result.body.field()
            }
            return field
        },

        FuzzTarget("record") { input in
            do {
                let record = try Record(parsing: input)
                promise(record.encoded().withBytes { $0.isEqual(to: input) }, "a record is its bytes")
                return record.withBody { $0.field() }
            } catch { return nil }
        },

        FuzzTarget("hello") { input in
            guard let hello = try? Hello(parsing: input) else { return nil }
            var again: [UInt8] = []
            hello.append(to: &again)
            promise(again.span.isEqual(to: input), "a HELLO is its bytes")
            return UInt32(truncatingIfNeeded: hello.ownSerial & 0xffff)
        },

        FuzzTarget("transport-offer") { input in
            guard let offer = try? TransportOffer(parsing: input) else { return nil }
            promise(offer.record.withBody { $0.isEqual(to: input) }, "an offer is its bytes")
            return UInt32(offer.addresses.last?.port ?? 0)
        },

        // The first byte is the type of the record.
        FuzzTarget("file-words") { input in
            guard !input.isEmpty else { return nil }
            let body = input.extracting(1...)
            guard let words = try? FileWords(RecordType(rawValue: input[0]), parsing: body) else { return nil }
            let isLater = words == .stop(words.id, .paused)
            promise(isLater || words.record.withBody { $0.isEqual(to: body) }, "what is said is its bytes")
            return UInt32(truncatingIfNeeded: words.id.octets.high >> 48)
        },
    ]
}

private func packets(of stream: Span<UInt8>, pieces size: Int) -> [[UInt8]] {
    var decoder = FrameDecoder()
    var packets: [[UInt8]] = []
    var start = 0
    while start < stream.count {
        let end = min(stream.count, start + size)
        decoder.append(stream.extracting(start..<end))
        start = end
        while let packet = try? decoder.next() {
            promise(packet.count <= Packet.byteLimit, "a frame is bounded")
            packets.append(packet)
        }
    }
    return packets
}
