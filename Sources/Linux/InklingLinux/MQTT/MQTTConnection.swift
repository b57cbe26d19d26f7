#if Node
    internal import CMosquitto
    internal import Glibc
    internal import InklingKeys

    /// A connection to a broker through libmosquitto. Used on one thread only; the library calls back on it.
    @safe final class MQTTConnection {
        private let library: MQTTLibrary
        private let handle: OpaquePointer
        /// Whether the broker has accepted the connection.
        private(set) var isAccepted = false
        /// The code with which the broker refused the connection; `nil` if it did not.
        private(set) var refusal: CInt?
        /// The number of unacknowledged messages.
        private(set) var outstanding = 0
        /// The messages delivered since the last `takeDelivered`.
        private(set) var delivered: [MQTTMessage] = []
        private let deliveries: MQTTDeliveries

        /// Creates a connection without opening it.
        ///
        /// - Throws: `MQTTFault.notInstalled` without the library, `.unusableFiles`, or `.library` without memory.
        init(
            to broker: MQTTBroker, client: String, will: MQTTMessage?, _ deliveries: MQTTDeliveries
        ) throws(MQTTFault) {
            guard let library = MQTTLibrary.loaded else { throw .notInstalled }
            guard let made = unsafe library.calls.new(client, true, nil) else {
                throw .library(code: CInt(MOSQ_ERR_NOMEM.rawValue))
            }
            self.library = library
            self.deliveries = deliveries
            unsafe handle = made
            unsafe library.calls.user_data_set(made, Unmanaged.passUnretained(self).toOpaque())
            unsafe library.calls.connect_callback_set(made) { _, context, code in
                unsafe MQTTConnection.of(context)?.answered(code)
            }
            unsafe library.calls.publish_callback_set(made) { _, context, _ in
                unsafe MQTTConnection.of(context)?.outstanding -= 1
            }
            unsafe library.calls.message_callback_set(made) { _, context, message in
                guard let message = unsafe message else { return }
                unsafe MQTTConnection.of(context)?.take(message.pointee)
            }
            _ = unsafe library.calls.int_option(made, MOSQ_OPT_TCP_NODELAY, 1)
            if let will {
                try require(
                    unsafe library.calls.will_set(
                        made, will.topic, CInt(clamping: will.payload.count), will.payload, 1, will.isRetained))
            }
            try authenticate(to: broker)
            if broker.address.isSecure { try secure(broker) }
        }

        deinit { unsafe library.calls.destroy(handle) }

        private func authenticate(to broker: MQTTBroker) throws(MQTTFault) {
            guard let user = broker.user else { return }
            guard let password = broker.password else {
                return try require(unsafe library.calls.username_pw_set(handle, user, nil))
            }
            // The library copies the characters up to the zero.
            let terminated = SecretBytes(count: password.value.count + 1) { view in
                password.value.withBytes { bytes in for place in bytes.indices { view[place] = bytes[place] } }
            }
            let result = terminated.withBytes { bytes in
                unsafe bytes.withUnsafeBytes { bytes in
                    unsafe library.calls.username_pw_set(
                        handle, user, bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
                }
            }
            try require(result)
        }

        private func secure(_ broker: MQTTBroker) throws(MQTTFault) {
            let folder = broker.certificatesFile == nil ? "/etc/ssl/certs" : nil
            let own = broker.ownCertificate
            // A key with a passphrase is refused: OpenSSL would ask for it on the terminal.
            let result = unsafe library.calls.tls_set(
                handle, broker.certificatesFile, folder, own?.certificate, own?.key, { _, _, _, _ in 0 })
            guard result == CInt(MOSQ_ERR_SUCCESS.rawValue) else { throw .unusableFiles }
        }

        /// Connects, and returns once a TCP connection has begun. Waits for the resolver and the network.
        func open(_ address: MQTTAddress, keepAlive: CInt) throws(MQTTFault) {
            errno = 0
            let result = unsafe library.calls.connect(handle, address.host, CInt(address.port), keepAlive)
            let code = errno
            if result == CInt(MOSQ_ERR_SUCCESS.rawValue) {
                // A child process that inherits the socket would keep the connection open after it is closed here.
                if let socket { _ = fcntl(socket, F_SETFD, FD_CLOEXEC) }
                return
            }
            // The library reports unreadable files only here.
            if result == CInt(MOSQ_ERR_TLS.rawValue), code == ENOENT || code == EACCES { throw .unusableFiles }
            throw MQTTFault(result, systemError: code)
        }

        /// The socket; `nil` after the connection has ended.
        var socket: CInt? {
            let number = unsafe library.calls.socket(handle)
            return number >= 0 ? number : nil
        }

        /// Whether the library has data to write.
        var wantsToWrite: Bool { unsafe library.calls.want_write(handle) }

        /// Reads and writes available data without waiting.
        func turn() throws(MQTTFault) {
            // With TLS, the library can hold data although the socket is empty.
            for _ in 0..<64 {
                errno = 0
                let result = unsafe library.calls.loop_read(handle, 1)
                let code = errno
                try require(result, code)
                if code == EAGAIN || code == EWOULDBLOCK { break }
            }
            if wantsToWrite { try require(unsafe library.calls.loop_write(handle, 1)) }
            try require(unsafe library.calls.loop_misc(handle))
        }

        func publish(_ message: MQTTMessage) throws(MQTTFault) {
            try require(
                unsafe library.calls.publish(
                    handle, nil, message.topic, CInt(clamping: message.payload.count), message.payload, 1,
                    message.isRetained))
            outstanding += 1
        }

        func subscribe(_ filter: String, _ quality: MQTTQuality) throws(MQTTFault) {
            try require(unsafe library.calls.subscribe(handle, nil, filter, quality.rawValue))
        }

        func unsubscribe(_ filter: String) throws(MQTTFault) {
            try require(unsafe library.calls.unsubscribe(handle, nil, filter))
        }

        /// Disconnects, so that the broker does not publish the will.
        func close() {
            _ = unsafe library.calls.disconnect(handle)
            _ = unsafe library.calls.loop_write(handle, 1)
        }

        /// Returns the messages delivered since the last call.
        func takeDelivered() -> [MQTTMessage] {
            defer { delivered = [] }
            return delivered
        }

        // MARK: Called by the library

        private static func of(_ context: UnsafeMutableRawPointer?) -> MQTTConnection? {
            unsafe context.map { unsafe Unmanaged<MQTTConnection>.fromOpaque($0).takeUnretainedValue() }
        }

        private func answered(_ code: CInt) {
            isAccepted = code == 0
            refusal = code == 0 ? nil : code
        }

        private func take(_ message: mosquitto_message) {
            let count = unsafe Int(message.payloadlen)
            guard count >= 0, let name = unsafe message.topic, let topic = unsafe String(validatingCString: name),
                deliveries.admit(byteCount: topic.utf8.count + count)
            else { return }
            let payload = unsafe message.payload.map { start in
                unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
            }
            unsafe delivered.append(MQTTMessage(topic: topic, payload: payload ?? [], isRetained: message.retain))
        }

        private func require(_ result: CInt, _ systemError: CInt = errno) throws(MQTTFault) {
            if result == CInt(MOSQ_ERR_SUCCESS.rawValue) { return }
            if let refusal { throw MQTTFault(refusal: refusal) }
            throw MQTTFault(result, systemError: systemError)
        }
    }
#endif
