internal import InklingNode
public import InklingWire

/// A multicast DNS packet with its sender and time of receipt.
public struct ObservedPacket: Hashable, Sendable {
    /// The time of receipt: milliseconds since 1970-01-01T00:00:00Z, real time.
    public let at: Int64
    /// The address of the sender.
    public let source: Endpoint.Address
    public let message: DNSMessage

    public init(at: Int64, source: Endpoint.Address, _ message: DNSMessage) {
        self.at = at
        self.source = source
        self.message = message
    }
}

extension ObservedPacket {
    /// Returns the instance as this packet shows it; `nil` without its SRV record.
    fileprivate func shown(_ name: String) -> ShownInstance? {
        for record in message.records where record.timeToLive > 0 {
            guard case .service(_, _, let port, let host) = record.content,
                let label = ServiceNames.label(of: record.owner), label.lowercased() == name.lowercased()
            else { continue }
            return ShownInstance(name: label, host: host, port: port)
        }
        return nil
    }
}

/// The published name, host and port of a node.
public struct ShownInstance: Hashable, Sendable {
    /// The first label of the instance, as received.
    public let name: String
    /// The host in the SRV record.
    public let host: DNSName
    public let port: UInt16

    public init(name: String, host: DNSName, port: UInt16) {
        self.name = name
        self.host = host
        self.port = port
    }
}

/// The names of the Inkling service in multicast DNS.
public enum ServiceNames {
    /// The service type.
    public static let type = DNSName(["_inkling", "_tcp", "local"])
    /// The name under which a host lists its service types. A node must not respond to it.
    public static let meta = DNSName(["_services", "_dns-sd", "_udp", "local"])

    /// Returns the full name of an instance.
    public static func instance(_ name: String) -> DNSName { DNSName([name] + type.labels) }

    /// Returns the label of an instance of the service; `nil` for any other name.
    public static func label(of name: DNSName) -> String? {
        name.labels.count == 4 && name.ends(in: type) ? name.labels[0] : nil
    }

    /// Returns whether a label is 32 lower-case hexadecimal digits.
    static func isOpaque(_ label: String) -> Bool {
        label.utf8.count == 32
            && label.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }

    /// Returns whether a name is a host name of the service: 32 lower-case hexadecimal digits and `.local`.
    static func isOpaqueHost(_ name: DNSName) -> Bool {
        name.labels.count == 2 && name.labels[1] == "local" && isOpaque(name.labels[0])
    }
}

extension DNSMessage.Record {
    /// The instance that the record belongs to: its owner or, for PTR, its target.
    var instance: String? {
        if case .pointer(let target) = content, owner.means(ServiceNames.type) { return ServiceNames.label(of: target) }
        return ServiceNames.label(of: owner)
    }

    var isAddress: Bool {
        switch content {
        case .address4, .address6: true
        default: false
        }
    }
}

extension [ObservedPacket] {
    /// Returns the instance according to its first SRV record that is not a goodbye.
    public func shown(_ name: String) -> ShownInstance? {
        lazy.compactMap { $0.shown(name) }.first
    }

    /// Returns the instance according to its last SRV record that is not a goodbye.
    public func lastShown(_ name: String) -> ShownInstance? {
        lazy.reversed().compactMap { $0.shown(name) }.first
    }

    /// The announced names, each with the time and the address of its first announcement.
    public var announced: [(name: String, at: Int64, source: Endpoint.Address)] {
        var found: [(name: String, at: Int64, source: Endpoint.Address)] = []
        for packet in self {
            for record in packet.message.records where record.timeToLive > 0 {
                guard case .pointer = record.content, let name = record.instance,
                    !found.contains(where: { $0.name == name && $0.source == packet.source })
                else { continue }
                found.append((name, packet.at, packet.source))
            }
        }
        return found
    }

    /// Returns the names that are present at a time: announced within their time to live, and not withdrawn since.
    public func present(at moment: Int64) -> [String] {
        var there: [String: Bool] = [:]
        for packet in self where packet.at > moment - 120_000 {
            for record in packet.message.records {
                if case .pointer = record.content, let name = record.instance { there[name] = record.timeToLive > 0 }
            }
        }
        return there.filter(\.value).keys.sorted()
    }

    /// Returns the addresses that sent a record of an instance.
    public func sources(of name: String) -> Set<Endpoint.Address> { Set(sourcesInOrder(of: name)) }

    /// Returns the addresses that sent a record of an instance, in order of time, possibly repeated.
    func sourcesInOrder(of name: String) -> [Endpoint.Address] {
        filter { packet in
            packet.message.records.contains { $0.instance?.lowercased() == name.lowercased() }
        }.map(\.source)
    }

    /// Returns the address records of a host, in the order in which they were received.
    public func addresses(of host: DNSName) -> [DNSMessage.Record.Content] {
        var found: [DNSMessage.Record.Content] = []
        for packet in self {
            for record in packet.message.records
            where record.isAddress && record.timeToLive > 0 && record.owner.means(host) {
                if !found.contains(record.content) { found.append(record.content) }
            }
        }
        return found
    }
}
