package import InklingJSON
package import InklingKeys
import InklingTerminal

/// A request to a node, as a command sends it: a type whose members are those of its JSON, beside `do`.
package protocol ControlRequest: Encodable, Sendable {
    /// The name in the member `do`.
    static var name: String { get }
    /// The optional members that the JSON leaves out instead of null.
    static var omitted: Set<String> { get }
    /// The text that follows on a line of its own and is not part of the JSON; nil without one.
    var secret: SecretBox<SecretBytes>? { get }
}

extension ControlRequest {
    package static var omitted: Set<String> { [] }
    package var secret: SecretBox<SecretBytes>? { nil }

    /// The JSON of the request, which begins with its name.
    package var json: JSON {
        var object: JSONObject = ["do": .text(Self.name)]
        for (name, value) in JSON(encoding: self).object?.members ?? [] {
            if value != .null || !Self.omitted.contains(name) { object[name] = value }
        }
        return .object(object)
    }
}
