public import Testing

/// Records an issue if two values differ, like `#expect(value == expected)`.
///
/// Suites with many comparisons use it, because the compiler spends several times as long on the macro as on a call.
public func expectEqual<Value: Equatable>(
    _ value: Value, _ expected: Value, _ comment: @autoclosure () -> Comment? = nil, fileID: String = #fileID,
    filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
    guard value != expected else { return }
    let remark = comment().map { ": \($0)" } ?? ""
    Issue.record(
        "\(String(reflecting: value)) is not \(String(reflecting: expected))\(remark)",
        sourceLocation: SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
}
