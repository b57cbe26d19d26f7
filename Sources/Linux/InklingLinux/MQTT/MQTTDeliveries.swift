#if Node
    internal import Synchronization

    /// A bounded count of messages delivered by a broker but not yet consumed, and of those dropped.
    final class MQTTDeliveries: Sendable {
        /// The largest numbers of waiting messages and of their bytes.
        static let messageLimit = 10_000, byteLimit = 8 << 20
        /// The size in bytes above which a message is dropped.
        static let longest = 1 << 20

        private struct Counts {
            var messages = 0, bytes = 0
            var dropped: UInt64 = 0
        }

        private let counts = Mutex(Counts())

        /// The number of dropped messages.
        var dropped: UInt64 { counts.withLock { $0.dropped } }

        /// Returns whether a message of this size may wait, and counts it as waiting or as dropped.
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

        /// Counts a message of this size as consumed.
        func take(byteCount: Int) {
            counts.withLock { counts in
                counts.messages -= 1
                counts.bytes -= byteCount
            }
        }
    }

    extension MQTTMessage {
        /// The number of bytes counted while it waits.
        var byteCount: Int { topic.utf8.count + payload.count }
    }
#endif
