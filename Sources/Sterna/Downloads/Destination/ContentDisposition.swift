import NIOCore
import SternaCore
import SternaSerialization

/// A Content-Disposition field of a response (RFC 6266).
///
/// The parser accepts what browsers accept: a missing type, spaces in unquoted values, a missing closing quote, and values in UTF-8
/// or, if they are not valid UTF-8, in windows-1252. A percent sign in `filename`, and an encoded word (RFC 2047), are not decoded
/// (RFC 6266, appendix C).
package struct ContentDisposition: Sendable, Hashable {
    /// The limits of a field; what exceeds them is ignored.
    package enum Limits {
        /// The length of a field in bytes.
        package static let bytes = 16 << 10

        /// The number of parameters.
        package static let parameters = 64
    }

    /// A parameter: its name in lower case, and its value without quotes.
    package struct Parameter: Sendable, Hashable {
        package var name: String
        package var value: String
    }

    /// The type in lower case, such as `attachment`; empty if the field has none.
    package let type: String

    /// The parameters in order; the first of a repeated name.
    package let parameters: [Parameter]

    /// Parses the bytes of a field; nil if it has neither a type nor parameters, or exceeds the limit.
    package init?(_ field: [UInt8]) {
        guard field.count <= Limits.bytes else { return nil }
        var reader = Reader(field)
        type = reader.takeType()
        parameters = reader.takeParameters()
        if type.isEmpty, parameters.isEmpty { return nil }
    }

    /// The value of a parameter, by its name in lower case.
    package subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// The file name that the server suggests, unchanged: `filename*` if it can be decoded, otherwise `filename`; nil if absent
    /// (RFC 6266, 4.3).
    ///
    /// It may be a path, and may contain any character; ``DownloadFileName`` makes a safe name of it.
    package var filename: String? {
        let extended = self["filename*"].flatMap(Self.decoded)
        if let extended, !extended.isEmpty { return extended }
        let plain = self["filename"]
        return plain?.isEmpty == true ? nil : plain
    }

    /// Decodes an extended value in UTF-8 or ISO-8859-1; nil for other character sets and invalid values (RFC 8187, 3.2).
    ///
    /// ISO-8859-1 is decoded as windows-1252, following the Encoding Standard.
    private static func decoded(_ value: String) -> String? {
        let pieces = value.utf8.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard pieces.count == 3, let bytes = PercentDecoding.bytes(of: pieces[2]) else { return nil }
        switch String(Substring(pieces[0])).lowercased() {
        case "utf-8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1": return TextEncoding.windows1252.decode(Bytes(bytes: bytes))
        default: return nil
        }
    }

    /// Returns text without a declared character set, like browsers, wget2 and aria2: as UTF-8, or else windows-1252.
    private static func text(_ bytes: some Sequence<UInt8>) -> String {
        let bytes = Array(bytes)
        return String(validating: bytes, as: UTF8.self) ?? TextEncoding.windows1252.decode(Bytes(bytes: bytes))
            ?? String(decoding: bytes, as: UTF8.self)
    }
}

extension ContentDisposition {
    /// Parses a field from left to right.
    private struct Reader {
        private let bytes: [UInt8]
        private var index = 0

        init(_ field: [UInt8]) { bytes = field }

        private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

        /// Takes the type; takes nothing, and returns an empty text, if the field begins with a parameter.
        mutating func takeType() -> String {
            let start = index
            let text = takePlain(until: [UInt8(ascii: ";"), UInt8(ascii: "=")])
            guard current != UInt8(ascii: "="), FieldSyntax.isToken(text) else {
                index = start
                return ""
            }
            return text.lowercased()
        }

        mutating func takeParameters() -> [Parameter] {
            var found: [Parameter] = []
            while current != nil, found.count < Limits.parameters {
                let name = takePlain(until: [UInt8(ascii: ";"), UInt8(ascii: "=")]).lowercased()
                if current == UInt8(ascii: "=") {
                    index += 1
                    let value = takeValue()
                    if FieldSyntax.isToken(name), !found.contains(where: { $0.name == name }) {
                        found.append(Parameter(name: name, value: value))
                    }
                }
                skipSemicolon()
            }
            return found
        }

        private mutating func takeValue() -> String {
            while let byte = current, Self.isBlank(byte) { index += 1 }
            guard current == UInt8(ascii: "\"") else { return takePlain(until: [UInt8(ascii: ";")]) }
            index += 1
            return takeQuoted()
        }

        /// Takes the rest of a quoted string (RFC 9110, 5.6.4).
        private mutating func takeQuoted() -> String {
            var value: [UInt8] = []
            while var byte = current {
                index += 1
                if byte == UInt8(ascii: "\"") { break }
                if byte == UInt8(ascii: "\\"), let escaped = current {
                    byte = escaped
                    index += 1
                }
                value.append(byte)
            }
            return ContentDisposition.text(value)
        }

        /// Takes the text before one of the given bytes, without blanks around it.
        private mutating func takePlain(until ends: [UInt8]) -> String {
            let start = index
            while let byte = current, !ends.contains(byte) { index += 1 }
            var piece = bytes[start..<index]
            while let first = piece.first, Self.isBlank(first) { piece.removeFirst() }
            while let last = piece.last, Self.isBlank(last) { piece.removeLast() }
            return ContentDisposition.text(piece)
        }

        /// Skips to the next parameter, past semicolons in quotes.
        private mutating func skipSemicolon() {
            while let byte = current {
                index += 1
                if byte == UInt8(ascii: ";") { return }
                if byte == UInt8(ascii: "\"") { _ = takeQuoted() }
            }
        }

        private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    }
}

/// Strict percent-decoding of names.
enum PercentDecoding {
    /// Returns the decoded bytes; nil for a percent sign without two hexadecimal digits.
    static func bytes(of text: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.flatMap { UInt8(exactly: $0) }
    }
}
