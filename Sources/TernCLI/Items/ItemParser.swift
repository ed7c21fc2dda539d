import Sterna

/// Parses items: the first separator in an argument decides; if several begin at one place, the longest one.
///
/// A backslash before a separator's character, or before a backslash, makes that character literal. This applies up to
/// the separator; the rest is literal anyway.
enum ItemParser {
    private enum Separator: String, CaseIterable {
        case jsonFile = ":=@"
        case json = ":="
        case query = "=="
        case textFile = "=@"
        case text = "="
        case header = ":"
        case part = "@"
    }

    private static let specials: Set<Character> = ["=", ":", "@", ";", "\\"]

    /// Parses an argument; throws `UsageError` if it is no item.
    static func parse(_ argument: String) throws(UsageError) -> Item {
        if Target.isJSON(argument) {
            // The text may be secret.
            throw UsageError(
                "An argument after the URL is JSON, and no item; to send it as the body write --json -d '{…}'.")
        }
        if argument.first == "@" { return try bodyItem(argument) }
        var name = ""
        var rest = argument[...]
        while let character = rest.first {
            if character == "\\", let next = rest.dropFirst().first, specials.contains(next) {
                name.append(next)
                rest = rest.dropFirst(2)
                continue
            }
            if let separator = Separator.allCases.first(where: { rest.hasPrefix($0.rawValue) }) {
                let value = String(rest.dropFirst(separator.rawValue.count))
                return try item(name, separator, value, in: argument)
            }
            if character == ";", rest.count == 1, !name.isEmpty { return .header(name: name, value: "") }
            name.append(character)
            rest = rest.dropFirst()
        }
        throw UsageError(
            "“\(argument)” is not an item; write name=value, name:=json, name==value, Name:value, name@file or @file.")
    }

    private static func bodyItem(_ argument: String) throws(UsageError) -> Item {
        guard argument.count > 1 else { throw UsageError("@ names no file; write @file.") }
        return .body(file: String(argument.dropFirst()))
    }

    private static func item(
        _ name: String, _ separator: Separator, _ value: String, in argument: String
    ) throws(UsageError) -> Item {
        guard !name.isEmpty else {
            let hint = separator == .header && value.first?.isNumber == true ? "; a URL goes before the items" : ""
            throw UsageError("“\(argument)” has no name before “\(separator.rawValue)”\(hint).")
        }
        if separator != .header, Target.looksLikeURL(field: name) { throw anotherURL(argument, "") }
        let needsFile = separator == .jsonFile || separator == .textFile || separator == .part
        if needsFile, value.isEmpty { throw UsageError("“\(argument)” names no file after “@”.") }
        switch separator {
        case .jsonFile: return .field(name: name, value: .jsonFile(value))
        case .json: return .field(name: name, value: .json(value))
        case .query: return .query(name: name, value: value)
        case .textFile: return .field(name: name, value: .textFile(value))
        case .text: return .field(name: name, value: .text(value))
        case .part:
            let halves = value.split(separator: ";type=", maxSplits: 1, omittingEmptySubsequences: false)
            return .part(name: name, file: String(halves[0]), mediaType: halves.count > 1 ? String(halves[1]) : nil)
        case .header:
            if Target.looksLikeURL(name: name, rest: value) {
                let advice = Target.isScheme(name) ? "" : "; for a header field write -H '\(name): …'"
                throw anotherURL(argument, advice)
            }
            if value.isEmpty { return .removedHeader(name: name) }
            return .header(name: name, value: String(value.drop { $0 == " " || $0 == "\t" }))
        }
    }

    private static func anotherURL(_ argument: String, _ advice: String) -> UsageError {
        UsageError(
            "“\(Redaction.show(reference: argument))” looks like another URL; several URLs stand before the items, each with http:// or https://\(advice)."
        )
    }
}
