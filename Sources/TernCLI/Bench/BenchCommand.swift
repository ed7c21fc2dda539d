import ArgumentParser
import Sterna

/// Measures requests through the public API of a session.
struct BenchCommand: AsyncParsableCommand, ConnectingCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Measure how many requests per second a server answers.")

    @Argument(help: "The URL to request, or to upload to.")
    var url: String

    @Option(name: .customShort("n"), help: ArgumentHelp("The number of requests.", valueName: "number"))
    var requests = 10_000

    @Option(name: .customShort("c"), help: ArgumentHelp("The number of concurrent requests.", valueName: "number"))
    var concurrency = 1

    @Option(help: ArgumentHelp("A file to upload with each request (PUT).", valueName: "file"))
    var body: String?

    @Flag(name: .customLong("on-loop"), help: "Run the callers on the event loops.")
    var onLoop = false

    @Flag(help: "Print the result as JSON.")
    var json = false

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
        guard requests > 0, concurrency > 0 else { throw ValidationError("-n and -c are 1 or more.") }
    }

    func run() async throws {
        let target = try Target.url(Target.expand(url))
        let (policy, proxies) = (try trust.policy(for: target), try routing.proxies())
        try routing.checkSocket()
        var options = try trust.engineOptions(routing.families)
        options.maximumConnectionsPerOrigin = concurrency
        let session = try Session { [options] settings in
            settings.trust.policy = policy
            settings.network.engine = Engine(options: options)
            settings.responseSerializer = .data
            connection.apply(to: &settings)
            routing.apply(to: &settings, proxies)
        }
        let load = BenchLoad(session: session, url: target, body: try body.map { try Body.file($0) }, onLoop: onLoop)
        // One uncounted request per caller opens connections and warms up code.
        _ = await load.run(requests: min(requests, concurrency), concurrency: concurrency)
        let result = await load.run(requests: requests, concurrency: concurrency)
        print(json ? result.json.description : result.table)
        if let error = result.firstError { printError("tern: \(error)") }
        if result.errors > 0 { throw ExitCode(1) }
    }
}
