import ArgumentParser
import Sterna

/// Options for the time and the rate of a request, and for its version of HTTP.
struct TransportOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How long to wait for the connection, the first byte, and between bytes; fractions allowed.",
            valueName: "seconds"))
    var timeout: Double?

    @Option(
        help: ArgumentHelp(
            "How long to wait for each step to the connection: the address, the connection itself, the proxy, and TLS.",
            valueName: "seconds"))
    var connectTimeout: Double?

    @Option(
        name: [.customShort("m", allowingJoined: true), .long],
        help: ArgumentHelp("The time limit for the whole request, including the body.", valueName: "seconds"))
    var maxTime: Double?

    @Option(
        help: ArgumentHelp(
            "Bytes of the body per second at most, in each direction; k, M and G are multiples of 1024, as in 200k or 2M.",
            valueName: "rate"))
    var limitRate: String?

    @Flag(name: [.customLong("http1.1"), .customLong("http1")], help: "Speak HTTP/1.1 only.")
    var http1 = false

    @Flag(help: "Speak HTTP/2 with servers that choose it in the TLS handshake (the default).")
    var http2 = false

    @Flag(help: "Speak HTTP/2 even without TLS, to a server known to support it.")
    var http2PriorKnowledge = false

    /// The use of HTTP/2.
    var http2Mode: HTTP2Mode { http1 ? .off : http2PriorKnowledge ? .priorKnowledge : .negotiated }

    /// The limit of `--limit-rate`, made anew; nil without one.
    var bandwidth: BandwidthLimit? {
        limitRate.flatMap(LimitRate.parse).map { BandwidthLimit(download: $0, upload: $0) }
    }

    func validate() throws {
        if let timeout, !(timeout > 0 && timeout <= 1e9) {
            throw ValidationError("--timeout is a number of seconds above 0.")
        }
        if let connectTimeout, !(connectTimeout > 0 && connectTimeout <= 1e9) {
            throw ValidationError("--connect-timeout is a number of seconds above 0.")
        }
        if let maxTime, !(maxTime > 0 && maxTime <= 1e9) {
            throw ValidationError("--max-time is a number of seconds above 0.")
        }
        if let limitRate, LimitRate.parse(limitRate) == nil {
            throw ValidationError("--limit-rate is a number of bytes per second above 0, such as 5000, 200k or 2M.")
        }
        if http1, http2 || http2PriorKnowledge {
            throw ValidationError("--http1.1 and --http2 exclude each other.")
        }
    }

    /// Applies these options to a session's settings.
    func apply(to settings: inout SessionSettings) {
        settings.network.http2 = http2Mode
        if let timeout { settings.timeouts.setEach(.seconds(timeout)) }
        if let connectTimeout {
            let limit = Duration.seconds(connectTimeout)
            settings.timeouts.resolve = limit
            settings.timeouts.connect = limit
            settings.timeouts.proxy = limit
            settings.timeouts.tls = limit
        }
        if let maxTime { settings.timeouts.total = .seconds(maxTime) }
        if let bandwidth { settings.limits.bandwidth = bandwidth }
    }
}

/// How requests reach the server, follow redirects, and are tried again.
struct ConnectionOptions {
    var transport: TransportOptions
    var redirects: RedirectOptions
    var retries: RetryOptions

    /// The limit of `--limit-rate`, made anew; nil without one.
    var bandwidth: BandwidthLimit? { transport.bandwidth }

    /// Applies these options to a session's settings.
    func apply(to settings: inout SessionSettings) {
        transport.apply(to: &settings)
        settings.redirects = redirects.policy
        settings.retry = retries.policy
    }
}

/// A command that connects to a server.
protocol ConnectingCommand {
    var transport: TransportOptions { get }
    var redirects: RedirectOptions { get }
    var retries: RetryOptions { get }
}

extension ConnectingCommand {
    /// The options of the connection.
    var connection: ConnectionOptions {
        ConnectionOptions(transport: transport, redirects: redirects, retries: retries)
    }
}
