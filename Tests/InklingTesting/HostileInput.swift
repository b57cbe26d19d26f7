internal import FoundationEssentials
internal import InklingJSON

/// An input of `Tests/Rigs/hostile-inputs`, which its parser must refuse.
public struct HostileInput: Sendable, CustomStringConvertible {
    /// The name of the parser, and what is wrong with the input.
    public let description: String
    /// The bytes to parse.
    public let bytes: [UInt8]
    /// The stage and reason, or the text, with which the parser must refuse it.
    public let refusal: String
}

/// Thrown if a file of `Tests/Rigs/hostile-inputs` is malformed.
public struct HostileFileError: Error, CustomStringConvertible {
    public let description: String
}

/// Returns the inputs for a parser, in the order of its file.
///
/// - Throws: `HostileFileError` if the file is malformed, has fewer than eight inputs or two with the same name; or
///   an error from reading the file.
public func hostileInputs(_ parser: String) throws -> [HostileInput] {
    // This file is Tests/InklingTesting/HostileInput.swift.
    let folder = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(2).joined(separator: "/")
    let path = "\(folder)/Rigs/hostile-inputs/\(parser).json"
    let file = try JSON(parsing: [UInt8](try Data(contentsOf: URL(filePath: path)))).object
    guard let file, file["parser"]?.text == parser, let cases = file["cases"]?.list else {
        throw HostileFileError(description: "\(path) is not a file of inputs for \(parser)")
    }
    let inputs = try cases.map { one in
        guard let members = one.object, let name = members["class"]?.text, let refusal = members["refusal"]?.text,
            members.names.count == 3, let bytes = bytes(of: members)
        else { throw HostileFileError(description: "\(path): \(one.compact.prefix(200))") }
        return HostileInput(description: "\(parser): \(name)", bytes: bytes, refusal: refusal)
    }
    guard Set(inputs.map(\.description)).count == inputs.count, inputs.count >= 8 else {
        throw HostileFileError(description: "\(path) has fewer than eight inputs, or two with the same name")
    }
    return inputs
}

/// Returns the bytes that are written as a text, as hexadecimal digits, as a text and the number of its repetitions, or
/// as a list of texts and repetitions.
private func bytes(of members: JSONObject) -> [UInt8]? {
    if let text = members["text"]?.text { return Array(text.utf8) }
    if let digits = members["hex"]?.text { return bytes(digits) }
    if let repeated = members["repeat"] { return bytes(ofPart: repeated) }
    return members["parts"]?.list?.reduce([]) { whole, part in
        bytes(ofPart: part).flatMap { part in whole.map { $0 + part } }
    }
}

private func bytes(ofPart part: JSON) -> [UInt8]? {
    if let text = part.text { return Array(text.utf8) }
    guard let pair = part.list, pair.count == 2, let text = pair[0].text, let count = pair[1].integer,
        (0...1 << 24).contains(count)
    else { return nil }
    return Array(String(repeating: text, count: Int(count)).utf8)
}
