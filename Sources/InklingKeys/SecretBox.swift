/// A shared owner of one immutable secret, for the places where a collection or a copyable value must hold it.
///
/// Copying the reference does not copy the secret; it is wiped when the last reference goes. A class prints as its
/// type name, so a box in an interpolation shows nothing.
public final class SecretBox<Value: ~Copyable & Sendable>: Sendable {
    /// The secret.
    public let value: Value

    /// Takes the secret over.
    public init(_ value: consuming Value) { self.value = value }
}

extension SecretBox: CustomReflectable where Value: ~Copyable {
    /// Shows nothing: `dump` would trap on a field that cannot be copied.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
