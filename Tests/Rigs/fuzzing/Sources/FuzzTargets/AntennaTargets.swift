internal import InklingEngine
internal import InklingFleet
internal import InklingKeys
internal import InklingNode
internal import InklingWire

@testable internal import AntennaFormats

extension FuzzTarget {
    /// What other programs say that they have heard.
    static let antennaTargets = [
        FuzzTarget("antenna-line") { input in
            let (line, field) = input.textAndField
            guard let sighting = try? SightingLine.parse(line, at: now, .inkling) else { return nil }
            check(sighting)
            return field
        },

        // First byte: the program; then the topic, a line feed and the payload.
        FuzzTarget("antenna-message") { input in
            guard let first = input.array.first else { return nil }
            let (text, field) = input.extracting(1...).textAndField
            let parts = text.split(separator: 10, maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let topic = String(validating: parts[0], as: UTF8.self) else { return nil }
            // With the topic under which each program publishes by default, as its seeds do.
            let (format, prefix): (BrokerSighting.Format, String) =
                first & 1 == 0 ? (.espresense, "espresense") : (.openmqttgateway, "home")
            let sighting = try? BrokerSighting.parse(
                topic: topic, payload: Array(parts[1]), format, below: prefix, observed: ObservedTime(at: now))
            guard let sighting else { return nil }
            promise(sighting.room != nil && sighting.observed == ObservedTime(at: now), "heard now, in a room")
            check(sighting)
            return field
        },

        // First byte: the kind of the message.
        FuzzTarget("fleet-message") { input in
            guard let first = input.array.first else { return nil }
            let (text, field) = input.extracting(1...).textAndField
            let isAccepted =
                switch first % 5 {
                case 0: isSame(SightingMessage.self, text)
                case 1: isSame(MatchMessage.self, text)
                case 2: isSame(Acknowledgement.self, text)
                case 3: isSame(LeaseMessage.self, text)
                default: isSame(ContactRecord.self, text)
                }
            return isAccepted ? field : nil
        },
    ]

    /// Whether a payload is accepted; what is written of it reads the same.
    private static func isSame<Message: FleetMessage & Equatable>(_ type: Message.Type, _ text: [UInt8]) -> Bool {
        guard let message = try? Message(parsing: text) else { return false }
        promise((try? Message(parsing: message.payload)) == message, "what is written reads the same")
        return true
    }

    private static let now = ClockReading(tick: Tick(milliseconds: 5), unixMilliseconds: 1_785_600_000_000)

    private static func check(_ sighting: AntennaSighting) {
        promise((-127...20).contains(sighting.rssi), "a power that can be")
        promise(
            sighting.room.map { (1...AntennaSighting.roomLimit).contains($0.utf8.count) } ?? true,
            "a room of 1 to 64 bytes")
        if case .data(let bytes) = sighting.content {
            promise(bytes.count <= AntennaSighting.dataLimit, "at most 62 bytes")
        }
        if sighting.addressType == .public {
            promise(sighting.minor(in: .inkling) == nil, "no device with a lasting address")
        }
    }
}
