import Synchronization

/// The TCP port of an open invitation, which changes at the end of an epoch, and when the node starts over for another
/// reason.
final class InvitationPort: Sendable {
    private let port = Mutex<UInt16>(0)
    private let changed: AsyncStream<UInt16>.Continuation
    /// The later ports; only the newest is buffered.
    let changes: AsyncStream<UInt16>

    init() { (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    var current: UInt16 { port.withLock { $0 } }

    /// Sets the initial port, unless a later one is already known.
    func begin(with first: UInt16) { port.withLock { if $0 == 0 { $0 = first } } }

    func change(to next: UInt16) {
        port.withLock { $0 = next }
        changed.yield(next)
    }
}
