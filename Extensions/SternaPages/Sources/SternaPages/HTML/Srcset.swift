/// The candidates of an image, as the HTML Standard parses them (4.8.4.2.1).
enum Srcset {
    /// A candidate: the reference with its place in the attribute, and the descriptors behind it.
    struct Candidate: Sendable, Hashable {
        /// In bytes of UTF-8.
        var range: Range<Int>
        var reference: String
        var descriptors: [String] = []
    }

    /// Returns the candidates in their order.
    static func candidates(of text: String) -> [Candidate] {
        let bytes = Array(text.utf8)
        var candidates: [Candidate] = []
        var position = 0
        while true {
            while position < bytes.count, isSpace(bytes[position]) || bytes[position] == comma { position += 1 }
            guard position < bytes.count else { return candidates }
            let start = position
            while position < bytes.count, !isSpace(bytes[position]) { position += 1 }
            var end = position
            while end > start, bytes[end - 1] == comma { end -= 1 }
            let hasDescriptors = end == position
            var candidate = Candidate(
                range: start..<end, reference: String(decoding: bytes[start..<end], as: UTF8.self))
            if hasDescriptors { candidate.descriptors = descriptors(in: bytes, at: &position) }
            candidates.append(candidate)
        }
    }

    /// Reads up to the comma that ends the candidate; one in parentheses does not.
    private static func descriptors(in bytes: [UInt8], at position: inout Int) -> [String] {
        var descriptors: [String] = []
        var current: [UInt8] = []
        var isInParentheses = false
        func finish() {
            if !current.isEmpty { descriptors.append(String(decoding: current, as: UTF8.self)) }
            current = []
        }
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case comma where !isInParentheses:
                finish()
                return descriptors
            case _ where isSpace(byte) && !isInParentheses: finish()
            case UInt8(ascii: "("):
                isInParentheses = true
                current.append(byte)
            case UInt8(ascii: ")"):
                isInParentheses = false
                current.append(byte)
            default: current.append(byte)
            }
        }
        finish()
        return descriptors
    }

    /// Puts other references in the place of those of all candidates, and leaves everything else as it is.
    static func rewrite(_ text: String, _ replace: (String) -> String?) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var copied = 0
        for candidate in candidates(of: text) {
            guard let new = replace(candidate.reference) else { continue }
            result += bytes[copied..<candidate.range.lowerBound]
            result += written(new)
            copied = candidate.range.upperBound
        }
        result += bytes[copied...]
        return String(decoding: result, as: UTF8.self)
    }

    /// A reference without the characters that would end it: white space, and commas at its ends.
    private static func written(_ reference: String) -> [UInt8] {
        var bytes = Array(reference.utf8)
        let end = bytes.reversed().prefix { $0 == comma }.count
        let start = bytes.prefix { $0 == comma }.count
        bytes = bytes.enumerated().flatMap { index, byte -> [UInt8] in
            if isSpace(byte) { return Array("%20".utf8) }
            return byte == comma && (index < start || index >= bytes.count - end) ? Array("%2C".utf8) : [byte]
        }
        return bytes
    }

    private static let comma = UInt8(ascii: ",")

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0C || byte == 0x0D
    }
}
