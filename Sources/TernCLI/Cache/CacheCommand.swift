import ArgumentParser
import Sterna

/// Lists, shows and removes the responses of a cache's folder.
struct CacheCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache", abstract: "List, show and remove stored responses.",
        discussion: """
            FOLDER is what --cache names. A URL selects its responses, of which there are
            several if they vary or belong to several identities; a host, as in example.com
            or localhost:8080, selects all responses of the host.
            """,
        subcommands: [CacheListCommand.self, CacheShowCommand.self, CacheClearCommand.self])
}

/// The folder of a cache, and the selection of its responses.
struct CacheSelection: ParsableArguments {
    @Argument(help: "The folder of the cache.")
    var folder: String

    @Argument(help: ArgumentHelp("A URL or a host.", valueName: "URL"))
    var url: String?

    func validate() throws {
        if folder.isEmpty { throw ValidationError("The folder of the cache is missing.") }
        if url?.isEmpty == true { throw ValidationError("The URL is empty.") }
    }

    /// Returns the cache and the selected responses, the most recently stored first.
    ///
    /// Throws `fileUnreadable` if there is no cache, and `invalidURL`.
    func entries() async throws -> (ResponseCache, [ResponseCache.Entry]) {
        let matches = try Self.selector(url)
        let cache = try await BlockingWork.run { [folder] in try CacheOpening.open(folder, mustExist: true) }
        return (cache, await cache.entries().filter { matches($0.url) })
    }

    /// Returns a predicate that says whether a URL of a list is selected.
    static func selector(_ text: String?) throws -> @Sendable (String) -> Bool {
        guard let text else { return { _ in true } }
        let target = try Target.url(Target.expand(text))
        guard !Target.hasScheme(text), !text.utf8.contains(UInt8(ascii: "/")) else {
            let shown = Redaction.show(target.removingUserinfo().removingFragment())
            return { $0.utf8.elementsEqual(shown.utf8) }
        }
        return { listed in
            guard let url = try? HTTPURL(listed) else { return false }
            return url.host == target.host && (target.port == nil || url.port == target.port)
        }
    }

    /// The URL as lists show it.
    var shownURL: String {
        get throws(SternaError) { Redaction.show(try Target.url(Target.expand(url ?? "")).removingUserinfo()) }
    }

    /// Returns the number of responses and the size of their bodies, as text.
    static func summary(_ entries: [ResponseCache.Entry]) -> String {
        let bytes = entries.reduce(Int64(0)) { $0.addingReportingOverflow($1.length).partialValue }
        return "\(entries.count) \(entries.count == 1 ? "response" : "responses"), \(ByteSize(bytes))"
    }
}

/// Lists stored responses.
struct CacheListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List stored responses.")

    @OptionGroup
    var selection: CacheSelection

    @Flag(help: "Only responses that are no longer fresh.")
    var stale = false

    @Flag(help: "Print the list as JSON.")
    var json = false

    func run() async throws {
        let entries = try await selection.entries().1.filter { !stale || $0.timeLeft <= 0 }
        let terminal = Terminal.standardOutput
        if json {
            return try Descriptor.standardOutput.write(CacheTable.json(entries).serializedString(.pretty) + "\n")
        }
        guard !entries.isEmpty else { return printError("No responses.") }
        let table = CacheTable(isColoured: terminal.wantsColours, width: terminal.isTerminal ? terminal.width : nil)
        try Descriptor.standardOutput.write(table.lines(entries).joined(separator: "\n") + "\n")
        printError(CacheSelection.summary(entries))
    }
}

/// Shows a stored response.
struct CacheShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the response that was stored last for a URL.")

    @OptionGroup
    var selection: CacheSelection

    @Option(
        name: [.customShort("p", allowingJoined: true), .customLong("print")],
        help: ArgumentHelp("What to show: h is the head, b the body.", valueName: "hb"))
    var parts: String?

    @OptionGroup
    var format: FormatOptions

    func validate() throws {
        if selection.url == nil { throw ValidationError("The URL is missing; tern cache list FOLDER shows all.") }
        guard let parts else { return }
        guard let known = OutputStyle.Parts.parse(parts), known.isSubset(of: [.responseHead, .responseBody]) else {
            throw ValidationError("--print takes h and b here, not “\(parts)”.")
        }
    }

    func run() async throws {
        let (cache, entries) = try await selection.entries()
        guard let entry = entries.first else {
            throw UsageError("Nothing is stored for \(try selection.shownURL).", status: ExitStatus.failure)
        }
        let others = entries.count > 1 ? "; the last of \(entries.count) that are stored for it" : ""
        printError("\(entry.url)\(others)")
        printError(CacheTable.state(of: entry))
        let terminal = Terminal.standardOutput
        let wish = OutputStyle.Wish(
            parts: parts.flatMap(OutputStyle.Parts.parse), pretty: format.pretty, noColor: format.noColor)
        let style = OutputStyle.resolve(wish, isTerminal: terminal.isTerminal, environment: .process)
        guard let response = try await cache.response(of: entry) else {
            throw UsageError(
                "Only parts of the body are stored, \(ByteSize(entry.length)) of it.", status: ExitStatus.failure)
        }
        let showsBody = style.parts.contains(.responseBody)
        if style.parts.contains(.responseHead) {
            try Descriptor.standardOutput.write(HeadText(style: style).response(response) + (showsBody ? "\n" : ""))
        }
        guard showsBody else { return }
        try await BodyPrinter(style: style, progress: ProgressDisplay(isEnabled: false)).write(response)
    }
}

/// Removes stored responses.
struct CacheClearCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Remove stored responses: all, or those of a URL or a host.")

    @OptionGroup
    var selection: CacheSelection

    @Flag(help: "Only responses that are no longer fresh.")
    var stale = false

    func run() async throws {
        let (cache, all) = try await selection.entries()
        let entries = all.filter { !stale || $0.timeLeft <= 0 }
        if selection.url == nil, !stale {
            // Also removes entries that are being stored, and those that cannot be read.
            await cache.removeAll()
        } else {
            for entry in entries { await cache.remove(entry) }
        }
        await cache.sync()
        printError("Removed \(CacheSelection.summary(entries)).")
    }
}
