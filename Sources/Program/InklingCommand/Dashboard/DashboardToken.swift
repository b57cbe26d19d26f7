import InklingAccess
import InklingKeys
import InklingTerminal

extension Request {
    /// Reports where the node serves its dashboard, and the token that the page asks for.
    struct Dashboard: NodeRequest {
        static let name = "dashboard", isBrief = true

        func run(on served: ServedNode, for peer: Peer<DashboardFact>) async throws(Failure) {
            guard let dashboard = served.dashboard else {
                throw Failure(
                    .unavailable, "the node serves no dashboard",
                    remedy: .command("Start it with one", "run --dashboard 127.0.0.1:9761"))
            }
            await peer.take(dashboard)
        }
    }
}

/// The address of a node's dashboard. The token follows on a separate line.
struct DashboardFact: SecretFact {
    static let kind = "dashboard"

    let address: String
    var secret: SecretBox<SecretBytes>?

    private enum CodingKeys: String, CodingKey {
        case address
    }
}

/// The token that a browser must show to the dashboard: 128 random bits, drawn when the node starts.
///
/// A port on a loopback address is open to every user of the machine. The page keeps the token for its own origin and
/// sends it in a header, so it is in no URL, no history and no cookie; a cookie would go to every port of the machine.
struct DashboardToken: Sendable {
    private static let byteCount = 16

    /// The token as 32 hexadecimal digits.
    let text: SecretBox<SecretBytes>

    /// Draws a token.
    init() {
        var generator = SystemRandomNumberGenerator()
        let bytes = SecretBytes(count: Self.byteCount, from: &generator)
        let digits = SecretBytes(count: 2 * Self.byteCount) { digits in
            bytes.withBytes { bytes in
                for index in bytes.indices {
                    digits[2 * index] = Self.digit(bytes[index] >> 4)
                    digits[2 * index + 1] = Self.digit(bytes[index] & 15)
                }
            }
        }
        text = SecretBox(digits)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    /// Returns whether the values of a request's Authorization header show the token; takes the same time for each
    /// token of the right length.
    func isShown(in values: [String]) -> Bool {
        let scheme = "Bearer "
        guard values.count == 1, let value = values.first, value.hasPrefix(scheme) else { return false }
        let shown = Array(value.utf8.dropFirst(scheme.utf8.count))
        return text.value.withBytes { constantTimeEquals($0, shown.span) }
    }
}
