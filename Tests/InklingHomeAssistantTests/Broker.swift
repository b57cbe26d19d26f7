import InklingHomeAssistant
import InklingJSON
import InklingKeys
import InklingTesting

/// A broker with retained messages, beside an announcer.
struct Broker {
    private(set) var retained: [String: String] = [:]
    /// Everything that was published, in order.
    private(set) var published: [HomeMessage] = []
    private(set) var subscriptions: Set<String> = []
    var announcer: HomeAnnouncer
    var now = Tick(milliseconds: 1_000)
    private var generator: SeededGenerator
    private var isConnected = false

    init(_ announcer: HomeAnnouncer, retained: [String: String] = [:], seed: UInt64 = 1) {
        self.announcer = announcer
        self.retained = retained
        generator = SeededGenerator(seed: seed)
    }

    /// Passes an event to the announcer and carries out its effects. Retained messages are delivered to new
    /// subscriptions.
    @discardableResult
    mutating func take(_ event: HomeAnnouncer.Event) -> [HomeMessage] {
        if case .connected = event { (isConnected, subscriptions) = (true, []) }
        if case .disconnected = event { isConnected = false }
        let before = published.count
        carryOut(announcer.handle(event, at: now, using: &generator))
        return Array(published[before...])
    }

    /// Moves the clock to the next wake.
    @discardableResult
    mutating func wake() -> [HomeMessage] {
        guard let wake = announcer.wake else { return [] }
        now = max(now, wake)
        return take(.timerFired)
    }

    /// Loses the connection: the broker publishes the will.
    mutating func lose() {
        keep(announcer.will)
        take(.disconnected)
    }

    private mutating func carryOut(_ effects: [HomeAnnouncer.Effect]) {
        var delivered: [(String, String)] = []
        for effect in effects {
            switch effect {
            case .publish(let publication):
                published.append(publication)
                keep(publication)
            case .unsubscribe(let filter): subscriptions.remove(filter)
            case .subscribe(let filter):
                subscriptions.insert(filter)
                for (topic, payload) in retained.sorted(by: { $0.key < $1.key }) where matches(topic, filter) {
                    delivered.append((topic, payload))
                }
            }
        }
        for (topic, payload) in delivered {
            carryOut(
                announcer.handle(
                    .received(topic: topic, payload: Array(payload.utf8), isRetained: true), at: now, using: &generator)
            )
        }
    }

    private mutating func keep(_ publication: HomeMessage) {
        guard publication.isRetained else { return }
        retained[publication.topic] = publication.payload.isEmpty ? nil : publication.payload
    }

    private func matches(_ topic: String, _ filter: String) -> Bool {
        let (parts, wanted) = (topic.split(separator: "/"), filter.split(separator: "/"))
        return parts.count == wanted.count && zip(parts, wanted).allSatisfy { $1 == "+" || $0 == $1 }
    }

    /// The components of the description that the broker keeps, by key.
    func components(of node: OpaqueID) -> JSONObject {
        let payload = retained["homeassistant/device/inkling_\(node)/config"] ?? ""
        return (try? JSON(parsing: Array(payload.utf8)))?.object?["components"]?.object ?? [:]
    }
}
