import Sterna
import SternaPlatform

/// The job of a command line: one request, sent and shown.
struct RequestJob {
    /// The longest body that is compressed before it is sent; a longer one is compressed while it is sent.
    private static let collectedBytes: Int64 = 8 << 20

    let target: Target
    let request: SendingOptions
    let connection: ConnectionOptions
    let trust: TrustOptions
    let routing: RoutingOptions
    let output: OutputOptions

    /// The format of fields.
    var format = FieldFormat.json
    /// The body that an option gives.
    var givenBody: GivenBody?
    /// Whether standard input is ignored.
    var ignoresInput = false
    /// Whether the command's purpose is to show the response's head.
    var showsHead = false
    /// The options for saving the body under a derived name.
    var naming: NamingOptions?
    /// The URL as the user typed it, for `--write-out`; nil for that of the target.
    var typedURL: String?
    /// The place of the URL among those of the command line, from 0.
    var number = 0
    /// Whether an option names the format of a body, which may then come from standard input.
    var namesFormat = false
    /// The texts that are sent as the query, in place of a body.
    var queryTexts: [DataPiece] = []
    /// The texts of `--url-query`.
    var addedQuery: [DataPiece] = []
    /// The options of ranges and conditions.
    var conditions: ConditionOptions?
    /// The options of the response's files.
    var files: FileOptions?
    /// The options of connections.
    var dial: DialOptions?
    /// Whether no progress is drawn.
    var hidesProgress = false

    init(
        target: Target, request: SendingOptions, connection: ConnectionOptions, trust: TrustOptions,
        routing: RoutingOptions, output: OutputOptions
    ) {
        self.target = target
        self.request = request
        self.connection = connection
        self.trust = trust
        self.routing = routing
        self.output = output
    }

    /// Whether the request is printed in place of being sent.
    private var printsOnly: Bool { request.sender.state.printsOnly }

    /// The name of the file that the body is saved to, unless the server chooses it; nil without one.
    private var typedFile: String? {
        // With a number the name may be another one.
        guard files?.clobber != false else { return nil }
        var named = SaveDestination(path: output.path)
        if let naming, naming.remoteName {
            guard let url = try? Target.url(target.url), let found = try? naming.destination(url: url) else {
                return nil
            }
            named = found
        }
        if let folder = files?.outputDir { named = named.placed(in: folder) }
        return named.typedName
    }

    /// Sends the request, and writes the text of `--write-out` at its end.
    func run() async throws {
        guard let text = output.writeOut, !output.curl, !printsOnly else { return try await run(nil) }
        let template = try WriteOutTemplate.read(text)
        let record = TransferRecord(url: typedURL ?? target.url, number: number, file: typedFile)
        do {
            try await run(record)
        } catch {
            record.ended(error)
            // A user who interrupts the command asks for no more.
            if !Task.isCancelled { try? WriteOut.write(template, record, showsSecrets: output.showSecrets) }
            throw error
        }
        record.ended(nil)
        try WriteOut.write(template, record, showsSecrets: output.showSecrets)
    }

    private func run(_ record: TransferRecord?) async throws {
        let items = try target.items.map { argument throws(UsageError) in try ItemParser.parse(argument) }
        var content = try await content(
            try request.headerItems() + (conditions?.items() ?? []) + (givenBody == nil ? naming?.rangeItems ?? [] : [])
                + items)
        if let start = naming?.start, start > 0 { try content.skip(start) }
        let url = try Self.url(target, content)
        let named = try naming?.destination(url: url) ?? SaveDestination(path: output.path)
        let destination = try output.curl ? named : files?.place(named) ?? named
        let terminal = Terminal.standardOutput
        var style = output.style(
            isTerminal: terminal.isTerminal, savesBody: destination != .none, showsHead: showsHead)
        if printsOnly {
            guard destination == .none else {
                throw UsageError(
                    "--offline without --cache prints the request, and saves nothing; leave out -o and -O.")
            }
            if !output.namesParts { style.parts = [.requestHead, .requestBody] }
        }
        // As in curl and in HTTPie, the heads of -i and -I are in the file, too.
        let writesHeads = destination != .none && !output.verbose && (output.include || showsHead && !output.namesParts)
        if writesHeads { style.parts.remove(.responseHead) }
        let sender = try await sender(for: url, &content, keepsFiles: !output.curl && !printsOnly)
        let state = sender.state
        if style.parts.contains(.cache), state.cache == nil, !output.curl {
            throw UsageError("--print c says what the cache did; name its folder with --cache FOLDER.")
        }
        let progress = ProgressDisplay(
            isEnabled: !output.silent && !hidesProgress
                && (!(style.isTerminal && destination == .none) || content.file != nil || content.hasParts))
        var exchange = try Exchange(
            style: style, progress: progress, content: content, destination: destination, check: output.statusCheck,
            follows: connection.redirects.follow, http2: connection.transport.http2Mode, record: record,
            conditions: conditions, files: output.curl || printsOnly ? nil : files, writesHeads: writesHeads,
            withholdsBody: sender.credentials?.isDigest == true, showsInterim: output.include)
        exchange.showsTimeline = output.timeline
        exchange.start = content.file == nil ? naming?.start : nil
        exchange.showsFailedHead = output.include
        var collectsMetrics = record != nil || output.timeline
        if !style.parts.isDisjoint(with: [.metrics, .timingJSON]) { collectsMetrics = true }
        let prepared = try prepared(url, content, sender, log: exchange.log, collectsMetrics: collectsMetrics)
        let session = prepared.session
        var draft = prepared.draft
        draft.settings.savedName = destination.savedName
        // A file that begins with heads cannot be continued.
        if draft.method == .get, content.body == nil, !writesHeads { exchange.keptPart = keptPart(url) }
        if output.curl { return try printCommand(draft, by: session, content, state) }
        if printsOnly { return try await printRequest(draft, by: session, style, content, state) }
        try routing.checkSocket()
        if content.file != nil || content.hasParts {
            progress.begin("sending", total: content.body?.length)
            draft.settings.uploadProgress = { progress.update($0) }
        }
        if let record, content.body != nil {
            draft.settings.uploadProgress = { sent in
                progress.update(sent)
                record.uploaded(sent.completed)
            }
        }
        if let interim = exchange.interim { draft.settings.onInformational = { interim.add($0) } }
        let start = ContinuousClock.now
        do {
            try await exchange.run(draft, by: session, retries: prepared.retries)
        } catch {
            await session.flushEvents()
            if let bytes = exchange.keptPart?.bytes { try printContinuing(url, items, destination, bytes: bytes) }
            // Cookies that a server has set before the failure are kept.
            if exchange.log.hasAnswer { await Self.trySaving(state) }
            guard let error = error as? SternaError else { throw error }
            throw Self.advised(error, after: ContinuousClock.now - start, connection, routing)
        }
        try await state.save()
    }

    /// Returns the object that keeps the partial file of an interrupted command; nil if the server names it, and for options of
    /// connections that `tern download` does not have.
    private func keptPart(_ url: HTTPURL) -> KeptPart? {
        guard dial?.given.isEmpty != false else { return nil }
        let isNamed = output.path.map { $0 != "-" } == true || naming?.remoteName == true
        return isNamed && naming?.remoteHeaderName != true ? KeptPart(url: url) : nil
    }

    /// Prints the command that continues an interrupted file.
    private func printContinuing(
        _ url: HTTPURL, _ items: [Item], _ destination: SaveDestination, bytes: Int64
    ) throws {
        guard !output.silent else { return }
        let isInFolder = files?.outputDir != nil
        let saving = try SavingOptions.request(
            path: isInFolder ? destination.typedName : output.path,
            remoteName: !isInFolder && naming?.remoteName == true, remoteHeaderName: false, silent: false,
            continues: true)
        let command = ContinuingCommand(
            urls: [url], saving: saving, sender: request.sender, aws: request.aws,
            items: items + (conditions?.refererItems ?? []), connection: connection, trust: trust, routing: routing)
        let hint = command.hidesSecrets ? ", fill in *** and run" : ""
        // One text, as other requests may print theirs at the same time.
        let kept = "Interrupted; kept \(ByteSize(bytes)). To continue\(hint):"
        Descriptor.standardError.print("\(kept)\n  \(TerminalText.line(command.text))")
    }

    /// Throws `UsageError` if what a session keeps might go to another host.
    static func check(_ state: CommandState, _ connection: ConnectionOptions) throws(UsageError) {
        guard state.hasSession, connection.redirects.locationTrusted else { return }
        throw UsageError(
            "--location-trusted would send what the session keeps to other hosts; leave out one of the two options.")
    }

    /// Saves the state of a command that failed; prints a warning if saving fails, too.
    static func trySaving(_ state: CommandState) async {
        do {
            try await state.save()
        } catch {
            if let line = ErrorLine.text(for: error), !line.isEmpty { printError("Warning: \(line)") }
        }
    }

    /// Returns the error in terms of the options that caused it.
    static func advised(
        _ error: SternaError, after duration: Duration, _ connection: ConnectionOptions, _ routing: RoutingOptions,
        subject: String = "request"
    ) -> any Error {
        // The library's limits may end early by less than this, since they are passed on in whole milliseconds.
        let tolerance = Duration.milliseconds(20)
        switch error.kind {
        case .timedOut:
            guard let limit = connection.transport.maxTime, duration + tolerance >= .seconds(limit) else {
                return error
            }
            var error = error
            error.detail = "The \(subject) did not finish within the \(seconds(limit)) of --max-time."
            return AdvisedError(error: error, advice: "Give it more with --max-time SECONDS.")
        case .destinationUnusable:
            var error = error
            switch error.underlying as? DestinationFault {
            case .exists(let path)?:
                error.detail = "The file “\(DownloadLine.printable(DownloadLine.shortened(path)))” exists, and is kept."
                return AdvisedError(error: error, advice: "Name another one with -o FILE.")
            case .folder(let path)?:
                error.detail = "“\(DownloadLine.printable(DownloadLine.shortened(path)))” is a folder."
                return AdvisedError(
                    error: error,
                    advice: "Name a file in it with -o FILE, or write --into FOLDER for the server's name.")
            default: return error
            }
        case .connectionFailed where routing.unixSocket != nil:
            return AdvisedError(error: error, advice: "Check that the server of --unix-socket runs.")
        default: return error
        }
    }

    /// Writes a number of seconds as the option has it.
    static func seconds(_ number: Double) -> String {
        let text = "\(number)"
        return "\(text.hasSuffix(".0") ? String(text.dropLast(2)) : text) s"
    }

    private func printCommand(
        _ draft: RequestDraft, by session: Session, _ content: RequestContent, _ state: CommandState
    ) throws {
        var command = try complete(draft, by: session, content, state).curl(showsSecrets: output.showSecrets)
        if dial?.keepsTarget == true, command.hasPrefix("curl ") {
            command.replaceSubrange(..<command.index(command.startIndex, offsetBy: 4), with: "curl --path-as-is")
        }
        try Descriptor.standardOutput.write(command + "\n")
    }

    private func printRequest(
        _ draft: RequestDraft, by session: Session, _ style: OutputStyle, _ content: RequestContent,
        _ state: CommandState
    ) async throws {
        var request = try complete(draft, by: session, content, state)
        // Files are shown, too, if they are short.
        if let body = request.body, let length = body.length, length <= Self.shownBytes {
            request.body = try await body.collected(memoryLimit: Int(Self.shownBytes))
        }
        try Exchange.show(
            request, style, connection.transport.http2Mode, file: content.file, to: .standardOutput, isLast: true)
    }

    /// The longest body with files, in bytes, that `--offline` shows.
    private static let shownBytes: Int64 = 256 << 10

    /// Returns the request as it would be sent, with the cookies of the jar.
    private func complete(
        _ draft: RequestDraft, by session: Session, _ content: RequestContent, _ state: CommandState
    ) throws -> Request {
        var request = try session.request(for: draft)
        if let field = state.cookieField(for: request) {
            request.headers[.cookie] = request.headers[.cookie].map { "\($0); \(field)" } ?? field
        }
        request.headers = request.headers.filter { !content.removedHeaders.contains($0.name.canonicalName) }
        return request
    }

    /// Returns what is sent: the content of the items and options, or else standard input. Throws `UsageError`, and for files that
    /// cannot be read.
    func content(_ items: [Item]) async throws -> RequestContent {
        var content = try RequestContent(items, as: format, style: request.style?.style, given: givenBody)
        if !queryTexts.isEmpty || !addedQuery.isEmpty {
            let bytes = try await GivenBody.joined(queryTexts + addedQuery)
            let text = String(decoding: bytes, as: UTF8.self)
            content.query += content.query.isEmpty ? text : "&\(text)"
        }
        if let givenBody {
            switch givenBody.source {
            case .pieces(let pieces):
                content.body = .bytes(try await GivenBody.joined(pieces), mediaType: givenBody.mediaType)
            case .form(let parts):
                content.body = try await GivenBody.form(parts)
                content.hasParts = true
            case .standardInput:
                content.body = try await StandardInput(patience: nil).body() ?? .bytes([])
                content.body?.mediaType = givenBody.mediaType
            case .text, .file: break
            }
            if !ignoresInput, !givenBody.readsInput { try await StandardInput.refuseContent() }
        } else if content.file == "-" {
            content.body = try await StandardInput(patience: nil).body() ?? .bytes([])
            content.body?.mediaType = format.mediaType
        } else if content.body != nil {
            if !ignoresInput { try await StandardInput.refuseContent() }
        } else if !ignoresInput, readsInput, InputKind.of(StandardInput.number) != nil {
            content.body = try await StandardInput(patience: target.method == nil ? .seconds(1) : nil).body()
            content.body?.mediaType = format.mediaType
        }
        content.keepFormType()
        if request.compress, let body = content.body {
            // A short body is compressed as a whole, which gives it a length: many servers reject chunks.
            let compressed = body.compressed()
            let isShort = body.length.map { $0 <= Self.collectedBytes } ?? false
            content.body = isShort ? try await compressed.collected() : compressed
        }
        return content
    }

    /// Whether standard input may be the body.
    private var readsInput: Bool { queryTexts.isEmpty && target.mayTakeInput(namesFormat: namesFormat) }

    /// Returns the method; POST for a body without one.
    static func method(_ target: Target, _ content: RequestContent) throws -> Request.Method {
        let name = target.method ?? (content.body == nil ? "GET" : "POST")
        guard let method = Request.Method(rawValue: name) else { throw UsageError("“\(name)” is not a method.") }
        return method
    }

    /// Returns the URL with the query of the items.
    static func url(_ target: Target, _ content: RequestContent) throws -> HTTPURL {
        try Target.url(target.url).appendingQuery(content.query)
    }
}

extension Target {
    /// Whether standard input may be the body. Without a method, an item or a format nothing asks for a body: a loop that reads
    /// URLs from standard input keeps them.
    func mayTakeInput(namesFormat: Bool) -> Bool {
        guard let method else { return namesFormat || !items.isEmpty }
        return Self.takesBody(method) || namesFormat && method == "DELETE"
    }
}
