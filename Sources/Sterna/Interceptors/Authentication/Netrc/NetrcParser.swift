import SternaCore

/// Reads the entries of a `.netrc`.
struct NetrcParser {
    enum Limits {
        static let bytes = 128 << 10
        static let word = 4_096
    }

    /// An error without any word of the file, which may be a secret.
    struct Fault: Error, Hashable {
        let line: Int
        let reason: String
    }

    private let bytes: [UInt8]
    private var index = 0
    private var line = 1
    private var entries: [NetrcEntry] = []

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    static func parse(_ bytes: [UInt8]) throws(Fault) -> [NetrcEntry] {
        guard bytes.count <= Limits.bytes else {
            throw Fault(line: 1, reason: "the file is longer than \(Limits.bytes) bytes")
        }
        var parser = NetrcParser(bytes)
        try parser.readAll()
        return parser.entries
    }

    /// Returns a host in the form of URLs; nil for an invalid host.
    static func host(_ text: String) -> String? { (try? Origin(scheme: .https, host: text))?.host }

    private mutating func readAll() throws(Fault) {
        // A byte order mark.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
        while let word = try nextWord() {
            guard !word.isQuoted else { continue }
            switch word.text.lowercased() {
            case "machine":
                let name = try value("machine")
                entries.append(NetrcEntry(machine: Self.host(name).map { .host($0) } ?? .none))
            case "default": entries.append(NetrcEntry(machine: .any))
            case "login":
                let login = try value("login")
                change { $0.login = login }
            case "password":
                let password = try value("password")
                change { $0.password = password }
            case "account": _ = try value("account")
            case "macdef":
                _ = try value("macdef")
                skipMacro()
            default: break
            }
        }
    }

    /// Changes the last entry. Keywords before the first entry are ignored.
    private mutating func change(_ change: (inout NetrcEntry) -> Void) {
        guard var last = entries.popLast() else { return }
        change(&last)
        entries.append(last)
    }

    // MARK: Words

    private struct Word {
        let text: String
        let isQuoted: Bool
    }

    private mutating func value(_ keyword: String) throws(Fault) -> String {
        guard let word = try nextWord(inEntry: true) else {
            throw Fault(line: line, reason: "“\(keyword)” has no value")
        }
        return word.text
    }

    private mutating func advance() {
        if index < bytes.count, bytes[index] == UInt8(ascii: "\n") { line += 1 }
        index += 1
    }

    private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    /// Returns the next word; nil at the end.
    ///
    /// - Parameter isValue: whether a number sign is part of the word, as in a password, and does not begin a comment.
    private mutating func nextWord(inEntry isValue: Bool = false) throws(Fault) -> Word? {
        while let byte = current {
            if Self.isBlank(byte) {
                advance()
            } else if byte == UInt8(ascii: "#"), !isValue {
                while let byte = current, byte != UInt8(ascii: "\n") { advance() }
            } else {
                return try byte == UInt8(ascii: "\"") ? quotedWord() : plainWord()
            }
        }
        return nil
    }

    private mutating func plainWord() throws(Fault) -> Word {
        let start = index
        while let byte = current, !Self.isBlank(byte) { advance() }
        return Word(text: try text(bytes[start..<index]), isQuoted: false)
    }

    private mutating func quotedWord() throws(Fault) -> Word {
        let first = line
        advance()
        var word: [UInt8] = []
        while let byte = current, byte != UInt8(ascii: "\n") {
            advance()
            if byte == UInt8(ascii: "\"") { return Word(text: try text(word[...]), isQuoted: true) }
            guard byte == UInt8(ascii: "\\") else {
                word.append(byte)
                continue
            }
            guard let escaped = current, escaped != UInt8(ascii: "\n") else { break }
            advance()
            switch escaped {
            case UInt8(ascii: "n"): word.append(0x0A)
            case UInt8(ascii: "r"): word.append(0x0D)
            case UInt8(ascii: "t"): word.append(0x09)
            default: word.append(escaped)
            }
        }
        throw Fault(line: first, reason: "a word in quotes has no end")
    }

    private func text(_ word: ArraySlice<UInt8>) throws(Fault) -> String {
        guard word.count <= Limits.word else {
            throw Fault(line: line, reason: "a word is longer than \(Limits.word) bytes")
        }
        guard let text = String(validating: word, as: UTF8.self) else {
            throw Fault(line: line, reason: "a word is not UTF-8")
        }
        return text
    }

    /// Skips the lines of a macro, up to the first empty one.
    private mutating func skipMacro() {
        while let byte = current, byte != UInt8(ascii: "\n") {
            advance()
        }
        advance()
        var isEmpty = true
        while let byte = current {
            advance()
            switch byte {
            case UInt8(ascii: "\n"):
                if isEmpty { return }
                isEmpty = true
            case UInt8(ascii: "\r"): break
            default: isEmpty = false
            }
        }
    }

    // Control characters separate words, as in curl.
    private static func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 || byte == 0x7F }
}
