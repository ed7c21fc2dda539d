import NIOCore
import SternaCore

/// Text for a POSIX shell.
package enum ShellText {
    /// Returns a text as one shell word: unchanged if it has no special characters, otherwise in single quotes.
    ///
    /// Characters that a terminal would interpret are printed by a separate command, in octal.
    package static func quoted(_ text: String) -> String {
        if !text.isEmpty, text.utf8.allSatisfy(isPlain) { return text }
        var word = ""
        var rest = text.unicodeScalars[...]
        repeat {
            let shown = rest.prefix(while: isShown)
            rest = rest[shown.endIndex...]
            let hidden = rest.prefix { !isShown($0) }
            rest = rest[hidden.endIndex...]
            let pieces = String(shown).split(separator: "'", omittingEmptySubsequences: false)
            if !shown.isEmpty || text.isEmpty { word += "'" + pieces.joined(separator: "'\\''") + "'" }
            // A substitution drops trailing newlines, but newlines count as shown and are never part of one.
            if !hidden.isEmpty { word += "\"$(\(printf(Bytes(text: String(hidden)))))\"" }
        } while !rest.isEmpty
        return word
    }

    /// A path that no program mistakes for an option or its standard input.
    static func path(_ path: String) -> String { path.hasPrefix("/") ? path : "./\(path)" }

    /// Returns bytes as text if a terminal can show all of them; otherwise nil.
    static func printable(_ bytes: Bytes) -> String? {
        guard let text = String(validating: bytes.readableBytesView, as: UTF8.self) else { return nil }
        return text.unicodeScalars.allSatisfy(isShown) ? text : nil
    }

    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control: scalar == "\n" || scalar == "\t"
        case .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }

    /// Returns a command that prints bytes, in ASCII, with non-printable ones in octal.
    static func printf(_ bytes: Bytes) -> String {
        var text: [UInt8] = Array("printf '".utf8)
        for (index, byte) in bytes.readableBytesView.enumerated() {
            switch byte {
            case UInt8(ascii: "%"): text += [byte, byte]
            case UInt8(ascii: "-") where index == 0: append(octal: byte, to: &text)
            case UInt8(ascii: "'"), UInt8(ascii: "\\"): append(octal: byte, to: &text)
            case 0x20...0x7E: text.append(byte)
            default: append(octal: byte, to: &text)
            }
        }
        text.append(UInt8(ascii: "'"))
        return String(decoding: text, as: UTF8.self)
    }

    private static func append(octal byte: UInt8, to text: inout [UInt8]) {
        text += [UInt8(ascii: "\\"), 0x30 + (byte >> 6), 0x30 + (byte >> 3 & 7), 0x30 + (byte & 7)]
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: ","), UInt8(ascii: "@"), UInt8(ascii: "+"):
            true
        default: false
        }
    }
}
