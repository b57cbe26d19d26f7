import Glibc
import InklingEngine
import InklingKeys
import InklingLinux
import InklingNode
import InklingSimulation
import InklingVault
import InklingWire
import Synchronization

/// Two nodes in this process that have met over TCP on the loopback interface: real links, message stores and files, and no
/// other network than each other.
final class DeliveryPair: Sendable {
    let sender: DeliveryNode
    let receiver: DeliveryNode
    private let folder: String

    /// Creates the nodes in a new folder under the current one, which is on a disk, and waits until they have met.
    init() async throws {
        var template = Array(".build/delivery-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { fail("no folder for the nodes") }
        folder = template.dropLast().map { String(UnicodeScalar(UInt8(bitPattern: $0))) }.joined()
        let street = Street()
        sender = try DeliveryNode("Ada", in: folder, on: street)
        receiver = try DeliveryNode("Bob", in: folder, on: street)
        for one in [sender, receiver] { try await one.waitForTime() }
        try await sender.node.add(receiver.node.ownCard())
        try await receiver.node.add(sender.node.ownCard())
        for (one, other) in [(sender, receiver), (receiver, sender)] {
            for sealed in try await one.node.sealedGrants(for: other.user) {
                try await other.node.acceptSealedGrant(sealed)
            }
        }
        await receiver.node.takeFiles(by: FileRule(limit: .max))
        for _ in 0..<6000 {
            let (one, other) = (await sender.node.status().sessions, await receiver.node.status().sessions)
            if one == 1, other == 1 { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        fail("the nodes do not meet")
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// Stops the nodes, and removes what they have stored.
    func end() async {
        for one in [sender, receiver] { await one.end() }
        removeAll(folder)
    }
}

private func removeAll(_ path: String) {
    guard let list = opendir(path) else { return }
    while let entry = readdir(list) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        guard name != ".", name != ".." else { continue }
        if entry.pointee.d_type == UInt8(DT_DIR) { removeAll("\(path)/\(name)") } else { unlink("\(path)/\(name)") }
    }
    closedir(list)
    rmdir(path)
}

/// One of the two nodes, with what it has stored and sent.
final class DeliveryNode: Sendable {
    let node: Node
    let user: UserID
    let store: CountedStore
    let files: CountedFiles
    let links: CountedLinks
    let received: String
    private let transport: TCPTransport
    private let running: Task<Void, Never>

    init(_ name: String, in folder: String, on street: Street) throws {
        let home = "\(folder)/\(name)"
        received = "\(home)-received"
        guard mkdir(home, 0o700) == 0, mkdir(received, 0o700) == 0 else { fail("no folder for a node") }
        let clock = QuietClock.shared
        guard let now = Epoch(containing: clock.read().unixSeconds)?.period else { fail("no such period") }
        var generator = SystemRandomNumberGenerator()
        var contents = try NodeIdentity.makeContents(name: name, now: now, using: &generator)
        let anchor = MessageStoreAnchor.drawn()
        contents.messageStore = anchor
        user = try ContactCard(parsing: contents.card.span, now: now).userID
        transport = TCPTransport()
        store = CountedStore(SQLiteMessageStore(home: home, anchor: anchor))
        files = CountedFiles(DiskStorage(home: home, folder: received))
        links = CountedLinks(transport)
        let ports = NodePorts(
            clock: clock, timeEvidence: FixedTimeEvidence(), discovery: StreetDiscovery(street), links: links,
            network: street, messages: store, files: files)
        guard let node = Node(contents: contents, keeper: MemoryKeeper(contents), ports: ports, trustsClock: true)
        else {
            fail("no node")
        }
        self.node = node
        running = Task { await node.run() }
    }

    /// Waits until the node has accepted the time.
    func waitForTime() async throws {
        while await node.status().showing == nil { try await Task.sleep(for: .milliseconds(10)) }
    }

    func end() async {
        node.stop()
        await running.value
        await transport.shutDown()
    }
}

/// The clocks of this machine, set so that an epoch has just begun: a measurement ends before its end.
struct QuietClock: NodeClock {
    static let shared = QuietClock()
    private let clock = SystemClock()
    private let shift: UInt64

    private init() {
        shift = UInt64(Epoch.seconds) * 1000 - clock.read().unixMilliseconds % (UInt64(Epoch.seconds) * 1000)
    }

    func read() -> ClockReading {
        let now = clock.read()
        return ClockReading(tick: now.tick, unixMilliseconds: now.unixMilliseconds + shift + 5000)
    }

    func suspendedMilliseconds() -> UInt64 { clock.suspendedMilliseconds() }
    func changes() -> AsyncStream<Void> { AsyncStream { _ in } }
    func sleep(until tick: Tick) async throws { try await clock.sleep(until: tick) }
}

/// Where the nodes see each other: every announcement is heard at once by who knows its name.
final class Street: NetworkMonitor {
    static let loopback = Endpoint.Address.v4(0x7f00_0001)

    struct Place {
        let announced: ServiceInstance?
        let answered: [ServiceInstance]
        var names: KnownNames
        let events: AsyncStream<DiscoveryEvent>.Continuation
    }

    private let places = Mutex<[Int: Place]>([:])
    private let numbers = Atomic<Int>(0)

    func enter(_ place: Place) -> Int {
        let number = numbers.add(1, ordering: .relaxed).newValue
        places.withLock { $0[number] = place }
        place.events.yield(.established)
        tell()
        return number
    }

    func leave(_ number: Int) { places.withLock { $0.removeValue(forKey: number) }?.events.finish() }

    func recognise(_ names: KnownNames, at number: Int) {
        places.withLock { $0[number]?.names = names }
        tell()
    }

    /// Tells everybody which names they know.
    private func tell() {
        places.withLock { places in
            for (number, place) in places {
                for (other, shown) in places where other != number {
                    guard let name = shown.announced?.name, place.names.host(of: name) != nil else { continue }
                    place.events.yield(.appeared(name))
                }
            }
        }
    }

    func search(_ name: OpaqueServiceName, at number: Int) {
        places.withLock { places in
            let instances = places.values.flatMap { $0.answered + ($0.announced.map { [$0] } ?? []) }
            let found = instances.first { $0.name == name }
            places[number]?.events.yield(
                found.map { .found(name, [Endpoint(address: Self.loopback, port: $0.port)]) } ?? .notFound(name))
        }
    }

    func changes() -> AsyncStream<Void> { AsyncStream { _ in } }
    func ownAddresses() -> [Endpoint.Address] { [Self.loopback] }
    func callable(_ address: TransportOffer.Address) -> [Endpoint] { [] }
    func isOnLink(_ address: Endpoint.Address) -> Bool { true }
}

private struct StreetDiscovery: ServiceDiscovery {
    let street: Street

    init(_ street: Street) { self.street = street }

    func open(
        _ publication: Publication, recognising names: KnownNames
    ) async throws(DiscoveryError) -> any DiscoverySession {
        let (stream, events) = AsyncStream<DiscoveryEvent>.makeStream()
        let number = street.enter(
            Street.Place(
                announced: publication.announced, answered: publication.answered, names: names, events: events))
        return Session(events: stream, number: number, street: street)
    }

    func heardNames() async -> [OpaqueServiceName] { [] }

    private struct Session: DiscoverySession {
        let events: AsyncStream<DiscoveryEvent>
        let number: Int
        let street: Street

        func recognise(_ names: KnownNames) async { street.recognise(names, at: number) }
        func search(_ name: OpaqueServiceName, at host: OpaqueHostName?) async { street.search(name, at: number) }
        func answer(_ instances: [ServiceInstance]) async {}
        func close(goodbye: Bool) async { street.leave(number) }
    }
}

/// A message store that notes its commits, so that others can make the same.
final class CountedStore: MessageStore {
    /// One change: the length of the row as it is stored, or nil when it is removed.
    struct Change {
        let place: MessagePlace
        let byteCount: Int?
        let isLast: Bool
    }

    private let store: SQLiteMessageStore
    private let noted = Mutex<[Change]>([])

    init(_ store: SQLiteMessageStore) { self.store = store }

    /// The changes since the last call.
    func takeChanges() -> [Change] {
        noted.withLock { changes in
            defer { changes = [] }
            return changes
        }
    }

    func load() async throws(MessageStoreError) -> LoadedMessages { try await store.load() }

    func body(at place: MessagePlace) async throws(MessageStoreError) -> [UInt8]? { try await store.body(at: place) }

    func apply(_ changes: [MessageStoreChange]) async throws(MessageStoreError) -> UInt64 {
        noted.withLock { noted in
            for (index, change) in changes.enumerated() {
                let count: Int? = if case .put(_, let body) = change { body.count + StoreSeal.overhead } else { nil }
                noted.append(Change(place: change.place, byteCount: count, isLast: index == changes.count - 1))
            }
        }
        return try await store.apply(changes)
    }
}

/// Files on a disk, of which is noted how far they were read and what was there when a transfer began.
final class CountedFiles: FileStorage {
    struct Count {
        /// The end of what was read of a source since it was opened.
        var readUpTo: UInt64 = 0
        /// How many bytes a partial file had whenever it was opened.
        var lengths: [UInt64] = []
        /// How many bytes have arrived.
        var arrived: UInt64 = 0
    }

    private let storage: DiskStorage
    let count = Mutex(Count())

    init(_ storage: DiskStorage) { self.storage = storage }

    var takesFiles: Bool { storage.takesFiles }
    func openSource(_ path: String) async throws(FileFault) -> any FileSource {
        Source(file: try await storage.openSource(path), files: self)
    }
    func find(_ name: PartialName) async -> FoundFile { await storage.find(name) }
    func openPartial(_ name: PartialName, size: UInt64) async throws(FileFault) -> any PartialFile {
        let file = try await storage.openPartial(name, size: size)
        let length = try await file.length()
        count.withLock {
            $0.lengths.append(length)
            $0.arrived = length
        }
        return Partial(file: file, files: self)
    }
    func discard(_ name: PartialName) async { await storage.discard(name) }
    func removeUntouched(forSeconds seconds: UInt64) async { await storage.removeUntouched(forSeconds: seconds) }
    func loadQueue() async -> [UInt8]? { await storage.loadQueue() }
    func saveQueue(_ sealed: [UInt8]) async throws(FileFault) { try await storage.saveQueue(sealed) }

    private struct Source: FileSource {
        let file: any FileSource
        let files: CountedFiles
        var size: UInt64 { file.size }
        var version: UInt64 { file.version }

        func read(at offset: UInt64, count: Int) async throws(FileFault) -> [UInt8] {
            files.count.withLock { $0.readUpTo = max($0.readUpTo, offset + UInt64(count)) }
            return try await file.read(at: offset, count: count)
        }

        func isUnchanged() async -> Bool { await file.isUnchanged() }
    }

    private struct Partial: PartialFile {
        let file: any PartialFile
        let files: CountedFiles

        func length() async throws(FileFault) -> UInt64 { try await file.length() }
        func read(at offset: UInt64, count: Int) async throws(FileFault) -> [UInt8] {
            try await file.read(at: offset, count: count)
        }
        func empty() async throws(FileFault) { try await file.empty() }
        func append(_ bytes: [UInt8]) async throws(FileFault) {
            try await file.append(bytes)
            files.count.withLock { $0.arrived += UInt64(bytes.count) }
        }
        func sync() async throws(FileFault) { try await file.sync() }
        func keep() async throws(FileFault) -> String { try await file.keep() }
    }
}

/// Links over TCP that can be cut.
final class CountedLinks: LinkTransport {
    private let transport: TCPTransport
    private let made = Mutex<[any InklingNode.Link]>([])

    init(_ transport: TCPTransport) { self.transport = transport }

    /// Closes every link that this side has made; returns whether there was one.
    func cut() async -> Bool {
        let links = made.withLock { links in
            defer { links = [] }
            return links
        }
        for link in links { await link.close() }
        return !links.isEmpty
    }

    func listen() async throws(LinkError) -> any LinkListener { try await transport.listen() }

    func connect(to endpoint: Endpoint, within timeout: Duration) async throws(LinkError) -> any InklingNode.Link {
        let link = try await transport.connect(to: endpoint, within: timeout)
        made.withLock { $0.append(link) }
        return link
    }

    func connectOnLink(to endpoint: Endpoint, within timeout: Duration) async throws(LinkError) -> any InklingNode.Link
    {
        let link = try await transport.connectOnLink(to: endpoint, within: timeout)
        made.withLock { $0.append(link) }
        return link
    }
}
