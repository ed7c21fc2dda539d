import HTTPTypes
import SternaCore

/// A strong validator: while it is the same, so is every byte of a representation (RFC 9110, 8.8.1).
///
/// Ranges of two responses may be joined only if both have the same one (RFC 9110, 15.3.7.3).
enum EntityValidator: Sendable, Hashable {
    /// A strong entity tag with its quotes.
    case entityTag(String)
    /// The value of Last-Modified, as the server wrote it.
    case lastModified(String)

    /// Returns the strong validator of a response; nil if it has none.
    ///
    /// That is its strong entity tag, else its Last-Modified if the response was made at least a second after that (RFC 9110,
    /// 8.8.2.2). With any entity tag, also a weak or an invalid one, the date is not used, because If-Range must not have it then
    /// (RFC 9110, 13.1.5).
    init?(_ fields: FieldSection) {
        if fields.contains(.eTag) {
            guard let tag = Self.single(fields[values: .eTag]), Self.isStrongTag(tag) else { return nil }
            self = .entityTag(tag)
            return
        }
        guard let text = Self.single(fields[values: .lastModified]), let modified = HTTPDate.seconds(text),
            let made = Self.single(fields[values: .date]).flatMap(HTTPDate.seconds), made > modified
        else { return nil }
        self = .lastModified(text)
    }

    /// The value of If-Range.
    var fieldValue: String {
        switch self {
        case .entityTag(let tag): tag
        case .lastModified(let date): date
        }
    }

    /// Whether a validator can be sent: one that was read from a file may be anything.
    var isValid: Bool {
        switch self {
        case .entityTag(let tag): Self.isStrongTag(tag)
        case .lastModified(let date): HTTPDate.seconds(date) != nil
        }
    }

    /// Whether a response states the same validator.
    ///
    /// Only then may a part be joined to other bytes. Servers have to repeat an entity tag in a part (RFC 9110, 15.3.7). They may
    /// leave out a Last-Modified in answer to If-Range, but so may one that ignores If-Range and sends a part of another file.
    func isStated(in fields: FieldSection) -> Bool {
        switch self {
        case .entityTag(let tag): Self.isSame(Self.single(fields[values: .eTag]), tag)
        case .lastModified(let date): Self.isSame(Self.single(fields[values: .lastModified]), date)
        }
    }

    /// The value of all lines of a field; nil if there is none, or if they differ.
    private static func single(_ lines: [String]) -> String? {
        guard let line = lines.first, lines.allSatisfy({ isSame($0, line) }) else { return nil }
        return line
    }

    // Bytes are compared: strings in two Unicode forms are equal in Swift.
    private static func isSame(_ text: String?, _ other: String) -> Bool {
        text?.utf8.elementsEqual(other.utf8) == true
    }

    /// The length of the longest tag that is kept, in bytes.
    private static let longestTag = 1_024

    /// Whether a text is a strong entity tag (RFC 9110, 8.8.3).
    private static func isStrongTag(_ text: String) -> Bool {
        let bytes = text.utf8
        guard bytes.count >= 2, bytes.count <= longestTag, bytes.first == UInt8(ascii: "\""),
            bytes.last == UInt8(ascii: "\"")
        else { return false }
        // Bytes that are not UTF-8 were replaced when the field was read, so that different tags may look the same.
        guard !text.unicodeScalars.contains("\u{FFFD}") else { return false }
        return bytes.dropFirst().dropLast().allSatisfy { $0 == 0x21 || $0 >= 0x23 && $0 != 0x7F }
    }
}
