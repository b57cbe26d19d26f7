import CDeliveryPeers
import Glibc
import InklingKeys
import InklingNode
import InklingWire
import Synchronization

/// What texts and files cost from one node to another over TCP on the loopback interface, both nodes in this process, against
/// plain sockets, bare ciphers, and the same commits of SQLite alone.
///
/// Contestants take turns; what is compared is the processor time of all threads, of both sides. Texts are stored by both
/// nodes with SQLite, which waits for the disk at each commit. The processes of a quick run are for a glance.
func deliveryFigures(rounds: Int) async -> [Figure] {
    do {
        let pair = try await DeliveryPair()
        let repeats = max(3, rounds / 3), isQuick = rounds < 10
        var figures = try await textFigures(pair, repeats: repeats, count: isQuick ? 100 : 400)
        figures += try await fileFigures(pair, repeats: repeats, size: isQuick ? 8_000_000 : 64_000_000)
        figures += try await cutFigures(pair, cuts: isQuick ? 3 : 15, size: isQuick ? 8_000_000 : 64_000_000)
        await pair.end()
        return figures
    } catch {
        fail("no delivery: \(error)")
    }
}

/// The processor time of our work and of that of others, in turns.
private struct Turns {
    let names: [String]
    var spent: [[Spent]]

    init(_ names: [String]) {
        self.names = names
        spent = names.map { _ in [] }
    }

    /// Figures in operations per second of processor time.
    func figures(_ measure: String, in unit: String, each count: Double, limits: [Int: Double]) -> [Figure] {
        names.indices.map { index in
            let time = median(spent[index].map(\.processor))
            var figure = Figure(
                measure: measure, unit: unit, contestant: names[index], value: .perSecond(count / time))
            guard index > 0 else { return figure }
            let ratios = zip(spent[0], spent[index]).map { $1.processor / $0.processor }.sorted()
            figure.ratio = (ratios[ratios.count / 4], ratios[ratios.count / 2], ratios[ratios.count * 3 / 4])
            if let limit = limits[index] {
                let times = 1 / ratios[ratios.count / 2]
                figure.promise = (
                    "\(hundredths(times)) × its processor time, at most \(hundredths(limit))", times <= limit
                )
            }
            return figure
        }
    }
}

private func need(_ failedLine: Int32, _ what: String) {
    guard failedLine == 0 else { fail("\(what): the peer failed at line \(failedLine)") }
}

// MARK: Texts

private func textFigures(_ pair: DeliveryPair, repeats: Int, count: Int) async throws -> [Figure] {
    let text = String(repeating: "x", count: 200)
    let (sender, receiver) = (pair.sender, pair.receiver)
    // The application of the receiver takes each text, and waits until that is stored.
    let taken = AsyncStream<Void>.makeStream()
    let application = Task {
        for await message in receiver.node.incoming {
            try await receiver.node.acknowledge(message.id, from: message.contact)
            taken.continuation.yield()
        }
    }
    var arrivals = taken.stream.makeAsyncIterator()

    /// Queues texts, one after the other or many at once, and waits until each was taken and acknowledged.
    func deliver(_ count: Int, atOnce: Int) async throws {
        let last = try await withThrowingTaskGroup(of: TextID.self) { group in
            var last: TextID?
            for number in 0..<count {
                if number >= atOnce { last = try await group.next() }
                group.addTask { try await sender.node.queue(text, for: receiver.user) }
            }
            for try await id in group { last = id }
            return last
        }
        for _ in 0..<count { await arrivals.next() }
        if let last { try? await sender.node.awaitDelivery(of: last, within: .seconds(30)) }
    }

    var figures: [Figure] = []
    for (label, atOnce) in [("one after the other", 1), ("64 at once", 64)] {
        var turns = Turns([
            "two nodes", "SQLite alone, the same commits of the same rows", "plain sockets, without a disk",
        ])
        var (wall, commits, bytes) = ([Double](), [Double](), [Double]())
        try await deliver(count / 4, atOnce: atOnce)
        for round in 0..<repeats {
            _ = (sender.store.takeChanges(), receiver.store.takeChanges())
            let spent = try await Spent.measuring { try await deliver(count, atOnce: atOnce) }
            turns.spent[0].append(spent)
            wall.append(Double(count) / spent.wall)
            let both = [sender.store.takeChanges(), receiver.store.takeChanges()]
            commits.append(Double(both.joined().count(where: \.isLast)) / Double(count))
            bytes.append(Double(both.joined().reduce(0) { $0 + ($1.byteCount ?? 0) }) / Double(count))
            for (side, changes) in both.enumerated() {
                let path = pair.path("commits-\(atOnce)-\(round)-\(side)")
                let same = changes.map(\.peersChange)
                let alone = await Spent.measuring { need(peers_commit(path, same, same.count), "SQLite") }
                if side == 0 { turns.spent[1].append(alone) } else { turns.spent[1][round] += alone }
            }
            turns.spent[2].append(
                await Spent.measuring { need(peers_exchange(count, 256), "sockets") })
        }
        let measure =
            "texts of 200 bytes from the queue of one node until the application of another has taken them, \(label)"
        figures += turns.figures(measure, in: "texts of processor time", each: Double(count), limits: [1: 1.5])
        for (what, values) in [
            ("texts in a second that passes, which waits for the disk", wall),
            ("commits for each text, of both sides", commits), ("bytes of rows for each text, of both sides", bytes),
        ] {
            figures.append(
                Figure(
                    measure: measure + ": what it took", unit: "see each", contestant: what,
                    value: .number(median(values))))
        }
    }
    application.cancel()
    return figures
}

extension CountedStore.Change {
    /// The same change under a name of its own.
    fileprivate var peersChange: peers_change {
        var change = peers_change()
        var hasher = Hasher()
        hasher.combine(place)
        let name = UInt64(bitPattern: Int64(hasher.finalize()))
        withUnsafeMutableBytes(of: &change.name) { bytes in
            bytes.storeBytes(of: name, as: UInt64.self)
            bytes.storeBytes(of: name &* 0x9e37_79b9_7f4a_7c15, toByteOffset: 8, as: UInt64.self)
        }
        change.length = UInt32(byteCount ?? 0)
        change.is_last = isLast ? 1 : 0
        return change
    }
}

// MARK: Files

private func makeFile(_ path: String, size: Int) {
    // Cheap bytes, other ones each time, because a file that was sent is known.
    var state = UInt64.random(in: 1...UInt64.max)
    guard let file = fopen(path, "w") else { fail("no file at \(path)") }
    defer { fclose(file) }
    var left = size
    while left > 0 {
        let block = (0..<min(left, 1 << 20) / 8 + 1).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
        let count = min(left, 1 << 20)
        guard fwrite(block, 1, count, file) == count else { fail("no room for \(path)") }
        left -= count
    }
}

/// Sends a file, and returns when the receiver has judged it.
private func send(_ path: String, in pair: DeliveryPair) async throws {
    let transfers = pair.sender.node.transfers
    let id = try await pair.sender.node.sendFile(at: path, to: pair.receiver.user).description
    for await transfer in transfers where transfer.id == id {
        if transfer.state == .delivered { return }
        if transfer.state == .ended || transfer.state == .paused {
            fail("a file has ended: \(String(describing: transfer.reason))")
        }
    }
}

private func fileFigures(_ pair: DeliveryPair, repeats: Int, size: Int) async throws -> [Figure] {
    let path = pair.path("source"), copy = pair.path("copy")
    let frame = FileWords.chunkLimit, half = Int(IncomingFile.window / 2)
    let peers: [(name: String, cipher: Int, frame: Int, synced: Int)] = [
        ("a socket, AES-256-GCM by OpenSSL", PEERS_AES_GCM_OPENSSL, frame, 0),
        ("a socket, ChaCha20-Poly1305 by OpenSSL", PEERS_CHACHA_OPENSSL, frame, 0),
        ("a socket, ChaCha20-Poly1305 by OpenSSL, frames of 64 KiB", PEERS_CHACHA_OPENSSL, 65_536, 0),
        ("a socket, ChaCha20-Poly1305 by libsodium", PEERS_CHACHA_SODIUM, frame, 0),
        ("  … with digests and syncs as the nodes make them", PEERS_CHACHA_SODIUM, frame, half),
        ("a socket, nothing sealed", PEERS_PLAIN, frame, 0),
    ]
    var turns = Turns(["two nodes"] + peers.map(\.name))
    var wall: [Double] = []
    for round in 0...repeats {
        // Another file each time: one that was sent is known.
        makeFile(path, size: size)
        let spent = try await Spent.measuring { try await send(path, in: pair) }
        let others = await peers.asyncMap { peer in
            await Spent.measuring {
                need(peers_copy_file(path, copy, Int32(peer.cipher), peer.frame, peer.synced), peer.name)
            }
        }
        // The first round warms up.
        guard round > 0 else { continue }
        wall.append(Double(size) / spent.wall / 1e6)
        for (index, spent) in ([spent] + others).enumerated() { turns.spent[index].append(spent) }
    }
    let measure =
        "a file of \(size / 1_000_000) MB from one node to another, both sides, over TCP on the loopback interface"
    // 0.7 times the rate of the bare cipher that the records have.
    return turns.figures(
        measure, in: "megabytes of processor time", each: Double(size) / 1e6, limits: [4: 1 / 0.7])
        + [
            Figure(
                measure: measure + ": what it took", unit: "see each",
                contestant: "megabytes in a second that passes, which waits for the disk", value: .number(median(wall)))
        ]
}

extension Array {
    fileprivate func asyncMap<Result>(_ body: (Element) async -> Result) async -> [Result] {
        var results: [Result] = []
        for element in self { results.append(await body(element)) }
        return results
    }
}

// MARK: Cuts

/// The link is cut when a random number of bytes has arrived; the nodes call each other again, and go on.
private func cutFigures(_ pair: DeliveryPair, cuts: Int, size: Int) async throws -> [Figure] {
    let path = pair.path("source")
    let (sender, receiver) = (pair.sender, pair.receiver)
    var (repeated, wall, processor, digests) = ([Double](), [Double](), [Double](), [Double]())
    for _ in 0..<cuts {
        makeFile(path, size: size)
        sender.files.count.withLock { $0 = CountedFiles.Count() }
        receiver.files.count.withLock { $0 = CountedFiles.Count() }
        let target = UInt64.random(in: 1..<UInt64(size) * 9 / 10)
        let sending = Task { try await send(path, in: pair) }
        while receiver.files.count.withLock({ $0.lengths.isEmpty || $0.arrived < target }) {
            try await Task.sleep(for: .microseconds(200))
        }
        let read = sender.files.count.withLock { $0.readUpTo }
        let before = Spent.now
        let isCut = await sender.links.cut()
        let isCutThere = await receiver.links.cut()
        guard isCut || isCutThere else { fail("no link was cut") }
        var resumed: UInt64 = 0
        while true {
            let count = receiver.files.count.withLock { $0 }
            if count.lengths.count > 1, let length = count.lengths.last, count.arrived > length {
                resumed = length
                break
            }
            try await Task.sleep(for: .microseconds(500))
        }
        let spent = Spent.now - before
        try await sending.value
        repeated.append(Double(max(read, resumed) - resumed))
        wall.append(spent.wall)
        processor.append(spent.processor * 1000)
        digests.append(
            await Spent.measuring { need(peers_digest_file(path, resumed), "digest") }.processor * 2000)
    }
    func figure(_ what: String, _ value: Double, _ promise: Promise? = nil) -> Figure {
        Figure(
            measure: "a file of \(size / 1_000_000) MB whose link is cut at a random byte, \(cuts) times",
            unit: "see each",
            contestant: what, value: .number(value), promise: promise?.kept(perSecond: value))
    }
    let worst = repeated.max() ?? 0
    return [
        figure("bytes that are sent again, median", median(repeated)),
        figure("  … at most: a window", worst, .value(atMost: Double(IncomingFile.window))),
        figure("seconds that pass until bytes are stored again, median", median(wall)),
        figure("  … at most", wall.max() ?? 0),
        figure("milliseconds of processor time of both sides until then, median", median(processor)),
        figure("  … of OpenSSL, which digests what is there, twice", median(digests)),
    ]
}
