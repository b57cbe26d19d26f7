#if Node
    /// A value of a D-Bus message.
    indirect enum BusValue: Hashable, Sendable {
        case byte(UInt8)
        case bool(Bool)
        case int16(Int16)
        case uint16(UInt16)
        case int32(Int32)
        case uint32(UInt32)
        case int64(Int64)
        case uint64(UInt64)
        case double(Double)
        case string(String)
        case path(String)
        case signature(String)
        case descriptor(BusDescriptor)
        /// An array of bytes.
        case bytes([UInt8])
        /// An array of anything else, with the signature of its elements.
        case array(of: String, [BusValue])
        /// A dictionary, with the signatures of its keys and values.
        case dictionary(key: String, value: String, [BusValue: BusValue])
        case structure([BusValue])
        case variant(BusValue)

        /// Returns a dictionary of named variants, `a{sv}`.
        static func properties(_ values: [String: BusValue]) -> BusValue {
            var entries: [BusValue: BusValue] = [:]
            for (name, value) in values { entries[.string(name)] = .variant(value) }
            return .dictionary(key: "s", value: "v", entries)
        }

        /// Returns an array of strings, `as`.
        static func strings(_ values: [String]) -> BusValue { .array(of: "s", values.map { .string($0) }) }

        /// Returns an array of object paths, `ao`.
        static func paths(_ values: [String]) -> BusValue { .array(of: "o", values.map { .path($0) }) }
    }

    extension BusValue {
        /// The signature of the value.
        var signature: String {
            switch self {
            case .byte: "y"
            case .bool: "b"
            case .int16: "n"
            case .uint16: "q"
            case .int32: "i"
            case .uint32: "u"
            case .int64: "x"
            case .uint64: "t"
            case .double: "d"
            case .string: "s"
            case .path: "o"
            case .signature: "g"
            case .descriptor: "h"
            case .bytes: "ay"
            case .array(let element, _): "a\(element)"
            case .dictionary(let key, let value, _): "a{\(key)\(value)}"
            case .structure(let members): "(\(members.map(\.signature).joined()))"
            case .variant: "v"
            }
        }

        /// The text of a string; nil for any other value.
        var asString: String? { if case .string(let text) = self { text } else { nil } }
        /// The text of an object path; nil for any other value.
        var asPath: String? { if case .path(let path) = self { path } else { nil } }
        /// A truth value; nil for any other value.
        var asBool: Bool? { if case .bool(let isTrue) = self { isTrue } else { nil } }
        /// The bytes of an array of bytes; nil for any other value.
        var asBytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
        /// A 16-bit number; nil for any other value.
        var asInt16: Int16? { if case .int16(let number) = self { number } else { nil } }
        /// An unsigned 16-bit number; nil for any other value.
        var asUInt16: UInt16? { if case .uint16(let number) = self { number } else { nil } }
        /// An unsigned 32-bit number; nil for any other value.
        var asUInt32: UInt32? { if case .uint32(let number) = self { number } else { nil } }
        /// A file descriptor; nil for any other value.
        var asDescriptor: BusDescriptor? { if case .descriptor(let descriptor) = self { descriptor } else { nil } }
        /// The contents of a variant; any other value itself.
        var content: BusValue { if case .variant(let value) = self { value } else { self } }

        /// The elements of an array of strings; nil for any other value.
        var asStrings: [String]? {
            guard case .array(of: "s", let elements) = self else { return nil }
            return elements.compactMap(\.asString)
        }

        /// The entries of a dictionary; nil for any other value.
        var asEntries: [BusValue: BusValue]? {
            if case .dictionary(_, _, let entries) = self { entries } else { nil }
        }

        /// The contents of a dictionary of named variants, `a{sv}`; nil for any other value.
        var asProperties: [String: BusValue]? {
            guard case .dictionary(key: "s", value: "v", let entries) = self else { return nil }
            var values: [String: BusValue] = [:]
            for (name, value) in entries { if let name = name.asString { values[name] = value.content } }
            return values
        }

        /// The interfaces of an object and their properties, `a{sa{sv}}`; nil for any other value.
        var asInterfaces: [String: [String: BusValue]]? {
            guard case .dictionary(key: "s", value: "a{sv}", let entries) = self else { return nil }
            var interfaces: [String: [String: BusValue]] = [:]
            for (name, value) in entries { if let name = name.asString { interfaces[name] = value.asProperties } }
            return interfaces
        }

        /// The objects of an object manager by path, `a{oa{sa{sv}}}`; nil for any other value.
        var asObjects: [String: [String: [String: BusValue]]]? {
            guard case .dictionary(key: "o", value: "a{sa{sv}}", let entries) = self else { return nil }
            var objects: [String: [String: [String: BusValue]]] = [:]
            for (path, value) in entries { if let path = path.asPath { objects[path] = value.asInterfaces } }
            return objects
        }
    }
#endif
