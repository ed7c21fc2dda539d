import RawStructuredFieldValues

/// Reads and writes the structured fields of the IETF protocol (draft-ietf-httpbis-resumable-upload, 4.1; RFC 9651).
///
/// A field of an unexpected type, or longer than ``longest``, is ignored as a whole.
enum StructuredUploadField {
    /// The maximum length of a field that is read, in bytes: the parser of dictionaries takes quadratic time.
    static let longest = 4_096

    /// Returns a non-negative integer.
    static func integer(_ lines: [String]) -> Int64? {
        guard var parser = parser(lines), let item = try? parser.parseItemFieldValue(),
            case .integer(let number) = item.rfc9651BareItem, (0...UploadNumber.largest).contains(number)
        else { return nil }
        return number
    }

    /// Returns a Boolean.
    static func boolean(_ lines: [String]) -> Bool? {
        guard var parser = parser(lines), let item = try? parser.parseItemFieldValue(),
            case .bool(let value) = item.rfc9651BareItem
        else { return nil }
        return value
    }

    /// Returns the integers of a dictionary under the given keys; nil if one of those has another type or is negative.
    static func integers(_ lines: [String], _ keys: [String]) -> [String: Int64]? {
        guard var parser = parser(lines), let members = try? parser.parseDictionaryFieldValue() else { return nil }
        var found: [String: Int64] = [:]
        for key in keys {
            guard let member = members[key] else { continue }
            guard case .item(let item) = member, case .integer(let number) = item.rfc9651BareItem,
                (0...UploadNumber.largest).contains(number)
            else { return nil }
            found[key] = number
        }
        return found
    }

    /// Returns the text of a Boolean.
    static func text(_ value: Bool) -> String { value ? "?1" : "?0" }

    private static func parser(_ lines: [String]) -> StructuredFieldValueParser<[UInt8]>? {
        guard !lines.isEmpty, lines.reduce(0, { $0 + $1.utf8.count }) <= longest else { return nil }
        return StructuredFieldValueParser(Array(lines.joined(separator: ", ").utf8))
    }
}
