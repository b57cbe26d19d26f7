internal import InklingEngine
package import InklingJSON
internal import InklingKeys
package import InklingPlatforms
internal import InklingWire

/// An implementation of the shim protocol: one JSON line in, one JSON line out (`Specs/conformance.md`).
///
/// A shim takes secrets as arguments and prints secrets as results. Use it for tests only, never with real keys.
public struct Shim: Sendable {
    /// The version of the specification that this package implements.
    public static let specVersion = Specification.version

    /// The maximum length of a request in bytes, without its line feed.
    public static let lineLimit = ShimLimit.line

    let operations: [String: ShimOperation]
    /// The names of the operations.
    public let operationNames: [String]

    /// Creates a shim with every operation of this package.
    public init() { self.init(knowing: .known) }

    /// Creates a shim with other platform facts; a test uses it to find the vectors that depend on a fact.
    package init(knowing profiles: PlatformProfiles) {
        let all =
            keyOperations + advertisingOperations + profileOperations + wifiAwareOperations + appleOperations
            + framingOperations + syncRecordOperations + fileOperations + handshakeOperations + handOverOperations + [
                noiseOperation, recognitionOperation, firstContactOperation, syncOperation,
                unauthenticatedConnectionsOperation, acceptedTimeOperation,
            ]
            + mdnsOperations + platformOperations(knowing: profiles) + lifecycleOperations + primitiveOperations
        operationNames = ["capabilities"] + all.map(\.name)
        operations = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
    }

    /// Returns the reply to a line, without a line feed. Every line gets exactly one reply.
    public func reply(to line: [UInt8]) -> String {
        var reply: JSONObject = ["id": .null]
        do throws(ShimRefusal) {
            let request = try Self.request(line, id: &reply)
            switch try result(of: request.operation, request.arguments) {
            case .some(let result): reply["result"] = .object(result)
            case .none: reply["unsupported"] = .flag(true)
            }
        } catch {
            reply["error"] = .object(["stage": .text(error.stage), "reason": .text(error.reason)])
        }
        return JSON.object(reply).compact
    }

    /// Runs an operation and returns its result; `nil` if there is no such operation.
    ///
    /// - Throws: the refusal of the arguments or of the operation.
    package func result(of operation: String, _ arguments: JSONObject) throws(ShimRefusal) -> JSONObject? {
        if operation == "capabilities" {
            _ = try ShimArguments(checking: arguments, against: [])
            let names = JSON.list(operationNames.map(JSON.text))
            return ["specVersion": .text("inkling/\(Self.specVersion)"), "operations": names]
        }
        guard let operation = operations[operation] else { return nil }
        return try operation.run(ShimArguments(checking: arguments, against: operation.parameters))
    }

    /// Returns the names of an operation's arguments in order; `nil` if there is no such operation.
    package func argumentNames(_ operation: String) -> [String]? { operations[operation]?.parameters.map(\.name) }

    private static func request(
        _ line: [UInt8], id reply: inout JSONObject
    ) throws(ShimRefusal) -> (operation: String, arguments: JSONObject) {
        guard line.count <= ShimLimit.line else { throw ShimRefusal("request", "too-long") }
        let value: JSON
        do { value = try JSON(parsing: line) } catch { throw ShimRefusal("request", "not-json") }
        guard let request = value.object else { throw ShimRefusal("request", "not-an-object") }
        guard let id = request["id"], isUsable(id: id) else { throw ShimRefusal("request", "bad-id") }
        reply["id"] = id
        guard let operation = request["op"]?.text else { throw ShimRefusal("request", "bad-op") }
        guard request.names.allSatisfy({ ["id", "op", "args"].contains($0) }) else {
            throw ShimRefusal("request", "bad-args")
        }
        switch request["args"] {
        case nil: return (operation, JSONObject())
        case .object(let arguments): return (operation, arguments)
        default: throw ShimRefusal("request", "bad-args")
        }
    }

    private static func isUsable(id: JSON) -> Bool {
        if let number = id.integer { return (0..<1 << 53).contains(number) }
        if let text = id.text { return text.utf8.count <= 64 }
        return false
    }
}
