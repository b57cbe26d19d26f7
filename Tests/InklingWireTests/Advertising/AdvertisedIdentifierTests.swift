import InklingTesting
import InklingWire
import Testing

@Suite struct AdvertisedIdentifierTests {
    static let identifiers = [
        IdentifierText(
            UUID128.self, right: "6f1d0e8c-41a2-8395-bd2c-9be0a4f7831c",
            wrongLength: ["", "6f1d0e8c-41a2-8395-bd2c-9be0a4f7831", "6f1d0e8c41a28395bd2c9be0a4f7831c"],
            wrongCharacter: ["6g1d0e8c-41a2-8395-bd2c-9be0a4f7831c", "6f1d0e8c-41a2-8395-bd2c_9be0a4f7831c"]),
        IdentifierText(hexadecimal: WiFiAwareServiceID.self, digits: 12),
    ]

    @Test(arguments: identifiers) func `an identifier is created from its text and from no other`(type: IdentifierText)
    {
        #expect(type.printed(type.right) == type.right)
        for text in type.wrongLength + type.wrongCharacter { #expect(type.printed(text) == nil, "\(text)") }
    }

    @Test(arguments: [
        CodedValue(UUID128(short: 0x180f), #""0000180f-0000-1000-8000-00805f9b34fb""#),
        CodedValue(WiFiAwareServiceID(0x0012_3456_789a), #""00123456789a""#),
    ]) func `an identifier returns from its JSON`(value: CodedValue) throws {
        #expect(try value.encoded() == value.json)
        #expect(try value.returns())
    }
}
