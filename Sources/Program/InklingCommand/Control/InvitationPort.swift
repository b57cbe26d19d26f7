import Synchronization

/// The TCP port of an open invitation, which changes when an epoch ends, and when the node begins anew for another reason.
final class InvitationPort: Sendable {
    private let port = Mutex<UInt16>(0)
    private let changed: AsyncStream<UInt16>.Continuation
    /// Every later port, once; only the newest one waits.
    let changes: AsyncStream<UInt16>

    init() { (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    var current: UInt16 { port.withLock { $0 } }

    /// Sets the port with which the invitation is shown.
    func begin(with first: UInt16) { port.withLock { if $0 == 0 { $0 = first } } }

    func change(to next: UInt16) {
        port.withLock { $0 = next }
        changed.yield(next)
    }
}
