import ArgumentParser
import Sterna
import SternaTransfers

/// Sends a file as the body of a request.
struct UploadCommand: AsyncParsableCommand, SendingCommand {
    static let configuration = CommandConfiguration(
        commandName: "upload", abstract: "Send a file.",
        discussion: """
            A URL that ends in a slash is a folder: the file goes there under its own
            name. ITEMs are header fields and fields of the query, as for a request.
            The file is the whole body. A form with a file is tern --form URL name@FILE;
            standard input is sent by tern PUT URL. Without --fail, --fail-with-body or
            --check-status the exit status is 0 for every status of a response.
            With --resumable the upload survives Ctrl-C, a crash and a restart: the same
            command, or tern transfers resume, continues after the server's last byte, by
            the IETF's protocol, tus or Content-Range. The method is POST then, and the URL
            is not changed. --resumable s3 uploads an object of S3 in parts, by its
            own methods, and signs with the access key of --auth key:secret, or of the
            environment; --aws-sigv4 names the region where the host does not. -o saves
            the server's response to the complete upload, of up to 64 KiB; -v says why a
            request is sent again. --max-time bounds the whole command, after which the
            upload stays in the store. The other options of output, and those for kept
            cookies, --cache, --compress, redirects and --retry, are refused: a transfer
            follows the protocol's redirects, and is tried again by itself.
            """)

    @Argument(help: ArgumentHelp("The file.", valueName: "FILE"))
    var file: String

    @Argument(help: ArgumentHelp("The URL to send it to.", valueName: "URL"))
    var url: String

    @Argument(help: ArgumentHelp("Name:value, name==value.", valueName: "ITEM"))
    var items: [String] = []

    @Option(
        name: [.customShort("X", allowingJoined: true), .long], help: ArgumentHelp("The method.", valueName: "method"))
    var method: String?

    @Option(
        help: ArgumentHelp(
            "Go on after an interruption: auto asks the server for its protocol.",
            valueName: "auto|ietf|tus|content-range|s3|off"))
    var resumable = ResumptionName.off

    @Option(
        help: ArgumentHelp(
            "With --resumable tus or s3, upload this number of parts at once, which the server joins: 1 with tus, 4 with s3.",
            valueName: "count"))
    var parts: Int?

    @Option(
        help: ArgumentHelp("With --resumable, the bytes of one request at most.", valueName: "bytes"))
    var maxRequestBytes: Int64?

    @OptionGroup
    var store: StoreOptions

    @OptionGroup(title: "Request")
    var content: ContentOptions

    @OptionGroup(title: "Request")
    var aws: AWSOptions

    @OptionGroup(title: "Request")
    var credentials: CredentialOptions

    @OptionGroup(title: "Request")
    var headers: HeaderOptions

    @OptionGroup(title: "Request")
    var state: StateOptions

    @OptionGroup(title: "Request")
    var jarName: CookieJarName

    @OptionGroup(title: "Connection")
    var transport: TransportOptions

    @OptionGroup(title: "Connection")
    var redirects: RedirectOptions

    @OptionGroup(title: "Connection")
    var retries: RetryOptions

    @OptionGroup(title: "Trust")
    var trust: TrustOptions

    @OptionGroup(title: "Routing")
    var routing: RoutingOptions

    @OptionGroup(title: "Output")
    var output: OutputOptions

    @OptionGroup
    var accepted: AcceptedOptions

    func validate() throws {
        try checkJar()
        try aws.check(credentials)
        if file == "-" {
            throw ValidationError("tern upload sends a file; for standard input write … | tern \(method ?? "PUT") URL.")
        }
        guard resumable == .off else {
            let others = withoutEffect
            guard others.isEmpty else {
                throw ValidationError(
                    "--resumable cannot be combined with \(others.joined(separator: ", ")), which would have no effect; leave one of them out."
                )
            }
            if resumable == .s3, parts == 1 {
                throw ValidationError("--resumable s3 uploads 4 parts at once, or as many as --parts says, from 2.")
            }
            let parts = parts ?? 1
            guard (1...64).contains(parts) else { throw ValidationError("--parts takes a number from 1 to 64.") }
            if parts > 1, resumable != .tus, resumable != .s3 {
                throw ValidationError("--parts needs --resumable tus or s3.")
            }
            if resumable == .s3, request.sender.credentials.bearer != nil {
                throw ValidationError("--resumable s3 signs with an access key: write --auth key:secret, not --bearer.")
            }
            if maxRequestBytes.map({ $0 < 1 }) == true {
                throw ValidationError("--max-request-bytes takes a number from 1.")
            }
            return
        }
        if parts != nil || maxRequestBytes != nil || store.folder != nil {
            throw ValidationError("--parts, --max-request-bytes and --store need --resumable.")
        }
    }

    /// The options that were given and have no effect with `--resumable`. `--fail` and `--no-color` name the default.
    private var withoutEffect: [String] {
        let state = request.sender.state
        // Without the type, the compiler tries every meaning of every operator here, nine times as long as it takes for the rest of
        // `tern`.
        let options: [(isGiven: Bool, name: String)] = [
            (output.parts != nil, "--print"), (output.include, "--include"), (output.format.pretty != nil, "--pretty"),
            (output.headers, "--headers"), (output.body, "--body"), (output.meta, "--meta"),
            (output.writeOut != nil, "--write-out"), (output.failWithBody, "--fail-with-body"),
            (output.checkStatus, "--check-status"), (output.timeline, "--timeline"),
            (output.curl, "--curl"), (output.showSecrets, "--show-secrets"), (request.compress, "--compress"),
            (!request.sender.cookieFiles.isEmpty, "--cookie FILE"), (state.cookieJar != nil, "--cookie-jar"),
            (state.hsts != nil, "--hsts"), (state.session != nil, "--session"),
            (state.sessionReadOnly != nil, "--session-read-only"),
            (state.cache != nil, "--cache"), (state.offline, "--offline"), (!redirects.follow, "--no-follow"),
            (redirects.limit != nil, "--max-redirects"), (redirects.locationTrusted, "--location-trusted"),
            (redirects.post301, "--post301"), (redirects.post302, "--post302"), (redirects.post303, "--post303"),
            (retries.retry != nil, "--retry"), (!headers.decodesContent, "--no-decode"),
        ]
        return options.filter(\.isGiven).map(\.name)
    }

    func run() async throws {
        if let resumption = resumable.resumption { return try await runResumable(resumption) }
        let method = method ?? "PUT"
        var url = Target.expand(url)
        if url.hasSuffix("/"), let name = file.split(separator: "/").last {
            url += QueryEncoder.percentEncoded(String(name))
        }
        let target = Target(method: method, url: url, items: ["@" + file] + items)
        var job = RequestJob(
            target: target, request: request, connection: connection, trust: trust, routing: routing, output: output)
        job.ignoresInput = true
        try await job.run()
    }

    private func runResumable(_ resumption: UploadOptions.Resumption) async throws {
        let items = try items.map { argument throws(UsageError) in try ItemParser.parse(argument) }
        guard !items.contains(where: \.isContent) else {
            throw UsageError("The file is the whole body, so no fields go with it; leave them out.")
        }
        let content = try RequestContent(try request.headerItems() + items, as: .json, style: request.style?.style)
        try TransferSessionOptions.check(content)
        var upload = UploadOptions(resumption)
        if let method { upload.method = method }
        (upload.parts, upload.maxRequestBytes) = (parts ?? 1, maxRequestBytes)
        try await ResumableUpload(
            file: file, url: try Target.url(Target.expand(url)).appendingQuery(content.query), upload: upload,
            headers: content.headers, request: request, connection: connection, trust: trust, routing: routing,
            store: store, output: output
        ).run()
    }
}
