import InklingEngine
import InklingKeys
import InklingTesting
import Testing

private let contact = ContactID(rawValue: 7)
private let address = DeviceAddress(0xaabb_ccdd_eeff)
private let octets = Octets16(high: 1, low: 2)
private let prediction = Prediction(contact: contact, device: .first, audience: .granted(255), epoch: epochZero)
private let attempt = Attempt(name: OpaqueServiceName(octets), prediction: prediction)

/// The values that a caller stores or logs: identifiers, states and effects.
@Suite struct `Public values of the engine` {
    static let rotation: [(RotationMachine.Effect, String)] = [
        (.goQuiet(goodbye: true), "go quiet with a goodbye"), (.goQuiet(goodbye: false), "go quiet"),
        (.closeUnauthenticatedLinks, "close unauthenticated links"),
        (.retire(before: epochZero), "erase the values of epochs before 1984000"),
        (.forget(before: epochZero.period), "erase the keys of periods before 496000"),
        (.prepare(epochZero), "prepare epoch 1984000"),
        (.highWater(epochZero), "store epoch 1984000 as the latest shown"),
        (.publish(epochZero), "publish epoch 1984000"), (.wake(at: Tick(milliseconds: 5)), "wake at 5 ms"),
    ]

    static let recognition: [(RecognitionEngine.Effect, String)] = [
        (.outsideWindow([prediction]), "a value outside its window: device 0 of contact 7 in epoch 1984000"),
        (.contested([prediction]), "a minor at two addresses: device 0 of contact 7 in epoch 1984000"),
        (.replayed, "names are called that do not confirm"),
        (
            .stateChanged(contact, from: .unseen, to: .confirmed(at: Tick(milliseconds: 5))),
            "contact 7 changed from unseen to confirmed, confirmed at 5 ms"
        ), (.arrived(contact), "contact 7 has arrived"), (.left(contact), "contact 7 has left"),
        (
            .confirm(attempt),
            "confirm device 0 of contact 7 in epoch 1984000, seen as name 00000000000000010000000000000002"
        ), (.wake(at: Tick(milliseconds: 5)), "wake at 5 ms"),
    ]

    @Test(arguments: rotation) func `an effect of rotation has a description`(
        effect: RotationMachine.Effect, text: String
    ) { #expect(effect.description == text) }

    @Test(arguments: recognition) func `an effect of recognition has a description`(
        effect: RecognitionEngine.Effect, text: String
    ) { #expect(effect.description == text) }

    @Test func `an address is created from its text and from no other`() {
        let type = IdentifierText(hexadecimal: DeviceAddress.self, digits: 12)
        #expect(type.printed(type.right) == type.right)
        for text in type.wrongLength + type.wrongCharacter { #expect(type.printed(text) == nil, "\(text)") }
    }

    static let values: [CodedValue] =
        rotation.map { CodedValue($0.0) } + recognition.map { CodedValue($0.0) } + [
            CodedValue(PresenceState.unseen, #"{"presence":"unseen"}"#),
            CodedValue(PresenceState.candidate, #"{"presence":"candidate"}"#),
            CodedValue(PresenceState.probable, #"{"presence":"probable"}"#),
            CodedValue(
                PresenceState.confirmed(at: Tick(milliseconds: 5)), #"{"confirmedAt":5,"presence":"confirmed"}"#),
            CodedValue(
                PresenceState.stale(confirmedAt: Tick(milliseconds: 5)), #"{"confirmedAt":5,"presence":"stale"}"#),
            CodedValue(PresenceState.stale(confirmedAt: nil), #"{"presence":"stale"}"#),
            CodedValue(PresenceState.gone, #"{"presence":"gone"}"#),
            CodedValue(AcceptedTime.Refusal.unsupported, #"{"unsupported":{}}"#),
            CodedValue(AcceptedTime.Refusal.behind(seconds: 12), #"{"behind":{"seconds":12}}"#),
            CodedValue(AcceptedTime.Refusal.ahead(seconds: 12), #"{"ahead":{"seconds":12}}"#),
            CodedValue(contact, "7"), CodedValue(address, #""aabbccddeeff""#), CodedValue(AttemptFailure.stranger),
            CodedValue(RecognitionEngine.Effect.replayed),
            CodedValue(attempt), CodedValue(HeldAudience.pair), CodedValue(HeldAudience.granted(255)),
            CodedValue(ObservedTime(unixMilliseconds: 5, uncertainty: .seconds(1))),
        ]
        + (address.map { address in
            [
                CodedValue(RecognitionEngine.Effect.readTag(address)),
                CodedValue(Attempt.Value.tag(RecognitionTag(octets), from: address)),
                CodedValue(Attempt.Value.minor(BeaconMinor(9), from: address)),
            ]
        } ?? [])

    @Test(arguments: values) func `a public value returns from its JSON`(value: CodedValue) throws {
        if let json = value.json { #expect(try value.encoded() == json) }
        #expect(try value.returns())
    }

    @Test(arguments: [
        #"{"presence":"confirmed"}"#, #"{"presence":"gone","confirmedAt":5}"#, #"{"presence":"near"}"#, "{}",
    ]) func `a presence that cannot be is not decoded`(json: String) {
        #expect(throws: DecodingError.self) { try decode(PresenceState.self, from: json) }
    }

    @Test func `a clock is not accepted for a reason in words`() {
        #expect("\(AcceptedTime.Refusal.unsupported)" == "nothing confirms the clock")
        #expect("\(AcceptedTime.Refusal.ahead(seconds: 12))" == "the clock is 12 s ahead of the latest accepted time")
    }
}
