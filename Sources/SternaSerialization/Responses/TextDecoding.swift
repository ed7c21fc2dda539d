import FoundationEssentials
import NIOCore
import SternaCore

/// Decodes text by the name of its character set.
enum TextDecoding {
    /// Throws `decodingFailed` for bytes that are not in the character set, or a set that is not known.
    static func decode(_ bytes: Bytes, charset: String?) throws(SternaError) -> String {
        switch charset {
        case nil, "utf-8", "utf8":
            if let text = String(validating: bytes.readableBytesView, as: UTF8.self) { return text }
            throw SternaError(.decodingFailed, phase: .decode, "The answer is not valid UTF-8.")
        case "us-ascii", "ascii": return try decode(bytes, .ascii, charset)
        // WHATWG's table takes these names for windows-1252, which agrees with Latin-1 outside the C1 controls.
        case "iso-8859-1", "latin1", "iso8859-1", "l1": return try decode(bytes, .isoLatin1, charset)
        case "utf-16": return try decode(bytes, .utf16, charset, unit: 2)
        case "utf-16le": return try decode(bytes, .utf16LittleEndian, charset, unit: 2)
        case "utf-16be": return try decode(bytes, .utf16BigEndian, charset, unit: 2)
        case "utf-32": return try decode(bytes, .utf32, charset, unit: 4)
        default:
            throw SternaError(
                .decodingFailed, phase: .decode,
                "The character set “\(FieldSyntax.printable(charset ?? ""))” is not known; take the bytes with data().")
        }
    }

    // Foundation drops bytes at the end that make no whole unit, so their number is looked at first.
    private static func decode(
        _ bytes: Bytes, _ encoding: String.Encoding, _ name: String?, unit: Int = 1
    ) throws(SternaError) -> String {
        if bytes.readableBytes % unit == 0, let text = String(bytes: bytes.readableBytesView, encoding: encoding) {
            return text
        }
        throw SternaError(.decodingFailed, phase: .decode, "The answer is not valid \(name ?? "text").")
    }
}

/// Says what a decoder found wrong, with the path of the value.
enum DecodingReason {
    static func text(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "\(error)" }
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            return place(context.codingPath) + FieldSyntax.printable(context.debugDescription)
        case .keyNotFound(let key, let context):
            return place(context.codingPath) + "there is no “\(FieldSyntax.printable(key.stringValue))”."
        @unknown default: return "\(error)"
        }
    }

    private static func place(_ path: [any CodingKey]) -> String {
        guard !path.isEmpty else { return "" }
        var text = ""
        for key in path {
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                let name = FieldSyntax.printable(key.stringValue)
                text += text.isEmpty ? name : ".\(name)"
            }
        }
        return "at \(text): "
    }
}
