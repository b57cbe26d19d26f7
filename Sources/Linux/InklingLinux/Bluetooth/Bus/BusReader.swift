#if Node
    internal import CSystemd
    internal import Glibc

    /// Reads the values of a message within limits; sd-bus has checked the message against its signature.
    @safe struct BusReader {
        /// The deepest nesting of containers; the objects of an object manager need seven levels.
        static let depthLimit = 12
        /// The largest number of values in a message; a list of 3,000 devices has about 200,000.
        static let countLimit = 500_000
        /// The largest total size of all strings and byte arrays, in bytes.
        static let byteLimit = 16 * 1024 * 1024

        private let message: OpaquePointer
        private var remainingCount = countLimit
        private var remainingBytes = byteLimit

        /// Creates a reader; the caller keeps the message alive.
        init(_ message: OpaquePointer) { unsafe self.message = message }

        /// Returns the signature of the message.
        static func signature(of message: OpaquePointer) -> String {
            unsafe sd_bus_message_get_signature(message, 1).map { unsafe String(cString: $0) } ?? ""
        }

        /// Returns the values of a message.
        ///
        /// - Throws: `BusError.tooLarge`, or `.wrongSignature` if the message cannot be read.
        static func values(of message: OpaquePointer) throws(BusError) -> [BusValue] {
            var reader = unsafe BusReader(message)
            return try reader.rest(depth: 0)
        }

        /// Reads the rest of the current container.
        private mutating func rest(depth: Int) throws(BusError) -> [BusValue] {
            var values: [BusValue] = []
            while let value = try next(depth: depth) { values.append(value) }
            return values
        }

        private mutating func next(depth: Int) throws(BusError) -> BusValue? {
            guard let (type, contents) = try peek() else { return nil }
            guard depth < Self.depthLimit, remainingCount > 0 else { throw .tooLarge }
            remainingCount -= 1
            switch type {
            case "y": return .byte(try basic(type, as: UInt8(0)))
            case "b": return .bool(try basic(type, as: Int32(0)) != 0)
            case "n": return .int16(try basic(type, as: Int16(0)))
            case "q": return .uint16(try basic(type, as: UInt16(0)))
            case "i": return .int32(try basic(type, as: Int32(0)))
            case "u": return .uint32(try basic(type, as: UInt32(0)))
            case "x": return .int64(try basic(type, as: Int64(0)))
            case "t": return .uint64(try basic(type, as: UInt64(0)))
            case "d": return .double(try basic(type, as: Double(0)))
            case "s": return .string(try text(type))
            case "o": return .path(try text(type))
            case "g": return .signature(try text(type))
            case "h": return .descriptor(try descriptor())
            case "a" where contents == "y": return .bytes(try bytes())
            case "a" where contents.hasPrefix("{"): return try dictionary(contents, depth: depth)
            case "a":
                return .array(
                    of: contents,
                    try within(type, contents) { (reader) throws(BusError) in try reader.rest(depth: depth + 1) })
            case "r":
                return .structure(
                    try within(type, contents) { (reader) throws(BusError) in try reader.rest(depth: depth + 1) })
            case "v":
                return try within(type, contents) { (reader) throws(BusError) in
                    guard let value = try reader.next(depth: depth + 1) else { throw .wrongSignature(contents) }
                    return .variant(value)
                }
            default: throw .wrongSignature(String(type))
            }
        }

        /// Returns the type of the next value, and the signature of a container's contents; `nil` at the end.
        private func peek() throws(BusError) -> (type: Character, contents: String)? {
            var type: CChar = 0
            var contents: UnsafePointer<CChar>?
            let result = unsafe sd_bus_message_peek_type(message, &type, &contents)
            guard result >= 0 else { throw .wrongSignature("") }
            guard result > 0 else { return nil }
            let name = Character(UnicodeScalar(UInt8(bitPattern: type)))
            return (name, unsafe contents.map { unsafe String(cString: $0) } ?? "")
        }

        private mutating func dictionary(_ contents: String, depth: Int) throws(BusError) -> BusValue {
            let entry = String(contents.dropFirst().dropLast())
            // A dictionary's key has a basic type, whose signature is one character.
            let (key, value) = (String(entry.prefix(1)), String(entry.dropFirst()))
            return try within("a", contents) { (reader) throws(BusError) in
                var entries: [BusValue: BusValue] = [:]
                while try reader.peek() != nil {
                    try reader.within("e", entry) { (reader) throws(BusError) in
                        guard let key = try reader.next(depth: depth + 1), let value = try reader.next(depth: depth + 1)
                        else { throw .wrongSignature(entry) }
                        entries[key] = value
                    }
                }
                return .dictionary(key: key, value: value, entries)
            }
        }

        private mutating func within<Result>(
            _ type: Character, _ contents: String, _ read: (inout BusReader) throws(BusError) -> Result
        ) throws(BusError) -> Result {
            guard unsafe sd_bus_message_enter_container(message, code(type), contents) > 0 else {
                throw .wrongSignature(contents)
            }
            let result = try read(&self)
            guard unsafe sd_bus_message_exit_container(message) >= 0 else { throw .wrongSignature(contents) }
            return result
        }

        private func basic<Value: BitwiseCopyable>(_ type: Character, as zero: Value) throws(BusError) -> Value {
            var value = zero
            guard unsafe sd_bus_message_read_basic(message, code(type), &value) > 0 else {
                throw .wrongSignature(String(type))
            }
            return value
        }

        private mutating func text(_ type: Character) throws(BusError) -> String {
            var text: UnsafePointer<CChar>?
            guard unsafe sd_bus_message_read_basic(message, code(type), &text) > 0, let text = unsafe text else {
                throw .wrongSignature(String(type))
            }
            try take(unsafe strlen(text))
            return unsafe String(cString: text)
        }

        private mutating func bytes() throws(BusError) -> [UInt8] {
            var start: UnsafeRawPointer?
            var count = 0
            guard unsafe sd_bus_message_read_array(message, code("y"), &start, &count) >= 0 else {
                throw .wrongSignature("ay")
            }
            try take(count)
            return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
        }

        private func descriptor() throws(BusError) -> BusDescriptor {
            // The message keeps its own descriptor.
            let copy = fcntl(try basic("h", as: CInt(-1)), F_DUPFD_CLOEXEC, 3)
            guard copy >= 0 else { throw .tooLarge }
            return BusDescriptor(owning: copy)
        }

        private mutating func take(_ count: Int) throws(BusError) {
            guard count <= remainingBytes else { throw .tooLarge }
            remainingBytes -= count
        }
    }

    /// Returns the C character of a type.
    func code(_ type: Character) -> CChar { CChar(bitPattern: type.asciiValue ?? 0) }
#endif
