#if Node
    import InklingKeys
    import InklingNode
    import InklingTesting
    import Testing

    @testable import InklingLinux

    @Suite struct HostileAnswerTests {
        /// SRV with the text of its host, or A and AAAA with the digits of their address.
        @Test func `hostile answers resolve to no endpoint`() throws {
            for input in try hostileInputs("mdns-answer") {
                let parts = input.bytes.split(
                    separator: UInt8(ascii: " "), maxSplits: 1, omittingEmptySubsequences: false)
                try #require(parts.count == 2, "\(input)")
                if Array(parts[0]) == Array("SRV".utf8) {
                    let host = (Array(parts[1]) + [0]).map(CChar.init(bitPattern:))
                    let found = unsafe host.withUnsafeBufferPointer { unsafe hostName($0.baseAddress) }
                    #expect(found == nil, "\(input)")
                    #expect(input.refusal == "not a host name")
                } else {
                    let digits = String(decoding: parts[1], as: UTF8.self)
                    let address = try #require(Self.address(of: bytes(digits)), "\(input)")
                    #expect(address.reachable(onLoopback: false) == nil, "\(input)")
                    #expect(input.refusal == "not reachable")
                }
            }
        }

        private static func address(of bytes: [UInt8]) -> Endpoint.Address? {
            if bytes.count == 4 { return .v4(bytes.reduce(0) { $0 << 8 | UInt32($1) }) }
            return Octets16(bytes.span).map { .v6($0, scope: 0) }
        }

        @Test func `a host of ours is read`() {
            let digits = "0123456789abcdef0123456789abcdef"
            let host = "\(digits).local".utf8CString
            let found = unsafe host.withUnsafeBufferPointer { unsafe hostName($0.baseAddress) }
            #expect(found?.description == digits)
        }
    }
#endif
