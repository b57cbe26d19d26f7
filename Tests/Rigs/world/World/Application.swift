internal import InklingKeys
internal import InklingNode
internal import InklingSimulation
internal import InklingVault
internal import InklingWire
internal import Synchronization

/// What happened at an inhabitant: what the node reported, or what its application was given.
enum Happening: Hashable, Sendable {
    case node(NodeEvent)
    /// The application has processed a text that it had not processed before.
    case given(sender: UserID, text: String)
    /// The node gave a text again although it had said that it is acknowledged.
    case givenAgain(sender: UserID, text: String)
}

/// The application of an inhabitant: it stores the id of each message with its effect, and acknowledges it then. What it
/// stored survives crashes.
final class Application: Sendable {
    private struct State {
        var processed: Set<TextID> = []
        var acknowledged: Set<TextID> = []
    }

    private let state = Mutex(State())
    private let fault: PlantedFault?

    init(fault: PlantedFault?) { self.fault = fault }

    /// Processes the messages of a node until it stops.
    func process(
        _ node: Node, isAlive: @Sendable () -> Bool, report: @Sendable (Happening) -> Void
    ) async {
        for await message in node.incoming {
            guard isAlive() else { return }
            let (isNew, isAgain) = state.withLock { state in
                (state.processed.insert(message.id).inserted, state.acknowledged.contains(message.id))
            }
            let isChosen = Watch.number(of: message.text).map { $0 % 3 == 0 } ?? false
            if isNew, fault != .losesTexts || !isChosen {
                report(.given(sender: message.contact, text: message.text))
                if fault == .deliversTwice, isChosen { report(.given(sender: message.contact, text: message.text)) }
            }
            if isAgain { report(.givenAgain(sender: message.contact, text: message.text)) }
            do {
                try await node.acknowledge(message.id, from: message.contact)
                if isAlive() { state.withLock { _ = $0.acknowledged.insert(message.id) } }
            } catch {}
        }
    }
}

/// The files of the world: each has bytes of its own, so that a file that arrives can be told from all others.
enum WorldFile {
    /// The largest file that is accepted without a question.
    static let limit: UInt64 = 200_000

    /// The bytes of the file with a number.
    static func bytes(_ number: Int, count: Int) -> [UInt8] {
        var generator = SimulationGenerator(seed: UInt64(number))
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        return (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } + bytes
    }

    /// Where a sender has the file with a number.
    static func path(_ number: Int) -> String { "/files/\(number)" }

    /// The number of the file that a sender has at a path.
    static func number(ofPath path: String?) -> Int? { path.flatMap { Int($0.dropFirst(7)) } }

    /// The number of a file that was kept; nil if no file of the world has these bytes.
    static func number(of kept: [UInt8]) -> Int? {
        guard kept.count >= 8 else { return nil }
        let number = kept.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
        return bytes(number, count: kept.count - 8) == kept ? number : nil
    }
}

/// The message store of an inhabitant with a planted fault: what somebody sent is filed under somebody else.
struct ConfusedStore: MessageStore {
    private let store: any MessageStore
    private let confusion: Confusion

    init(store: any MessageStore, _ confusion: Confusion) {
        self.store = store
        self.confusion = confusion
    }

    func load() async throws(MessageStoreError) -> LoadedMessages { try await store.load() }

    func body(at place: MessagePlace) async throws(MessageStoreError) -> [UInt8]? {
        guard place.direction == .received, place.contact != confusion.sender else {
            return try await store.body(at: place)
        }
        let confused = MessagePlace(
            .received, contact: confusion.sender, device: place.device, number: place.number)
        if let body = try await store.body(at: confused) { return body }
        return try await store.body(at: place)
    }

    func apply(_ changes: [MessageStoreChange]) async throws(MessageStoreError) -> UInt64 {
        try await store.apply(changes)
    }
}

/// Whose messages a faulty message store takes for those of others.
struct Confusion: Sendable {
    let sender: UserID
}
