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
        public let epoch: Epoch
        public let ephemeral: Octets32

        public init(epoch: Epoch, ephemeral: Octets32) {
            self.epoch = epoch
            self.ephemeral = ephemeral
        }
    }

    private struct Page {
        /// Whether each entry has been authenticated.
        var isAuthenticated: [Octets32: Bool] = [:]
        /// Entries in order of arrival from `oldest` on, among them some that have been authenticated since.
        var arrivals: [Octets32] = []
        var oldest = 0
    }

    private var pages: [Epoch: Page] = [:]

    /// A cache that remembers the authenticated entries of an earlier run, as far as they fit.
    public init(restoring entries: some Sequence<Entry> = []) {
        for entry in entries where pages[entry.epoch, default: Page()].isAuthenticated.count < Self.limit {
            pages[entry.epoch, default: Page()].isAuthenticated[entry.ephemeral] = true
        }
    }

    /// The number of entries of an epoch.
    public func count(in epoch: Epoch) -> Int { pages[epoch]?.isAuthenticated.count ?? 0 }

    /// What must be stored before the replies to authenticated messages leave.
    public var authenticatedEntries: [Entry] {
        pages.flatMap { epoch, page in
            page.isAuthenticated.filter(\.value).map { Entry(epoch: epoch, ephemeral: $0.key) }
        }.sorted { ($0.epoch, $0.ephemeral) < ($1.epoch, $1.ephemeral) }
    }

    /// Remembers a message that passed the gate.
    ///
    /// - Throws: `HandshakeError.replayed` when it is known, `.replayCacheFull` when everything else in its epoch has
    ///   been authenticated. Either way the message is not answered.
    public mutating func insert(_ entry: Entry) throws(HandshakeError) {
        var page = pages.removeValue(forKey: entry.epoch) ?? Page()
        defer { pages[entry.epoch] = page }
        guard page.isAuthenticated[entry.ephemeral] == nil else { throw .replayed }
        while page.isAuthenticated.count >= Self.limit {
            guard page.oldest < page.arrivals.count else { throw .replayCacheFull }
            let candidate = page.arrivals[page.oldest]
            page.oldest += 1
            if page.isAuthenticated[candidate] == false { page.isAuthenticated[candidate] = nil }
        }
        if page.oldest > Self.limit {
            page.arrivals.removeFirst(page.oldest)
            page.oldest = 0
        }
        page.isAuthenticated[entry.ephemeral] = false
        page.arrivals.append(entry.ephemeral)
    }

    /// Notes that a remembered message came from a contact.
    public mutating func markAuthenticated(_ entry: Entry) {
        guard pages[entry.epoch]?.isAuthenticated[entry.ephemeral] != nil else { return }
        pages[entry.epoch]?.isAuthenticated[entry.ephemeral] = true
    }

    /// Forgets the epochs before `epoch`, whose messages the gate refuses anyway.
    public mutating func forget(before epoch: Epoch) {
        pages = pages.filter { $0.key >= epoch }
    }
}
