public import InklingKeys

/// The body of a Wi-Fi Aware Service Discovery Frame, from its category on: what stands behind the MAC header
/// (`Specs/wifi-aware.md`).
public struct WiFiAwareFrame: Hashable, Sendable {
    /// The most bytes that are read: the longest body of a management frame.
    public static let byteLimit = 2304
    // Public action, vendor specific, the number of the Wi-Fi Alliance, Service Discovery Frame.
    private static let header: [UInt8] = [0x04, 0x09, 0x50, 0x6f, 0x9a, 0x13]
    /// The instance number in everything that we send, since another one would tell devices apart.
    static let instance: UInt8 = 1

    /// In order of appearance.
    public let attributes: [WiFiAwareAttribute]

    /// Splits a body into its attributes, whatever they are.
    ///
    /// - Throws: `WiFiAwareError` with stage `frame` or `attributes`.
    public init(parsing body: Span<UInt8>) throws(WiFiAwareError) {
        guard body.count <= Self.byteLimit else { throw .frameTooLong(count: body.count) }
        guard body.count >= Self.header.count else { throw .truncatedFrame(count: body.count) }
        for index in Self.header.indices where body[index] != Self.header[index] { throw .notServiceDiscovery }
        attributes = try WiFiAwareAttribute.list(parsing: body, from: Self.header.count)
    }

    /// The name that a frame of an Inkling device shows, or nil when it shows none.
    ///
    /// Descriptors of other services are passed over unread.
    ///
    /// - Throws: `WiFiAwareError` with any stage of reading; `.notServiceDiscovery` is the normal case for what
    ///   strangers send.
    public static func name(parsing body: Span<UInt8>) throws(WiFiAwareError) -> OpaqueServiceName? {
        var found: OpaqueServiceName?
        let attributes = try WiFiAwareFrame(parsing: body).attributes
        for attribute in attributes where attribute.type == WiFiAwareAttribute.serviceDescriptor {
            guard WiFiAwareServiceDescriptor.isOfInkling(attribute.content.span) else { continue }
            let descriptor = try WiFiAwareServiceDescriptor(content: attribute.content.span)
            guard descriptor.role == .publish else { continue }
            guard found == nil else { throw .repeatedName(offset: attribute.offset) }
            var info = descriptor.serviceInfo
            if info == nil {
                info = try WiFiAwareServiceExtension.serviceInfo(of: descriptor.instance, in: attributes)
            }
            guard let info else { throw .noName(offset: attribute.offset) }
            guard let octets = Octets16(info.span) else {
                throw .nameLength(offset: attribute.offset, count: info.count)
            }
            found = OpaqueServiceName(octets)
        }
        return found
    }

    /// What a device that can be met sends: its name of this epoch and nothing else, 35 bytes.
    ///
    /// `requestor` is the instance number of the subscriber that asked, or 0 in a frame that nobody asked for.
    public static func publishing(_ name: OpaqueServiceName, requestor: UInt8 = 0) -> [UInt8] {
        var info: [UInt8] = []
        info.append(name.octets)
        return encoded(
            WiFiAwareServiceDescriptor(
                role: .publish, service: .inkling, instance: instance, requestor: requestor, serviceInfo: info))
    }

    /// What a device that looks for others sends: that it looks, 18 bytes, the same on every device.
    public static func subscribing() -> [UInt8] {
        encoded(WiFiAwareServiceDescriptor(role: .subscribe, service: .inkling, instance: instance))
    }

    private static func encoded(_ descriptor: WiFiAwareServiceDescriptor) -> [UInt8] {
        header + descriptor.assembled()
    }
}
