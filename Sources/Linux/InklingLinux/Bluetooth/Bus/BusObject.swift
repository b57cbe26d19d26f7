#if Node
    internal import Synchronization

    /// An object exported on the bus.
    struct BusObject: Sendable {
        /// The path, such as `/org/inkling/a1`.
        let path: String
        /// The interfaces and their properties.
        var interfaces: [String: [String: BusValue]]
        /// The well-known name whose owner alone may call the object; `nil` for anyone.
        let caller: String?
        /// Whether it lists the exported objects below its path (`org.freedesktop.DBus.ObjectManager`).
        let isManager: Bool
        /// The handler of all calls except reading properties. It runs on the bus thread and must not block.
        let handler: @Sendable (BusCall) -> Void

        /// Creates an object; without a handler every call is refused.
        init(
            path: String, interfaces: [String: [String: BusValue]] = [:], caller: String? = nil,
            isManager: Bool = false,
            handler: @escaping @Sendable (BusCall) -> Void = { $0.refuse(BusErrorName.unknownMethod) }
        ) {
            self.path = path
            self.interfaces = interfaces
            self.caller = caller
            self.isManager = isManager
            self.handler = handler
        }
    }

    /// A method call to an exported object. It is answered once, immediately or later; if it never is, it is refused
    /// when the last reference is released.
    final class BusCall: Sendable {
        /// The unique name of the caller.
        let sender: String
        let path: String
        let interface: String
        let member: String
        let arguments: [BusValue]
        private let answer: Mutex<(@Sendable (Result<[BusValue], BusFault>) -> Void)?>

        init(
            sender: String, path: String, interface: String, member: String, arguments: [BusValue],
            answer: @escaping @Sendable (Result<[BusValue], BusFault>) -> Void
        ) {
            self.sender = sender
            self.path = path
            self.interface = interface
            self.member = member
            self.arguments = arguments
            self.answer = Mutex(answer)
        }

        deinit { refuse(BusErrorName.failed) }

        /// Replies with these values; has no effect after an answer.
        func reply(_ values: [BusValue] = []) { takeAnswer()?(.success(values)) }

        /// Replies with an error; has no effect after an answer.
        func refuse(_ name: String) { takeAnswer()?(.failure(BusFault(name: name))) }

        private func takeAnswer() -> (@Sendable (Result<[BusValue], BusFault>) -> Void)? {
            answer.withLock { answer in
                defer { answer = nil }
                return answer
            }
        }
    }

    /// An error reply to a call.
    struct BusFault: Error {
        /// The name, such as `org.bluez.Error.Failed`.
        let name: String
    }
#endif
