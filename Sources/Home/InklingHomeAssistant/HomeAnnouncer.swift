internal import InklingJSON
package import InklingKeys

/// Decides what a node publishes for Home Assistant, and when (`Specs/home-assistant.md`).
///
/// The caller passes in the node's reports, the state of the connection and the broker's messages, and carries out the
/// effects in order. Nothing is published without a connection; changes missed meanwhile are published as states on the
/// next
/// connection, never as events.
package struct HomeAnnouncer: Sendable {
    /// An input to the announcer.
    package enum Event: Sendable {
        /// The current reports of all contacts.
        case reports([ContactReport])
        /// A contact has arrived or left.
        case arrived(OpaqueID)
        case left(OpaqueID)
        /// A connection to the broker has begun, with no subscriptions; or it has ended.
        case connected
        case disconnected
        /// The broker has delivered a message.
        case received(topic: String, payload: [UInt8], isRetained: Bool)
        /// The moment `wake` was reached.
        case timerFired
        /// The node is stopping.
        case stopping
    }

    /// An action for the caller.
    package enum Effect: Hashable, Sendable {
        case subscribe(String)
        case unsubscribe(String)
        case publish(HomeMessage)
    }

    /// The number of removed contacts that the description still lists, so that a Home Assistant that was off when they
    /// were removed forgets them too.
    static let removedLimit = 32
    /// The time that a new connection waits for the broker's retained messages, in milliseconds.
    static let sweepTime: UInt64 = 10_000
    /// The longest delay before everything is republished after Home Assistant has started, in milliseconds.
    static let restartJitter: UInt64 = 10_000
    /// The smallest change of the confidence that is published at once.
    static let confidenceStep = 10

    private struct Contact: Hashable {
        var report: ContactReport
        var isHome: Bool
        /// The last published confidence.
        var confidence: Int?
    }

    private let topics: HomeTopics
    private let description: DeviceDescription
    private let settings: HomeSettings
    private var contacts: [OpaqueID: Contact] = [:]
    private var removed: [OpaqueID] = []
    private var hasReports = false
    private var isConnected = false
    private var refreshAt: Tick?
    private var restartAt: Tick?
    private var sweepUntil: Tick?

    /// Creates the announcer of one node.
    package init(node: OpaqueID, _ settings: HomeSettings) {
        topics = HomeTopics(discoveryPrefix: settings.discoveryPrefix, node: node)
        description = DeviceDescription(topics: topics, settings: settings)
        self.settings = settings
    }

    /// The message that the broker publishes if the node disappears without closing the connection.
    package var will: HomeMessage { HomeMessage(topics.availability, "offline") }

    /// The time at which `timerFired` is due; `nil` while no timer runs.
    package var wake: Tick? { [refreshAt, restartAt, sweepUntil].compactMap(\.self).min() }

    /// Handles an event and returns the actions to carry out, in order.
    package mutating func handle(
        _ event: Event, at now: Tick, using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        switch event {
        case .reports(let reports): return take(reports, at: now)
        case .arrived(let contact): return moved(contact, isHome: true)
        case .left(let contact): return moved(contact, isHome: false)
        case .connected:
            isConnected = true
            return begin(at: now)
        case .disconnected:
            isConnected = false
            (refreshAt, restartAt, sweepUntil) = (nil, nil, nil)
            return []
        case .received(let topic, let payload, let isRetained):
            guard isConnected, hasReports else { return [] }
            if topic == topics.status {
                guard payload == Array("online".utf8), restartAt == nil else { return [] }
                restartAt = now.advanced(
                    byMilliseconds: UInt64.random(in: 0...Self.restartJitter, using: &generator))
                return []
            }
            return isRetained ? sweep(topic, payload) : []
        case .timerFired: return timerFired(at: now)
        case .stopping:
            guard isConnected, hasReports else { return [] }
            isConnected = false
            (refreshAt, restartAt, sweepUntil) = (nil, nil, nil)
            return [.publish(will)]
        }
    }

    // MARK: Connections

    private mutating func begin(at now: Tick) -> [Effect] {
        guard isConnected, hasReports else { return [] }
        sweepUntil = now.advanced(byMilliseconds: Self.sweepTime)
        return [.subscribe(topics.status), .subscribe(topics.discovery), .subscribe(topics.ofContacts)]
            + everything(at: now)
    }

    /// Publishes the description, then every state.
    private mutating func everything(at now: Tick) -> [Effect] {
        refreshAt = now.advanced(byMilliseconds: settings.refreshInterval)
        restartAt = nil
        return [.publish(descriptionNow), .publish(HomeMessage(topics.availability, "online"))]
            + contacts.keys.sorted().flatMap { states(of: $0) }
    }

    private mutating func timerFired(at now: Tick) -> [Effect] {
        var effects: [Effect] = []
        if let end = sweepUntil, end <= now {
            sweepUntil = nil
            effects += [.unsubscribe(topics.discovery), .unsubscribe(topics.ofContacts)]
        }
        if let restart = restartAt, restart <= now { return effects + everything(at: now) }
        if let refresh = refreshAt, refresh <= now {
            refreshAt = now.advanced(byMilliseconds: settings.refreshInterval)
            effects += contacts.keys.sorted().flatMap { id in presence(of: id) + facts(of: id) }
        }
        return effects
    }

    /// Removes the broker's retained messages of contacts that are gone.
    private mutating func sweep(_ topic: String, _ payload: [UInt8]) -> [Effect] {
        guard !payload.isEmpty else { return [] }
        if topic == topics.discovery {
            let gone = (DeviceDescription.contacts(in: payload) ?? []).filter { contacts[$0] == nil }
            let before = removed
            for contact in gone { remember(contact) }
            return removed == before ? [] : [.publish(descriptionNow)]
        }
        guard let (contact, leaf) = topics.contact(of: topic) else { return [] }
        let isGone = contacts[contact] == nil || leaf == .room && !settings.hasRooms
        return isGone ? [.publish(HomeMessage(topic, ""))] : []
    }

    private mutating func remember(_ contact: OpaqueID) {
        guard !removed.contains(contact) else { return }
        removed.append(contact)
        if removed.count > Self.removedLimit { removed.removeFirst(removed.count - Self.removedLimit) }
    }

    // MARK: Contacts

    private mutating func take(_ reports: [ContactReport], at now: Tick) -> [Effect] {
        let kept = reports.sorted { $0.id < $1.id }.prefix(settings.contactLimit)
        let isFirst = !hasReports
        hasReports = true
        var isDescriptionNew = false
        var effects: [Effect] = []
        let present = Set(kept.map(\.id))
        let gone = contacts.keys.filter { !present.contains($0) }.sorted()
        for contact in gone {
            contacts[contact] = nil
            remember(contact)
            isDescriptionNew = true
        }
        for report in kept {
            guard let known = contacts[report.id] else {
                removed.removeAll { $0 == report.id }
                contacts[report.id] = Contact(report: report, isHome: report.isHome)
                isDescriptionNew = true
                effects += states(of: report.id)
                continue
            }
            if known.report.name != report.name { isDescriptionNew = true }
            contacts[report.id]?.report = report
            if known.report.isWatched != report.isWatched { effects.append(availability(of: report.id)) }
            if known.report.room != report.room { effects += room(of: report.id) }
            if known.isHome != report.isHome {
                effects += moved(report.id, isHome: report.isHome)
            } else if abs((contacts[report.id]?.confidence ?? 0) - report.confidence) >= Self.confidenceStep {
                effects += facts(of: report.id)
            }
        }
        guard isConnected else { return [] }
        if isFirst { return begin(at: now) }
        // A description precedes its states; retained states are cleared after their description is gone.
        return (isDescriptionNew ? [.publish(descriptionNow)] : []) + effects
            + gone.flatMap { contact in
                HomeTopics.Leaf.retained.map { .publish(HomeMessage(topics.of(contact, $0), "")) }
            }
    }

    private mutating func moved(_ contact: OpaqueID, isHome: Bool) -> [Effect] {
        guard let known = contacts[contact], known.isHome != isHome else { return [] }
        contacts[contact]?.isHome = isHome
        guard isConnected, hasReports else { return [] }
        let event = HomeMessage(
            topics.of(contact, .event), #"{"event_type":"\#(isHome ? "arrived" : "left")"}"#, isRetained: false)
        return presence(of: contact) + [tracker(of: contact)] + facts(of: contact) + [.publish(event)]
    }

    // MARK: Messages

    private var descriptionNow: HomeMessage {
        let names = contacts.values.map { (id: $0.report.id, name: $0.report.name) }.sorted { $0.id < $1.id }
        return HomeMessage(topics.discovery, description.payload(names, removed: removed))
    }

    private mutating func states(of contact: OpaqueID) -> [Effect] {
        [availability(of: contact)] + presence(of: contact) + [tracker(of: contact)] + facts(of: contact)
            + room(of: contact)
    }

    private func availability(of contact: OpaqueID) -> Effect {
        let isWatched = contacts[contact]?.report.isWatched ?? false
        return .publish(HomeMessage(topics.of(contact, .availability), isWatched ? "online" : "offline"))
    }

    private func presence(of contact: OpaqueID) -> [Effect] {
        guard let known = contacts[contact] else { return [] }
        return [.publish(HomeMessage(topics.of(contact, .presence), known.isHome ? "ON" : "OFF"))]
    }

    private func tracker(of contact: OpaqueID) -> Effect {
        let zones = contacts[contact]?.isHome == true ? #"["zone.home"]"# : "[]"
        return .publish(HomeMessage(topics.of(contact, .tracker), #"{"in_zones":\#(zones)}"#))
    }

    private func room(of contact: OpaqueID) -> [Effect] {
        guard settings.hasRooms, let report = contacts[contact]?.report else { return [] }
        let room: JSONObject = ["room": report.room.map { .text($0) } ?? .null]
        return [.publish(HomeMessage(topics.of(contact, .room), JSON.object(room).compact))]
    }

    private mutating func facts(of contact: OpaqueID) -> [Effect] {
        guard let report = contacts[contact]?.report else { return [] }
        contacts[contact]?.confidence = report.confidence
        let facts: JSONObject = [
            "confidence": .integer(report.confidence), "last_seen": report.lastSeen.map { .text($0) } ?? .null,
        ]
        return [.publish(HomeMessage(topics.of(contact, .facts), JSON.object(facts).compact))]
    }
}
