public import InklingKeys

/// The first messages that have passed the gate, so that the device replies to none of them twice
/// (`Specs/handshake.md`).
///
/// The number of entries is limited for each epoch. Only authenticated messages have to survive a restart, because a
/// replay of one of them would make the device reply. When an epoch is full, the oldest entry that has not
/// authenticated is removed; a replay of it costs the device one Diffie-Hellman step and reveals nothing.
public struct ReplayCache: Sendable {
    /// The maximum number of entries of an epoch.
    public static let limit = 4096

    /// A first message, identified by its ephemeral key, and the epoch for which it was sent.
    public struct Entry: Hashable, Sendable {
        /// The epoch of the context whose gate the message passed.
        public let epoch: Epoch
        /// The ephemeral public key in the message.
        public let ephemeral: Octets32

        /// Creates an entry, for example from storage.
        public init(epoch: Epoch, ephemeral: Octets32) {
            self.epoch = epoch
            self.ephemeral = ephemeral
        }
    }

    private var pages: [Epoch: ReplayPage] = [:]

    /// Creates a cache with the authenticated entries of an earlier run, up to the limit of each epoch.
    public init(restoring entries: some Sequence<Entry> = []) {
        for entry in entries { pages[entry.epoch, default: ReplayPage()].restore(entry.ephemeral) }
    }

    /// Returns the number of entries of an epoch.
    public func count(in epoch: Epoch) -> Int { pages[epoch]?.count ?? 0 }

    /// The authenticated entries, ascending. They must be stored before the replies to these messages are sent.
    public var authenticatedEntries: [Entry] {
        pages.sorted { $0.key < $1.key }.flatMap { epoch, page in
            page.authenticated.map { Entry(epoch: epoch, ephemeral: $0) }
        }
    }

    /// Adds a message that passed the gate.
    ///
    /// - Throws: `HandshakeError.replayed` if the message is in the cache, `.replayCacheFull` if the epoch is full of
    ///   authenticated messages. In both cases, the device does not reply to the message.
    public mutating func insert(_ entry: Entry) throws(HandshakeError) {
        try pages[entry.epoch, default: ReplayPage()].insert(entry.ephemeral)
    }

    /// Marks a message in the cache as authenticated.
    public mutating func markAuthenticated(_ entry: Entry) {
        pages[entry.epoch]?.markAuthenticated(entry.ephemeral)
    }

    /// Removes the entries of the epochs before `epoch`, whose messages no longer pass the gate.
    public mutating func forget(before epoch: Epoch) {
        pages = pages.filter { $0.key >= epoch }
    }
}

/// The ephemeral keys of the first messages of one epoch or of one invitation.
struct ReplayPage: Sendable {
    /// Whether each message has been authenticated.
    private var isAuthenticated: [Octets32: Bool] = [:]
    /// The messages in order of arrival, from index `oldest`; some of them may have been authenticated since.
    private var arrivals: [Octets32] = []
    private var oldest = 0

    var count: Int { isAuthenticated.count }

    /// The authenticated messages, ascending.
    var authenticated: [Octets32] { isAuthenticated.filter(\.value).map(\.key).sorted() }

    mutating func restore(_ ephemeral: Octets32) {
        if count < ReplayCache.limit { isAuthenticated[ephemeral] = true }
    }

    mutating func insert(_ ephemeral: Octets32) throws(HandshakeError) {
        guard isAuthenticated[ephemeral] == nil else { throw .replayed }
        while count >= ReplayCache.limit {
            guard oldest < arrivals.count else { throw .replayCacheFull }
            let candidate = arrivals[oldest]
            oldest += 1
            if isAuthenticated[candidate] == false { isAuthenticated[candidate] = nil }
        }
        if oldest > ReplayCache.limit {
            arrivals.removeFirst(oldest)
            oldest = 0
        }
        isAuthenticated[ephemeral] = false
        arrivals.append(ephemeral)
    }

    mutating func markAuthenticated(_ ephemeral: Octets32) {
        if isAuthenticated[ephemeral] != nil { isAuthenticated[ephemeral] = true }
    }
}
