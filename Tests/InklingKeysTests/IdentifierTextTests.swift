import Testing

@testable import InklingKeys

@Suite struct IdentifierTextTests {
    @Test func `identifiers can be created from their descriptions`() {
        let octets = Octets16(high: 0x0011_2233_4455_6677, low: 0x8899_aabb_ccdd_eeff)
        #expect(Octets16(octets.description) == octets)
        #expect(OpaqueServiceName(octets.description) == OpaqueServiceName(octets))
        #expect(OpaqueHostName(octets.description) == OpaqueHostName(octets))
        #expect(RecognitionTag(octets.description) == RecognitionTag(octets))
        #expect(UserID(octets.description) == UserID(octets))
        #expect(AudienceID("00000000000000ff") == 255)
        #expect(BeaconMinor("63941") == BeaconMinor(63941))
    }

    @Test(arguments: ["", "+0000000000000ff", "-000000000000000", "00000000000000FF", "0ff", "00000000000000000"])
    func `an audience id is not created from any other text`(text: String) {
        #expect(AudienceID(text) == nil)
        #expect(Octets16(text) == nil)
    }

    @Test func `a tick is advanced by durations and clamped to its range`() {
        let tick = Tick(milliseconds: 1000)
        #expect(tick.advanced(by: .seconds(2)) == Tick(milliseconds: 3000))
        #expect(tick.advanced(by: .seconds(-2)) == Tick(milliseconds: 0))
        #expect(Tick(milliseconds: .max).advanced(by: .seconds(1)) == Tick(milliseconds: .max))
        #expect(tick.duration(to: Tick(milliseconds: 400)) == .milliseconds(-600))
        #expect(Duration.milliseconds(UInt64.max).wholeMilliseconds == .max)
        #expect(Duration.seconds(UInt64.max).wholeMilliseconds == .max)
    }

    @Test func `a new audience has its own id and no keys of past periods`() throws {
        var generator = SystemRandomNumberGenerator()
        let now = try #require(Period(496_000))
        let (one, other) = (Audience(from: now, using: &generator), Audience(from: now, using: &generator))
        #expect(one.id != other.id)
        #expect(one.generation == 496_000)
        #expect(one.tree.value.interval == 496_000...Period.last.number)
    }
}
