#if Node
    internal import InklingKeys

    /// A connection to a message bus, such as the system bus, with its own thread.
    ///
    /// Requests are sent in the order of the calls.
    final class Bus: Sendable {
        /// The longest wait for the bus in `open`.
        static let openingLimit = Duration.seconds(5)
        /// A function that returns how long a method call waits, given the requested time; `nil` for no limit. Most
        /// tests wait without a limit.
        typealias Limit = @Sendable (_ member: String, _ asked: Duration) -> Duration?

        /// The default timeout of a call.
        static let standardTimeout = Duration.seconds(10)

        /// The unique name of this connection on the bus, such as `:1.42`.
        let uniqueName: String
        private let loop: BusLoop
        private let limit: Limit

        private init(_ loop: BusLoop, named uniqueName: String, _ limit: @escaping Limit) {
            self.loop = loop
            self.limit = limit
            self.uniqueName = uniqueName
        }

        deinit { loop.stop() }

        /// Connects to a bus: the system bus, or the one at this address.
        ///
        /// - Throws: `BusError.unreachable`
        static func open(
            _ address: String? = nil, limit: @escaping Limit = { $1 }
        ) async throws(BusError) -> Bus {
            guard let loop = BusLoop() else { throw .unreachable(code: BusLoop.noResources) }
            let opened: Result<String, BusError> = await withCheckedContinuation { continuation in
                loop.start(address, within: limit("", openingLimit)) { continuation.resume(returning: $0) }
            }
            return Bus(loop, named: try opened.get(), limit)
        }

        /// Calls a method and returns the values of the reply, which must have the signature `expecting`; `nil` accepts
        /// any. Cancelling the task does not withdraw the call.
        ///
        /// - Throws: `BusError`, but never `unreachable`.
        func call(
            _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = [],
            expecting signature: String? = "", timeout: Duration = standardTimeout
        ) async throws(BusError) -> [BusValue] {
            let method = BusMethod(
                destination: destination, path: path, interface: interface, member: member, arguments: arguments,
                signature: signature,
                timeoutMilliseconds: limit(member, timeout).map { max($0.wholeMilliseconds, 1) })
            let result: Result<[BusValue], BusError> = await withCheckedContinuation { continuation in
                loop.post({ $0.call(method) { continuation.resume(returning: $0) } }) {
                    continuation.resume(returning: .failure(.closed))
                }
            }
            return try result.get()
        }

        /// Returns the signals that match one of the rules, in order, for a single consumer. Signals sent after the
        /// reply to any later call are not missed. The stream ends with the connection.
        ///
        /// At most `limit` unread signals are kept; beyond that, newer ones are dropped and `lost` is added.
        func signals(_ rules: [BusRule], limit: Int = 4_096) -> AsyncStream<BusEvent> {
            let (stream, continuation) = AsyncStream.makeStream(
                of: BusEvent.self, bufferingPolicy: .bufferingOldest(limit + 1))
            let number = loop.nextNumber()
            continuation.onTermination = { [loop] _ in loop.post { $0.unsubscribe(number) } }
            loop.post({ $0.subscribe(number, rules, continuation) }) { continuation.finish() }
            return stream
        }

        /// Exports an object, replacing one with the same path.
        func export(_ object: BusObject) { loop.post { $0.export(object) } }

        /// Withdraws an object. Pending calls to it may still be answered.
        func unexport(_ path: String) { loop.post { $0.unexport(path) } }

        /// Broadcasts a signal.
        func emit(_ path: String, _ interface: String, _ member: String, _ arguments: [BusValue]) {
            loop.post { $0.emit(path, interface, member, arguments) }
        }

        /// Changes a property of an exported object and emits `PropertiesChanged`.
        func set(_ path: String, _ interface: String, _ property: String, _ value: BusValue) {
            loop.post { $0.set(path, interface, property, value) }
        }

        /// Returns a number not used before on this connection, for new paths.
        func nextNumber() -> UInt64 { loop.nextNumber() }

        /// Whether the connection is still open.
        var isOpen: Bool { loop.isOpen }

        /// Closes the connection and returns when it is closed; the bus then announces that this name is gone.
        func close() async {
            await withCheckedContinuation { continuation in loop.stop { continuation.resume() } }
        }
    }

    extension Bus {
        /// Reads one property.
        ///
        /// - Throws: `BusError`
        func property(
            _ destination: String, _ path: String, _ interface: String, _ name: String
        ) async throws(BusError) -> BusValue {
            let reply = try await call(
                destination, path, BusInterface.properties, "Get", [.string(interface), .string(name)], expecting: "v")
            guard let value = reply.first else { throw .wrongSignature("") }
            return value.content
        }

        /// Writes a property of another connection's object.
        ///
        /// - Throws: `BusError`
        func setProperty(
            _ destination: String, _ path: String, _ interface: String, _ name: String, _ value: BusValue
        ) async throws(BusError) {
            _ = try await call(
                destination, path, BusInterface.properties, "Set", [.string(interface), .string(name), .variant(value)])
        }

        /// Returns the objects below an object manager, with their interfaces and properties.
        ///
        /// - Throws: `BusError`
        func managedObjects(
            of destination: String, at path: String = "/", timeout: Duration = standardTimeout
        ) async throws(BusError) -> [String: [String: [String: BusValue]]] {
            let reply = try await call(
                destination, path, BusInterface.objectManager, "GetManagedObjects", expecting: "a{oa{sa{sv}}}",
                timeout: timeout)
            guard let objects = reply.first?.asObjects else { throw .wrongSignature("") }
            return objects
        }

        /// Acquires a well-known name, without queueing for it.
        ///
        /// - Throws: `BusError`
        func requestName(_ name: String) async throws(BusError) {
            let doNotQueue: UInt32 = 4
            let reply = try await call(
                BusInterface.bus, BusInterface.busPath, BusInterface.bus, "RequestName",
                [.string(name), .uint32(doNotQueue)], expecting: "u")
            guard reply == [.uint32(1)] || reply == [.uint32(4)] else { throw .refused(name: BusErrorName.failed) }
        }
    }

    /// A method call to send.
    struct BusMethod: Sendable {
        let destination: String
        let path: String
        let interface: String
        let member: String
        let arguments: [BusValue]
        let signature: String?
        /// The timeout; `nil` for none.
        let timeoutMilliseconds: UInt64?
    }
#endif
