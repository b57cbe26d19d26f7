/// The service type of an application in multicast DNS and Wi-Fi Aware (RFC 6763 section 7, RFC 6335 section 5.1), over
/// TCP: `_inkling._tcp`.
public struct ServiceType: Hashable, Sendable {
    /// The first label, with its underscore: 2 to 16 bytes.
    package let label: [UInt8]

    /// The service type of Inkling itself.
    public static let inkling = ServiceType(label: Array("_inkling".utf8))

    /// Creates the service type that follows from the name of an application: letters in lower case, each run of other
    /// characters than ASCII letters and digits as one hyphen, and none at the ends; nil if the result has no letter,
    /// or more than fifteen characters.
    public init?(application name: String) {
        var service: [UInt8] = []
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): service.append(byte)
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): service.append(byte | 0x20)
            default: if let last = service.last, last != Self.hyphen { service.append(Self.hyphen) }
            }
        }
        if service.last == Self.hyphen { service.removeLast() }
        self.init(service: service)
    }

    private init(label: [UInt8]) { self.label = label }

    private init?(service: [UInt8]) {
        guard (1...15).contains(service.count), service.contains(where: Self.isLetter),
            service.allSatisfy({ Self.isLetter($0) || Self.isDigit($0) || $0 == Self.hyphen }),
            service.first != Self.hyphen, service.last != Self.hyphen,
            !zip(service, service.dropFirst()).contains(where: { $0 == Self.hyphen && $1 == Self.hyphen })
        else { return nil }
        label = [UInt8(ascii: "_")] + service
    }

    private static let hyphen = UInt8(ascii: "-")
    private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

extension ServiceType: LosslessStringConvertible {
    /// Parses `_service._tcp`, where the service has 1 to 15 characters: lowercase letters, at least one of them, digits,
    /// and single hyphens inside; nil for any other text.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.first == UInt8(ascii: "_"), bytes.suffix(Self.suffix.count).elementsEqual(Self.suffix) else {
            return nil
        }
        self.init(service: Array(bytes.dropFirst().dropLast(Self.suffix.count)))
    }

    /// The two labels: `_inkling._tcp`.
    public var description: String { String(decoding: label + Self.suffix, as: UTF8.self) }

    private static let suffix = Array("._tcp".utf8)
}
