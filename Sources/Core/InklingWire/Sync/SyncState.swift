/// The stored state of the texts between this device and one other (`Specs/sync.md`).
public struct SyncState: Hashable, Sendable {
    /// The texts that this device sends.
    public var outgoing = Outgoing()
    /// The texts that this device receives.
    public var incoming = Incoming()

    /// Creates the state of two devices that have exchanged nothing.
    public init() {}

    /// Creates a state from its stored halves.
    public init(outgoing: Outgoing, incoming: Incoming) {
        self.outgoing = outgoing
        self.incoming = incoming
    }

    /// The queue of one device for another.
    public struct Outgoing: Hashable, Sendable {
        /// The number of the last text that is no longer kept; 0 at first.
        public internal(set) var base: UInt64 = 0
        /// The number of the next text to be queued, above `base`.
        public internal(set) var next: UInt64 = 1
        /// The total length in bytes of the texts that are kept.
        public internal(set) var byteCount: UInt64 = 0

        /// Creates an empty queue.
        public init() {}

        /// Creates a queue from its stored fields; nil if they do not fit each other.
        public init?(base: UInt64, next: UInt64, byteCount: UInt64) {
            guard base < next, next <= largestTextNumber else { return nil }
            self.base = base
            self.next = next
            self.byteCount = byteCount
        }

        /// The number of texts that are kept.
        public var count: UInt64 { next - 1 - base }
    }

    /// The texts that one device has received from another.
    public struct Incoming: Hashable, Sendable {
        /// The last text that is stored; nil if there has been none.
        public internal(set) var last: SyncReceipt.Last?
        /// The number of texts stored in all streams, withdrawn ones included: the arrival of the last one.
        public internal(set) var arrivals: UInt64 = 0
        /// The arrival of the last text that the application has taken.
        public internal(set) var taken: UInt64 = 0
        /// The total length in bytes of the texts that it has not taken.
        public internal(set) var byteCount: UInt64 = 0

        /// Creates the state before the first text.
        public init() {}

        /// Creates a state from its stored fields; nil if they do not fit each other.
        public init?(last: SyncReceipt.Last?, arrivals: UInt64, taken: UInt64, byteCount: UInt64) {
            guard taken <= arrivals, arrivals <= largestTextNumber, (last == nil) == (arrivals == 0) else { return nil }
            self.last = last
            self.arrivals = arrivals
            self.taken = taken
            self.byteCount = byteCount
        }
    }
}
