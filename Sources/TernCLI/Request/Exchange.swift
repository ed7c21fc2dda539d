import ArgumentParser
import HTTPTypes
import NIOCore
import Sterna

/// Runs one request and shows or saves the response.
struct Exchange: Sendable {
    /// How long the command waits for the body of an error response, which a server may send as slowly as it likes.
    private static let messagePatience = Duration.seconds(5)

    /// The largest request body, in bytes, that is shown.
    private static let shownBodyBytes = 1 << 20

    let style: OutputStyle
    let progress: ProgressDisplay
    let destination: SaveDestination
    let check: StatusCheck
    let follows: Bool
    let record: TransferRecord?
    let log: NetworkLog

    /// Whether the timings are drawn on standard error.
    var showsTimeline = false

    /// Whether the head of a response is shown whose status is an error by `--fail`.
    var showsFailedHead = false

    /// The first byte of the body that was asked for; nil for the whole body.
    var start: Int64?

    /// Keeps a file that is incomplete because the user has interrupted the command; nil if it cannot be continued.
    var keptPart: KeptPart?

    /// The interim responses whose heads are not yet shown; nil if they are left out.
    let interim: InterimResponses?

    /// The heads for the body's file; nil if they are shown, or not wanted.
    private let heads: FileHeads?

    /// The options of conditions, and of the response's files.
    private let conditions: ConditionOptions?
    private let files: FileOptions?
    private var keepsTime: Bool { files?.remoteTime == true }

    /// - Parameters:
    ///   - conditions: the options of conditional requests; nil for none.
    ///   - files: the options of the response's files; nil for none.
    ///   - writesHeads: whether the file of the body begins with the heads, as with curl's `-i -o FILE`.
    ///   - withholdsBody: whether the body is sent only with credentials.
    ///   - showsInterim: whether the heads of interim responses are shown, too.
    init(
        style: OutputStyle, progress: ProgressDisplay, content: RequestContent, destination: SaveDestination,
        check: StatusCheck, follows: Bool, http2: HTTP2Mode, record: TransferRecord?,
        conditions: ConditionOptions? = nil, files: FileOptions? = nil, writesHeads: Bool = false,
        withholdsBody: Bool = false, showsInterim: Bool = false
    ) throws {
        self.conditions = conditions
        self.files = files
        self.style = style
        self.progress = progress
        self.destination = destination
        self.check = check
        self.follows = follows
        self.record = record
        let heads = writesHeads ? FileHeads() : nil
        self.heads = heads
        let interim = showsInterim ? InterimResponses() : nil
        self.interim = interim
        let output = Descriptor.standardOutput
        let dump = try files?.headDump()
        log = NetworkLog(
            removedHeaders: content.removedHeaders, record: record, dump: dump, withholdsBody: withholdsBody
        ) { request in
            try Self.show(request, style, http2, file: content.file, to: output)
        } redirect: { response in
            try interim?.show(before: response, style, heads)
            heads?.add(response)
            if style.parts.contains(.responseHead) {
                try output.write(HeadText(style: style).response(response) + "\n")
            }
        }
    }

    /// Sends the request; throws its errors, and with `--fail` an error for the response's status.
    ///
    /// - Parameter retries: decides whether a request whose response body breaks off is sent again. A file is then written anew.
    func run(_ draft: RequestDraft, by session: Session, retries policy: RetryPolicy) async throws {
        do {
            var (draft, retries) = (draft, BodyRetries(policy, since: .now()))
            while let delay = try await wait(after: &retries, draft, by: session) {
                try await session.loopClock.wait(delay)
                retries.apply(to: &draft.settings, at: .now())
            }
        } catch let shown as ShownStatus {
            throw shown.error
        } catch let error as SternaError {
            if [.tooManyRedirects, .redirectRefused].contains(error.kind) { try showRedirect(error.response) }
            if let metrics = error.metrics { try showMetrics(metrics) }
            throw error
        }
    }

    /// Sends the request; returns the wait before it is sent again, nil once it is done.
    private func wait(
        after retries: inout BodyRetries, _ draft: RequestDraft, by session: Session
    ) async throws -> Duration? {
        do {
            try await send(draft, by: session)
            return nil
        } catch let broken as BrokenBody {
            guard let request = try? session.request(for: draft),
                let retry = retries.next(request, after: broken.error, earlier: broken.retries, at: .now())
            else { throw broken.error }
            guard broken.beginsAnew else {
                printError(
                    "Warning: part of the body is written, so the request is not repeated; -o FILE lets --retry do so.")
                throw broken.error
            }
            log.forgetHead()
            return retry.delay
        }
    }

    /// The error for the status of a response that was shown with its timings.
    private struct ShownStatus: Error {
        var error: SternaError
    }

    /// A failure of a body, after its response.
    private struct BrokenBody: Error {
        var error: SternaError
        /// The retries that led to the response.
        var retries: Int
        /// Whether nothing of the received body remains, so that a repeated request may start over.
        var beginsAnew: Bool
    }

    // Only a refused redirect is shown here; the heads of others are shown when they are followed.
    private func showRedirect(_ refused: Response?) throws {
        guard style.parts.contains(.responseHead), let refused else { return }
        try Descriptor.standardOutput.write(HeadText(style: style).response(received(refused)) + "\n")
    }

    /// Returns a response as it was received.
    private func received(_ response: Response) -> Response {
        // The log has the head before decoding; it is not that of a response from the cache.
        response.source == .network ? log.lastHead ?? response : response
    }

    private func send(_ draft: RequestDraft, by session: Session) async throws {
        try await progress.run {
            try await session.withResponse(to: draft) { response in
                // Lines of -v come before the response.
                await session.flushEvents()
                progress.finish()
                record?.shows(response)
                if response.source == .cache, let note = response.note { throw Self.unanswered(note, draft) }
                try showStatus(response)
                if check == .fail, response.status.code >= 400 {
                    if showsFailedHead { try showHead(response) }
                    throw await statusError(response, draft, session)
                }
                // For example, why a challenge was not answered.
                if let note = response.note { printError("Warning: \(note)") }
                try showHead(response)
                if let start { try Self.check(response, from: start) }
                try files?.check(length: received(response).headers[.contentLength].flatMap { Int64($0) })
                // What has not changed must not replace the file.
                let isUnchanged =
                    response.status == .notModified && conditions?.isConditional == true
                    || conditions?.excludes(response) == true
                let file = isUnchanged ? nil : try destination.file(for: response)
                record?.saves(to: file?.name)
                do {
                    if conditions?.excludes(response) != true, !isBeyondEnd(response) {
                        try await receive(response, file)
                    }
                } catch var error as SternaError {
                    // The session cannot add metrics to the error that is wrapped below.
                    error.metrics = error.metrics ?? response.metrics
                    throw BrokenBody(
                        error: error, retries: response.retries,
                        beginsAnew: file?.isReplaced ?? !style.parts.contains(.responseBody))
                }
                progress.finish()
                try conditions?.saveTag(of: response)
                try showCache(response, draft.method)
                record?.measured(response.metrics)
                if let metrics = response.metrics { try showMetrics(metrics) }
                try checkStatus(response, draft)
            }
        }
    }

    /// Whether nothing is missing after the byte of `-C`, so that the body is a message of the server.
    private func isBeyondEnd(_ response: Response) -> Bool {
        start != nil && response.status == .rangeNotSatisfiable
    }

    /// Throws `UsageError` for a successful response that does not begin at the byte of `-C`.
    private static func check(_ response: Response, from start: Int64) throws(UsageError) {
        guard start > 0, response.status.kind == .successful else { return }
        let range = response.headers[.contentRange]?.split(separator: " ").last
        guard range?.hasPrefix("\(start)-") != true else { return }
        throw UsageError(
            "The server does not send the body from byte \(start) on, as -C asks; it ignores ranges.",
            status: ExitStatus.failure)
    }

    private func showStatus(_ response: Response) throws {
        guard style.parts.contains(.status) else { return }
        let code = response.status.code
        let text = Colour.ofStatus(code).wrap("\(code)", if: style.isColoured)
        try Descriptor.standardOutput.write(text + "\n")
    }

    /// Throws the error or the exit status that the status of a shown response calls for.
    private func checkStatus(_ response: Response, _ draft: RequestDraft) throws {
        let code = response.status.code
        switch check {
        case .none, .fail: return
        case .failWithBody:
            guard code >= 400 else { return }
            throw ShownStatus(error: Self.statusError(response, draft, body: Bytes()))
        case .byClass:
            let status = StatusCheck.exitStatus(code, follows: follows)
            guard status != ExitStatus.success else { return }
            // On a terminal the head shows the status.
            if !style.isTerminal || !style.parts.contains(.responseHead) {
                let phrase = response.status.registeredPhrase
                printError("Warning: HTTP \(code)\(phrase.isEmpty ? "" : " \(phrase)").")
            }
            throw ExitCode(status)
        }
    }

    private func showCache(_ response: Response, _ method: HTTPRequest.Method) throws {
        guard style.parts.contains(.cache) else { return }
        let line = Colour.dim.wrap(CacheLine.text(response, to: method), if: style.isColoured)
        try Descriptor.standardOutput.write(gap + line + "\n")
    }

    /// The line end between the response and lines about it, if the response is shown.
    private var gap: String {
        style.parts.isDisjoint(with: [.responseBody, .responseHead]) ? "" : "\n"
    }

    /// The error of a request that only the cache may answer, which has no response for it.
    private static func unanswered(_ note: String, _ draft: RequestDraft) -> SternaError {
        var error = SternaError(.unacceptableStatus, phase: .prepare, note)
        error.method = draft.method
        return error
    }

    private func showMetrics(_ metrics: RequestMetrics) throws {
        if showsTimeline {
            let terminal = Terminal.standardError
            let lines = Timeline.lines(
                metrics, width: terminal.width, isColoured: terminal.wantsColours && !style.neverColours,
                isPlain: terminal.environment.isDumb)
            for line in lines { Descriptor.standardError.print(line) }
        }
        if style.parts.contains(.timingJSON) {
            try Descriptor.standardOutput.write(gap + TimingJSON.text(metrics) + "\n")
        }
        guard style.parts.contains(.metrics) else { return }
        let terminal = Terminal.standardOutput
        let drawing = Waterfall(
            metrics: metrics, width: terminal.width, isColoured: style.isColoured,
            isPlain: terminal.environment.isDumb)
        try Descriptor.standardOutput.write(gap + drawing.lines.joined(separator: "\n") + "\n")
    }

    private func showHead(_ response: Response) throws {
        try interim?.show(before: response, style, heads)
        heads?.add(received(response))
        guard style.parts.contains(.responseHead) else { return }
        let head = HeadText(style: style).response(received(response))
        let isFollowed = style.parts.contains(.responseBody) && destination == .none
        try Descriptor.standardOutput.write(isFollowed ? head + "\n" : head)
    }

    private func receive(_ response: Response, _ file: OutputFile?) async throws {
        if let file {
            try await save(response, to: file)
        } else if style.parts.contains(.responseBody) {
            progress.begin("", total: response.body.length)
            try await BodyPrinter(style: style, progress: progress).write(response)
        } else if record != nil || showsTimeline || !style.parts.isDisjoint(with: [.metrics, .timingJSON, .cache]) {
            for try await _ in response.body {}
        }
    }

    private func save(_ response: Response, to file: OutputFile) async throws {
        progress.begin("", total: response.body.length)
        if let heads { try file.write(Bytes(text: heads.take())) }
        // Writing a large file to the disk takes longer than a command has after a signal.
        if keptPart != nil { SignalWatch.wait(seconds: DownloadJob.patience) }
        do {
            var count: Int64 = 0
            for try await chunk in response.body {
                count += Int64(chunk.readableBytes)
                try files?.check(length: count)
                try file.write(chunk)
                progress.add(chunk.readableBytes)
            }
        } catch {
            if Task.isCancelled {
                progress.finish()
                keptPart?.keep(file, of: response)
            }
            throw error
        }
        try file.complete(modified: keepsTime ? response.headers[.lastModified].flatMap(HTTPDate.seconds) : nil)
        // The server chose the name.
        if case .named = destination { printError("Saved to \(file.name)") }
    }

    private func statusError(_ response: Response, _ draft: RequestDraft, _ session: Session) async -> SternaError {
        let body = await BodyPrefix.read(response.body, within: Self.messagePatience, on: session.loopClock)
        record?.leavesOutBody()
        return Self.statusError(response, draft, body: body.bytes)
    }

    private static func statusError(_ response: Response, _ draft: RequestDraft, body: Bytes) -> SternaError {
        var error =
            ResponseValidation(statuses: 100..<400).check(response, body: body)
            ?? SternaError(.unacceptableStatus, phase: .read, "The server answered \(response.status.code).")
        error.method = draft.method
        return error
    }

    /// Returns the version of HTTP that a request is shown with; nil if the server chooses, as it is then unknown.
    static func version(of request: Request, _ http2: HTTP2Mode) -> HTTPVersion? {
        switch http2 {
        case .off: .http11
        case .negotiated: request.url.scheme.isSecure ? nil : .http11
        case .priorKnowledge: request.url.scheme.isSecure ? nil : .http2
        }
    }

    /// Shows the parts of a request that the style names.
    ///
    /// - Parameter isLast: whether nothing follows, so that no blank line is needed.
    static func show(
        _ request: Request, _ style: OutputStyle, _ http2: HTTP2Mode, file: String?, to output: Descriptor,
        isLast: Bool = false
    ) throws {
        let end = isLast ? "\n" : "\n\n"
        if style.parts.contains(.requestHead) {
            let head = HeadText(style: style).request(request, version: version(of: request, http2))
            let isFollowed = !isLast || style.parts.contains(.requestBody) && request.body != nil
            try output.write(isFollowed ? head + "\n" : head)
        }
        guard style.parts.contains(.requestBody), let body = request.body else { return }
        guard body.segments.count == 1, case .bytes(let bytes) = body.segments[0], bytes.count <= shownBodyBytes else {
            let length = body.length.map { "\($0) bytes" } ?? "a body of unknown length"
            return try output.write(
                "(\(length) from \(file.map { TerminalText.line($0) } ?? "files or standard input"))\(end)")
        }
        let safe = style.showsSecrets ? bytes : BodyRedaction(request).shown(bytes)
        try output.write(shown(safe, body.mediaType, style) + end)
    }

    private static func shown(_ bytes: Bytes, _ mediaType: String?, _ style: OutputStyle) -> String {
        switch BodyKind.of(mediaType.flatMap(MediaType.init), start: bytes) {
        case .binary: "(\(bytes.count) bytes of binary data)"
        case .json where (style.isIndented || style.isColoured) && (try? JSON(parsing: bytes.readableBytesView)) != nil:
            JSONText.render(bytes.text, indented: style.isIndented, coloured: style.isColoured)
        case .json, .xml, .text: style.isTerminal ? TerminalText.block(bytes.text) : bytes.text
        }
    }
}
