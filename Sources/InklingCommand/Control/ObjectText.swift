import InklingKeys

/// A card, an invitation or a sealed grant in its text form (`Specs/invitations.md`).
struct ObjectText {
    let kind: TextForm.Kind
    let bytes: [UInt8]

    /// The characters of an invitation: the prefix, and the base32 of its bytes and of a check of 4 bytes.
    private static let invitationLength = "INKLING:I:".count + ((Invitation.byteCount + 4) * 8 + 4) / 5

    /// Parses a text.
    ///
    /// - Throws: `Failure`, which tells a person whether the text is incomplete or mistyped.
    init(_ text: String) throws(Failure) {
        let characters = Array(text.utf8)
        do throws(TextFormError) {
            let content = try TextForm.decode(characters.span)
            kind = content.kind
            bytes = content.bytes.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        } catch {
            throw Self.failure(error, text)
        }
    }

    /// Returns the text form of an object.
    static func encode(_ kind: TextForm.Kind, _ bytes: [UInt8]) throws(Failure) -> String {
        do throws(TextFormError) { return try TextForm.encode(kind, bytes.span) } catch {
            throw Failure(.badData, "the object is too long for the text form")
        }
    }

    private static func failure(_ error: TextFormError, _ text: String) -> Failure {
        let count = text.count
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

    /// Describes what is wrong after the prefix.
    private static func mistake(_ error: TextFormError, _ text: String, _ count: Int) -> String {
        let name =
            switch text.dropFirst("INKLING:".count).first {
            case "I", "i": "invitation"
            case "C", "c": "card"
            case "G", "g": "sealed grant"
            default: "text"
            }
        if error == .notBase32,
            let (place, character) = text.enumerated().dropFirst(10).first(where: { !isBase32($0.element) })
        {
            return "the \(name) is mistyped: character \(place + 1) is '\(printable(String(character)))', "
                + "which is neither a letter nor a digit from 2 to 7"
        }
        guard name == "invitation" else { return "the \(name) is incomplete or mistyped: \(count) characters found" }
        let expected = invitationLength
        if count == expected { return "the invitation is mistyped: one or more of its \(count) characters are wrong" }
        return "the invitation is \(count < expected ? "incomplete" : "too long"): "
            + "\(count) characters found, \(expected) expected"
    }

    private static func isBase32(_ character: Character) -> Bool {
        ("A"..."Z").contains(character) || ("a"..."z").contains(character) || ("2"..."7").contains(character)
    }
}
