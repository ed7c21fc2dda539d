import Sterna
import SternaPlatform

/// The options of the configuration file, which every request has unless the command line replaces them.
struct DefaultOptions: Hashable, Sendable {
    /// A line of the file.
    struct Line: Hashable, Sendable {
        let number: Int
        let words: [RequestWord]
    }

    private let file: String
    private(set) var lines: [Line] = []

    /// The path of the user's file, whether or not there is one; nil without a home folder.
    static var path: String? { SessionLocation.ternFolder().map { "\($0)/config" } }

    /// No options.
    init() { file = "" }

    /// Reads a file; one that does not exist has no options. Throws `UsageError` for a line that is wrong by itself and for a file
    /// that other users can write, and `fileUnreadable`.
    init(path: String) throws {
        file = path
        guard let status = FileStatus(path: path) else {
            let code = errno
            if code == ENOENT || code == ENOTDIR { return }
            throw UsageError(
                "The configuration file “\(path)” cannot be read: \(String(cString: strerror(code))); --no-config leaves it out."
            )
        }
        // Another user's options could send credentials to another proxy.
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        try Self.check(status, path, name: "The configuration file")
        if let status = FileStatus(path: folder) {
            try Self.check(status, folder, name: "The folder of the configuration file")
        }
        guard let text = String(validating: try ItemFile.bytes(path), as: UTF8.self) else {
            throw UsageError("The configuration file “\(path)” is not UTF-8; --no-config leaves it out.")
        }
        for line in try ConfigFile.lines(of: text, path) {
            lines.append(Line(number: line.number, words: try words(line.words, line.number)))
        }
    }

    /// Throws `UsageError` if another user can change a file or a folder.
    private static func check(_ status: FileStatus, _ path: String, name: String) throws(UsageError) {
        guard status.owner == geteuid() || status.owner == 0 else {
            throw UsageError(
                "\(name), “\(path)”, belongs to another user, so it is not read; --no-config leaves it out.")
        }
        guard status.permissions & 0o022 == 0 else {
            throw UsageError(
                "\(name), “\(path)”, can be changed by other users, so it is not read; run chmod go-w '\(path)', or add --no-config."
            )
        }
    }

    /// Sorts the words of a line. Throws `UsageError`, which does not show the line: it may be a secret in the wrong place.
    private func words(_ words: [String], _ number: Int) throws(UsageError) -> [RequestWord] {
        guard let sorted = RequestWord.sorted(words) else {
            let name = words.first?.prefix { $0 != "=" } ?? ""
            let isFlag = RequestWord.flags.contains(String(name.dropFirst(2)))
            let advice = isFlag ? nil : HabitOptions.advice(for: "Unknown option '\(name)'")
            throw problem(
                number,
                isFlag
                    ? "\(name) takes no value"
                    : "there is no such option, or its value is missing; \(advice ?? "see tern --help")")
        }
        for word in sorted {
            switch word {
            case .argument:
                throw problem(number, "there is a value after an option that takes none")
            case .option, .flag:
                // A body or a method by default would change every request, and take the list of a loop from standard input.
                guard !word.readsInput, OptionSubject.isForAll(word) else {
                    throw problem(number, "this option is for one request; write it on the command line")
                }
            }
        }
        return sorted
    }

    private func problem(_ number: Int, _ what: String) -> UsageError {
        UsageError("Line \(number) of the configuration file “\(file)” is wrong: \(what).")
    }

    /// Returns the options for a part of the command line: those that its own ones do not replace.
    func words(before part: [RequestWord]) -> [RequestWord] {
        guard !lines.isEmpty else { return [] }
        let arguments = part.compactMap { if case .argument(let text) = $0 { text } else { nil } }
        let given = part.reduce(into: Self.fields(of: arguments)) { $0.formUnion(OptionSubject.given(by: $1)) }
        let kept = lines.flatMap(\.words).filter { OptionSubject.replacing($0).isDisjoint(with: given) }
        let hasFormat = kept.contains { OptionSubject.replacing($0).contains("format") }
        return kept + (hasFormat ? [.flag("--format-by-default")] : [])
    }

    /// The header fields that items set or remove.
    private static func fields(of arguments: [String]) -> Set<String> {
        var found: Set<String> = []
        for argument in Target.sorted(arguments).items {
            switch try? ItemParser.parse(argument) {
            case .header(let name, _), .removedHeader(let name): found.formUnion(OptionSubject.given(byField: name))
            default: break
            }
        }
        return found
    }

    // MARK: Errors

    /// Returns the error that explains why a command line fails with these options.
    ///
    /// - Parameters:
    ///   - error: the error of the command line with these options.
    ///   - words: the command line without them.
    func cause(of error: UsageError, with words: [String]) -> UsageError {
        guard !lines.isEmpty else { return error }
        if let own = Self.failure(of: words, DefaultOptions()) { return own }
        let plain = ["http://localhost/"]
        if let wrong = Self.failure(of: plain, self) {
            let line =
                lines.last { Self.failure(of: plain, without($0)) == nil }
                ?? lines.indices.first { Self.failure(of: plain, only(lines[...$0])) != nil }.map { lines[$0] }
            return problem(
                line?.number ?? 1, shown(wrong) ?? "its value is invalid, or it needs or excludes another option")
        }
        let way = "change one of them, or add --no-config"
        guard let line = lines.last(where: { Self.failure(of: words, without($0)) == nil }) else {
            return UsageError(
                "The options of the configuration file “\(file)” do not go with the command line; \(way).")
        }
        let reason = shown(error).map { ": \($0)" } ?? ""
        return UsageError(
            "Line \(line.number) of the configuration file “\(file)” does not go with the command line; \(way)\(reason)."
        )
    }

    /// Returns a message without its full stop; nil if it may show a part of a value.
    private func shown(_ error: UsageError) -> String? {
        for word in lines.flatMap(\.words) {
            guard case .option(_, let value, _) = word else { continue }
            let pieces = value.split { !$0.isLetter && !$0.isNumber }.filter { $0.count > 2 }
            if error.message.contains(value) || pieces.contains(where: { error.message.contains($0) }) { return nil }
        }
        return error.message.hasSuffix(".") ? String(error.message.dropLast()) : error.message
    }

    private func without(_ line: Line) -> DefaultOptions { only(lines.filter { $0 != line }) }

    private func only(_ lines: some Sequence<Line>) -> DefaultOptions {
        var copy = self
        copy.lines = Array(lines)
        return copy
    }

    /// Returns the usage error of a command line; nil if it is valid.
    private static func failure(of words: [String], _ defaults: DefaultOptions) -> UsageError? {
        do {
            let plan = try RequestPlan(expanded: words, defaults: defaults)
            for index in plan.firsts { _ = try Tern.command(of: ["request"] + plan.commands[index]) }
            // The parser reports what the plan does not know.
            if plan.firsts.isEmpty { _ = try Tern.command(of: ["request"] + words) }
        } catch let error as UsageError {
            return error
        } catch {}
        return nil
    }
}
