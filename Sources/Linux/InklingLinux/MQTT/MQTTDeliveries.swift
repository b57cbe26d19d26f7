#if Node
    internal import Synchronization

    /// Counts what a broker has delivered and nobody has taken yet, within a bound, and what was dropped because of it.
    final class MQTTDeliveries: Sendable {
        /// How many messages, and how many bytes of them, wait at most.
        static let messageLimit = 10_000, byteLimit = 8 << 20
        /// The longest message that is taken, in bytes.
        static let longest = 1 << 20

        private struct Counts {
            var messages = 0, bytes = 0
            var dropped: UInt64 = 0
        }

        private let counts = Mutex(Counts())

        /// How many messages were dropped.
        var dropped: UInt64 { counts.withLock { $0.dropped } }

        /// Whether a message of so many bytes may wait; it counts from now on, as waiting or as dropped.
        func admit(byteCount: Int) -> Bool {
            counts.withLock { counts in
                guard byteCount <= Self.longest, counts.messages < Self.messageLimit,
                    counts.bytes + byteCount <= Self.byteLimit
                else {
                    counts.dropped &+= 1
                    return false
                }
                counts.messages += 1
                counts.bytes += byteCount
                return true
            }
        }

        /// A message of so many bytes was taken, and does not wait any more.
        func take(byteCount: Int) {
            counts.withLock { counts in
                counts.messages -= 1
                counts.bytes -= byteCount
            }
        }
    }

    extension MQTTMessage {
        /// The bytes that count while it waits.
        var byteCount: Int { topic.utf8.count + payload.count }
    }
#endif
