package import InklingJSON

/// The id of a sighting: its source, and a number that the source uses once.
package struct SightingID: Hashable, Sendable {
    /// The source: the name of an antenna, a hyphen, and 16 hexadecimal digits that the antenna drew when it started.
    package let source: String
    /// The number of the sighting, counted from 1.
    package let sequence: UInt64
    /// The lowest number that the source still sends.
    package let base: UInt64

    /// Creates an id.
    package init(source: String, sequence: UInt64, base: UInt64) {
        (self.source, self.sequence, self.base) = (source, sequence, base)
    }

    /// Returns whether a text is a valid source.
    package static func isSource(_ text: String) -> Bool {
        text.utf8.count > 17 && FleetTopics.isName(String(text.dropLast(17))) && text.dropLast(16).hasSuffix("-")
            && text.utf8.suffix(16).allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }

    init(_ object: JSONObject) throws(FleetMessageError) {
        source = try object.source()
        sequence = try object.number("sequence")
        base = try object.number("base")
        guard base <= sequence, sequence > 0 else { throw .badNumber }
    }

    func set(_ object: inout JSONObject) {
        object["source"] = .text(source)
        object["sequence"] = .integer(sequence)
        object["base"] = .integer(base)
    }
}

/// A beacon of the application, as an antenna heard it.
package struct HeardBeacon: Hashable, Sendable {
    /// The time in Unix milliseconds, and its uncertainty in either direction in milliseconds.
    package let time: UInt64, uncertainty: UInt64
    package let minor: UInt16
    /// The number that replaces the address in this epoch; `nil` without an address.
    package let device: UInt32?
    /// The power in dBm, -127 to 20; -127 if unknown.
    package let rssi: Int8
    package let room: String?

    /// Creates the observation of a beacon.
    package init(time: UInt64, uncertainty: UInt64, minor: UInt16, device: UInt32?, rssi: Int8, room: String?) {
        (self.time, self.uncertainty, self.minor) = (time, uncertainty, minor)
        (self.device, self.rssi, self.room) = (device, rssi, room)
    }
}

/// A sighting on its way from an antenna to the matchers.
package struct SightingMessage: FleetMessage, Hashable {
    package static let byteLimit = 1024

    package let id: SightingID
    /// The time from the observation to this transmission, in milliseconds.
    package let age: UInt64
    package let beacon: HeardBeacon

    package init(id: SightingID, age: UInt64, beacon: HeardBeacon) {
        (self.id, self.age, self.beacon) = (id, age, beacon)
    }

    package init(_ object: JSONObject) throws(FleetMessageError) {
        id = try SightingID(object)
        age = try object.number("age", upTo: SightingOutbox.patience)
        guard let minor = object["minor"]?.integer.flatMap({ UInt16(exactly: $0) }) else { throw .badMinor }
        beacon = HeardBeacon(
            time: try object.number("time"), uncertainty: try object.number("uncertainty", upTo: 3_600_000),
            minor: minor,
            device: object["device"] == nil ? nil : UInt32(truncatingIfNeeded: try object.number("device", upTo: 4096)),
            rssi: try object.power(), room: try object.optionalText("room", upTo: 64))
    }

    package var object: JSONObject {
        var object = JSONObject()
        id.set(&object)
        object["age"] = .integer(age)
        object["time"] = .integer(beacon.time)
        object["uncertainty"] = .integer(beacon.uncertainty)
        object["minor"] = .integer(beacon.minor)
        object["device"] = beacon.device.map { .integer($0) }
        object["rssi"] = .integer(beacon.rssi)
        object["room"] = beacon.room.map { .text($0) }
        return object
    }
}

/// A sighting matched to one contact, on its way from a matcher to the lease holder. It carries no minor.
package struct MatchMessage: FleetMessage, Hashable {
    package static let byteLimit = 2048

    package let id: SightingID
    package let age: UInt64
    /// The label of the contact, and the index of the contact's device.
    package let contact: String, device: UInt8
    package let rssi: Int8
    package let room: String?

    package init(id: SightingID, age: UInt64, contact: String, device: UInt8, rssi: Int8, room: String?) {
        (self.id, self.age, self.contact, self.device) = (id, age, contact, device)
        (self.rssi, self.room) = (rssi, room)
    }

    package init(_ object: JSONObject) throws(FleetMessageError) {
        id = try SightingID(object)
        age = try object.number("age", upTo: SightingOutbox.patience)
        contact = try object.text("contact", upTo: ContactRecord.labelLimit)
        device = UInt8(truncatingIfNeeded: try object.number("device", upTo: 15))
        rssi = try object.power()
        room = try object.optionalText("room", upTo: 64)
    }

    package var object: JSONObject {
        var object = JSONObject()
        id.set(&object)
        object["age"] = .integer(age)
        object["contact"] = .text(contact)
        object["device"] = .integer(device)
        object["rssi"] = .integer(rssi)
        object["room"] = room.map { .text($0) }
        return object
    }
}

/// Tells a source which of its sightings need not be sent again.
package struct Acknowledgement: FleetMessage, Hashable {
    package static let byteLimit = 32_768

    /// The fence of the holder that stored the sightings; `nil` from a matcher that found no contact for them.
    package let fence: Fence?
    package let sequences: [UInt64]

    package init(fence: Fence?, sequences: [UInt64]) { (self.fence, self.sequences) = (fence, sequences) }

    package init(_ object: JSONObject) throws(FleetMessageError) {
        fence = object["number"] == nil && object["holder"] == nil ? nil : try object.fence()
        sequences = try object.numbers("sequences", upTo: Int(SequenceWindow.span))
    }

    package var object: JSONObject {
        var object = JSONObject()
        if let fence { object.set(fence) }
        object["sequences"] = .list(sequences.map { .integer($0) })
        return object
    }
}

/// A lease: the process that may write for the fleet, kept by the broker.
package struct LeaseMessage: FleetMessage, Hashable {
    package static let byteLimit = 512

    package let fence: Fence
    /// The number of the renewal; its sender uses it to look up when it sent the renewal.
    package let beat: UInt64
    /// The lifetime of the lease in seconds without a renewal; 0 when the holder releases it.
    package let seconds: UInt64

    package init(fence: Fence, beat: UInt64, seconds: UInt64) {
        (self.fence, self.beat, self.seconds) = (fence, beat, seconds)
    }

    package init(_ object: JSONObject) throws(FleetMessageError) {
        fence = try object.fence()
        beat = try object.number("beat")
        seconds = try object.number("seconds", upTo: 3600)
    }

    package var object: JSONObject {
        var object = JSONObject()
        object.set(fence)
        object["beat"] = .integer(beat)
        object["seconds"] = .integer(seconds)
        return object
    }
}
