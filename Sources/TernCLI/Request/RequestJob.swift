import Sterna

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What a command line comes to: one request, sent and shown.
struct RequestJob {
    /// A body up to this length is compressed before it is sent, a longer one while it is.
    private static let collectedBytes: Int64 = 8 << 20

    let target: Target
    let request: SendingOptions
    let connection: ConnectionOptions
    let trust: TrustOptions
    let routing: RoutingOptions
    let output: OutputOptions

    func run() async throws {
        let items = try target.items.map { argument throws(UsageError) in try ItemParser.parse(argument) }
        let style = try output.style(isTerminal: Terminal.standardOutput.isTerminal)
        let content = try await content(items, target)
        let authorization = try request.authorization()
        let progress = ProgressDisplay(
            isEnabled: !(style.isTerminal && output.file == nil) || content.file != nil || content.hasParts)
        let exchange = Exchange(
            style: style, progress: progress, content: content, savesTo: output.file, fails: output.fail,
            http2: connection.http2Use)
        let url = try Self.url(target, content)
        let (policy, engine) = (try trust.policy(for: url), try trust.engine(routing.families))
        let proxies = try routing.proxies()
        let session = try Session { settings in
            settings.securityPolicy = policy
            settings.engine = engine
            settings.requestSerializer = .json
            settings.http2 = connection.http2Use
            settings.redirects = connection.follow ? .follow : .doNotFollow
            routing.apply(to: &settings, proxies)
            settings.collectsMetrics = style.parts.contains(.metrics)
            if let timeout = connection.timeout { settings.timeouts.setEach(.seconds(timeout)) }
            if let total = connection.maxTime { settings.timeouts.total = .seconds(total) }
            settings.networkInterceptors = [exchange.log]
        }
        var draft = RequestDraft(
            try Self.method(target, content), url, body: content.body, headers: content.headers)
        draft.settings.authorization = authorization
        if output.curl { return try printCommand(draft, by: session, content) }
        if content.file != nil || content.hasParts {
            progress.begin("sending", total: content.body?.length)
            draft.settings.uploadProgress = { progress.update($0) }
        }
        try await exchange.run(draft, by: session)
    }

    private func printCommand(_ draft: RequestDraft, by session: Session, _ content: RequestContent) throws {
        var request = try session.request(for: draft)
        request.headers = request.headers.filter { !content.removedHeaders.contains($0.name.canonicalName) }
        let command = request.curl(showsSecrets: output.showSecrets)
        try Descriptor.standardOutput.write(command + "\n")
    }

    private func content(_ items: [Item], _ target: Target) async throws -> RequestContent {
        var content = try RequestContent(items, as: request.format, style: request.style?.style)
        let readsInput = !["GET", "HEAD", "OPTIONS", "TRACE"].contains(target.method)
        if content.body == nil, !request.ignoreStdin, readsInput, InputKind.of(StandardInput.number) != nil {
            content.body = try await StandardInput(patience: target.method == nil ? .seconds(1) : nil).body()
            content.body?.mediaType = request.format.mediaType
        }
        if request.compress, let body = content.body {
            // With a length where that costs little: many servers refuse chunks.
            let compressed = body.compressed()
            let isShort = body.length.map { $0 <= Self.collectedBytes } ?? false
            content.body = isShort ? try await compressed.collected() : compressed
        }
        return content
    }

    private static func method(_ target: Target, _ content: RequestContent) throws -> Request.Method {
        let name = target.method ?? (content.body == nil ? "GET" : "POST")
        guard let method = Request.Method(rawValue: name) else { throw UsageError("“\(name)” is no method.") }
        return method
    }

    private static func url(_ target: Target, _ content: RequestContent) throws -> HTTPURL {
        do {
            return try HTTPURL(target.url).appendingQuery(content.query)
        } catch {
            throw SternaError(.invalidURL, phase: .prepare, "\(error)", underlying: error)
        }
    }
}
