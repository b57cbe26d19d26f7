public import CInkling
internal import Synchronization

/// The random source of one call: the caller's if one is set, otherwise the system's.
struct Randomness: RandomNumberGenerator {
    private static let given = Mutex<Source?>(nil)

    private let source: Source?
    private var system = SystemRandomNumberGenerator()

    init() { source = Self.given.withLock { $0 } }

    mutating func next() -> UInt64 { source?.next() ?? system.next() }

    /// Sets the source for all later calls; `nil` restores the system's.
    fileprivate static func take(from source: Source?) { given.withLock { $0 = source } }

    /// The caller's source; by the contract of `inkling_fill`, any thread may call it.
    @safe
    fileprivate struct Source: @unchecked Sendable {
        private let fill: @convention(c) (UnsafeMutablePointer<UInt8>?, Int, UnsafeMutableRawPointer?) -> Void
        private let user: UnsafeMutableRawPointer?

        init(_ fill: inkling_fill, _ user: UnsafeMutableRawPointer?) {
            unsafe self.fill = fill
            unsafe self.user = user
        }

        func next() -> UInt64 {
            var number: UInt64 = 0
            unsafe withUnsafeMutableBytes(of: &number) { bytes in
                unsafe fill(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, user)
            }
            return number
        }
    }
}

@c @implementation
public func inkling_use_randomness(_ fill: inkling_fill?, _ user: UnsafeMutableRawPointer?) -> inkling_status {
    Randomness.take(from: unsafe fill.map { unsafe Randomness.Source($0, user) })
    return INKLING_OK
}
