import Foundation

/// The members that these tests use of a vector file with the operation `noise`.
struct NoiseVectors: Decodable {
    struct Arguments: Decodable {
        let protocolName: String
        let role: String
        let prologue: String
        let psks: [String]
        let localStatic: String?
        let remoteStatic: String?
        let ephemeral: String?
        let payloads: [String]
        let received: [String]
    }

    struct Result: Decodable, Equatable {
        var sent: [String] = []
        var payloads: [String] = []
        var handshakeHash = ""
        var sendKey = ""
        var receiveKey = ""
    }

    struct Case: Decodable {
        let id: String
        let args: Arguments
        let result: Result?
    }

    let operation: String
    let caseCount: Int
    let cases: [Case]

    /// Reads the file `Vectors/external/NAME.json`.
    init(external name: String) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
        let file = root.appending(path: "Vectors/external/\(name).json")
        self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: file))
    }
}
