public import InklingKeys

/// The body of a Wi-Fi Aware Service Discovery Frame: everything after the MAC header, from the category field
/// (`Specs/wifi-aware.md`).
public struct WiFiAwareFrame: Hashable, Sendable {
    /// The maximum length of a body in bytes, which is that of a management frame.
    public static let byteLimit = 2304
    // Public action, vendor specific, the OUI of the Wi-Fi Alliance, Service Discovery Frame.
    private static let header: [UInt8] = [0x04, 0x09, 0x50, 0x6f, 0x9a, 0x13]
    /// The instance number of every Inkling device: different numbers would tell devices apart.
    static let instance: UInt8 = 1

    /// The attributes in their order in the frame.
    public let attributes: [WiFiAwareAttribute]

    /// Parses a body into its attributes, of any type.
    ///
    /// - Throws: `WiFiAwareError` with stage `frame` or `attributes`.
    public init(parsing body: Span<UInt8>) throws(WiFiAwareError) {
        guard body.count <= Self.byteLimit else { throw .frameTooLong(count: body.count) }
        guard body.count >= Self.header.count else { throw .truncatedFrame(count: body.count) }
        for index in Self.header.indices where body[index] != Self.header[index] { throw .notServiceDiscovery }
        attributes = try WiFiAwareAttribute.list(parsing: body, from: Self.header.count)
    }

    /// Parses a frame and returns the name that it publishes for the Inkling service; nil if there is none.
    ///
    /// Descriptors of other services are skipped without being parsed.
    ///
    /// - Throws: `WiFiAwareError` with any stage of parsing; `.notServiceDiscovery` is the normal case for frames of
    ///   strangers.
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

    /// Returns the frame body that publishes a device's name, 35 bytes.
    ///
    /// `requestor` is the instance number of the subscriber to which the frame responds, or 0 if it is unsolicited.
    public static func publishing(_ name: OpaqueServiceName, requestor: UInt8 = 0) -> [UInt8] {
        var info: [UInt8] = []
        info.append(name.octets)
        return encoded(
            WiFiAwareServiceDescriptor(
                role: .publish, service: .inkling, instance: instance, requestor: requestor, serviceInfo: info))
    }

    /// Returns the frame body that subscribes to the Inkling service, 18 bytes, the same on every device.
    public static func subscribing() -> [UInt8] {
        encoded(WiFiAwareServiceDescriptor(role: .subscribe, service: .inkling, instance: instance))
    }

    private static func encoded(_ descriptor: WiFiAwareServiceDescriptor) -> [UInt8] {
        header + descriptor.assembled()
    }
}
