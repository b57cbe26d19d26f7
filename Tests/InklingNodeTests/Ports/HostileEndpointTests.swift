import InklingNode
import InklingTesting
import InklingWire
import Testing

@Suite struct HostileEndpointTests {
    @Test func `rejects each hostile text with the expected error`() throws {
        for input in try hostileInputs("endpoint-text") {
            #expect(refusal(String(decoding: input.bytes, as: UTF8.self)) == input.refusal, "\(input)")
        }
    }

    private func refusal(_ text: String) -> String? {
        do throws(EndpointError) { _ = try Endpoint(text: text) } catch {
            return switch error {
            case .malformed: "malformed"
            case .port: "port"
            case .notNumeric: "not-numeric"
            case .unknownHost: "unknown-host"
            }
        }
        return nil
    }
}
