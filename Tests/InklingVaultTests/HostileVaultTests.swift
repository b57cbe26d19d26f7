import InklingTesting
import Testing

@testable import InklingKeys
@testable import InklingVault

@Suite struct HostileVaultTests {
    @Test func `rejects each hostile header with the expected fault`() throws {
        for input in try hostileInputs("vault-header") {
            #expect(refusal(ofHeader: input.bytes) == input.refusal, "\(input)")
        }
    }

    private func refusal(ofHeader bytes: [UInt8]) -> String? {
        do throws(VaultError.Fault) { _ = try VaultHeader(parsing: bytes.span) } catch {
            return switch error {
            case .truncated: "truncated"
            case .foreign: "foreign"
            case .newerVersion: "newer-version"
            case .damaged(.header): "damaged header"
            case .parametersOutOfRange: "parameters-out-of-range"
            default: "\(error)"
            }
        }
        return nil
    }

    @Test func `rejects hostile contents at the expected offsets`() throws {
        for input in try hostileInputs("vault-contents") {
            var refusal: String?
            do throws(VaultContentsError) { _ = try VaultContents(parsing: input.bytes.span) } catch {
                refusal = error.description
            }
            #expect(refusal == input.refusal, "\(input)")
        }
    }
}
