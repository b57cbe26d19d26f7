import InklingKeys
import InklingWire

@testable import InklingNode

extension SpokenSession {
    /// The stream of the texts that a test sends.
    private static var stream: UInt64 { 0x5555 }

    /// Announces the texts that follow.
    func beginTexts() async throws {
        guard let stream = StreamID(rawValue: Self.stream) else { return }
        try await say(SyncStream(stream: stream, first: 1).record)
    }

    /// Sends a text under a number.
    func say(text: String, number: UInt64) async throws {
        guard let id = TextID(rawValue: Octets16(high: 9, low: number)) else { return }
        try await say(SyncMessage(number: number, id: id, writtenAt: 0, text: text).record)
    }
}

extension SpokenSession.Heard {
    var receipt: SyncReceipt { get throws { try SyncReceipt(parsing: body.span) } }
    var message: SyncMessage { get throws { try SyncMessage(parsing: body.span) } }
    var stream: SyncStream { get throws { try SyncStream(parsing: body.span) } }
}
