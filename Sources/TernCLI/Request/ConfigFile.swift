import Sterna

/// The files of `-K`, and that of ``DefaultOptions``: an option on each line, as curl writes them.
enum ConfigFile {
    /// The most files that one command reads, each of which may name others.
    private static let most = 32

    /// What is read for a command line.
    private struct Reading {
        var files = 0
        var inputs = 0
    }

    /// Returns the words of a command line with those of its files in place of `-K FILE`, and how many of the files are standard
    /// input. Throws `fileUnreadable`, and `UsageError` for an invalid line.
    static func expanded(_ words: [String]) async throws -> (words: [String], inputs: Int) {
        var reading = Reading()
        let all = try await expanded(words, &reading)
        return (words: all, inputs: reading.inputs)
    }

    private static func expanded(_ words: [String], _ reading: inout Reading) async throws -> [String] {
        var result: [String] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" { return result + [word] + rest }
            var path: String?
            if word.hasPrefix("--config=") {
                path = String(word.dropFirst("--config=".count))
            } else if let found = option(word) {
                if !found.flags.isEmpty { result.append("-\(found.flags)") }
                path = found.file.isEmpty ? rest.popFirst() : found.file
                guard path != nil else { throw UsageError("-K takes the path of a file, or - for standard input.") }
            }
            guard let path else {
                result.append(word)
                // The value of another option is no option.
                if isAwaitingValue(word), let value = rest.popFirst() { result.append(value) }
                continue
            }
            reading.files += 1
            guard reading.files <= most else {
                throw UsageError("More than \(most) files of options are named; one may name itself.")
            }
            let source = DataPiece.Source(path: path[...])
            if source == .standardInput { reading.inputs += 1 }
            let content = try await source.content()
            guard let text = String(validating: content, as: UTF8.self) else {
                throw UsageError("The file of options “\(path)” is not UTF-8.")
            }
            let lines = try Self.lines(of: text, path)
            for line in lines where RequestWord.sorted(line.words) == nil {
                // The value may be secret.
                throw UsageError(
                    "Line \(line.number) of the file of options “\(path)” is wrong: \(Self.fault(of: line.words)).")
            }
            result += try await expanded(lines.flatMap(\.words), &reading)
        }
        return result
    }

    /// Returns what is wrong with the words of a line that ``RequestWord`` does not know, without a value.
    static func fault(of words: [String]) -> String {
        let name = words.first.map { String($0.prefix { $0 != "=" }) } ?? ""
        let long = String(name.dropFirst(2))
        if RequestWord.flags.contains(long) { return "\(name) takes no value" }
        if RequestWord.names.contains(long) { return "\(name) needs a value" }
        let advice = HabitOptions.advice(for: "Unknown option '\(name)'") ?? "see tern --help"
        // A word without a value, or letters after one dash, may be a secret in the wrong place.
        guard name.hasPrefix("--"), words.first?.contains("=") == true,
            long.allSatisfy({ $0.isLetter || "-.".contains($0) })
        else { return "there is no such option, or its value is missing; \(advice)" }
        return "there is no option \(name); \(advice)"
    }

    /// Returns the flags before the K of `-K`, as in `-sK FILE`, and the path after it; nil for a word without this option.
    private static func option(_ word: String) -> (flags: String, file: String)? {
        if word == "--config" { return (flags: "", file: "") }
        guard word.hasPrefix("-"), !word.hasPrefix("--") else { return nil }
        let flags = word.dropFirst().prefix { RequestWord.flagLetters.contains($0) }
        let rest = word.dropFirst(1 + flags.count)
        guard rest.first == "K" else { return nil }
        return (flags: String(flags), file: String(rest.dropFirst()))
    }

    private static func isAwaitingValue(_ word: String) -> Bool {
        if word.hasPrefix("--") { return RequestWord.names.contains(String(word.dropFirst(2))) }
        guard word.hasPrefix("-"), let last = word.last, word.count > 1 else { return false }
        let earlier = word.dropFirst().dropLast()
        return RequestWord.letters[last] != nil && earlier.allSatisfy { RequestWord.flagLetters.contains($0) }
    }

    /// Returns the words of a file: `name = value`, `name value`, `-x value` and `name`, with `#` before a comment. A value in
    /// double quotes may have blanks, and `\"`, `\\`, `\t`, `\n` and `\r`. Throws `UsageError`.
    static func words(of text: String, _ path: String) throws(UsageError) -> [String] {
        try lines(of: text, path).flatMap(\.words)
    }

    /// Returns the words of each line that has an option, with the number of the line from 1. Throws `UsageError`.
    static func lines(of text: String, _ path: String) throws(UsageError) -> [(number: Int, words: [String])] {
        var lines: [(number: Int, words: [String])] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let line = line.drop { $0 == " " || $0 == "\t" }
            guard let first = line.first, first != "#" else { continue }
            let isSeparator = { (character: Character) in " \t=:".contains(character) }
            let isShort = first == "-" && line.dropFirst().first != "-"
            let end = isShort ? endOfLetters(line) : line.firstIndex(where: isSeparator)
            let name = line[..<(end ?? line.endIndex)]
            var words = [name.hasPrefix("-") ? String(name) : "--\(name)"]
            defer { lines.append((number: index + 1, words: words)) }
            let rest = line[(end ?? line.endIndex)...].drop(while: isSeparator)
            guard !rest.isEmpty else { continue }
            guard let value = value(rest) else {
                // The value may be secret.
                throw UsageError(
                    "Line \(index + 1) of the file of options “\(path)” has a value in quotes without an end.")
            }
            guard let last = words.last, last.hasPrefix("--") else {
                add(value, to: &words)
                continue
            }
            words[words.count - 1] = "\(last)=\(value)"
        }
        return lines
    }

    /// Returns the end of the letters after a dash: flags, which may stand together, and the letter of an option with a value.
    private static func endOfLetters(_ line: Substring) -> Substring.Index? {
        let flags = line.dropFirst().prefix { RequestWord.flagLetters.contains($0) }
        let hasOption = line.dropFirst(1 + flags.count).first.map { RequestWord.letters[$0] != nil } ?? false
        let count = flags.count + (hasOption || flags.isEmpty ? 2 : 1)
        return line.index(line.startIndex, offsetBy: count, limitedBy: line.endIndex)
    }

    /// Adds the value of the letter that ends the last word. One that begins with a dash is attached to the option's long name: by
    /// itself it would be taken for another option.
    private static func add(_ value: String, to words: inout [String]) {
        guard value.hasPrefix("-"), let last = words.last, let letter = last.last,
            let name = RequestWord.letters[letter]
        else { return words.append(value) }
        words.removeLast()
        if last.count > 2 { words.append(String(last.dropLast())) }
        words.append("--\(name)=\(value)")
    }

    private static func value(_ text: Substring) -> String? {
        guard text.first == "\"" else {
            var value = text
            while let last = value.last, last == " " || last == "\t" { value.removeLast() }
            return String(value)
        }
        var value = ""
        var rest = text.dropFirst()
        while let character = rest.popFirst() {
            if character == "\"" { return value }
            guard character == "\\", let next = rest.popFirst() else {
                value.append(character)
                continue
            }
            switch next {
            case "n": value.append("\n")
            case "r": value.append("\r")
            case "t": value.append("\t")
            default: value.append(next)
            }
        }
        return nil
    }
}
