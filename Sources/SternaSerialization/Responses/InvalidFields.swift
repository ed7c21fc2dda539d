import SternaCore

/// The fields of a request that an error response refuses, each with its reason.
///
/// It reads lists of objects, as in RFC 9457 (3), in JSON:API and in most APIs' responses with status 422, and dictionaries from a
/// field's name to its reasons. Members that repeat sent values, such as `value` or `rejectedValue`, are not read.
struct InvalidFields {
    private var entries: [Entry] = []

    /// The number of further entries.
    private var omitted = 0

    private struct Entry {
        /// The field's name; nil if the reasons concern the whole request.
        var field: String?

        /// One or more.
        var reasons: [String]
    }

    /// The members of a response that contain the fields: the usual one, and those of RFC 7807 (in its example), FastAPI and
    /// Google.
    private static let places = ["errors", "invalid-params", "invalid_params", "detail", "details"]

    /// The members of an entry that name its field; `name` often names the class of an error instead, but not in RFC 7807's list.
    private static let names = ["field", "pointer", "path", "param", "parameter", "property", "loc"]

    /// The members of an entry with its reason.
    private static let reasons = ["message", "detail", "msg", "description", "reason", "title", "code", "errors"]

    /// The names for the whole request in Rails, Django and ASP.NET.
    private static let wholes = ["base", "non_field_errors", ""]

    /// The maximum numbers of entries to keep and to show.
    private static let (kept, shown) = (100, 5)

    /// The maximum number of reasons of an entry.
    private static let reasonsKept = 10

    /// The maximum lengths of a name and of a reason, in characters.
    private static let (longestName, longestReason) = (40, 100)

    /// Returns the refused fields that an object lists, and the member that contains them; nil if it lists none.
    static func find(in object: JSON.Object) -> (place: String, fields: InvalidFields)? {
        for place in places {
            let fields: InvalidFields? =
                switch object[place] {
                case .array(let list)?: listed(list, hasNames: place.hasPrefix("invalid"))
                case .object(let members)? where place == "errors": keyed(members)
                default: nil
                }
            if let fields { return (place, fields) }
        }
        return nil
    }

    /// Returns the refused fields of a response that is a list; nil if it lists none.
    static func find(in list: [JSON]) -> InvalidFields? { listed(list, hasNames: false) }

    /// The fields, each with its first reason, in one line: `age: must be positive; name: is missing; and 3 more`.
    var text: String {
        var parts = entries.prefix(Self.shown).map { entry in
            let reason = Self.cut(entry.reasons[0], to: Self.longestReason)
            return entry.field.map { "\(Self.cut($0, to: Self.longestName)): \(reason)" } ?? reason
        }
        let more = max(0, entries.count - Self.shown) + omitted
        if more > 0 { parts.append("and \(more) more") }
        return parts.joined(separator: "; ")
    }

    /// The reasons by the field's name, without those that concern the whole request.
    var byName: [String: [String]] {
        var reasons: [String: [String]] = [:]
        for entry in entries { if let field = entry.field { reasons[field, default: []] += entry.reasons } }
        return reasons
    }

    /// Returns the text, cut after a number of characters.
    static func cut(_ text: String, to limit: Int) -> String {
        let start = text.unicodeScalars.prefix(limit)
        return start.endIndex == text.unicodeScalars.endIndex ? text : "\(Substring(start))…"
    }

    // MARK: Lists of objects

    private static func listed(_ list: [JSON], hasNames: Bool) -> InvalidFields? {
        var fields = InvalidFields()
        for case .object(let entry) in list {
            guard let found = Self.reasons.lazy.map({ texts(of: entry[$0]) }).first(where: { !$0.isEmpty }) else {
                continue
            }
            fields.add(name(in: entry, hasNames: hasNames), found)
        }
        return fields.entries.contains { $0.field != nil } ? fields : nil
    }

    private static func name(in entry: JSON.Object, hasNames: Bool) -> String? {
        // JSON:API's.
        if case .object(let source)? = entry["source"] {
            return source["pointer"].flatMap(path(of:)) ?? source["parameter"].flatMap(path(of:))
        }
        return names.lazy.compactMap { entry[$0].flatMap(path(of:)) }.first
            ?? (hasNames ? entry["name"].flatMap(path(of:)) : nil)
    }

    /// Returns a field's name from a text, a JSON pointer such as `#/address/street`, or a path's parts.
    private static func path(of json: JSON) -> String? {
        switch json {
        case .string(let text):
            let name = text.hasPrefix("#/") ? text.dropFirst(2) : text.hasPrefix("/") ? text.dropFirst() : text[...]
            return name.isEmpty ? nil : String(name)
        case .array(let parts):
            let shown = parts.prefix(8).compactMap { part in part.string ?? part.int.map { "\($0)" } }
            return shown.isEmpty ? nil : shown.joined(separator: ".")
        default: return nil
        }
    }

    // MARK: Dictionaries

    private static func keyed(_ members: JSON.Object) -> InvalidFields? {
        var fields = InvalidFields()
        // An error itself has texts, too: `{"code": "quota", "message": "Quota exceeded."}`.
        let isError = ["message", "detail", "msg"].contains { members[$0]?.string != nil }
        for name in members.keys {
            let found = texts(of: members[name])
            if found.isEmpty { continue }
            if case .string? = members[name], isError { continue }
            fields.add(name, found)
        }
        return fields.entries.isEmpty ? nil : fields
    }

    // MARK: Entries

    /// Returns the reasons of an entry: a text, several texts, or those of several objects.
    private static func texts(of json: JSON?) -> [String] {
        switch json {
        case .string(let text)?: text.isEmpty ? [] : [text]
        case .array(let list)?:
            list.prefix(reasonsKept).compactMap { $0.string ?? $0["message"].string }.filter { !$0.isEmpty }
        default: []
        }
    }

    private mutating func add(_ field: String?, _ reasons: [String]) {
        guard entries.count < Self.kept else {
            omitted += 1
            return
        }
        let isSecret = field.map { Redaction.isSecret($0[...]) } ?? false
        let shown = reasons.map { reason in
            let reason = isSecret ? Self.withoutQuotations(reason) : reason
            return reason.hasSuffix(".") ? String(reason.dropLast()) : reason
        }
        entries.append(Entry(field: field.flatMap { Self.wholes.contains($0) ? nil : $0 }, reasons: shown))
    }

    /// Returns the reason for refusing a secret, with `***` for quotations, since servers quote received values.
    private static func withoutQuotations(_ text: String) -> String {
        var shown = ""
        var end: Character?
        var previous: Character = " "
        for character in text {
            if let closing = end {
                if character == closing {
                    shown.append(character)
                    end = nil
                }
            } else {
                shown.append(character)
                // Within a word, as in “can't”, it is an apostrophe.
                if let closing = quotationMarks[character], character != "'" || !previous.isLetter {
                    shown += Redaction.mark
                    end = closing
                }
            }
            previous = character
        }
        return shown
    }

    private static let quotationMarks: [Character: Character] = [
        "\"": "\"", "'": "'", "`": "`", "“": "”", "‘": "’", "«": "»", "„": "“",
    ]
}
