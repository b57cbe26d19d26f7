package import InklingKeys

/// The packets that a node sends (`Specs/mdns.md`, "Packets"): each with the same records in the same order.
package enum ServicePacket {
    /// The seconds for which caches may keep the records.
    static let timeToLive: UInt32 = 120
    /// The same in a reply to a querier that does not implement multicast DNS (RFC 6762 section 6.7).
    static let legacyTimeToLive: UInt32 = 10

    /// The purpose of a response.
    package enum Purpose: Hashable, Sendable {
        /// An announcement, or an answer.
        case answer
        /// A goodbye: all times to live are 0.
        case goodbye
        /// A reply to a legacy query, whose number and question it repeats.
        case legacy(id: UInt16, MDNSMessage.Question)
    }

    /// Returns a response with all records of an instance: PTR if it is announced, SRV, TXT, and the addresses of the
    /// interface in the order in which they are published.
    package static func response(
        _ instance: ServiceInstance, isAnnounced: Bool, addresses: [Endpoint.Address], for purpose: Purpose = .answer,
        of service: ServiceType = .inkling
    ) -> [UInt8] {
        var packet = Writer(service: service)
        let (timeToLive, flush): (UInt32, UInt16) =
            switch purpose {
            case .answer: (Self.timeToLive, 0x8000)
            case .goodbye: (0, 0x8000)
            case .legacy: (legacyTimeToLive, 0)
            }
        let count = UInt16(truncatingIfNeeded: addresses.count + 2 + (isAnnounced ? 1 : 0))
        if case .legacy(let id, let question) = purpose {
            packet.header(id: id, flags: 0x8400, questions: 1, answers: count)
            packet.name(question.name)
            packet.bytes.append(u16: question.type)
            packet.bytes.append(u16: 1)
        } else {
            packet.header(id: 0, flags: 0x8400, questions: 0, answers: count)
        }
        if isAnnounced {
            packet.record(.serviceType, type: MDNSMessage.RecordType.pointer, class: 1, timeToLive) {
                $0.name(.instance(instance.name))
            }
        }
        packet.record(.instance(instance.name), type: MDNSMessage.RecordType.service, class: 1 | flush, timeToLive) {
            $0.bytes.append(u32: 0)
            $0.bytes.append(u16: instance.port)
            // Legacy queriers do not expect compression here, and one form for all is simpler.
            $0.uncompressed(.host(instance.host))
        }
        packet.record(.instance(instance.name), type: MDNSMessage.RecordType.text, class: 1 | flush, timeToLive) {
            $0.bytes.append(u8: 3)
            $0.bytes.append("v=1")
        }
        for address in addresses {
            switch address {
            case .v4(let value):
                packet.record(.host(instance.host), type: MDNSMessage.RecordType.a, class: 1 | flush, timeToLive) {
                    $0.bytes.append(u32: value)
                }
            case .v6(let octets, _):
                packet.record(.host(instance.host), type: MDNSMessage.RecordType.aaaa, class: 1 | flush, timeToLive) {
                    $0.bytes.append(octets)
                }
            }
        }
        return packet.bytes
    }

    /// Returns the question for all instances of the service.
    package static func browseQuery(of service: ServiceType = .inkling) -> [UInt8] {
        query(.serviceType, type: MDNSMessage.RecordType.pointer, of: service)
    }

    /// Returns the question for one instance.
    package static func instanceQuery(_ name: OpaqueServiceName, of service: ServiceType = .inkling) -> [UInt8] {
        query(.instance(name), type: MDNSMessage.RecordType.service, of: service)
    }

    private static func query(_ name: MDNSName, type: UInt16, of service: ServiceType) -> [UInt8] {
        var packet = Writer(service: service)
        packet.header(id: 0, flags: 0, questions: 1, answers: 0)
        packet.name(name)
        packet.bytes.append(u16: type)
        packet.bytes.append(u16: 1)
        return packet.bytes
    }
}

extension ServicePacket {
    /// A writer of a message, with compression pointers to names that it already contains.
    private struct Writer {
        var bytes: [UInt8] = []
        private let service: ServiceType
        private var places: [MDNSName: Int] = [:]

        init(service: ServiceType) { self.service = service }

        mutating func header(id: UInt16, flags: UInt16, questions: UInt16, answers: UInt16) {
            bytes.append(u16: id)
            bytes.append(u16: flags)
            bytes.append(u16: questions)
            bytes.append(u16: answers)
            bytes.append(u32: 0)
        }

        mutating func record(
            _ owner: MDNSName, type: UInt16, class recordClass: UInt16, _ timeToLive: UInt32,
            _ data: (inout Writer) -> Void
        ) {
            name(owner)
            bytes.append(u16: type)
            bytes.append(u16: recordClass)
            bytes.append(u32: timeToLive)
            let place = bytes.count
            bytes.append(u16: 0)
            data(&self)
            let count = bytes.count - place - 2
            bytes[place] = UInt8(truncatingIfNeeded: count >> 8)
            bytes[place + 1] = UInt8(truncatingIfNeeded: count)
        }

        mutating func name(_ name: MDNSName) {
            if let place = places[name] { return bytes.append(u16: 0xc000 | UInt16(truncatingIfNeeded: place)) }
            places[name] = bytes.count
            switch name {
            case .instance(let instance):
                label(Array(instance.description.utf8))
                self.name(.serviceType)
            case .serviceType, .host, .other: text(name)
            }
        }

        mutating func uncompressed(_ name: MDNSName) {
            places[name] = bytes.count
            text(name)
        }

        private mutating func text(_ name: MDNSName) {
            switch name {
            case .serviceType:
                label(service.label)
                label("_tcp")
            case .instance(let instance):
                label(Array(instance.description.utf8))
                label(service.label)
                label("_tcp")
            case .host(let host): label(Array(host.description.utf8))
            case .other: break
            }
            label("local")
            bytes.append(u8: 0)
        }

        private mutating func label(_ text: StaticString) {
            bytes.append(u8: UInt8(truncatingIfNeeded: text.utf8CodeUnitCount))
            bytes.append(text)
        }

        private mutating func label(_ text: [UInt8]) {
            bytes.append(u8: UInt8(truncatingIfNeeded: text.count))
            bytes += text
        }
    }
}
