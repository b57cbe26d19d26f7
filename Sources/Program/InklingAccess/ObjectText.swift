package import InklingKeys
package import InklingTerminal

/// A card, an invitation or a sealed grant in its text form (`Specs/invitations.md`).
package struct ObjectText {
    package let kind: TextForm.Kind
    /// The object, secret if it is an invitation.
    package let content: SecretBox<SecretBytes>

    /// The number of characters of an invitation: the prefix, and the base32 of its bytes and a 4-byte check.
    private static let invitationLength = "INKLING:I:".count + ((Invitation.byteCount + 4) * 8 + 4) / 5

    /// Parses a text.
    ///
    /// - Throws: `Failure`, which says whether the text is incomplete or mistyped.
    package init(_ text: Span<UInt8>) throws(Failure) {
        do throws(TextFormError) {
            let content = try TextForm.decode(text)
            kind = content.kind
            self.content = SecretBox(content.bytes.duplicate())
        } catch {
            throw Self.failure(error, text)
        }
    }

    /// Parses a text that is not secret.
    package init(_ text: String) throws(Failure) { try self.init(Array(text.utf8).span) }

    /// The bytes of an object that is not secret.
    package var bytes: [UInt8] { content.value.withBytes { bytes in bytes.indices.map { bytes[$0] } } }

    /// Returns the text form of an object that is not secret.
    package static func encode(_ kind: TextForm.Kind, _ bytes: [UInt8]) throws(Failure) -> String {
        do throws(TextFormError) { return try TextForm.encode(kind, bytes.span) } catch { throw tooLong }
    }

    /// Returns the text form of an invitation.
    package static func encode(
        _ invitation: Invitation, as kind: TextForm.Kind = .invitation
    ) throws(Failure) -> SecretBytes {
        let text = invitation.encoded().withBytes { bytes in try? TextForm.secretText(kind, bytes) }
        guard let text else { throw tooLong }
        return text
    }

    private static var tooLong: Failure { Failure(.badData, "the object is too long for the text form") }

    private static func failure(_ error: TextFormError, _ text: Span<UInt8>) -> Failure {
        let count = text.indices.count { !isContinuation(text[$0]) }
        let what =
            switch error {
            case .unknownPrefix: "not an Inkling object: the text must begin with INKLING:"
            case .unknownKind, .noSeparator:
                "not an Inkling object: INKLING: must be followed by I, C, G or L and a colon"
            case .tooLong: "the text must have at most \(TextForm.textLimit) characters, got \(count)"
            case .notBase32, .impossibleLength, .paddingNotZero, .tooShort, .checkMismatch: mistake(error, text, count)
            }
        return Failure(
            .badData, what, remedy: "Copy the whole text again. It has no spaces; with -, it can have several lines.")
    }

    /// Describes the mistake after the prefix.
    private static func mistake(_ error: TextFormError, _ text: Span<UInt8>, _ count: Int) -> String {
        let kind = "INKLING:".utf8.count
        let name =
            switch kind < text.count ? text[kind] | 0x20 : 0 {
            case UInt8(ascii: "i"): "invitation"
            case UInt8(ascii: "c"): "card"
            case UInt8(ascii: "g"): "sealed grant"
            default: "text"
            }
        if error == .notBase32, let (place, character) = firstOther(than: isBase32, in: text, from: kind + 2) {
            return "the \(name) is mistyped: character \(place) is '\(printable(character))', "
                + "which is neither a letter nor a digit from 2 to 7"
        }
        guard name == "invitation" else { return "the \(name) is incomplete or mistyped: \(count) characters found" }
        let expected = invitationLength
        if count == expected { return "the invitation is mistyped: one or more of its \(count) characters are wrong" }
        return "the invitation is \(count < expected ? "incomplete" : "too long"): "
            + "\(count) characters found, \(expected) expected"
    }

    /// Returns the first character whose first byte does not match, and its place, counted from 1.
    private static func firstOther(
        than matches: (UInt8) -> Bool, in text: Span<UInt8>, from start: Int
    ) -> (place: Int, character: String)? {
        guard let first = (start..<max(start, text.count)).first(where: { !matches(text[$0]) }) else { return nil }
        let end = (first + 1..<text.count).first { !isContinuation(text[$0]) } ?? text.count
        // Only ASCII characters precede it.
        return (first + 1, String(decoding: (first..<end).map { text[$0] }, as: UTF8.self))
    }

    private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xc0 == 0x80 }
}

/// Returns whether a byte is a base32 digit, in either case.
func isBase32(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "2")...UInt8(ascii: "7"):
        true
    default: false
    }
}
