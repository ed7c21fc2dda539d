/// Writes references into CSS.
enum CSSEscaping {
    /// A string with its quotes.
    static func string(_ text: String, quote: UInt8) -> [UInt8] {
        var result: [UInt8] = [quote]
        for byte in text.utf8 {
            switch byte {
            case quote, UInt8(ascii: "\\"): result += [UInt8(ascii: "\\"), byte]
            case _ where needsCode(byte): result += code(byte)
            default: result.append(byte)
            }
        }
        return result + [quote]
    }

    /// What stands between `url(` and `)` without quotes.
    static func url(_ text: String) -> [UInt8] {
        var result: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"):
                result += [UInt8(ascii: "\\"), byte]
            case _ where needsCode(byte) || byte == 0x20 || byte == 0x09: result += code(byte)
            default: result.append(byte)
            }
        }
        return result
    }

    /// Line ends and control characters end or spoil a value; `<` could end the HTML element around it.
    private static func needsCode(_ byte: UInt8) -> Bool {
        CSSScanner.isNewline(byte) || CSSScanner.isUnprintable(byte) || byte == 0 || byte == UInt8(ascii: "<")
    }

    private static func code(_ byte: UInt8) -> [UInt8] { Array("\\\(String(byte, radix: 16)) ".utf8) }
}
