#if Node
    import InklingKeys
    import Testing

    @testable import InklingLinux

    private func at(_ milliseconds: UInt64) -> Tick { Tick(milliseconds: milliseconds) }

    @Suite struct ServedCentralsTests {
        @Test func `whoever subscribes beside the owner of OUT is disconnected, and until then nothing is notified`() {
            var served = ServedCentrals()
            for device in ["contact", "stranger", "quiet"] { #expect(served.arrived(device, at: at(0)).isEmpty) }
            #expect(served.subscribed("contact").isEmpty)
            #expect(served.subscribed("stranger").isEmpty)
            #expect(served.mayNotify("contact", at: at(1)) == .never)
            #expect(served.passed("contact", at: at(2)) == [.disconnect("stranger")])
            #expect(served.mayNotify("contact", at: at(3)) == .later)
            #expect(served.gone("stranger") == [.release("contact")])
            #expect(served.mayNotify("contact", at: at(4)) == .now)
            #expect(served.subscribed("quiet") == [.disconnect("quiet")])
            #expect(served.mayNotify("contact", at: at(5)) == .later)
            #expect(served.gone("quiet") == [.release("contact")])
            #expect(served.due == nil)
        }

        @Test func `a stranger that does not go holds up a contact for three seconds at most`() {
            var served = ServedCentrals()
            _ = served.arrived("contact", at: at(0))
            _ = served.subscribed("contact")
            _ = served.arrived("stranger", at: at(0))
            _ = served.subscribed("stranger")
            _ = served.passed("contact", at: at(0))
            #expect(served.mayNotify("contact", at: at(10)) == .later)
            #expect(served.due == at(3_010))
            #expect(served.timerFired(at: at(3_009)).isEmpty)
            #expect(served.timerFired(at: at(3_010)) == [.release("contact")])
            #expect(served.due == nil)
            #expect(served.mayNotify("contact", at: at(3_011)) == .now)
        }

        @Test func `a busy owner keeps OUT, and one that was idle gives way`() {
            var served = ServedCentrals()
            _ = served.arrived("first", at: at(0))
            _ = served.passed("first", at: at(0))
            _ = served.arrived("second", at: at(0))
            #expect(served.passed("second", at: at(20_000)) == [.disconnect("second")])
            served.authenticated("first")
            _ = served.gone("second")
            _ = served.arrived("third", at: at(20_000))
            #expect(served.passed("third", at: at(20_000)) == [.disconnect("first")])
            #expect(served.mayNotify("first", at: at(20_001)) == .never)
            #expect(served.mayNotify("third", at: at(20_001)) == .later)
            #expect(served.subscribed("third") == [.release("third")])
            #expect(served.mayNotify("third", at: at(20_002)) == .now)
        }

        @Test func `the oldest stranger gives way, a contact last`() {
            var served = ServedCentrals()
            for number in 0..<8 { #expect(served.arrived("\(number)", at: at(0)).isEmpty) }
            _ = served.passed("0", at: at(0))
            #expect(served.arrived("early", at: at(1_999)) == [.disconnect("early")])
            #expect(served.arrived("8", at: at(2_000)) == [.disconnect("1")])
            #expect(served.arrived("8", at: at(2_000)).isEmpty)
            #expect(served.arrived("9", at: at(2_000)) == [.disconnect("2")])
            served.authenticated("0")
            #expect(served.arrived("10", at: at(2_000)).isEmpty)
        }

        @Test func `the table has a bound even if nobody goes`() {
            var served = ServedCentrals()
            for number in 0..<100 { _ = served.arrived("\(number)", at: at(0)) }
            #expect(served.devices.count == 32)
        }
    }
#endif
