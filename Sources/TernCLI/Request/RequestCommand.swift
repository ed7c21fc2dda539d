import ArgumentParser
import Sterna

/// Sends one request and shows the answer.
struct RequestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "request", abstract: "Send an HTTP request and show what comes back.",
        usage: "tern [options] [METHOD] URL [ITEM ...]\ntern upload | cert | serve | demo | bench [options]",
        discussion: HelpText.discussion, shouldDisplay: false)

    @Argument(
        help: ArgumentHelp(
            "The METHOD (guessed where it is missing), the URL, and items.", valueName: "METHOD-URL-ITEM"))
    var arguments: [String] = []

    @OptionGroup(title: "Request")
    var request: SendingOptions

    @OptionGroup(title: "Connection")
    var connection: ConnectionOptions

    @OptionGroup(title: "Trust")
    var trust: TrustOptions

    @OptionGroup(title: "Routing")
    var routing: RoutingOptions

    @OptionGroup(title: "Output")
    var output: OutputOptions

    func run() async throws {
        try await RequestJob(
            target: try Target(arguments), request: request, connection: connection, trust: trust, routing: routing,
            output: output
        )
        .run()
    }
}
