internal import InklingKeys

/// The way in which an attempt reaches a contact. Attempts over the two technologies are independent: each has plans,
/// repeats and a budget of its own.
public enum AttemptTechnology: String, Hashable, Sendable, Codable, CaseIterable, Comparable {
    /// The local network: TCP, because of a name.
    case network
    /// Bluetooth: GATT, because of a tag or a minor.
    case radio

    /// The order in which delays are drawn: the network first.
    public static func < (left: Self, right: Self) -> Bool { left == .network && right == .radio }
}

/// A value for each technology.
struct EachTechnology<Value: Sendable>: Sendable {
    private var network: Value
    private var radio: Value

    init(_ value: Value) { (network, radio) = (value, value) }

    subscript(technology: AttemptTechnology) -> Value {
        get { technology == .network ? network : radio }
        set { if technology == .network { network = newValue } else { radio = newValue } }
    }

    var both: [Value] { [network, radio] }
}

/// A contact and the technology over which it may be tried.
struct Way: Hashable, Sendable, Comparable {
    let contact: ContactID
    let technology: AttemptTechnology

    static func < (left: Self, right: Self) -> Bool {
        (left.contact, left.technology) < (right.contact, right.technology)
    }
}

/// The attempts with one contact over one technology.
struct Tries: Sendable {
    /// The epoch of the last attempt, and the number of attempts for it.
    private(set) var lastAttempted: Epoch?
    private(set) var calls = 0
    /// The epoch of this device in which the link of the last attempt failed; nil if it did not fail.
    var failedIn: Epoch?

    mutating func noteCall(for epoch: Epoch, isRepeat: Bool) {
        lastAttempted = epoch
        calls = isRepeat ? calls + 1 : 1
        failedIn = nil
    }
}
