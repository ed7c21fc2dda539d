import SternaCore

/// Writes the field that names a part (RFC 7578, 4.2).
struct ContentDisposition {
    var encoding: TextEncoding
    var unencodable: QueryEncoder.UnencodableStyle
    var style: MultipartForm.NameStyle

    /// Returns the field's value in the form's character set.
    func value(name: String, fileName: String?) throws(BodyFault) -> [UInt8] {
        var value = Array("form-data; name=\"".utf8)
        value += try escaped(Self.withLineEnds(name), of: "the name of a part")
        value.append(UInt8(ascii: "\""))
        guard let fileName else { return value }
        value += Array("; filename=\"".utf8)
        value += try escaped(fileName, of: "the name of a file")
        value.append(UInt8(ascii: "\""))
        if style == .extended, !fileName.utf8.allSatisfy({ $0 < 0x80 }) {
            value += Array("; filename*=UTF-8''".utf8) + Self.extended(fileName)
        }
        return value
    }

    /// Encodes a text in the form's character set; nil if the set lacks a character and no replacement is allowed.
    func encode(_ text: String) -> [UInt8]? {
        encoding == .utf8
            ? Array(text.utf8)
            : try? CharacterConversion(encoding: encoding, unencodable: unencodable).bytes(text)
    }

    /// Normalizes line ends: a lone CR or LF in a name is a line end like any other (HTML, 4.10.21.8).
    private static func withLineEnds(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == 0x0D || $0 == 0x0A }) else { return text }
        var result: [UInt8] = []
        var wasReturn = false
        for byte in text.utf8 {
            if byte == 0x0A, wasReturn {
                wasReturn = false
                continue
            }
            wasReturn = byte == 0x0D
            result += byte == 0x0D || byte == 0x0A ? [0x0D, 0x0A] : [byte]
        }
        return String(decoding: result, as: UTF8.self)
    }

    private func escaped(_ text: String, of what: String) throws(BodyFault) -> [UInt8] {
        guard let bytes = encode(style == .raw ? text : Self.withoutEscapes(text)) else { throw .notInCharset(what) }
        // Servers have no common escape for control characters, and NUL truncates names.
        guard !bytes.contains(where: { $0 < 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D || $0 == 0x7F }) else {
            throw .controlCharacter(in: what)
        }
        if style == .raw {
            guard !bytes.contains(0x0A), !bytes.contains(0x0D) else { throw .controlCharacter(in: what) }
            guard text.utf8.last != UInt8(ascii: "\\") else { throw .backslashAtEnd(of: what) }
            return bytes
        }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\""): result += "%22".utf8
            case 0x0D: result += "%0D".utf8
            case 0x0A: result += "%0A".utf8
            default: result.append(byte)
            }
        }
        return result
    }

    /// Writes backslashes as `%5C` if a parser might read one of them as an escape.
    ///
    /// At the end of a name, busboy, Go, Werkzeug and PHP read a backslash as an escape of the closing quote, and lose the next
    /// parameter; PHP does so even if it is doubled. All of them drop one of two backslashes, and Go also one before a separator
    /// (RFC 2045, 5.1). No escape works for all parsers, so a backslash is percent-encoded, as browsers encode `"`. Every parser
    /// then reads the same name, which some decode. Before other characters, as in `App\Models`, a backslash stays, as in browsers.
    private static func withoutEscapes(_ text: String) -> String {
        let backslash = UInt8(ascii: "\\")
        var isAfterBackslash = false
        var isAmbiguous = false
        for byte in text.utf8 {
            if isAfterBackslash, byte < 0x20 || "()<>@,;:\\\"/[]?=".utf8.contains(byte) { isAmbiguous = true }
            isAfterBackslash = byte == backslash
        }
        guard isAmbiguous || isAfterBackslash else { return text }
        return String(decoding: text.utf8.flatMap { $0 == backslash ? Array("%5C".utf8) : [$0] }, as: UTF8.self)
    }

    /// Percent-encodes all characters except those of RFC 8187, 3.2.1.
    private static func extended(_ text: String) -> [UInt8] {
        var result: [UInt8] = []
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"):
                result.append(byte)
            case _ where "!#$&+-.^_`|~".utf8.contains(byte): result.append(byte)
            default: result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0x0F)]]
            }
        }
        return result
    }
}
