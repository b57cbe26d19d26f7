public import InklingKeys

/// The first messages that have passed the gate, so that none is answered twice (`Specs/handshake.md`).
///
/// Bounded for each epoch. Only what was authenticated is worth keeping through a restart: whoever can replay it would
/// make the device answer. When an epoch is full, the oldest entry that never authenticated makes room; replaying it
/// costs us one Diffie-Hellman step and the replayer learns nothing.
public struct ReplayCache: Sendable {
    /// The most entries of one epoch.
    public static let limit = 4096

    /// One first message: the ephemeral key that nobody but its sender can have chosen, and the epoch it was sent for.
    public struct Entry: Hashable, Sendable {
        /// The epoch of the context whose gate the message passed.
        public let epoch: Epoch
        /// The message's ephemeral public key.
        public let ephemeral: Octets32

        /// An entry, as it was stored.
        public init(epoch: Epoch, ephemeral: Octets32) {
            self.epoch = epoch
            self.ephemeral = ephemeral
        }
    }

    private var pages: [Epoch: ReplayPage] = [:]

    /// A cache that remembers the authenticated entries of an earlier run, as far as they fit.
    public init(restoring entries: some Sequence<Entry> = []) {
        for entry in entries { pages[entry.epoch, default: ReplayPage()].restore(entry.ephemeral) }
    }

    /// The number of entries of an epoch.
    public func count(in epoch: Epoch) -> Int { pages[epoch]?.count ?? 0 }

    /// What must be stored before the replies to authenticated messages leave, ascending.
    public var authenticatedEntries: [Entry] {
        pages.sorted { $0.key < $1.key }.flatMap { epoch, page in
            page.authenticated.map { Entry(epoch: epoch, ephemeral: $0) }
        }
    }

    /// Remembers a message that passed the gate.
    ///
    /// - Throws: `HandshakeError.replayed` when it is known, `.replayCacheFull` when everything else in its epoch has
    ///   been authenticated. Either way the message is not answered.
    public mutating func insert(_ entry: Entry) throws(HandshakeError) {
        try pages[entry.epoch, default: ReplayPage()].insert(entry.ephemeral)
    }

    /// Notes that a remembered message came from a contact.
    public mutating func markAuthenticated(_ entry: Entry) {
        pages[entry.epoch]?.markAuthenticated(entry.ephemeral)
    }

    /// Forgets the epochs before `epoch`, whose messages the gate refuses anyway.
    public mutating func forget(before epoch: Epoch) {
        pages = pages.filter { $0.key >= epoch }
    }
}

/// The first messages of one epoch, or of one invitation, by their ephemeral keys.
struct ReplayPage: Sendable {
    /// Whether each message has been authenticated.
    private var isAuthenticated: [Octets32: Bool] = [:]
    /// Messages in order of arrival from `oldest` on, among them some that have been authenticated since.
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
