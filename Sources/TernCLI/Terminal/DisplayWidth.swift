/// The number of terminal columns that text takes.
///
/// A character whose width terminals disagree on counts with the greater one, so that no line wraps.
enum DisplayWidth {
    /// Returns the columns of a text without control characters.
    static func of(_ text: some StringProtocol) -> Int { text.unicodeScalars.reduce(0) { $0 + of($1) } }

    /// Returns the columns of a scalar: 0 for marks, 2 for wide and fullwidth ones (UAX #11), else 1.
    static func of(_ scalar: Unicode.Scalar) -> Int {
        guard scalar.value >= 0x300 else { return 1 }
        if isWide(scalar.value) { return 2 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return scalar.value == 0xFE0F ? 1 : 0
        default: return 1
        }
    }

    /// Returns as much of a text as fits, its middle replaced by an ellipsis if it is longer.
    static func truncated(_ text: String, to columns: Int) -> String {
        guard of(text) > columns else { return text }
        guard columns > 1 else { return columns == 1 ? "…" : "" }
        // The end tells the kind of file, and has a third of the room.
        let tailRoom = (columns - 1) / 3
        let head = prefix(text, columns - 1 - tailRoom)
        let tail = String(prefix(String(text.reversed()), tailRoom).reversed())
        return "\(head)…\(tail)"
    }

    /// Returns a text padded with spaces at its end, up to a number of columns.
    static func padded(_ text: String, to columns: Int) -> String {
        text + String(repeating: " ", count: max(0, columns - of(text)))
    }

    private static func prefix(_ text: String, _ columns: Int) -> String {
        var (result, used) = ("", 0)
        for character in text {
            let width = of(String(character))
            guard used + width <= columns else { break }
            result.append(character)
            used += width
        }
        return result
    }

    private static func isWide(_ value: UInt32) -> Bool {
        guard value >= 0x1100 else { return false }
        var (low, high) = (0, wide.count)
        while low < high {
            let middle = (low + high) / 2
            if wide[middle].upperBound < value { low = middle + 1 } else { high = middle }
        }
        return low < wide.count && wide[low].contains(value)
    }

    /// Wide and fullwidth scalars, and symbols that some terminals draw as wide emoji, in ascending order.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23F3, 0x23F8...0x23FA, 0x25FB...0x25FE,
        0x2600...0x27BF, 0x2934...0x2935, 0x2B05...0x2B07, 0x2B1B...0x2B1C, 0x2B50...0x2B55, 0x2E80...0x303E,
        0x3041...0x4DBF, 0x4DC0...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19,
        0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1D300...0x1D37F,
        0x1F000...0x1FAFF, 0x20000...0x3FFFD,
    ]
}
