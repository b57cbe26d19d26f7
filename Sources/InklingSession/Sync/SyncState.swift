/// What is stored about the texts between this device and one other (`Specs/sync.md`).
public struct SyncState: Hashable, Sendable {
    /// The texts that this device sends.
    public var outgoing: Outgoing
    /// The texts that this device receives.
    public var incoming = Incoming()

    /// Creates the state of two devices that have exchanged nothing, with a stream that the caller has drawn.
    public init(stream: StreamID) { outgoing = Outgoing(stream: stream) }

    /// Creates a state from its stored halves.
    public init(outgoing: Outgoing, incoming: Incoming) {
        self.outgoing = outgoing
        self.incoming = incoming
    }

    /// The queue of one device for another.
    public struct Outgoing: Hashable, Sendable {
        /// How many earlier streams are remembered.
        public static let ancestorLimit = 4

        /// An earlier stream of this queue.
        public struct Ancestor: Hashable, Sendable {
            /// The stream.
            public let stream: StreamID
            /// The texts with lower numbers are the same in it and in the present stream.
            public let limit: UInt64

            /// Creates it from what is stored.
            public init(stream: StreamID, limit: UInt64) {
                self.stream = stream
                self.limit = limit
            }
        }

        /// The stream in which the texts are numbered.
        public private(set) var stream: StreamID
        /// Streams that this queue continues, newest first.
        public private(set) var ancestors: [Ancestor] = []
        /// The number of the last text that is no longer kept; 0 at first.
        public internal(set) var base: UInt64 = 0
        /// The identifier of that text; nil if it is not known, as at first.
        public internal(set) var baseID: TextID?
        /// The number of the next text to be queued, above `base`.
        public internal(set) var next: UInt64 = 1
        /// The total length in bytes of the texts that are kept.
        public internal(set) var byteCount: UInt64 = 0

        /// Creates an empty queue.
        public init(stream: StreamID) { self.stream = stream }

        /// Creates a queue from its stored fields; nil if they do not fit each other.
        public init?(
            stream: StreamID, ancestors: [Ancestor], base: UInt64, baseID: TextID?, next: UInt64, byteCount: UInt64
        ) {
            guard ancestors.count <= Self.ancestorLimit, base < next, next <= largestTextNumber,
                ancestors.allSatisfy({ $0.stream != stream && $0.limit > 0 && $0.limit <= next })
            else { return nil }
            self.stream = stream
            self.ancestors = ancestors
            self.base = base
            self.baseID = baseID
            self.next = next
            self.byteCount = byteCount
        }

        /// How many texts are kept.
        public var count: UInt64 { next - 1 - base }

        /// Continues in a new stream after the queue has been restored from a copy. The copy may lack texts that were
        /// sent later, whose numbers must not stand for others. Store the result before the machine is created.
        public mutating func restored(as stream: StreamID) {
            ancestors = [Ancestor(stream: self.stream, limit: next)] + ancestors.prefix(Self.ancestorLimit - 1)
            self.stream = stream
        }

        /// Continues in a new stream of which nothing is the same as in an earlier one.
        mutating func restart(as stream: StreamID) {
            ancestors = []
            self.stream = stream
        }
    }

    /// What one device has received from another.
    public struct Incoming: Hashable, Sendable {
        /// The last text that is stored; nil if there has been none.
        public internal(set) var last: SyncReceipt.Last?
        /// How many texts have been stored, in all streams: the arrival of the last one. A withdrawn text counts.
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
