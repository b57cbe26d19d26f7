import InklingKeys
import InklingTesting
import Testing

@testable import InklingWire

@Suite struct `Hostile packets of multicast DNS` {
    @Test func `rejects every hostile packet, with its stage and reason`() throws {
        let interface = MDNSNode.interface(families: [.v4, .v6])
        for input in try hostileInputs("mdns-packet") {
            do {
                let message = try MDNSMessage(parsing: input.bytes.span)
                // A well-formed message has an address that must not be called.
                guard case .address(_, let address)? = message.records.first?.content else {
                    Issue.record("\(input) is accepted")
                    continue
                }
                _ = try interface.reachable(address)
                Issue.record("\(input) is accepted")
            } catch let error as any Refusal {
                #expect("\(error.stage): \(error.reason)" == input.refusal, "\(input)")
            }
        }
    }
}
