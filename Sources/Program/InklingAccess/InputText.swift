package import InklingKeys
package import InklingTerminal

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Returns the text `INKLING:…` from the arguments, or from standard input for `-`.
///
/// Mail programs and terminals wrap long texts, so several arguments, or several lines of input, are joined. On
/// standard input other lines may surround the text, as in the output of `inkling invite`. Text from standard input is
/// only in memory that is wiped; arguments stay in the memory of the process, where others can read them.
///
/// - Throws: `Failure` when standard input contains no such text.
package func objectText(_ arguments: [String]) throws(Failure) -> SecretBytes {
    guard arguments == ["-"] else {
        var text = SecretWriter()
        for argument in arguments {
            for character in argument where !character.isWhitespace {
                for byte in character.utf8 { text.append(u8: byte) }
            }
        }
        return text.finish()
    }
    return try objectTextOfInput()
}

private func objectTextOfInput() throws(Failure) -> SecretBytes {
    var input = WipedLines()
    var text = SecretWriter()
    var (isEmpty, isOver, isTooLong) = (true, false, false)
    while !isOver {
        guard let line = input.next() ?? (input.byteCount > 65_536 ? input.rest() : nil) else {
            let count = input.read(from: STDIN_FILENO)
            guard count == 0 || count < 0 && errno != EINTR else { continue }
            isOver = true
            if let last = input.rest(), !isTooLong { _ = try take(last, &text, &isEmpty) }
            break
        }
        // The parts of a line that is too long are not the text.
        let isPart = isTooLong || line.count > 65_536
        isTooLong = line.count > 65_536
        if isPart { isEmpty = false } else if try take(line, &text, &isEmpty) { break }
        // A person who pastes the text into a terminal does not have to end the input.
        if text.count > 0, text.withBytes({ (try? ObjectText($0)) != nil }) { break }
    }
    if text.count > 0 { return text.finish() }
    throw Failure(
        .badData, isEmpty ? "standard input is empty" : "standard input contains no line that begins with INKLING:")
}

/// Adds a line to the text if it begins or continues it; returns whether the text is complete.
private func take(
    _ line: consuming SecretBytes, _ text: inout SecretWriter, _ isEmpty: inout Bool
) throws(Failure) -> Bool {
    let (words, isText) = line.withBytes { bytes in (Words(of: bytes), (try? UTF8Span(validating: bytes)) != nil) }
    guard isText else { throw Failure(.badData, "standard input is not text") }
    isEmpty = isEmpty && words.count == 0
    return line.withBytes { bytes in
        let word = bytes.extracting(words.first)
        if text.count > 0 {
            // A continuation is a line of base32 and nothing else.
            guard words.count == 1, word.indices.allSatisfy({ isBase32(word[$0]) }) else { return true }
        } else if words.count != 1 || !beginsObject(word) {
            return false
        }
        text.append(word)
        return false
    }
}

private func beginsObject(_ word: Span<UInt8>) -> Bool {
    let prefix = Array("INKLING:".utf8)
    return word.count >= prefix.count
        && prefix.indices.allSatisfy { word[$0] == prefix[$0] || word[$0] == prefix[$0] | 0x20 }
}

/// The number of words in a line, and the range of the first.
private struct Words {
    private(set) var count = 0
    private(set) var first = 0..<0

    init(of line: Span<UInt8>) {
        var start: Int?
        for place in 0...line.count {
            let isSpace = place == line.count || [0x20, 0x09, 0x0b, 0x0c, 0x0d].contains(line[place])
            if isSpace, let begun = start {
                count += 1
                if count == 1 { first = begun..<place }
                start = nil
            } else if !isSpace, start == nil {
                start = place
            }
        }
    }
}
