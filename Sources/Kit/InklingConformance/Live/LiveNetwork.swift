internal import InklingNode
public import InklingWire

/// The network of a live run: multicast DNS, and connections that report how they end.
///
/// `LiveSockets` is this machine's network. Tests have a simulated node and clock. A run waits only in `watch`.
public protocol LiveNetwork: AnyObject {
    /// The real time in milliseconds since 1970-01-01T00:00:00Z.
    var now: Int64 { get }
    /// Every received multicast DNS packet, in order, except the run's own questions.
    var packets: [ObservedPacket] { get }
    /// The addresses of the machine that makes the run.
    var ownAddresses: OwnAddresses { get }

    /// Sends a query with these questions on every interface.
    func ask(_ questions: [DNSMessage.Question])

    /// Starts connecting. Once connected, `bytes` are sent, followed with `endingStream` by the end of the stream.
    func connect(to endpoint: Endpoint, sending bytes: [UInt8], endingStream: Bool) -> Int

    /// Returns the state of a connection; `nil` after `drop`.
    func connection(_ number: Int) -> LiveConnection?

    /// Sends more bytes on a connection.
    func send(_ bytes: [UInt8], on number: Int)

    /// Removes and returns the bytes received on a connection.
    func take(from number: Int) -> [UInt8]

    /// Closes and removes a connection.
    func drop(_ number: Int)

    /// Receives for `milliseconds`, or until `isDone` returns true.
    func watch(milliseconds: Int64, until isDone: () -> Bool)
}

extension LiveNetwork {
    func connect(to endpoint: Endpoint, sending bytes: [UInt8] = []) -> Int {
        connect(to: endpoint, sending: bytes, endingStream: false)
    }

    func watch(milliseconds: Int64) { watch(milliseconds: milliseconds) { false } }
}

/// The state of a connection to the node under test.
public struct LiveConnection: Hashable, Sendable {
    /// Whether the connection was made.
    public var isMade: Bool
    /// The end time: milliseconds since 1970-01-01T00:00:00Z, real time; `nil` while it is open.
    public var endedAt: Int64?
    /// The outcome so far; `end` is `.open` while the connection is open.
    public var outcome: ConnectionOutcome

    public init(isMade: Bool, endedAt: Int64? = nil, outcome: ConnectionOutcome) {
        self.isMade = isMade
        self.endedAt = endedAt
        self.outcome = outcome
    }

    var hasEnded: Bool { outcome.end != .open }
}

/// A reason why a live run is not possible.
public enum LiveError: Error, Hashable, Sendable {
    /// No interface with this name is up.
    case noInterface(String)
    /// No interface is up.
    case noNetwork
    /// Multicast DNS cannot be received on any interface; with the system's error number.
    case cannotListen(code: Int32)
    /// No node was found within this many seconds.
    case noNode(seconds: Int64)
    /// Several nodes were found, with these instance names.
    case severalNodes([String])
    /// Not exactly one contact matches; with the number of contacts of that name, or of all contacts.
    case contacts(Int, named: String?)
    /// The contact of this name has granted nothing.
    case noGrant(String)
    /// The vault has no usable device key.
    case noDeviceKey
}
