// Text that comes from other people or programs, prepared for a terminal.

/// Replaces characters that could control a terminal. Emoji of several code points stay whole.
package func printable(_ text: String) -> String {
    var shown = String.UnicodeScalarView()
    for character in text {
        let isEmoji = character.isEmojiSequence
        for scalar in character.unicodeScalars { shown.append(isEmoji || scalar.isShown ? scalar : "\u{fffd}") }
    }
    return String(shown)
}

/// Returns the number of terminal columns that a text takes.
package func columns(_ text: String) -> Int { text.reduce(0) { $0 + $1.columns } }

/// Appends spaces to a text up to a width in columns, at least one.
package func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - columns(text)))
}

extension Unicode.Scalar {
    fileprivate var isShown: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse: false
        default: true
        }
    }

    /// Whether the scalar joins or modifies emoji: the joiner, tags of regional flags, a variation selector, a skin
    /// tone.
    fileprivate var joinsEmoji: Bool {
        switch value {
        case 0x200d, 0xfe0f, 0x20e3, 0xe0020...0xe007f: true
        default: properties.isEmojiModifier
        }
    }
}

extension Character {
    /// Whether the character is an emoji of several code points, in which everything else only joins or modifies emoji.
    fileprivate var isEmojiSequence: Bool {
        let scalars = unicodeScalars
        guard scalars.count > 1, let first = scalars.first, first.properties.isEmoji else { return false }
        return scalars.allSatisfy { $0.properties.isEmoji || $0.joinsEmoji }
    }

    fileprivate var columns: Int {
        guard let first = unicodeScalars.first else { return 0 }
        if first.properties.isEmojiPresentation || unicodeScalars.contains("\u{fe0f}") { return 2 }
        switch first.value {
        // East Asian wide and fullwidth blocks.
        case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f,
            0xff00...0xff60, 0xffe0...0xffe6, 0x20000...0x3fffd:
            return 2
        default: return 1
        }
    }
}
