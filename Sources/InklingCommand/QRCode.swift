#if Node
    import CQREncode
    import InklingNode

    /// A text as a QR code of half-block characters, for a terminal with dark or light background.
    enum QRCode {
        /// The lines of the code with a quiet zone of four modules, or nil when the text does not fit.
        ///
        /// Level M, as `Specs/invitations.md` says; upper-case text is stored in alphanumeric mode.
        static func lines(for text: String) -> [String]? {
            guard let code = unsafe QRcode_encodeString(text, 0, QR_ECLEVEL_M, QR_MODE_8, 1) else { return nil }
            defer { unsafe QRcode_free(code) }
            let width = unsafe Int(code.pointee.width)
            let modules = unsafe UnsafeBufferPointer(start: code.pointee.data, count: width * width)
            let hasColours = VaultKey.environment("NO_COLOR")?.isEmpty != false
            func isDark(_ row: Int, _ column: Int) -> Bool {
                guard (0..<width).contains(row), (0..<width).contains(column) else { return false }
                return unsafe modules[row * width + column] & 1 == 1
            }
            return stride(from: -4, to: width + 4, by: 2).map { row in
                let cells = (-4..<width + 4).map { column -> String in
                    // Without colours the characters draw the light modules, as on most terminals.
                    switch (isDark(row, column) == hasColours, isDark(row + 1, column) == hasColours) {
                    case (false, false): " "
                    case (true, false): "▀"
                    case (false, true): "▄"
                    case (true, true): "█"
                    }
                }
                // Black on white whatever the terminal's own colours are: scanners want dark modules.
                return hasColours ? "\u{1b}[30;107m" + cells.joined() + "\u{1b}[0m" : cells.joined()
            }
        }
    }
#endif

/// Shows a text as a QR code when a person is looking; says why not when it cannot be done.
func showQRCode(of text: String) {
    guard isTerminal(1) else { return }
    #if Node
        if let lines = QRCode.lines(for: text) {
            write(lines.joined(separator: "\n") + "\n")
        } else {
            writeError("inkling: too long for a QR code\n")
        }
    #else
        writeError("inkling: built without the trait Node, which draws QR codes\n")
    #endif
}
