/// Patterns in URLs, as curl expands them: `{a,b}`, `[1-9]`, `[01-10:2]`, `[a-z]`. Other braces and brackets stay as they are.
enum URLPattern {
    /// A URL of a pattern, and the texts that its patterns stand for.
    struct Match: Hashable, Sendable {
        var url: String
        var parts: [String] = []
    }

    static let tooMany = UsageError(
        "The patterns of the URLs stand for more than 100000 URLs; write fewer, or -g to send them as they are.")

    /// Returns the URLs of a pattern in their order, in which the last part varies fastest; the URL itself without any pattern.
    /// Throws `UsageError` for more URLs than the limit.
    static func matches(_ text: String, atMost limit: Int) throws(UsageError) -> [Match] {
        var matches = [Match(url: "")]
        var rest = text[...]
        while let character = rest.first {
            guard character == "{" || character == "[", let (choices, end) = Self.choices(rest, atMost: limit)
            else {
                rest.removeFirst()
                // As in curl, a backslash makes a brace or a bracket an ordinary one.
                if character == "\\", let next = rest.first, "{}[]".contains(next) {
                    rest.removeFirst()
                    for index in matches.indices { matches[index].url.append(next) }
                } else {
                    for index in matches.indices { matches[index].url.append(character) }
                }
                continue
            }
            guard !choices.isEmpty, matches.count * choices.count <= limit else { throw tooMany }
            matches = matches.flatMap { match in
                choices.map { Match(url: match.url + $0, parts: match.parts + [$0]) }
            }
            rest = rest[end...]
        }
        return matches
    }

    /// Returns the texts of the pattern at the beginning, none if they exceed the limit, and its end; nil without a pattern.
    private static func choices(_ text: Substring, atMost limit: Int) -> ([String], Substring.Index)? {
        let isList = text.first == "{"
        guard let close = text.firstIndex(of: isList ? "}" : "]") else { return nil }
        let content = text[text.index(after: text.startIndex)..<close]
        let end = text.index(after: close)
        if isList {
            let names = content.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            // A single name is a placeholder that was not filled in, and quotes belong to JSON.
            guard names.count > 1, !content.contains("\""), !content.contains("{") else { return nil }
            return (names, end)
        }
        let halves = content.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let range = halves.first, !content.isEmpty else { return nil }
        let ends = range.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, halves.count == 1 || Int(halves[1]).map({ $0 > 0 }) == true else { return nil }
        let step = halves.count == 2 ? Int(halves[1]) ?? 1 : 1
        if let first = number(ends[0]), let last = number(ends[1]), first <= last {
            guard (last - first) / step < limit else { return ([], end) }
            // Zeros before the first number set the width of all.
            let width = ends[0].hasPrefix("0") ? ends[0].count : 0
            return (
                stride(from: first, through: last, by: step).map { number in
                    let digits = "\(number)"
                    return String(repeating: "0", count: max(0, width - digits.count)) + digits
                }, end
            )
        }
        guard let first = letter(ends[0]), let last = letter(ends[1]), first <= last,
            (first < 0x61) == (last < 0x61)
        else { return nil }
        return (stride(from: Int(first), through: Int(last), by: step).map { "\(Unicode.Scalar(UInt8($0)))" }, end)
    }

    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.count <= 18, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }

    private static func letter(_ text: Substring) -> UInt8? {
        guard text.utf8.count == 1, let byte = text.utf8.first, (0x61...0x7A).contains(byte | 0x20) else { return nil }
        return byte
    }
}
