package import InklingJSON

/// The record of a contact, kept by the broker in one message, so that it is stored as a whole or not at all.
///
/// It lists the sightings it has counted, so that the next lease holder continues here and counts none of them twice.
package struct ContactRecord: FleetMessage, Hashable {
    package static let byteLimit = 1 << 19
    /// The longest label in bytes, and the largest number of sources that are remembered.
    package static let labelLimit = 256, sourceLimit = 64

    /// The sightings of one source that are counted in the record.
    package struct Seen: Hashable, Sendable {
        package let source: String
        package var window: SequenceWindow
    }

    /// The fence under which the record was written.
    package var fence: Fence
    /// The label of the contact.
    package let contact: String
    package var isPresent = false
    /// The number of times the contact has arrived.
    package var visit: UInt64 = 0
    /// The number of sightings counted since the record began.
    package var sightings: UInt64 = 0
    /// The start of the last visit, the last sighting, and the last reported departure, in Unix milliseconds.
    package var since: UInt64 = 0, last: UInt64 = 0, left: UInt64 = 0
    package var room: String?
    /// The sources that have heard the contact, least recently heard first.
    package var seen: [Seen] = []

    /// Creates the record of a contact that has never been heard.
    package init(_ contact: String, fence: Fence) { (self.contact, self.fence) = (contact, fence) }

    /// Returns whether a sighting is new, and counts it. A sighting counts once.
    mutating func admit(_ id: SightingID) -> Bool {
        var window = SequenceWindow()
        if let place = seen.firstIndex(where: { $0.source == id.source }) { window = seen.remove(at: place).window }
        let isNew = window.admit(id.sequence, base: id.base)
        seen.append(Seen(source: id.source, window: window))
        if seen.count > Self.sourceLimit { seen.removeFirst(seen.count - Self.sourceLimit) }
        return isNew
    }

    package init(_ object: JSONObject) throws(FleetMessageError) {
        fence = try object.fence()
        contact = try object.text("contact", upTo: Self.labelLimit)
        guard let isPresent = object["present"]?.flag else { throw .badText }
        self.isPresent = isPresent
        visit = try object.number("visit")
        sightings = try object.number("sightings")
        since = try object.number("since")
        last = try object.number("last")
        left = try object.number("left")
        room = try object.optionalText("room", upTo: 64)
        guard let list = object["seen"]?.list, list.count <= Self.sourceLimit else { throw .badNumber }
        for value in list {
            guard let entry = value.object else { throw .badSource }
            let window = SequenceWindow(
                base: try entry.number("base"), seen: try entry.numbers("sequences", upTo: Int(SequenceWindow.span)))
            seen.append(Seen(source: try entry.source(), window: window))
        }
    }

    package var object: JSONObject {
        var object = JSONObject()
        object.set(fence)
        object["contact"] = .text(contact)
        object["present"] = .flag(isPresent)
        object["visit"] = .integer(visit)
        object["sightings"] = .integer(sightings)
        object["since"] = .integer(since)
        object["last"] = .integer(last)
        object["left"] = .integer(left)
        object["room"] = room.map { .text($0) } ?? .null
        object["seen"] = .list(
            seen.map { entry in
                .object([
                    "source": .text(entry.source), "base": .integer(entry.window.base),
                    "sequences": .list(entry.window.seen.sorted().map { .integer($0) }),
                ])
            })
        return object
    }
}
