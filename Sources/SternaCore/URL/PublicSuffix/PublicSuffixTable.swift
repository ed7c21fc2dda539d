// Made by scripts/public-suffixes.

/// The 10397 rules of the built-in list.
enum PublicSuffixTable {
    /// The most labels of a public suffix.
    static let depth = 7

    /// Returns the rules with the same first letter as a domain, and some others.
    static func part(_ first: UInt8) -> StaticString {
        switch first {
        case ..<UInt8(ascii: "e"): from0
        case ..<UInt8(ascii: "l"): fromE
        case ..<UInt8(ascii: "s"): fromL
        case ..<UInt8(ascii: "w"): fromS
        default: fromW
        }
    }

    /// All rules, in order.
    static var parts: [StaticString] { [from0, fromE, fromL, fromS, fromW] }
}
