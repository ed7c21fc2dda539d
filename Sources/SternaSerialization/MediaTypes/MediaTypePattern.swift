import SternaCore

/// A media type that a ``ResponseValidation`` accepts, or a pattern of several: `image/*`, `*/json`, `*/*+json`, `*/*`.
///
/// Parameters are dropped, and letters are in lower case: `application/json; charset=utf-8` is the same format as
/// `application/json`.
struct MediaTypePattern: Sendable, Hashable {
    /// The pattern as compared and shown.
    let text: String

    // Both are slices of the text; nil for a star.
    private let type: Substring?
    private let subtype: Substring?
    // The suffix required of a wildcard subtype, `+json`, or empty.
    private let suffix: Substring

    /// Parses a pattern; nil for a text that matches no media type.
    init?(_ pattern: String) {
        let essence = pattern.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
        let text = essence.trimmingBlanks().lowercased()
        let halves = text.split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        self.text = text
        type = halves[0] == "*" ? nil : halves[0]
        guard halves[1].first == "*" else {
            (subtype, suffix) = (halves[1], "")
            guard Self.isName(type), Self.isName(subtype) else { return nil }
            return
        }
        (subtype, suffix) = (nil, halves[1].dropFirst())
        guard Self.isName(type), suffix.isEmpty || suffix.first == "+" && !suffix.contains("*") else { return nil }
    }

    /// Whether the pattern covers every type, and a response without a type.
    var coversAll: Bool { type == nil && subtype == nil && suffix.isEmpty }

    /// Returns whether the pattern covers a type and subtype in lower case.
    func matches(_ essence: String) -> Bool {
        if text == essence { return true }
        guard type == nil || subtype == nil, let slash = essence.firstIndex(of: "/") else { return false }
        if let type, type != essence[..<slash] { return false }
        let name = essence[essence.index(after: slash)...]
        if let subtype { return name == subtype }
        return name.hasSuffix(suffix) && name.utf8.count > suffix.utf8.count
    }

    /// Returns the pattern of the types that both patterns cover; nil if there is none.
    func intersection(_ other: MediaTypePattern) -> MediaTypePattern? {
        if let type, let theirs = other.type, type != theirs { return nil }
        let first = type ?? other.type ?? "*"
        switch (subtype, other.subtype) {
        case (let name?, let theirs?):
            return name == theirs ? MediaTypePattern("\(first)/\(name)") : nil
        case (let name?, nil):
            return other.matches("\(other.type ?? first)/\(name)") ? MediaTypePattern("\(first)/\(name)") : nil
        case (nil, _?): return other.intersection(self)
        case (nil, nil):
            let (short, long) =
                suffix.utf8.count < other.suffix.utf8.count ? (suffix, other.suffix) : (other.suffix, suffix)
            return long.hasSuffix(short) ? MediaTypePattern("\(first)/*\(long)") : nil
        }
    }

    private static func isName(_ half: Substring?) -> Bool {
        guard let half else { return true }
        return FieldSyntax.isToken(String(half)) && !half.utf8.contains(UInt8(ascii: "*"))
    }
}
