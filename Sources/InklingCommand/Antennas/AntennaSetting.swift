import InklingKeys
import InklingLinux
import InklingNode
import InklingSession

#if Node
    import TOMLKit
#endif

/// An antenna of the configuration file: a table `[[antennas]]`.
struct AntennaSetting: Hashable, Sendable {
    /// The most antennas of a node.
    static let limit = 32

    var name: String
    var room: String?
    var host: String
    var port: UInt16
    var device: String?
    /// The file with the key in base64; nil for a device that speaks without encryption.
    var keyFile: String?
    var isExclusive: Bool

    /// A key of the table.
    enum Key: String, CaseIterable {
        case name, esphome, room
        case keyFile = "key-file"
        case plaintext, device, exclusive

        /// What it does, in a line.
        var meaning: String {
            switch self {
            case .name: "Your name for the antenna."
            case .esphome: "The name or the address of a Bluetooth proxy with ESPHome, with or without a port."
            case .room: "The room in which it stands."
            case .keyFile: "The key of its API (api: encryption: key:), in a file that only its owner may read."
            case .plaintext: "Without a key: speak without encryption, so that everybody on the network can read it."
            case .device: "The name that the device must give."
            case .exclusive: "Home Assistant does not use it; newer devices serve the last one that asks, alone."
            }
        }

        /// A value as it is written in the file.
        var example: String {
            switch self {
            case .name: "\"hall\""
            case .esphome: "\"192.168.1.40:6053\""
            case .room: "\"hall\""
            case .keyFile: "\"/etc/inkling/hall.key\""
            case .plaintext, .exclusive: "false"
            case .device: "\"hall-proxy\""
            }
        }

        /// What is expected, in words.
        var expectation: String {
            switch self {
            case .name, .device: "a string of 1 to 64 bytes"
            case .room: "a string of 1 to \(AntennaSighting.roomLimit) bytes"
            case .esphome: "a host, or host:port"
            case .keyFile: "an absolute path"
            case .plaintext, .exclusive: "true or false"
            }
        }
    }

    /// The example of a table, for a file in which nothing has an effect.
    static var example: String {
        let keys = Key.allCases.map { "#\n#  # \($0.meaning)\n#  \($0.rawValue) = \($0.example)\n" }
        return "# Antennas beyond this machine's own Bluetooth; one table for each.\n#[[antennas]]\n" + keys.joined()
    }

    #if Node
        /// Parses a table.
        ///
        /// - Throws: what is wrong, with the key at which it stands; nil for the table as a whole.
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
            guard let place = try text(.esphome, upTo: 256) else {
                throw Fault(problem: "the antenna '\(printable(name))' needs esphome, the host of a proxy")
            }
            guard let (host, port) = Self.split(place) else { throw Fault(.esphome) }
            (self.name, self.host, self.port) = (name, host, port)
            room = try text(.room, upTo: AntennaSighting.roomLimit)
            device = try text(.device)
            keyFile = try text(.keyFile, upTo: 4096)
            if let keyFile, !keyFile.hasPrefix("/") { throw Fault(.keyFile) }
            isExclusive = try flag(.exclusive)
            let isPlaintext = try flag(.plaintext)
            guard (keyFile != nil) != isPlaintext else {
                throw Fault(
                    problem: "the antenna '\(printable(name))' needs key-file or plaintext = true, and not both")
            }
        }

        /// What is wrong with a table.
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

        /// Splits a host and an optional port; an address of version 6 with a port stands in brackets.
        private static func split(_ place: String) -> (String, UInt16)? {
            if let endpoint = Endpoint(place) { return ("\(endpoint.address)", endpoint.port) }
            let colons = place.count { $0 == ":" }
            guard !place.contains(where: { $0.isWhitespace || $0 == "/" }) else { return nil }
            if colons != 1 { return (place, ESPHomeAntenna.port) }
            let parts = place.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, let port = UInt16(parts[1]), port > 0 else { return nil }
            return (String(parts[0]), port)
        }

        /// Creates the antenna.
        ///
        /// - Throws: `Failure` when its key cannot be read.
        func antenna(clock: any NodeClock, profile: ApplicationProfile) throws(Failure) -> any Antenna {
            var key: SecretBox<SecretBytes>?
            if let keyFile {
                let text = try vaultFailure { () throws(VaultError) in try VaultKey.secretFile(at: keyFile) }
                guard let parsed = text.withBytes({ ESPHomeKey.parse($0) }) else {
                    throw Failure(
                        .configuration, "\(printable(keyFile)): not a key of 32 bytes in base64",
                        remedy: "Copy it from the configuration of the device: api: encryption: key:")
                }
                key = SecretBox(parsed)
            }
            return ESPHomeAntenna(
                name: name, room: room, host: host, port: port, key: key, deviceName: device, isExclusive: isExclusive,
                clock: clock, profile: profile)
        }
    #endif
}
