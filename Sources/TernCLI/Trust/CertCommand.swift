import ArgumentParser
import Sterna

/// Shows a server's certificates.
struct CertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cert", abstract: "Show the certificates of a server, and whether they are trusted.",
        discussion: """
            Without a scheme the URL is https. Nothing is asked of the server. The exit
            status is 0 where it is trusted, 60 where it is not, and 90 where --pin does
            not fit. The pin of the first certificate is the server's own key; pins of
            its issuers stand for every key that they vouch for.
            """)

    @Argument(help: ArgumentHelp("The server.", valueName: "URL"))
    var url: String

    @Flag(help: "Print everything as JSON.")
    var json = false

    @OptionGroup(title: "Trust")
    var trust: TrustOptions

    @OptionGroup(title: "Routing")
    var routing: RoutingOptions

    @Option(help: ArgumentHelp("How long to wait for the connection and the handshake.", valueName: "seconds"))
    var timeout: Double?

    func validate() throws {
        if let timeout, !(timeout > 0 && timeout <= 1e9) {
            throw ValidationError("--timeout is a number of seconds above 0.")
        }
    }

    func run() async throws {
        let target = try Target.url(
            url.contains("://") ? url : "https://\(url.hasPrefix(":") ? "localhost" : "")\(url)")
        guard target.scheme.isSecure else {
            throw UsageError("There is no certificate at \(target.scheme)://; write https://.")
        }
        let (policy, engine) = (try trust.policy(for: target), try trust.engine(routing.families))
        let proxies = try routing.proxies()
        let session = try Session { settings in
            settings.trust.policy = policy
            settings.network.engine = engine
            routing.apply(to: &settings, proxies)
            if let timeout { settings.timeouts.setEach(.seconds(timeout)) }
        }
        let seen = try await session.inspectTrust(of: target)
        if json {
            try print(CertificateReport.json(seen).serializedString(.pretty))
        } else {
            let screen = Terminal.standardOutput
            for line in CertificateReport.lines(seen, isColoured: screen.wantsColours) { print(line) }
        }
        if let failure = seen.evaluation.verdict.failure { throw ExitCode(ExitStatus.code(for: failure)) }
    }
}
