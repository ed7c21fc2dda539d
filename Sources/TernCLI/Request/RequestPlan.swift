import ArgumentParser
import Sterna
import SternaPlatform

/// The requests of a command line: in each of the parts that `--next` separates, one for each URL, also for those of patterns.
struct RequestPlan: Hashable, Sendable {
    /// The command line of each request, without the name of the command.
    var commands: [[String]]

    /// How many requests run at the same time.
    var jobs = 1

    /// Whether the first request that fails is the last one.
    private(set) var failsEarly = false

    /// The places of the first request of each URL as it was typed. The others of its pattern have the same options.
    private(set) var firsts: [Int] = []

    /// The file of `--har`; nil without it.
    private(set) var recording: HARRecording?

    /// Whether standard input is left alone, as the command line says.
    private(set) var ignoresInput = false

    /// The most requests of one command line.
    private static let most = 100_000

    /// The options of the configuration file; none if it was left out.
    private(set) var defaults = DefaultOptions()

    /// The command line, with the words of files of `-K`.
    private var words: [String]

    /// Makes the plan of a command line; throws `UsageError`, and `fileUnreadable` for a file.
    ///
    /// - Parameters:
    ///   - words: the arguments after the name of the command.
    ///   - path: the path of the configuration file; nil to read none.
    init(_ words: [String], configuration path: String? = nil) async throws {
        var words = words
        var path = path
        // As in curl, whose -q counts only there.
        if let first = words.first, first.hasPrefix("-q") || first == "--disable" {
            path = nil
            words.removeFirst()
            if first.hasPrefix("-q"), first != "-q" { words.insert("-\(first.dropFirst(2))", at: 0) }
        }
        let expanded = try await ConfigFile.expanded(words)
        words = expanded.words
        // The second one to read it would find it empty.
        let readers = expanded.inputs + (RequestWord.sorted(words)?.count(where: \.readsInput) ?? 0)
        guard readers < 2 else {
            throw UsageError(
                "Standard input can be read once, and \(readers) options name it; write a file for all but one.")
        }
        // The help is printed even if the file is wrong.
        let none = ["--no-config", "--help", "-h", "--version"].map { RequestWord.flag($0) }
        guard let path, let sorted = RequestWord.sorted(words), !sorted.contains(where: none.contains) else {
            try self.init(expanded: words, defaults: DefaultOptions())
            return
        }
        let defaults = try DefaultOptions(path: path)
        do {
            try self.init(expanded: words, defaults: defaults)
        } catch let error as UsageError {
            throw defaults.cause(of: error, with: words)
        }
    }

    /// Makes the plan of a command line without files of `-K`. Throws `UsageError`.
    init(expanded words: [String], defaults: DefaultOptions) throws {
        self.words = words
        self.defaults = defaults
        guard var sorted = RequestWord.sorted(words) else {
            // The parser reports what is unknown.
            commands = [words]
            return
        }
        commands = []
        var jobs: Int?
        let parts = sorted.split(separator: .flag("--next"), omittingEmptySubsequences: false)
        sorted += defaults.lines.flatMap(\.words)
        ignoresInput = sorted.contains(.flag("--ignore-stdin"))
        recording = try Self.recording(sorted)
        for part in Self.joined(parts) {
            var part = Part(defaults.words(before: Array(part)) + part)
            jobs = try part.takeJobs() ?? jobs
            let found = try part.commands(atMost: Self.most - commands.count)
            let start = commands.count
            firsts += found.firsts.map { start + $0 }
            commands += found.lines
        }
        self.jobs = jobs ?? 1
        failsEarly = sorted.contains(.flag("--fail-early"))
        guard commands.count > 1 else { return }
        if sorted.contains(where: \.readsInput) {
            throw UsageError("Standard input can be read for one request, and there are \(commands.count) here.")
        }
        // Requests at the same time would draw their progress over each other.
        let shared = self.jobs > 1 ? ["--ignore-stdin", "--without-progress"] : ["--ignore-stdin"]
        let isNumbered = sorted.contains(where: \.usesNumber)
        for index in commands.indices {
            commands[index].insert(contentsOf: shared + (isNumbered ? ["--url-number=\(index)"] : []), at: 0)
        }
    }

    /// Returns the recording that the words ask for; nil without one. Throws `UsageError`, also if nothing would be sent.
    private static func recording(_ words: [RequestWord]) throws(UsageError) -> HARRecording? {
        let paths = words.compactMap { word -> String? in
            if case .option("har", let value, _) = word { value } else { nil }
        }
        guard let path = paths.last else { return nil }
        if let other = ["--curl", "--offline"].first(where: { words.contains(.flag($0)) }) {
            throw UsageError("--har records what is sent, and \(other) sends nothing; leave out one of them.")
        }
        return try HARRecording(path: path, showsSecrets: words.contains(.flag("--show-secrets")))
    }

    /// Joins the options before a `--next` without a URL with those after it, as curl does in files of options.
    private static func joined(_ parts: [ArraySlice<RequestWord>]) -> [[RequestWord]] {
        var result: [[RequestWord]] = []
        var earlier: [RequestWord] = []
        for (index, part) in parts.enumerated() {
            let hasURL = part.contains { word in
                switch word {
                case .argument, .option("url", _, _): true
                case .option, .flag: false
                }
            }
            guard hasURL || index == parts.count - 1 else {
                earlier += part
                continue
            }
            result.append(earlier + part)
            earlier = []
        }
        return result
    }

    /// Sends the request of a line of `commands`. Throws its errors, those of the parser, which may ask for help, and `UsageError`.
    func run(_ line: [String]) async throws {
        if let simple = RequestLine(simple: line) { return try await simple.run() }
        try await Tern.run(try command(of: line))
    }

    /// Whether standard input would be the body if a line of `commands` were the only one. Throws for a line that is wrong.
    func wantsInput(_ line: [String]) throws -> Bool {
        if let simple = RequestLine(simple: line) { return try simple.wantsInput() }
        return try (command(of: line) as? RequestCommand)?.line.wantsInput() ?? false
    }

    private func command(of line: [String]) throws -> any ParsableCommand {
        do {
            return try Tern.command(of: ["request"] + line)
        } catch let error as UsageError {
            throw defaults.cause(of: error, with: words)
        }
    }

    /// The words between two `--next`.
    private struct Part {
        private var words: [RequestWord]
        private var isLiteral = false
        private var savesAll = false

        init(_ words: some Sequence<RequestWord>) { self.words = Array(words) }

        /// Removes the options of the whole plan. Returns how many requests run at the same time; nil if no option says so.
        mutating func takeJobs() throws -> Int? {
            var (jobs, most): (Int?, Int?) = (nil, nil)
            var left: [RequestWord] = []
            for word in words {
                switch word {
                case .flag("-Z"), .flag("--parallel"): jobs = jobs ?? 50
                case .flag("-g"), .flag("--globoff"): isLiteral = true
                case .flag("--remote-name-all"): savesAll = true
                case .flag("--no-config"), .flag("--fail-early"), .option("har", _, _): break
                case .option("jobs", let value, _):
                    jobs = try Self.number(value, "--jobs")
                case .option("parallel-max", let value, _): most = try Self.number(value, "--parallel-max")
                case .option("url", let value, _): left.append(.argument(value))
                default: left.append(word)
                }
            }
            words = left
            return jobs.map { min($0, most ?? $0) }
        }

        private static func number(_ text: String, _ option: String) throws(UsageError) -> Int {
            guard let number = Int(text), (1...1_000).contains(number) else {
                throw UsageError("\(option) is a number from 1 to 1000.")
            }
            return number
        }

        /// Returns the command line of each request, and the places of the first of each URL as it was typed.
        func commands(atMost limit: Int) throws -> (lines: [[String]], firsts: [Int]) {
            let arguments = words.compactMap { word -> String? in
                if case .argument(let text) = word { text } else { nil }
            }
            let (method, urls, items) = Target.sorted(arguments)
            var targets: [(url: String, pattern: Int, parts: [String], file: String?)] = []
            let files = try uploadMatches(atMost: limit)
            for (number, url) in urls.enumerated() {
                let found = try isLiteral ? [URLPattern.Match(url: url)] : URLPattern.matches(url, atMost: limit)
                guard targets.count + found.count * files.count <= limit else { throw URLPattern.tooMany }
                for file in files { targets += found.map { ($0.url, number, $0.parts, file) } }
            }
            let (outputs, uploads) = (words.filter(\.isOutput), words.filter(\.isUpload))
            try checkCounts(urls: urls.count, outputs, uploads)
            // A pattern of one URL has parts for the name of the file, too.
            let isNamed =
                targets.first?.parts.isEmpty == false && outputs.contains { $0.written.contains { $0.contains("#") } }
            guard targets.count > 1 || (savesAll || isNamed) && targets.count == 1 else {
                return (lines: [plain(targets.first?.url, arguments)], firsts: [0])
            }
            if targets.count > 1, words.contains(where: \.isTag) {
                throw UsageError(
                    "--etag-save and --etag-compare are for one URL, and there are \(targets.count); write --next between the requests."
                )
            }
            try checkNames(
                targets.map { target in
                    let own = outputs.indices.contains(target.pattern) ? outputs[target.pattern] : nil
                    return (url: target.url, output: own?.output(for: target.parts) ?? (savesAll ? ["-O"] : []))
                })
            let firsts = targets.indices.filter { $0 == 0 || targets[$0].pattern != targets[$0 - 1].pattern }
            let lines = targets.map { target -> [String] in
                var line = words.filter { word in
                    if case .argument = word { return false }
                    return !word.isOutput && !word.isUpload
                }.flatMap(\.written)
                line += dataOrder
                if outputs.indices.contains(target.pattern) {
                    line += outputs[target.pattern].output(for: target.parts)
                } else if savesAll {
                    line.append("--remote-name")
                }
                if let file = target.file {
                    line.append("--upload-file=\(file)")
                } else if uploads.indices.contains(target.pattern) {
                    line += uploads[target.pattern].written
                }
                // A URL or an item may begin with a dash.
                return line + ["--"] + method + [target.url] + items
            }
            return (lines: lines, firsts: firsts)
        }

        /// Throws `UsageError` for more files than URLs, of which some would be left out without a word, and for fewer files to
        /// upload.
        private func checkCounts(urls: Int, _ outputs: [RequestWord], _ uploads: [RequestWord]) throws(UsageError) {
            // Without a URL, the parser reports that; the same option twice is no contradiction.
            guard urls > 1 || urls == 1 && (Set(outputs).count > 1 || Set(uploads).count > 1) else { return }
            for (files, name) in [(outputs, "-o and -O"), (uploads, "-T")] where files.count > urls {
                throw UsageError(
                    "There are more of \(name) than URLs: \(files.count) for \(urls); leave out \(files.count - urls).")
            }
            guard uploads.isEmpty || uploads.count == urls else {
                throw UsageError(
                    "Each -T sends a file to one URL, and there are \(uploads.count) for \(urls) URLs; write -T FILE for each URL, or --next between the requests."
                )
            }
        }

        /// Throws `UsageError` for a file that several responses would be saved to, of which only the last would be left.
        private func checkNames(_ targets: [(url: String, output: [String])]) throws(UsageError) {
            // These save nothing, or number the files.
            guard !words.contains(.flag("--curl")), !words.contains(.flag("--no-clobber")) else { return }
            // A name that the server gives replaces no file.
            let isNamedByServer = words.contains(.flag("-J")) || words.contains(.flag("--remote-header-name"))
            let folder = words.compactMap { word -> String? in
                if case .option("output-dir", let value, _) = word { value } else { nil }
            }.last
            var known: Set<String> = []
            for (url, output) in targets {
                guard let word = RequestWord.sorted(output)?.last else { continue }
                var path: String?
                if case .option(_, let value, _) = word {
                    path = value == "-" ? nil : value
                } else if !isNamedByServer {
                    path = (try? Target.url(url)).flatMap { DownloadFileName.name(of: $0) }
                }
                if let folder, let name = path { path = "\(folder)/\(name)" }
                // A device takes all of them.
                guard let path, !known.insert(path).inserted, FileStatus(path: path)?.isRegular != false else {
                    continue
                }
                let name = DownloadLine.printable(DownloadLine.shortened(path))
                throw UsageError(
                    "Several responses would be saved to “\(name)”, and only the last would be left; write --no-clobber to number the files, or a name for each, as in -o 'page#1' for the URL 'http://a.example/{x,y}'."
                )
            }
        }

        /// Returns the files of a pattern of `-T`, as in `-T '{a,b}'`; one nil without a pattern, and for a file of that name.
        private func uploadMatches(atMost limit: Int) throws -> [String?] {
            let named = words.compactMap { word -> String? in
                if case .option("upload-file", let value, _) = word { value } else { nil }
            }
            guard !isLiteral, let pattern = named.last, Set(named).count == 1, FileStatus(path: pattern) == nil else {
                return [nil]
            }
            let found = try URLPattern.matches(pattern, atMost: limit).map(\.url)
            return found.count > 1 ? found : [nil]
        }

        /// Returns the command line of one request, in the order in which it was written.
        private func plain(_ url: String?, _ arguments: [String]) -> [String] {
            var first = url
            let (_, urls, _) = Target.sorted(arguments)
            guard !arguments.contains(where: { $0.hasPrefix("-") }) else {
                let options = words.filter { if case .argument = $0 { false } else { true } }
                return dataOrder + options.flatMap(\.written) + ["--"] + arguments
            }
            let line = words.flatMap { word -> [String] in
                // The only match of a pattern takes its place.
                if case .argument(let text) = word, text == urls.first, let match = first {
                    first = nil
                    return [match]
                }
                return word.written
            }
            return dataOrder + line
        }

        /// The hidden option with the order of the texts, since the parser keeps one list for each option.
        private var dataOrder: [String] {
            let order = words.compactMap { word -> Character? in
                switch word {
                case .option("data", _, _): "d"
                case .option("data-raw", _, _): "r"
                case .option("data-binary", _, _): "b"
                case .option("data-urlencode", _, _): "u"
                case .option("form-part", _, _): "F"
                case .option("form-string", _, _): "s"
                default: nil
                }
            }
            return Set(order).count > 1 ? ["--data-order=\(String(order))"] : []
        }
    }
}

extension RequestWord {
    /// Whether it names the file of a response.
    fileprivate var isOutput: Bool {
        switch self {
        case .flag("-O"), .flag("--remote-name"), .option("output", _, _): true
        case .flag, .option, .argument: false
        }
    }

    /// Whether it names the file of an entity tag.
    fileprivate var isTag: Bool {
        switch self {
        case .option("etag-save", _, _), .option("etag-compare", _, _): true
        case .flag, .option, .argument: false
        }
    }

    /// Whether it names a file to upload.
    fileprivate var isUpload: Bool {
        if case .option("upload-file", _, _) = self { true } else { false }
    }

    /// Whether the option depends on the place of the request, which `--write-out` shows.
    fileprivate var usesNumber: Bool {
        switch self {
        case .option("write-out", _, _): true
        case .flag, .option, .argument: false
        }
    }

    /// Whether the body, or the text of `--write-out`, comes from standard input.
    var readsInput: Bool {
        switch self {
        case .flag: false
        case .argument(let text): text == "@-"
        case .option("upload-file", let value, _): value == "-"
        case .option("data", let value, _), .option("data-binary", let value, _): value == "@-"
        case .option("data-urlencode", let value, _): DataPiece(.encoded, value).source == .standardInput
        case .option("form-part", let value, _): (try? FormPart(value))?.readsInput == true
        case .option("write-out", let value, _): value == "@-"
        case .option: false
        }
    }

    /// Returns the words for a URL of a pattern, whose parts replace `#1`, `#2` and so on.
    fileprivate func output(for parts: [String]) -> [String] {
        guard case .option(_, let value, _) = self, !parts.isEmpty, value.contains("#") else { return written }
        var name = ""
        var rest = value[...]
        while let character = rest.popFirst() {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            guard character == "#", let number = Int(digits), parts.indices.contains(number - 1) else {
                name.append(character)
                continue
            }
            name += parts[number - 1]
            rest = rest[digits.endIndex...]
        }
        return ["--output=\(name)"]
    }
}

extension Target {
    /// Splits the arguments of a command line into the method, the URLs, which stand together, and the items.
    static func sorted(_ arguments: [String]) -> (method: [String], urls: [String], items: [String]) {
        guard let first = arguments.first else { return ([], [], []) }
        let hasMethod = arguments.count > 1 && method(first) != nil
        let rest = hasMethod ? arguments.dropFirst() : arguments[...]
        let count = 1 + rest.dropFirst().prefix { isFurtherURL($0) }.count
        return (hasMethod ? [first] : [], Array(rest.prefix(count)), Array(rest.dropFirst(count)))
    }

    /// Whether an argument after a URL is another URL: it has a scheme, or a form that no item has.
    private static func isFurtherURL(_ text: String) -> Bool {
        if let scheme = text.firstRange(of: "://") {
            return ["http", "https"].contains(text[..<scheme.lowerBound].lowercased())
        }
        guard let colon = text.firstIndex(of: ":"), text.firstIndex(of: "=").map({ $0 > colon }) != false,
            text.firstIndex(of: "@").map({ $0 > colon }) != false
        else { return false }
        let (name, rest) = (String(text[..<colon]), String(text[text.index(after: colon)...]))
        return !isScheme(name) && !name.isEmpty && looksLikeURL(name: name, rest: rest)
    }
}
