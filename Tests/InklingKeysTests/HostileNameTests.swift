import InklingKeys
import InklingTesting
import Testing

@Suite struct HostileNameTests {
    @Test func `hostile labels, including host names, are not parsed as service names`() throws {
        for input in try hostileInputs("service-name") {
            #expect(OpaqueServiceName(parsing: input.bytes.span) == nil, "\(input)")
            #expect(input.refusal == "not a service name")
        }
    }
}
