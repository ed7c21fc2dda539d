import ArgumentParser
import Sterna

/// Sends one request and shows the response.
struct RequestCommand: AsyncParsableCommand, SendingCommand {
    static let configuration = CommandConfiguration(
        commandName: "request", abstract: "Send an HTTP request and show what comes back.",
        usage: "tern [options] [METHOD] URL [ITEM ...]\ntern COMMAND [options]",
        discussion: HelpText.discussion, shouldDisplay: false)

    @Argument(
        help: ArgumentHelp(
            "The METHOD (guessed if missing), the URL, and items.", valueName: "METHOD-URL-ITEM"))
    var arguments: [String] = []

    @OptionGroup(title: "Request")
    var fields: FieldOptions

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

    @OptionGroup(title: "Output")
    var naming: NamingOptions

    func validate() throws {
        try checkJar()
        try aws.check(credentials)
        if arguments.isEmpty, let data = fields.data.last, Target.hasScheme(data) {
            throw ValidationError(
                "The URL is missing, as --data takes the next argument as the body. To save a download write -O or -o FILE."
            )
        }
        if arguments.isEmpty, headers.cookie.last.map({ !HabitOptions.isCookies($0) }) == true {
            throw ValidationError(
                "The URL is missing, as --cookie takes the next argument as a file of cookies. To show the body alone, write --print b."
            )
        }
        if naming.remoteName, output.path != nil {
            throw ValidationError("-O and -o exclude each other: each names the file.")
        }
        guard naming.isDownload else { return }
        guard naming.download || naming.remoteName || output.path.map({ $0 != "-" }) == true else {
            throw ValidationError("-C - continues a file; name it with -O or -o FILE.")
        }
        let isPlain =
            !output.namesParts && output.format.pretty == nil && !output.curl && !output.showSecrets
            && output.writeOut == nil && !output.timeline && !output.failWithBody && !output.checkStatus
            && !state.printsOnly && !fields.head
        guard isPlain, fields.data.isEmpty else {
            throw ValidationError(
                "\(naming.download ? "--download" : "-C -") is for downloads, which show nothing of the exchange and send no body."
            )
        }
    }

    func run() async throws {
        let target = try Target(arguments, method: fields.namedMethod)
        if naming.isDownload { return try await download(target).run() }
        var job = RequestJob(
            target: target, request: request, connection: connection,
            trust: trust, routing: routing, output: output)
        job.format = fields.format
        job.givenBody = fields.givenBody
        job.ignoresInput = fields.ignoreStdin || fields.head
        job.showsHead = fields.head
        job.naming = naming
        job.typedURL = arguments.first { Target.expand($0) == target.url }
        try await job.run()
    }

    /// Returns the download of `--download` and `-C -`.
    private func download(_ target: Target) throws -> DownloadJob {
        let items = try target.items.map { argument throws(UsageError) in try ItemParser.parse(argument) }
        guard target.method ?? "GET" == "GET", !items.contains(where: \.isContent) else {
            throw UsageError(
                "\(naming.download ? "--download" : "-C -") is for downloads, which are GET requests without a body.")
        }
        let content = try RequestContent(items, as: .json, style: request.style?.style)
        return DownloadJob(
            urls: [try Target.url(target.url).appendingQuery(content.query)],
            saving: try SavingOptions.request(
                path: output.path, remoteName: naming.remoteName, remoteHeaderName: naming.remoteHeaderName,
                silent: output.silent, continues: naming.continues || naming.offset != nil),
            sender: request.sender, aws: request.aws, connection: connection, trust: trust, routing: routing,
            items: items)
    }
}
