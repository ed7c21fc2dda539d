extension UInt8 {
    static let ampersand = UInt8(ascii: "&")
    static let apostrophe = UInt8(ascii: "'")
    static let bang = UInt8(ascii: "!")
    static let equals = UInt8(ascii: "=")
    static let greater = UInt8(ascii: ">")
    static let hash = UInt8(ascii: "#")
    static let less = UInt8(ascii: "<")
    static let lineFeed = UInt8(ascii: "\n")
    static let percent = UInt8(ascii: "%")
    static let question = UInt8(ascii: "?")
    static let quote = UInt8(ascii: "\"")
    static let carriageReturn = UInt8(ascii: "\r")
    static let semicolon = UInt8(ascii: ";")
    static let slash = UInt8(ascii: "/")
    static let space = UInt8(ascii: " ")
    static let tab = UInt8(ascii: "\t")

    /// White space (XML 1.0, 2.3).
    var isXMLSpace: Bool { self == .space || self == .lineFeed || self == .tab || self == .carriageReturn }

    var isASCIILetter: Bool { (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) }

    /// Whether a byte ends a name in markup.
    var endsXMLName: Bool {
        switch self {
        case .ampersand, .apostrophe, .equals, .greater, .less, .percent, .quote, .semicolon, .slash, .question: true
        default: isXMLSpace
        }
    }
}

extension [UInt8] {
    /// Returns the next range of a short sequence at or after an index.
    func firstRange(of needle: [UInt8], from start: Int) -> Range<Int>? {
        guard let first = needle.first, start >= 0 else { return nil }
        var index = start
        while index <= count - needle.count {
            if self[index] == first, self[index..<index + needle.count].elementsEqual(needle) {
                return index..<index + needle.count
            }
            index += 1
        }
        return nil
    }

    /// Whether a short sequence is at an index.
    func has(_ needle: [UInt8], at start: Int) -> Bool {
        start >= 0 && start <= count - needle.count && self[start..<start + needle.count].elementsEqual(needle)
    }

    /// Replaces a range with spaces but keeps line feeds, so that line numbers stay.
    mutating func blank(_ range: Range<Int>) {
        for index in range where self[index] != .lineFeed { self[index] = .space }
    }
}
