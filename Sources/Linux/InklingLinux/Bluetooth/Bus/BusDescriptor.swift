#if Node
    internal import Glibc
    internal import Synchronization

    /// A file descriptor received in a message or to be sent in one. It is closed with the last reference.
    final class BusDescriptor: Hashable, Sendable {
        private let number: Mutex<CInt>

        /// Takes ownership of an open descriptor.
        init(owning number: CInt) { self.number = Mutex(number) }

        deinit { number.withLock { if $0 >= 0 { close($0) } } }

        /// Transfers the descriptor to the caller, who closes it; `nil` if it was taken before.
        func take() -> CInt? {
            number.withLock { number in
                defer { number = -1 }
                return number >= 0 ? number : nil
            }
        }

        /// Lends the descriptor to `body`; −1 if it was taken.
        func withNumber<Result>(_ body: (CInt) -> Result) -> Result { number.withLock { body($0) } }

        static func == (left: BusDescriptor, right: BusDescriptor) -> Bool { left === right }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }
#endif
