/// A reference to an immutable secret, for collections and copyable values that must hold one.
///
/// Copying the reference does not copy the secret, which is wiped when the last reference is released. An instance of a
/// class prints as its type name, so interpolating a box reveals nothing.
public final class SecretBox<Value: ~Copyable & Sendable>: Sendable {
    /// The secret.
    public let value: Value

    /// Creates a box that takes ownership of `value`.
    public init(_ value: consuming Value) { self.value = value }
}

extension SecretBox: CustomReflectable where Value: ~Copyable {
    /// An empty mirror, because `dump` would trap on a field that cannot be copied.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
