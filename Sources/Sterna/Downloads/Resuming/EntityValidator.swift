import HTTPTypes
import SternaCore

/// A strong validator, which changes whenever a byte of the representation changes (RFC 9110, 8.8.1).
///
/// Ranges of two responses may be combined only if both have the same one (RFC 9110, 15.3.7.3).
enum EntityValidator: Sendable, Hashable {
    /// A strong entity tag with its quotes.
    case entityTag(String)
    /// The value of Last-Modified, unchanged.
    case lastModified(String)

    /// Returns the strong validator of a response; nil if it has none.
    ///
    /// It is the strong entity tag, or else Last-Modified if the response's Date is at least a second later (RFC 9110, 8.8.2.2).
    /// The date is not used beside any entity tag, even a weak or invalid one, since If-Range must not have it then (RFC 9110,
    /// 13.1.5).
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

    /// Whether the validator may be sent; one that was read from a file may be invalid.
    var isValid: Bool {
        switch self {
        case .entityTag(let tag): Self.isStrongTag(tag)
        case .lastModified(let date): HTTPDate.seconds(date) != nil
        }
    }

    /// Returns whether a response states the same validator.
    ///
    /// Only then may its part be combined with other bytes. A server must repeat an entity tag in a part (RFC 9110, 15.3.7). It may
    /// omit Last-Modified after If-Range, but so may a server that ignores If-Range and sends a part of another file.
    func isStated(in fields: FieldSection) -> Bool {
        switch self {
        case .entityTag(let tag): Self.isSame(Self.single(fields[values: .eTag]), tag)
        case .lastModified(let date): Self.isSame(Self.single(fields[values: .lastModified]), date)
        }
    }

    /// Returns the value of all lines of a field; nil if the field is absent, or its lines differ.
    private static func single(_ lines: [String]) -> String? {
        guard let line = lines.first, lines.allSatisfy({ isSame($0, line) }) else { return nil }
        return line
    }

    // Compares bytes: Swift's strings are equal in different Unicode forms.
    private static func isSame(_ text: String?, _ other: String) -> Bool {
        text?.utf8.elementsEqual(other.utf8) == true
    }

    /// The maximum length of a tag in bytes.
    private static let longestTag = 1_024

    /// Returns whether a text is a strong entity tag (RFC 9110, 8.8.3).
    private static func isStrongTag(_ text: String) -> Bool {
        let bytes = text.utf8
        guard bytes.count >= 2, bytes.count <= longestTag, bytes.first == UInt8(ascii: "\""),
            bytes.last == UInt8(ascii: "\"")
        else { return false }
        // Invalid UTF-8 was replaced when the field was read, so that different tags may look the same.
        guard !text.unicodeScalars.contains("\u{FFFD}") else { return false }
        return bytes.dropFirst().dropLast().allSatisfy { $0 == 0x21 || $0 >= 0x23 && $0 != 0x7F }
    }
}
