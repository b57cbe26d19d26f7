import InklingEngine
import Testing

@Suite struct `Parsing of log times` {
    @Test(
        arguments: [
            ("1785600240", 1_785_600_240_000), ("1785600240.5", 1_785_600_240_500), ("0", 0),
            ("2026-08-01T16:04:00Z", 1_785_600_240_000), ("2026-08-01 16:04:00Z", 1_785_600_240_000),
            ("2026-08-01T18:04:00.25+02:00", 1_785_600_240_250), ("2026-08-01 13:34:00-02:30", 1_785_600_240_000),
            ("2016-12-31T23:59:60Z", 1_483_228_800_000),
        ] as [(String, UInt64)])
    func `accepts Unix seconds and RFC 3339`(text: String, milliseconds: UInt64) {
        #expect(LogTime.milliseconds(text) == milliseconds)
    }

    @Test(arguments: [
        "", "yesterday", "-1", "+1", "1e9", "3774873600", "2026-08-01", "2026-08-01T16:04:00", "2026-08-01t16:04:00z",
        "2026-08-01  16:04:00Z", "2026-08-01T18:04:00+0200", "2026-08-01T16:04:00Z ", "1969-12-31T23:59:59Z",
    ])
    func `rejects any other form`(text: String) {
        #expect(LogTime.milliseconds(text) == nil)
    }
}
