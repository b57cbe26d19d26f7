import InklingTesting
import Testing

@testable import InklingKeys

@Suite struct IdentifierTextTests {
    static let identifiers = [
        IdentifierText(hexadecimal: Octets16.self, digits: 32), IdentifierText(hexadecimal: Octets32.self, digits: 64),
        IdentifierText(hexadecimal: OpaqueServiceName.self, digits: 32),
        IdentifierText(hexadecimal: OpaqueHostName.self, digits: 32),
        IdentifierText(hexadecimal: RecognitionTag.self, digits: 32),
        IdentifierText(hexadecimal: UserID.self, digits: 32),
        IdentifierText(hexadecimal: AudienceID.self, digits: 16),
        IdentifierText(decimal: BeaconMinor.self, below: 65_536),
        IdentifierText(decimal: DeviceIndex.self, below: 16), IdentifierText(decimal: Epoch.self, below: 4 << 20),
        IdentifierText(decimal: Period.self, below: 1 << 20),
    ]

    @Test(arguments: identifiers) func `an identifier is created from its text and from no other`(type: IdentifierText)
    {
        #expect(type.printed(type.right) == type.right)
        for text in type.wrongLength + type.wrongCharacter { #expect(type.printed(text) == nil, "\(text)") }
    }

    static let values: [CodedValue] = {
        let octets = Octets16(high: 0x0011_2233_4455_6677, low: 0x8899_aabb_ccdd_eeff)
        let text = #""00112233445566778899aabbccddeeff""#
        return [
            CodedValue(octets, text), CodedValue(Octets32(first: octets, second: octets)),
            CodedValue(OpaqueServiceName(octets), text), CodedValue(OpaqueHostName(octets), text),
            CodedValue(RecognitionTag(octets), text), CodedValue(UserID(octets), text),
            CodedValue(AudienceID(255), #""00000000000000ff""#), CodedValue(BeaconMinor(63941), "63941"),
            CodedValue(DeviceIndex.first, "0"), CodedValue(Period.last.firstEpoch, "4194300"),
            CodedValue(Period.last, "1048575"), CodedValue(Tick(milliseconds: 17), "17"),
            CodedValue(Role.initiator, #""initiator""#), CodedValue(Transport.tcp, "2"),
            CodedValue(TransportSet.known, "13"),
            CodedValue(
                ClockReading(tick: Tick(milliseconds: 17), unixMilliseconds: 1_785_600_000_000, rate: 60),
                #"{"rate":60,"tick":17,"unixMilliseconds":1785600000000}"#),
            CodedValue(CardError.zeroSerial, #"{"zeroSerial":{}}"#),
            CodedValue(CardError.certificates(.allEnded), #"{"certificates":{"reason":"all-ended"}}"#),
        ]
    }()

    @Test(arguments: values) func `a public value returns from its JSON`(value: CodedValue) throws {
        if let json = value.json { #expect(try value.encoded() == json) }
        #expect(try value.returns())
    }

    @Test(arguments: ["16", "-1", "256", #""0""#, "null"]) func `a number out of range is not decoded`(json: String) {
        #expect(throws: DecodingError.self) { try decode(DeviceIndex.self, from: json) }
    }

    @Test func `a clock that stands still is not decoded`() {
        #expect(throws: DecodingError.self) {
            try decode(ClockReading.self, from: #"{"rate":0,"tick":17,"unixMilliseconds":1}"#)
        }
    }

    static let errors: [(any Refusal, String)] = [
        (PlainRefusal(), "some stage: too short"), (CardError.invalidSignature, "its signature is invalid"),
        (CardError.certificates(.duplicateKey), "two devices have the same key"),
        (GrantError.ended, "it has expired"), (InvitationError.tooShort, "its length is wrong"),
        (TextFormError.notBase32, "alphabet: not base32"),
        (KeyAgreementError.lowOrderPoint, "agreement: low order point"),
    ]

    @Test func `a refusal says what is wrong in words`() {
        for (error, text) in Self.errors { #expect("\(error)" == text) }
    }

    @Test func `audiences are ordered by their number`() {
        #expect(AudienceID(1) < AudienceID(2))
        #expect(!(AudienceID(2) < AudienceID(2)))
        #expect([AudienceID(3), 1, 2].sorted() == [1, 2, 3])
    }

    @Test func `a new audience has its own id and no keys of past periods`() throws {
        var generator = SeededGenerator(seed: 1)
        let now = try #require(Period(496_000))
        let (one, other) = (Audience(from: now, using: &generator), Audience(from: now, using: &generator))
        #expect(one.id != other.id)
        #expect(one.generation == 496_000)
        #expect(one.tree.value.interval == 496_000...Period.last.number)
    }
}

private struct PlainRefusal: Refusal {
    var stage: String { "some-stage" }
    var reason: String { "too-short" }
}
