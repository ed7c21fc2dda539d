import ArgumentParser
import Sterna

/// Opens a WebSocket: sends the lines of standard input, and prints the messages of the server.
struct WebSocketCommand: AsyncParsableCommand, SendingCommand {
    static let configuration = CommandConfiguration(
        commandName: "ws", abstract: "Send lines to a WebSocket, and show its messages.",
        usage: "tern ws [options] URL [ITEM ...]",
        discussion: """
            Each line of standard input is sent as a text message, and each message of
            the server is printed as a line. With --json a message is a line of JSON: its
            type, its time and its data, binary data in base64. With --binary standard
            input is sent in binary messages of up to 64 KiB, and messages are written
            as they are, with nothing between them. Other binary messages are a note on
            standard error.
            The URL is of ws or wss; http and https mean the same. ITEMs are fields of
            the query and of the head, as for a request.
            When a file or pipe on standard input ends, the command goes on receiving
            until the server closes the WebSocket, after --max-messages or --max-time,
            or until Ctrl-C. With --no-wait, and at Ctrl-D on a terminal, it closes the
            WebSocket, and prints what the server sends until it has closed, too. With
            --ignore-stdin it only receives. --timeout is a limit of the handshake alone.
            The exit status is 0 if the server closes with 1000, 1001 or without a code,
            102 to 129 for the codes 1002 to 1029, 100 for others, and 56 if the
            connection is lost.
            """)

    @Argument(help: ArgumentHelp("The URL, and items of its query and head.", valueName: "URL-ITEM"))
    var arguments: [String] = []

    @Flag(help: "Write each message as a line of JSON, with its type, time and data.")
    var json = false

    @Flag(help: "Send standard input as binary messages, and write messages as they are.")
    var binary = false

    @Option(
        help: ArgumentHelp(
            "Send a ping this often, 30 by default; 0 sends none. A server that has sent nothing when the next is due is lost.",
            valueName: "seconds"))
    var ping: Double?

    @Option(
        help: ArgumentHelp(
            "Offer this protocol to the server, which chooses one of those offered.", valueName: "name"))
    var subprotocol: [String] = []

    @Option(help: ArgumentHelp("Close after this number of received messages.", valueName: "number"))
    var maxMessages: Int?

    @Flag(help: "Close when standard input ends.")
    var noWait = false

    @Flag(name: .customLong("ignore-stdin"), help: "Send nothing from standard input; only receive.")
    var ignoresInput = false

    @Flag(help: "Do not offer to compress messages.")
    var noCompression = false

    @Flag(name: .shortAndLong, help: "Show the handshake, the connection and the close code on standard error.")
    var verbose = false

    @Flag(name: .shortAndLong, help: "No notes on standard error about binary messages and after Ctrl-C.")
    var silent = false

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

    /// A handshake has no content.
    var content: ContentOptions { .none }

    func validate() throws {
        try checkJar()
        try aws.check(credentials)
        if let maxMessages, maxMessages < 1 { throw ValidationError("--max-messages is a number from 1.") }
        if let ping, !(ping >= 0 && ping <= 1e9) { throw ValidationError("--ping is a number of seconds from 0.") }
        if json, binary { throw ValidationError("--json and --binary exclude each other: --json has data in base64.") }
        if state.cache != nil || state.offline {
            throw ValidationError("Messages come from the server only; leave out --cache and --offline.")
        }
        if ignoresInput, noWait {
            throw ValidationError("--no-wait closes when standard input ends; --ignore-stdin reads none.")
        }
        if transport.limitRate != nil { throw ValidationError("--limit-rate does not limit messages; leave it out.") }
    }

    func run() async throws {
        let target = try Target(arguments)
        guard target.method == nil else {
            throw UsageError("The handshake of a WebSocket has no other method than GET; write tern ws URL.")
        }
        var output = OutputOptions.none
        output.verbose = verbose
        var job = RequestJob(
            target: target.openingWebSocket, request: request, connection: connection, trust: trust, routing: routing,
            output: output)
        job.ignoresInput = true
        try await WebSocketJob(
            job: job, format: json ? .json : binary ? .binary : .lines, ping: ping, subprotocols: subprotocol,
            maxMessages: maxMessages, closesAtEnd: noWait || Terminal.isInputTerminal, compresses: !noCompression,
            ignoresInput: ignoresInput, isSilent: silent
        ).run()
    }
}

extension Target {
    /// The target of a handshake: `ws` and `wss` are the schemes of URLs that are requested by `http` and `https` (RFC 6455, 3).
    var openingWebSocket: Target {
        var target = self
        for (scheme, other) in [("ws", "http"), ("wss", "https")] where url.lowercased().hasPrefix("\(scheme)://") {
            target.url = other + url.dropFirst(scheme.count)
        }
        return target
    }
}
