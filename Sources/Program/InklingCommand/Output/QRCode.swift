import InklingKeys
import InklingTerminal

#if Node
    import CQREncode
    import InklingNode
    import InklingVault

    /// The dark and light modules of a QR code, without its quiet zone.
    struct QRModules {
        /// The number of modules in a row, and of rows.
        let width: Int
        /// A digit for each module, row by row: `1` for a dark one, `0` for a light one.
        let digits: SecretBox<SecretBytes>

        /// Creates the code at level M (`Specs/invitations.md`); nil when the text does not fit. Upper-case text is
        /// stored in alphanumeric mode.
        ///
        /// The library releases its copies without wiping them.
        init?(_ text: borrowing SecretBytes) {
            var terminated = SecretWriter(capacity: text.count + 1)
            text.withBytes { terminated.append($0) }
            terminated.append(u8: 0)
            let encoded = unsafe terminated.withBytes { bytes in
                unsafe bytes.withUnsafeBytes { bytes in
                    unsafe QRcode_encodeString(
                        bytes.bindMemory(to: CChar.self).baseAddress, 0, QR_ECLEVEL_M, QR_MODE_8, 1)
                }
            }
            guard let code = unsafe encoded else { return nil }
            defer { unsafe QRcode_free(code) }
            width = unsafe Int(code.pointee.width)
            let modules = unsafe UnsafeBufferPointer(start: code.pointee.data, count: width * width)
            var digits = SecretWriter(capacity: width * width)
            for index in 0..<width * width { unsafe digits.append(u8: UInt8(ascii: "0") + modules[index] & 1) }
            self.digits = SecretBox(digits.finish())
        }

        /// Returns whether a module is dark; those around the code are light.
        func isDark(_ row: Int, _ column: Int) -> Bool {
            guard (0..<width).contains(row), (0..<width).contains(column) else { return false }
            return digits.value.withBytes { $0[row * width + column] == UInt8(ascii: "1") }
        }
    }

    /// A text as a QR code of half-block characters, for a terminal with a dark or light background.
    struct QRCode {
        /// The width in columns, with a quiet zone of four modules on each side.
        let columns: Int
        let lines: [String]

        /// Creates the code; nil when the text does not fit. The terminal keeps what it shows.
        init?(_ text: borrowing SecretBytes) {
            guard let code = QRModules(text) else { return nil }
            let width = code.width
            let hasColours = VaultKey.environment("NO_COLOR")?.isEmpty != false
            columns = width + 8
            lines = stride(from: -4, to: width + 4, by: 2).map { row in
                let cells = (-4..<width + 4).map { column -> String in
                    // Without colours the characters draw the light modules, for dark backgrounds.
                    switch (code.isDark(row, column) == hasColours, code.isDark(row + 1, column) == hasColours) {
                    case (false, false): " "
                    case (true, false): "▀"
                    case (false, true): "▄"
                    case (true, true): "█"
                    }
                }
                // Black on white, regardless of the terminal's colours: scanners expect dark modules.
                return hasColours ? "\u{1b}[30;107m" + cells.joined() + "\u{1b}[0m" : cells.joined()
            }
        }
    }
#endif

/// Shows a text that is not secret as a QR code if standard output is a terminal.
func showQRCode(of text: String) { showQRCode(of: SecretBytes(copying: Array(text.utf8).span)) }

/// Shows a text as a QR code if standard output is a terminal. Writes the reason to standard error when the code cannot
/// be shown.
func showQRCode(of text: borrowing SecretBytes) {
    guard isTerminal(1) else { return }
    #if Node
        guard let code = QRCode(text) else { return writeError("inkling: the text is too long for a QR code\n") }
        // A line that wraps makes the code unreadable.
        if let columns = terminalColumns(), columns < code.columns {
            return writeError(
                "inkling: the QR code needs \(code.columns) columns, and this terminal has \(columns); "
                    + "widen it and try again, or use the text\n")
        }
        write(code.lines.joined(separator: "\n") + "\n")
    #else
        writeError("inkling: this program was built without the trait Node, which draws QR codes\n")
    #endif
}
