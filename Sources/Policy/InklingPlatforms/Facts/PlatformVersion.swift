/// The version of an operating system: up to three numbers.
public struct PlatformVersion: Hashable, Sendable, Comparable {
    /// The first number, which alone decides for most facts.
    public let major: UInt16
    /// The second number; 0 when it is not given.
    public let minor: UInt16
    /// The third number; 0 when it is not given.
    public let patch: UInt16

    /// Creates a version; missing numbers are 0.
    public init(_ major: UInt16, _ minor: UInt16 = 0, _ patch: UInt16 = 0) {
        self.major = major
        self.minor = minor
        self.patch = patch
    }

    /// Parses `18`, `18.0` or `18.0.1`, without leading zeros; missing numbers are 0. Returns nil for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count) else { return nil }
        var numbers: [UInt16] = []
        for part in parts {
            guard part.utf8.allSatisfy({ (0x30...0x39).contains($0) }), part == "0" || part.first != "0",
                let number = UInt16(part)
            else { return nil }
            numbers.append(number)
        }
        self.init(numbers[0], numbers.count > 1 ? numbers[1] : 0, numbers.count > 2 ? numbers[2] : 0)
    }

    public static func < (left: Self, right: Self) -> Bool {
        (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }
}

extension PlatformVersion: CustomStringConvertible {
    public var description: String { patch == 0 ? "\(major).\(minor)" : "\(major).\(minor).\(patch)" }
}
