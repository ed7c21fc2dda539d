import Sterna

/// The text of `--write-out`: literal text, curl's variables, header fields, and changes of the output.
struct WriteOutTemplate: Hashable, Sendable {
    enum Piece: Hashable, Sendable {
        case text(String)
        case variable(WriteOutVariable)
        /// A name in braces that is no variable.
        case unknown(String)
        /// `%header{name}`.
        case header(String)
        /// `%{header_json}` and `%{json}`.
        case headerJSON, json
        case standardOutput, standardError
        /// `%output{file}`, and `%output{>>file}`.
        case file(String, appends: Bool)
        /// `%{onerror}`: what follows is only for a transfer that failed.
        case onError
    }

    private(set) var pieces: [Piece] = []

    /// The longest header name, in bytes, as in curl.
    private static let longestName = 255

    /// Reads a template. Whatever is not complete stands for itself.
    init(_ text: String) {
        let scalars = Array(text.unicodeScalars)
        var literal = String.UnicodeScalarView()
        var position = 0
        while position < scalars.count {
            let next = position + 1 < scalars.count ? scalars[position + 1] : nil
            switch (scalars[position], next) {
            case ("%", "%"):
                literal.append("%")
                position += 2
            case ("\\", "n"), ("\\", "r"), ("\\", "t"):
                literal.append(next == "n" ? "\n" : next == "r" ? "\r" : "\t")
                position += 2
            case ("%", _):
                guard let (found, end) = Self.braces(scalars, at: position) else {
                    literal.append("%")
                    position += 1
                    continue
                }
                if !literal.isEmpty { pieces.append(.text(String(literal))) }
                literal = String.UnicodeScalarView()
                if let found { pieces.append(found) }
                position = end
            default:
                literal.append(scalars[position])
                position += 1
            }
        }
        if !literal.isEmpty { pieces.append(.text(String(literal))) }
    }

    /// Returns the piece that a `%` begins, and the position after it; nil if there is none.
    private static func braces(_ scalars: [Unicode.Scalar], at position: Int) -> (Piece?, end: Int)? {
        for prefix in ["{", "header{", "output{"] {
            let start = position + 1
            guard scalars[start...].starts(with: prefix.unicodeScalars) else { continue }
            let inside = start + prefix.unicodeScalars.count
            guard let end = scalars[inside...].firstIndex(of: "}") else { return nil }
            var content = String.UnicodeScalarView()
            content.append(contentsOf: scalars[inside..<end])
            let name = String(content)
            switch prefix {
            case "header{": return (name.utf8.count > longestName ? nil : .header(name), end + 1)
            case "output{": return (output(name), end + 1)
            default: return (named(name), end + 1)
            }
        }
        return nil
    }

    private static func output(_ name: String) -> Piece {
        name.hasPrefix(">>") ? .file(String(name.dropFirst(2)), appends: true) : .file(name, appends: false)
    }

    private static func named(_ name: String) -> Piece {
        switch name.lowercased() {
        case "json": .json
        case "header_json": .headerJSON
        case "stdout": .standardOutput
        case "stderr": .standardError
        case "onerror": .onError
        case let lower: WriteOutVariable(rawValue: lower).map { .variable($0) } ?? .unknown(name)
        }
    }
}
