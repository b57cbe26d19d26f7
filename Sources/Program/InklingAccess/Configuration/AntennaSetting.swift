import InklingKeys
import InklingLinux
import InklingNode
import InklingTerminal
import InklingVault
import InklingWire

#if Node
    import TOMLKit
#endif

/// An antenna in the configuration file: one `[[antennas]]` table.
package struct AntennaSetting: Hashable, Sendable {
    /// The maximum number of antennas of a node.
    static let limit = 32

    /// The source of an antenna's sightings.
    package enum Source: Hashable, Sendable {
        /// An ESPHome Bluetooth proxy. `keyFile` is the file with the key in base64; nil for a device without
        /// encryption.
        case proxy(host: String, port: UInt16, device: String?, keyFile: String?, isExclusive: Bool, canConnect: Bool)
        /// Another program, named by its key, that publishes to the broker under this topic.
        case broker(Key, prefix: String)
    }

    package var name: String
    package var room: String?
    package var source: Source

    /// A key of the table.
    package enum Key: String, CaseIterable {
        case name, esphome, espresense, openmqttgateway, room
        case keyFile = "key-file"
        case plaintext, device, exclusive, connect

        /// The source keys; a table has exactly one.
        static let sources: [Key] = [.esphome, .espresense, .openmqttgateway]
        /// The keys that require `esphome`.
        static let ofProxies: [Key] = [.keyFile, .plaintext, .device, .exclusive, .connect]

        /// A one-line description.
        var meaning: String {
            switch self {
            case .name: "Your name for the antenna."
            case .esphome: "The name or the address of a Bluetooth proxy with ESPHome, with or without a port."
            case .espresense:
                "Or: the topic under which ESPresense nodes publish to the [mqtt] broker, each named after its room."
            case .openmqttgateway:
                "Or: the topic under which OpenMQTTGateway gateways publish there, each named after its room."
            case .room: "The room in which it stands; overrides the names of nodes and gateways."
            case .keyFile: "The key of its API (api: encryption: key:), in a file that only its owner may read."
            case .plaintext:
                "Connect without encryption, so that anyone on the network can read the traffic; only without key-file."
            case .device: "The name that the device must give."
            case .exclusive: "Home Assistant does not use this proxy: newer devices serve only the latest client."
            case .connect: "Connect to contacts through it; each such device sees the proxy's public address."
            }
        }

        /// An example value, as written in the file.
        var example: String {
            switch self {
            case .name: "\"hall\""
            case .esphome: "\"192.168.1.40:6053\""
            // Where these programs publish by default.
            case .espresense: "\"espresense\""
            case .openmqttgateway: "\"home\""
            case .room: "\"hall\""
            case .keyFile: "\"/etc/inkling/hall.key\""
            case .plaintext, .exclusive, .connect: "false"
            case .device: "\"hall-proxy\""
            }
        }

        /// The allowed values in words.
        var expectation: String {
            switch self {
            case .name, .device: "a string of 1 to 64 bytes"
            case .room: "a string of 1 to \(AntennaSighting.roomLimit) bytes"
            case .esphome: "a host, or host:port"
            case .espresense, .openmqttgateway: Setting.Form.topic.expectation
            case .keyFile: "an absolute path"
            case .plaintext, .exclusive, .connect: "true or false"
            }
        }
    }

    /// An example table, commented out.
    package static var example: String {
        let keys = Key.allCases.map { "#\n#  # \($0.meaning)\n#  \($0.rawValue) = \($0.example)\n" }
        return "# Antennas beyond this machine's own Bluetooth; one table for each.\n#[[antennas]]\n" + keys.joined()
    }

    #if Node
        /// Parses a table.
        ///
        /// - Throws: `Fault` with the key at fault; nil for the table as a whole.
        init(parsing table: TOMLTable) throws(Fault) {
            for key in table.keys where Key(rawValue: key) == nil {
                let near = nearest(to: key, among: Key.allCases.map(\.rawValue))
                throw Fault(
                    key: key, problem: "unknown key '\(printable(key))' in [[antennas]]",
                    suggestion: near.map { "Did you mean '\($0)'?" })
            }
            func text(_ key: Key, upTo limit: Int = 64) throws(Fault) -> String? {
                guard let value = table[key.rawValue] else { return nil }
                guard let text = value.string, (1...limit).contains(text.utf8.count) else { throw Fault(key) }
                return text
            }
            func flag(_ key: Key) throws(Fault) -> Bool {
                guard let value = table[key.rawValue] else { return false }
                guard let flag = value.bool else { throw Fault(key) }
                return flag
            }
            guard let name = try text(.name) else { throw Fault(problem: "an antenna needs a name") }
            self.name = name
            room = try text(.room, upTo: AntennaSighting.roomLimit)
            let sources = Key.sources.filter { table[$0.rawValue] != nil }
            guard sources.count == 1, let source = sources.first else {
                let names = Key.sources.map(\.rawValue).joined(separator: ", ")
                throw Fault(problem: "the antenna '\(printable(name))' needs one of \(names)")
            }
            guard source == .esphome else {
                guard let prefix = try text(source, upTo: 100), Configuration.isTopic(prefix) else {
                    throw Fault(source)
                }
                if let stray = Key.ofProxies.first(where: { table[$0.rawValue] != nil }) {
                    throw Fault(key: stray.rawValue, problem: "\(stray.rawValue) is allowed only with esphome")
                }
                self.source = .broker(source, prefix: prefix)
                return
            }
            guard let place = try text(.esphome, upTo: 256), let (host, port) = Self.split(place) else {
                throw Fault(.esphome)
            }
            let device = try text(.device)
            let keyFile = try text(.keyFile, upTo: 4096)
            if let keyFile, !keyFile.hasPrefix("/") { throw Fault(.keyFile) }
            let isExclusive = try flag(.exclusive)
            let isPlaintext = try flag(.plaintext)
            guard (keyFile != nil) != isPlaintext else {
                throw Fault(
                    problem: "the antenna '\(printable(name))' needs key-file or plaintext = true, and not both")
            }
            self.source = .proxy(
                host: host, port: port, device: device, keyFile: keyFile, isExclusive: isExclusive,
                canConnect: try flag(.connect))
        }

        /// A fault of a table.
        struct Fault: Error {
            var key: String?
            let problem: String
            var suggestion: String?

            fileprivate init(key: String? = nil, problem: String, suggestion: String? = nil) {
                (self.key, self.problem, self.suggestion) = (key, problem, suggestion)
            }

            fileprivate init(_ key: Key) {
                self.init(key: key.rawValue, problem: "\(key.rawValue) must be \(key.expectation)")
            }
        }

        /// Splits a host and an optional port; an IPv6 address with a port is in brackets.
        private static func split(_ place: String) -> (String, UInt16)? {
            if let endpoint = Endpoint(place) { return ("\(endpoint.address)", endpoint.port) }
            let colons = place.count { $0 == ":" }
            guard !place.contains(where: { $0.isWhitespace || $0 == "/" }) else { return nil }
            if colons != 1 { return (place, ESPHomeAntenna.port) }
            let parts = place.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, let port = UInt16(parts[1]), port > 0 else { return nil }
            return (String(parts[0]), port)
        }
    #endif
}
