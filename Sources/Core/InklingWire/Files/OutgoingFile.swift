package import InklingKeys

/// The sender's side of one transfer (`Specs/files.md`): events in, effects out. It reads nothing itself.
package struct OutgoingFile: Sendable {
    /// The number of chunks that are read at once.
    private static let chunksAtOnce = 4

    /// An event of the transfer. `round` is that of the effect to which a result belongs.
    package enum Event: Sendable {
        /// A session with the receiver can be used; over GATT the chunks are short.
        case sessionBegan(isRadio: Bool)
        case sessionEnded
        case words(FileWords)
        /// The digest of the first bytes of the file; nil when they cannot be read or have changed.
        case prefix(round: UInt64, Octets32?)
        /// The next bytes of the file, as many as requested; nil when they cannot be read or the file has changed.
        case read(round: UInt64, [UInt8]?)
        /// The digest of the whole; nil when the file has changed.
        case digest(round: UInt64, Octets32?)
        /// The user interrupts the transfer.
        case pause
        /// The user ends it.
        case cancel
    }

    /// An action for the caller. The order matters.
    package enum Effect: Hashable, Sendable {
        case say(FileWords)
        /// Read the first `count` bytes of the file again, keep their running digest, and report it.
        case digestPrefix(round: UInt64, count: UInt64)
        /// Read the next bytes, and add them to the running digest.
        case read(round: UInt64, offset: UInt64, count: Int)
        /// Report the running digest, if the file is as it was.
        case finishDigest(round: UInt64)
        /// The receiver has stored everything before this offset.
        case progress(UInt64)
        /// The transfer is over, or waits for the user or for another session.
        case ended(Outcome)
    }

    /// The end of a transfer for its sender.
    package enum Outcome: Hashable, Sendable {
        /// The receiver has judged and kept the file.
        case delivered
        /// One side has ended or interrupted it, for this reason.
        case stopped(FileStopReason, byPeer: Bool)
    }

    /// The progress of the transfer.
    private enum State: Hashable, Sendable {
        case waiting
        case offered
        case checking(FileGrant)
        case sending
        /// The digest of the whole is being computed, or was sent.
        case finishing
        case over
    }

    /// The id of the transfer.
    package let id: TransferID
    /// The size of the file in bytes.
    package let size: UInt64
    private var state = State.waiting
    private var chunkLimit = FileWords.chunkLimit
    private var window: UInt64 = 0
    /// The end of the bytes that were read and sent.
    private var next: UInt64 = 0
    /// The end of the bytes that the receiver has stored.
    package private(set) var acknowledged: UInt64 = 0
    private var isReading = false
    private var hasSaidEnd = false
    private var round: UInt64 = 0

    /// Creates the transfer of a file of `size` bytes, at most `FileWords.sizeLimit`.
    package init(_ id: TransferID, size: UInt64) {
        self.id = id
        self.size = min(size, FileWords.sizeLimit)
    }

    /// Whether the receiver has granted it in this session, so that parts of it are in memory.
    package var isRunning: Bool {
        switch state {
        case .checking, .sending, .finishing: true
        case .waiting, .offered, .over: false
        }
    }

    /// Whether it was offered in this session and not answered.
    package var isOffered: Bool { state == .offered }

    /// Whether it waits for a session.
    package var isWaiting: Bool { state == .waiting }

    /// Handles an event.
    ///
    /// - Throws: `FileMisuse` when the other side breaks a rule, which ends the session.
    package mutating func handle(_ event: Event) throws(FileMisuse) -> [Effect] {
        guard state != .over else { return [] }
        switch event {
        case .sessionBegan(let isRadio):
            chunkLimit = isRadio ? FileWords.radioChunkLimit : FileWords.chunkLimit
            reset(to: .offered)
            return [.say(.offer(id, size: size))]
        case .sessionEnded:
            reset(to: .waiting)
            return []
        case .words(let words): return try take(words)
        case .prefix(round, let digest): return begin(digest)
        case .read(round, let bytes): return send(bytes)
        case .digest(round, let digest):
            guard state == .finishing, !hasSaidEnd else { return [] }
            guard let digest else { return stop(.unreadable) }
            hasSaidEnd = true
            return [.say(.end(id, digest: digest))]
        case .prefix, .read, .digest: return []  // of a session that has ended
        case .pause: return stop(.paused)
        case .cancel: return stop(.cancelled)
        }
    }

    private mutating func reset(to state: State) {
        self.state = state
        round += 1
        isReading = false
        hasSaidEnd = false
    }

    private mutating func take(_ words: FileWords) throws(FileMisuse) -> [Effect] {
        switch words {
        case .grant(_, let grant):
            // An answer to an offer that was withdrawn, or a second one.
            guard state == .offered else { throw .unasked }
            guard grant.offset <= size else { throw .beyondSize }
            state = .checking(grant)
            return [.digestPrefix(round: round, count: grant.offset)]
        case .taken(_, let offset):
            guard state == .sending || state == .finishing, (acknowledged...next).contains(offset) else {
                throw .unasked
            }
            acknowledged = offset
            return [.progress(offset)] + readMore()
        case .done:
            guard state == .offered || state == .finishing && hasSaidEnd else { throw .unasked }
            state = .over
            acknowledged = size
            return [.ended(.delivered)]
        case .stop(_, let reason):
            reset(to: .over)
            return [.ended(.stopped(reason, byPeer: true))]
        case .offer, .chunk, .end: throw .unasked
        }
    }

    private mutating func begin(_ digest: Octets32?) -> [Effect] {
        guard case .checking(let grant) = state else { return [] }
        guard let digest else { return stop(.unreadable) }
        if digest != grant.digest, grant.offset > 0 {
            // The receiver's bytes are not the beginning of this file, so the file is sent from its beginning.
            round += 1
            state = .checking(FileGrant(offset: 0, window: grant.window, digest: digest))
            return [.digestPrefix(round: round, count: 0)]
        }
        state = .sending
        window = UInt64(grant.window)
        next = grant.offset
        acknowledged = grant.offset
        return [.progress(acknowledged)] + readMore()
    }

    /// Asks for as many bytes as the window has room for.
    private mutating func readMore() -> [Effect] {
        guard state == .sending, !isReading else { return [] }
        guard next < size else {
            state = .finishing
            return [.finishDigest(round: round)]
        }
        let room = window - min(window, next - acknowledged)
        let left = size - next
        // At least a chunk, unless the receiver's whole window is smaller: a short chunk costs as much as a long one.
        guard room >= min(UInt64(chunkLimit), left, window) else { return [] }
        isReading = true
        let count = min(room, left, UInt64(Self.chunksAtOnce * chunkLimit))
        return [.read(round: round, offset: next, count: Int(count))]
    }

    private mutating func send(_ bytes: [UInt8]?) -> [Effect] {
        guard state == .sending, isReading else { return [] }
        guard let bytes, !bytes.isEmpty else { return stop(.unreadable) }
        isReading = false
        var effects: [Effect] = []
        var start = 0
        while start < bytes.count {
            let end = min(start + chunkLimit, bytes.count)
            effects.append(.say(.chunk(id, offset: next, Array(bytes[start..<end]))))
            next += UInt64(end - start)
            start = end
        }
        return effects + readMore()
    }

    private mutating func stop(_ reason: FileStopReason) -> [Effect] {
        let isHeard = state != .waiting
        reset(to: .over)
        return (isHeard ? [.say(.stop(id, reason))] : []) + [.ended(.stopped(reason, byPeer: false))]
    }
}

/// A breach of a rule of `Specs/files.md` by the other side; its session ends without a reply.
package enum FileMisuse: String, Refusal {
    /// A message about a transfer in which it has no place.
    case unasked
    /// An offset beyond the size of the file.
    case beyondSize = "beyond-size"
    /// A chunk that does not begin where the one before it ended.
    case outOfOrder = "out-of-order"
    /// More bytes than the window has room for.
    case beyondWindow = "beyond-window"
    /// A chunk that is longer than the link technology allows.
    case longChunk = "long-chunk"
    /// The end before the last byte.
    case earlyEnd = "early-end"

    package var stage: String { "file" }
    package var reason: String { rawValue }
}
