import InklingKeys
import InklingTesting
import Testing

@Suite struct HostileNameTests {
    @Test func `hostile labels are no service names, hosts included`() throws {
        for input in try hostileInputs("service-name") {
            #expect(OpaqueServiceName(parsing: input.bytes.span) == nil, "\(input)")
            #expect(input.refusal == "no name of ours")
        }
    }
}
