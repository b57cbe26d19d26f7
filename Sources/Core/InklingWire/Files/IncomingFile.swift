package import InklingKeys

/// The receiver's side of one transfer that was granted (`Specs/files.md`): events in, effects out. It writes nothing
/// itself, and nothing is written before it exists.
package struct IncomingFile: Sendable {
    /// The window over TCP in bytes.
    package static let window: UInt32 = 1 << 18
    /// The window over GATT in bytes, so that a text waits only for a few chunks.
    package static let radioWindow: UInt32 = 8000

    /// An event of the transfer.
    package enum Event: Sendable {
        /// The partial file is open, with this length and digest of its content.
        case opened(offset: UInt64, digest: Octets32)
        case words(FileWords)
        /// Everything before the offset would survive a loss of power.
        case written(offset: UInt64)
        /// The digest was compared, and the file has its name if it is right.
        case judged(isRight: Bool)
        /// The partial file cannot be opened, written or given a name.
        case failed
        /// The session has ended.
        case sessionEnded
        /// Nothing has arrived for a long time.
        case stalled
        /// The user ends it.
        case cancel
    }

    /// An action for the caller. The order matters.
    package enum Effect: Hashable, Sendable {
        case say(FileWords)
        /// Open or create the partial file, and report its length and digest.
        case open
        /// Empty the partial file.
        case restart
        /// Write the next bytes.
        case write(offset: UInt64, [UInt8])
        /// Make the written bytes survive a loss of power, and report it.
        case sync
        /// Compare the digest of the whole, and give the file its name only if it is right.
        case judge(digest: Octets32)
        /// Close the partial file and keep it.
        case close
        /// Remove the partial file.
        case discard
        /// This many bytes are stored.
        case progress(UInt64)
        case ended(Outcome)
    }

    /// The end of a transfer for its receiver.
    package enum Outcome: Hashable, Sendable {
        /// The file is right and has a name.
        case kept
        /// One side has ended or interrupted it, for this reason.
        case stopped(FileStopReason, byPeer: Bool)
        /// The session has ended; the transfer can continue in another one.
        case interrupted
    }

    private enum State: Hashable, Sendable {
        case opening
        case receiving
        case judging
        case over
    }

    /// The id of the transfer.
    package let id: TransferID
    /// The size that was offered and granted.
    package let size: UInt64
    private let chunkLimit: Int
    private let window: UInt64
    private var state = State.opening
    /// The offset of the next chunk.
    private var next: UInt64 = 0
    /// The end of the stored bytes, as the sender was told.
    private var stored: UInt64 = 0
    private var syncedUpTo: UInt64 = 0
    private var isFirst = true

    /// Creates the transfer of a file that the receiver's user or rule has granted, and the effects with which it begins.
    package static func begin(_ id: TransferID, size: UInt64, isRadio: Bool) -> (IncomingFile, [Effect]) {
        (IncomingFile(id, size: size, isRadio: isRadio), [.open])
    }

    private init(_ id: TransferID, size: UInt64, isRadio: Bool) {
        self.id = id
        self.size = size
        chunkLimit = isRadio ? FileWords.radioChunkLimit : FileWords.chunkLimit
        window = UInt64(isRadio ? Self.radioWindow : Self.window)
    }

    /// Whether the transfer is over.
    package var isOver: Bool { state == .over }

    /// Handles an event.
    ///
    /// - Throws: `FileMisuse` when the other side breaks a rule, which ends the session.
    package mutating func handle(_ event: Event) throws(FileMisuse) -> [Effect] {
        guard state != .over else { return [] }
        switch event {
        case .opened(let offset, let digest):
            guard state == .opening else { return [] }
            // A partial file that is longer than the whole does not belong to this transfer.
            guard offset <= size else { return stop(.noRoom, .discard) }
            state = .receiving
            (next, stored, syncedUpTo) = (offset, offset, offset)
            return [
                .say(.grant(id, FileGrant(offset: offset, window: UInt32(window), digest: digest))),
                .progress(offset),
            ]
        case .words(let words): return try take(words)
        case .written(let offset):
            guard state == .receiving, offset > stored, offset <= next else { return [] }
            stored = offset
            return [.say(.taken(id, offset: offset)), .progress(offset)]
        case .judged(let isRight):
            guard state == .judging else { return [] }
            guard isRight else { return stop(.wrongDigest, .discard) }
            state = .over
            return [.say(.done(id)), .close, .ended(.kept)]
        case .failed: return stop(.noRoom, .close)
        case .stalled: return stop(.busy, .close)
        case .cancel: return stop(.cancelled, .discard)
        case .sessionEnded:
            // A digest that is being compared is not interrupted: the file may have its name already.
            state = .over
            return [.close, .ended(.interrupted)]
        }
    }

    private mutating func take(_ words: FileWords) throws(FileMisuse) -> [Effect] {
        switch words {
        case .chunk(_, let offset, let bytes): return try take(bytes, at: offset)
        case .end(_, let digest):
            guard state == .receiving else { throw .unasked }
            // A sender whose file does not begin with the stored bytes starts over, even with an empty file.
            guard next == size else { throw .earlyEnd }
            state = .judging
            return [.judge(digest: digest)]
        case .stop(_, let reason):
            state = .over
            let keeps = reason != .cancelled
            return [keeps ? .close : .discard, .ended(.stopped(reason, byPeer: true))]
        case .offer: return []  // repeated
        case .grant, .taken, .done: throw .unasked
        }
    }

    private mutating func take(_ bytes: [UInt8], at offset: UInt64) throws(FileMisuse) -> [Effect] {
        guard state == .receiving else { throw .unasked }
        guard bytes.count <= chunkLimit else { throw .longChunk }
        var effects: [Effect] = []
        if isFirst, offset == 0, next > 0 {
            effects.append(.restart)
            (next, stored, syncedUpTo) = (0, 0, 0)
        }
        isFirst = false
        guard offset == next else { throw .outOfOrder }
        guard UInt64(bytes.count) <= size - next else { throw .beyondSize }
        guard next + UInt64(bytes.count) - stored <= window else { throw .beyondWindow }
        next += UInt64(bytes.count)
        effects.append(.write(offset: offset, bytes))
        // Twice in a window, so that the sender need not wait, and at the end.
        if next - syncedUpTo >= window / 2 || next == size {
            syncedUpTo = next
            effects.append(.sync)
        }
        return effects
    }

    private mutating func stop(_ reason: FileStopReason, _ effect: Effect) -> [Effect] {
        state = .over
        return [.say(.stop(id, reason)), effect, .ended(.stopped(reason, byPeer: false))]
    }
}
