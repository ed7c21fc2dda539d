import ArgumentParser
import Sterna

/// Shows the events of a server, as they come.
struct EventsCommand: AsyncParsableCommand, SendingCommand {
    static let configuration = CommandConfiguration(
        commandName: "events", abstract: "Show the events of a server (server-sent events).",
        usage: "tern events [options] [METHOD] URL [ITEM ...]",
        discussion: """
            Each event is its data on a line of its own, or on several as the server has
            sent them; an event with another type than “message” begins with its type and
            a colon. With --json each event is a line of JSON: its id, its type and its
            data. ITEMs and the METHOD are those of a request; fields are sent as JSON,
            and -d that is JSON, too.
            The command ends with Ctrl-C, which names the last event's id, after
            --max-events, or when the server answers 204. When a connection is lost or the
            server ends it, a GET is sent again with the last id as Last-Event-ID; other
            methods only with --reconnect. A first connection that fails is an error
            unless --retry says how often it may. --timeout bounds the silence between
            bytes, which is 10 minutes by default. Nothing is read from a cache.
            """)

    @Argument(
        help: ArgumentHelp("The METHOD (guessed if missing), the URL, and items.", valueName: "METHOD-URL-ITEM"))
    var arguments: [String] = []

    @Flag(help: "Write each event as a line of JSON, with its id, type and data.")
    var json = false

    @Option(
        help: ArgumentHelp("The id after which the server shall go on, as Last-Event-ID.", valueName: "id"))
    var lastEventId: String?

    @Option(help: ArgumentHelp("End after this number of events.", valueName: "number"))
    var maxEvents: Int?

    @Flag(inversion: .prefixedNo, help: "Connect again after a lost or ended connection; the default for GET.")
    var reconnect: Bool?

    @Option(
        name: [.customShort("d", allowingJoined: true), .customLong("data")],
        help: ArgumentHelp(
            "Send this text, or that of @file or @-, as JSON if it is JSON, else as a form. Several are joined by &.",
            valueName: "text"))
    var data: [String] = []

    @Flag(name: .shortAndLong, help: "Send fields as a form.")
    var form = false

    @Option(
        name: [.customShort("X", allowingJoined: true), .customLong("method"), .customLong("request")],
        help: ArgumentHelp("The method, as METHOD before the URL.", valueName: "method"))
    var method: String?

    @Flag(name: .shortAndLong, help: "Say on standard error what each connection is.")
    var verbose = false

    @Flag(name: .shortAndLong, help: "Do not say on standard error that the command connects again.")
    var silent = false

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

    func validate() throws {
        try checkJar()
        try aws.check(credentials)
        if let maxEvents, maxEvents < 1 { throw ValidationError("--max-events is a number from 1.") }
        if lastEventId?.unicodeScalars.contains(where: { ["\n", "\r", "\0"].contains($0) }) == true {
            throw ValidationError("--last-event-id takes an id without line breaks and NUL.")
        }
        if state.cache != nil || state.offline {
            throw ValidationError("Events come from the server only; leave out --cache and --offline.")
        }
        if !data.isEmpty, form { throw ValidationError("--data is the whole body; leave out --form.") }
        if retries.retryAllErrors || retries.retryDelay != nil || retries.retryMaxTime != nil {
            throw ValidationError(
                "Of the options for retries tern events has --retry; the waits are the server's, or else grow from 3 s."
            )
        }
    }

    func run() async throws {
        let target = try Target(arguments, method: method)
        var output = OutputOptions.none
        output.verbose = verbose
        var connection = connection
        // The stream itself decides when it connects again.
        connection.retries.retry = nil
        var job = RequestJob(
            target: target, request: request, connection: connection, trust: trust, routing: routing, output: output)
        job.format = form ? .form : .json
        let pieces = data.map { DataPiece(.text, $0) }
        let isJSON = data.count == 1 && data.allSatisfy(Target.isJSON)
        job.givenBody = GivenBody(pieces, mediaType: (isJSON ? FieldFormat.json : .form).mediaType)
        try await EventsJob(
            job: job, asJSON: json, maxEvents: maxEvents, lastEventID: lastEventId ?? "", reconnects: reconnect,
            retry: retries.retry, silence: transport.timeout, isSilent: silent
        ).run()
    }
}
