/// Thrown by `unwrap` if there is no value.
public struct MissingValue: Error, CustomStringConvertible {
    let place: String
    public var description: String { "missing value at \(place)" }
}

/// Returns the wrapped value, for types that `#require` does not support because they are not copyable.
///
/// - Throws: `MissingValue` if the value is nil.
public func unwrap<Value: ~Copyable>(
    _ value: consuming Value?, file: StaticString = #fileID, line: UInt = #line
) throws -> Value {
    switch consume value {
    case .some(let value): return value
    case .none: throw MissingValue(place: "\(file):\(line)")
    }
}
