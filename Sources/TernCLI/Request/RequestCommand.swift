import ArgumentParser
import Sterna

/// Sends one request and shows the response.
struct RequestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "request", abstract: "Send an HTTP request and show what comes back.",
        usage: "tern [options] [METHOD] URL [ITEM ...]\ntern upload | cert | serve | demo | bench [options]",
        discussion: HelpText.discussion, shouldDisplay: false)

    @Argument(
        help: ArgumentHelp(
            "The METHOD (guessed if missing), the URL, and items.", valueName: "METHOD-URL-ITEM"))
    var arguments: [String] = []

    @OptionGroup(title: "Request")
    var fields: FieldOptions

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

    @OptionGroup(title: "Output")
    var naming: NamingOptions

    func validate() throws {
        if arguments.isEmpty, let data = fields.data.last, Target.hasScheme(data) {
            throw ValidationError(
                "The URL is missing, as --data takes the next argument as the body. To save a download write -O or -o FILE."
            )
        }
        if naming.remoteName, output.path != nil {
            throw ValidationError("-O and -o exclude each other: each names the file.")
        }
    }

    func run() async throws {
        var job = RequestJob(
            target: try Target(arguments, method: fields.namedMethod), request: request, connection: connection,
            trust: trust, routing: routing, output: output)
        job.format = fields.format
        job.givenBody = fields.givenBody
        job.ignoresInput = fields.ignoreStdin || fields.head
        job.showsHead = fields.head
        job.naming = naming
        try await job.run()
    }
}
