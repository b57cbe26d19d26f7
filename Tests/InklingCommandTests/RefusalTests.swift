import InklingAccess
import InklingJSON
import InklingKeys
import InklingNode
import InklingTerminal
import InklingTesting
import Testing

@testable import InklingCommand

@Suite struct `A refusal` {
    private static let user = UserID(Octets16(high: 0, low: 7))

    @Test(arguments: [
        ("link", "closed or silent", "the other side closed the connection or did not answer"),
        ("commitment", "mismatch", "the other side has another card than the one that the invitation names"),
        (
            "certificates", "no-valid-certificate",
            "the other side's card does not certify its device at this time; compare the clocks of both devices"
        ),
        ("certificates", "two-primaries", "the card of the other side is invalid: two devices claim to be the primary"),
        (
            "name", "bidi",
            "the card of the other side is invalid: the name contains a character that changes the direction"
        ),
        ("length", "name-length", "the card of the other side is invalid: the name is longer than 64 bytes"),
        ("payload", "decryption-failed", "the other side did not prove that it holds the keys of this invitation"),
        ("message-2", "wrong-length", "the other side did not prove that it holds the keys of this invitation"),
        ("packet", "unknown-type", "the other side sent an invalid message; it may run a different version"),
        ("hello", "truncated", "the other side sent an invalid message; it may run a different version"),
    ])
    func `that ends a first contact is described in words, and its code is for programs`(
        stage: String, reason: String, words: String
    ) {
        let failure = Failure(.firstContactFailed(stage: stage, reason: reason))
        #expect(failure.status == .unavailable)
        let text = failure.description()
        #expect(text.hasPrefix("the first contact failed: \(words)"))
        #expect(!text.contains("\(stage)/\(reason)") && !text.contains("\(stage): \(reason)"))
        #expect(failure.refusal == "\(stage)/\(reason)")
        #expect(failure.description(showsCode: true).contains(" [\(stage)/\(reason)]"))
    }

    @Test func `crosses the control socket with its code`() throws {
        let failure = Failure(.firstContactFailed(stage: "commitment", reason: "mismatch"))
        let line = ControlMessage.failed(failure).line
        #expect(line.contains(#""refusal":"commitment/mismatch""#))
        guard case .failed(let received)? = ControlMessage(line: SecretBytes(copying: Array(line.utf8.dropLast()).span))
        else {
            Issue.record("no failure: \(line)")
            return
        }
        #expect(received == failure)
        #expect(ControlMessage.failed(Failure(.usage, "wrong")).line.contains(#""refusal":null"#))
    }

    @Test(arguments: [
        ("signature", "invalid", "its signature is invalid"), ("interval", "ended", "it has expired"),
        ("generation", "too-far", "its generation is too high"), ("certificates", "interval", "the dates of a"),
        ("name", "control", "the name contains a control character"), ("unknown", "code", "it is malformed"),
    ])
    func `of a contact's card or grant is described in words, and its code is in the JSON`(
        stage: String, reason: String, words: String
    ) {
        let event = EventFact(.trouble(.refused(Self.user, stage: stage, reason: reason))) { _ in "Bo" }
        #expect(event.sentence.hasPrefix("Bo: rejected a card or grant of the contact: \(words)"))
        #expect(!event.sentence.contains(reason) || reason == "invalid" || reason == "control")
        #expect(JSON(encoding: event).object?["refusal"] == .text("\(stage)/\(reason)"))
    }

    @Test func `has no code in troubles of another kind`() {
        let event = EventFact(.missed(1)) { _ in "" }
        #expect(event.sentence == "1 event lost: the reader is too slow")
        #expect(JSON(encoding: event).object?["refusal"] == .null)
    }
}
