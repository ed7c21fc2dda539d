import ArgumentParser
import Sterna

/// Options for a request besides its body.
struct SendingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Write queries and forms as afnetworking4, afnetworking2 or whatwg does; JSON values become its arrays, members and booleans.",
            valueName: "name"))
    var style: StyleName?

    @Flag(help: "Compress the body with gzip; few servers accept that.")
    var compress = false

    @OptionGroup
    var aws: AWSOptions

    @OptionGroup
    var senderOptions: SenderOptions

    // Of this group alone, since tern download continues with -c.
    @Option(
        name: .customShort("c", allowingJoined: true),
        help: ArgumentHelp("The same as --cookie-jar.", valueName: "file"))
    var jar: String?

    func validate() throws {
        guard let jar else { return }
        let state = senderOptions.state
        if state.cookieJar != nil { throw ValidationError("-c and --cookie-jar mean the same; write one of them.") }
        if state.session != nil || state.sessionReadOnly != nil {
            throw ValidationError("-c and --session exclude each other: each is where cookies are kept.")
        }
        try StateOptions.check(jar: jar)
    }

    /// The options for credentials, header fields and cookies.
    var sender: SenderOptions {
        var options = senderOptions
        if let jar { options.state.cookieJar = jar }
        return options
    }

    /// Returns the header fields of these options as items.
    func headerItems() throws -> [Item] { try senderOptions.headerItems() }
}

/// Options for the credentials and the header fields of a request.
struct SenderOptions: ParsableArguments {
    @OptionGroup
    var credentials: CredentialOptions

    @Option(
        name: [.customShort("H", allowingJoined: true), .customLong("header")],
        help: ArgumentHelp("A header field, as Name:value after the URL.", valueName: "Name: value"))
    var header: [String] = []

    @Option(
        name: [.customShort("A", allowingJoined: true), .customLong("user-agent")],
        help: ArgumentHelp("The User-Agent field.", valueName: "text"))
    var userAgent: String?

    @Option(
        name: [.customShort("b", allowingJoined: true), .customLong("cookie")],
        help: ArgumentHelp(
            "Send these cookies to the URL's own origin, or those of a file: a cookies.txt, or Sterna's JSON.",
            valueName: "name=value|file"))
    var cookie: [String] = []

    @OptionGroup
    var state: StateOptions

    func validate() throws {
        _ = try headerItems()
    }

    /// Returns the header fields of these options as items.
    func headerItems() throws -> [Item] {
        var items = try header.map { try HabitOptions.headerItem($0) }
        if let userAgent { items.append(try HabitOptions.userAgentItem(userAgent)) }
        if let item = try HabitOptions.cookieItem(cookie) { items.append(item) }
        return items
    }

    /// The files of `--cookie`.
    var cookieFiles: [String] { cookie.filter { !HabitOptions.isCookies($0) && !$0.isEmpty } }
}

/// Options for the connection to the server.
struct ConnectionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How long to wait for the connection, the first byte, and between bytes; fractions allowed.",
            valueName: "seconds"))
    var timeout: Double?

    @Option(help: ArgumentHelp("The time limit for the whole request, including the body.", valueName: "seconds"))
    var maxTime: Double?

    @Option(
        help: ArgumentHelp(
            "Bytes of the body per second at most, in each direction; k, M and G are multiples of 1024, as in 200k or 2M.",
            valueName: "rate"))
    var limitRate: String?

    @Flag(
        name: [.customLong("follow"), .customShort("L")], inversion: .prefixedNo,
        help: "Follow redirects.")
    var follow = true

    @OptionGroup
    var redirects: RedirectOptions

    @Flag(name: [.customLong("http1.1"), .customLong("http1")], help: "Speak HTTP/1.1 only.")
    var http1 = false

    @Flag(help: "Speak HTTP/2 with servers that choose it in the TLS handshake (the default).")
    var http2 = false

    @Flag(help: "Speak HTTP/2 even without TLS, to a server known to support it.")
    var http2PriorKnowledge = false

    @OptionGroup
    var retries: RetryOptions

    /// The use of HTTP/2.
    var http2Mode: HTTP2Mode { http1 ? .off : http2PriorKnowledge ? .priorKnowledge : .negotiated }

    func validate() throws {
        if let timeout, !(timeout > 0 && timeout <= 1e9) {
            throw ValidationError("--timeout is a number of seconds above 0.")
        }
        if let maxTime, !(maxTime > 0 && maxTime <= 1e9) {
            throw ValidationError("--max-time is a number of seconds above 0.")
        }
        if let limitRate, LimitRate.parse(limitRate) == nil {
            throw ValidationError("--limit-rate is a number of bytes per second above 0, such as 5000, 200k or 2M.")
        }
        if !follow, redirects.isGiven {
            throw ValidationError("--no-follow excludes the options for redirects that are followed.")
        }
        if http1, http2 || http2PriorKnowledge {
            throw ValidationError("--http1.1 and --http2 exclude each other.")
        }
    }

    /// Applies these options to a session's settings.
    func apply(to settings: inout SessionSettings) {
        settings.http2 = http2Mode
        settings.redirects = follow ? redirects.policy : .doNotFollow
        settings.retry = retries.policy
        if let timeout { settings.timeouts.setEach(.seconds(timeout)) }
        if let maxTime { settings.timeouts.total = .seconds(maxTime) }
        if let bandwidth { settings.bandwidth = bandwidth }
    }

    /// The limit of `--limit-rate`, made anew; nil without one.
    var bandwidth: BandwidthLimit? {
        limitRate.flatMap(LimitRate.parse).map { BandwidthLimit(download: $0, upload: $0) }
    }
}
