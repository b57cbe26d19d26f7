internal import InklingJSON
internal import InklingKeys
internal import InklingWire

/// The operations on frames and attributes of Wi-Fi Aware (`Specs/wifi-aware.md`).
let wifiAwareOperations: [ShimOperation] = [
    ShimOperation("nan-service-id", [.text("name")]) { arguments in
        ["service": .service(WiFiAwareServiceID(of: arguments.text("name")))]
    },
    ShimOperation(
        "nan-service-descriptor-encode",
        [
            .text("role", .oneOf(WiFiAwareServiceDescriptor.Role.allCases.map(\.name))), .bytes("service", 6),
            .integer("instance", in: 1...255), .u8("requestor"), .flag("rangeLimited"),
            .u16("bindingBitmap").optional, .bytesList("matchingFilter").optional, .bytes("responseFilter").optional,
            .bytes("serviceInfo").optional,
        ]
    ) { arguments throws(ShimRefusal) in
        let descriptor = WiFiAwareServiceDescriptor(
            role: WiFiAwareServiceDescriptor.Role(name: arguments.text("role")) ?? .publish,
            service: WiFiAwareServiceID(arguments.bytes("service").span.bigEndian(at: 0, count: 6)),
            instance: arguments.u8("instance"), requestor: arguments.u8("requestor"),
            isRangeLimited: arguments.flag("rangeLimited"),
            bindingBitmap: arguments.has("bindingBitmap") ? arguments.u16("bindingBitmap") : nil,
            matchingFilter: arguments.has("matchingFilter") ? arguments.bytesList("matchingFilter") : nil,
            responseFilter: arguments.has("responseFilter") ? arguments.bytes("responseFilter") : nil,
            serviceInfo: arguments.has("serviceInfo") ? arguments.bytes("serviceInfo") : nil)
        let attribute = try refusing { () throws(WiFiAwareError) in try descriptor.encoded() }
        return ["attribute": .hex(attribute.span)]
    },
    ShimOperation("nan-service-descriptor-decode", [.bytes("attribute")]) { arguments throws(ShimRefusal) in
        let bytes = arguments.bytes("attribute")
        let descriptor = try refusing { () throws(WiFiAwareError) in
            try WiFiAwareServiceDescriptor(parsing: bytes.span)
        }
        var result: JSONObject = [
            "role": .text(descriptor.role.name), "service": .service(descriptor.service),
            "instance": .integer(descriptor.instance), "requestor": .integer(descriptor.requestor),
            "rangeLimited": .flag(descriptor.isRangeLimited),
        ]
        if let bitmap = descriptor.bindingBitmap { result["bindingBitmap"] = .integer(bitmap) }
        if let values = descriptor.matchingFilter { result["matchingFilter"] = .list(values.map { .hex($0.span) }) }
        if let filter = descriptor.responseFilter { result["responseFilter"] = .hex(filter.span) }
        if let info = descriptor.serviceInfo { result["serviceInfo"] = .hex(info.span) }
        return result
    },
    ShimOperation("nan-frame-decode", [.bytes("frame")]) { arguments throws(ShimRefusal) in
        let bytes = arguments.bytes("frame")
        let frame = try refusing { () throws(WiFiAwareError) in try WiFiAwareFrame(parsing: bytes.span) }
        return [
            "attributes": .list(
                frame.attributes.map { attribute in
                    .object(["type": .integer(attribute.type), "content": .hex(attribute.content.span)])
                })
        ]
    },
    ShimOperation("nan-publish", [.bytes("name", 16), .u8("requestor")]) { arguments in
        let name = OpaqueServiceName(arguments.octets16("name"))
        return ["frame": .hex(WiFiAwareFrame.publishing(name, requestor: arguments.u8("requestor")).span)]
    },
    ShimOperation("nan-subscribe", []) { _ in ["frame": .hex(WiFiAwareFrame.subscribing().span)] },
    ShimOperation("nan-name", [.bytes("frame")]) { arguments throws(ShimRefusal) in
        let bytes = arguments.bytes("frame")
        let name = try refusing { () throws(WiFiAwareError) in try WiFiAwareFrame.name(parsing: bytes.span) }
        var result = JSONObject()
        if let name { result["name"] = .hex(name.octets) }
        return result
    },
]

extension WiFiAwareServiceDescriptor.Role {
    fileprivate var name: String {
        switch self {
        case .publish: "publish"
        case .subscribe: "subscribe"
        case .followUp: "follow-up"
        }
    }

    fileprivate init?(name: String) {
        guard let role = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = role
    }
}

extension JSON {
    fileprivate static func service(_ service: WiFiAwareServiceID) -> JSON {
        var bytes: [UInt8] = []
        bytes.append(u64: service.value)
        return .hex(bytes.span.extracting(2...))
    }
}
