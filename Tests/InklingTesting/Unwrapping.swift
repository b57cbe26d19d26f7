/// Thrown when a test needed a value and there was none.
public struct MissingValue: Error, CustomStringConvertible {
    let place: String
    public var description: String { "a value was expected at \(place)" }
}

/// The wrapped value, for types that `#require` cannot handle because they are not copyable.
public func unwrap<Value: ~Copyable>(
    _ value: consuming Value?, file: StaticString = #fileID, line: UInt = #line
) throws -> Value {
    switch consume value {
    case .some(let value): return value
    case .none: throw MissingValue(place: "\(file):\(line)")
    }
}
