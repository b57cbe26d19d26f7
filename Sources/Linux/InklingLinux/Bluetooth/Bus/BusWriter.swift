#if Node
    internal import CSystemd

    /// Appends values to a message before it is sent.
    @safe struct BusWriter {
        private let message: OpaquePointer

        /// Creates a writer; the caller keeps the message alive.
        init(_ message: OpaquePointer) { unsafe self.message = message }

        /// Appends values in order.
        ///
        /// - Throws: `BusError.invalidArgument`
        func append(_ values: some Sequence<BusValue>) throws(BusError) { for value in values { try append(value) } }

        private func append(_ value: BusValue) throws(BusError) {
            switch value {
            case .byte(let number): try basic("y", number)
            case .bool(let isTrue): try basic("b", Int32(isTrue ? 1 : 0))
            case .int16(let number): try basic("n", number)
            case .uint16(let number): try basic("q", number)
            case .int32(let number): try basic("i", number)
            case .uint32(let number): try basic("u", number)
            case .int64(let number): try basic("x", number)
            case .uint64(let number): try basic("t", number)
            case .double(let number): try basic("d", number)
            case .string(let text): try check(unsafe sd_bus_message_append_basic(message, code("s"), text))
            case .path(let text): try check(unsafe sd_bus_message_append_basic(message, code("o"), text))
            case .signature(let text): try check(unsafe sd_bus_message_append_basic(message, code("g"), text))
            case .descriptor(let descriptor):
                // sd-bus makes its own copy.
                let result = descriptor.withNumber { number in
                    var number = number
                    return unsafe sd_bus_message_append_basic(message, code("h"), &number)
                }
                try check(result)
            case .bytes(let bytes):
                let result = unsafe bytes.withUnsafeBytes {
                    unsafe sd_bus_message_append_array(message, code("y"), $0.baseAddress, $0.count)
                }
                try check(result)
            case .array(let element, let values): try within("a", element, values)
            case .dictionary(let key, let value, let entries):
                try check(unsafe sd_bus_message_open_container(message, code("a"), "{\(key)\(value)}"))
                // Sorted by name, because BlueZ adds a service's characteristics in the order in which their objects
                // are listed.
                for entry in entries.sorted(by: { $0.key.name < $1.key.name }) {
                    try within("e", key + value, [entry.key, entry.value])
                }
                try check(unsafe sd_bus_message_close_container(message))
            case .structure(let members): try within("r", members.map(\.signature).joined(), members)
            case .variant(let value): try within("v", value.signature, [value])
            }
        }

        private func within(_ type: Character, _ contents: String, _ values: [BusValue]) throws(BusError) {
            try check(unsafe sd_bus_message_open_container(message, code(type), contents))
            try append(values)
            try check(unsafe sd_bus_message_close_container(message))
        }

        private func basic(_ type: Character, _ value: some BitwiseCopyable) throws(BusError) {
            var value = value
            try check(unsafe sd_bus_message_append_basic(message, code(type), &value))
        }

        private func check(_ result: CInt) throws(BusError) { if result < 0 { throw .invalidArgument } }
    }

    extension BusValue {
        /// The text of a string or a path; empty for any other value.
        fileprivate var name: String { asString ?? asPath ?? "" }
    }
#endif
