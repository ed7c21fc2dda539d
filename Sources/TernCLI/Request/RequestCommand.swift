import ArgumentParser
import Sterna

/// Sends one request and shows the response: the declaration of its options. ``RequestLine`` has their meaning.
struct RequestCommand: AsyncParsableCommand {
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
    var texts: DataOptions

    @OptionGroup(title: "Request")
    var conditions: ConditionOptions

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

    @OptionGroup(title: "Routing")
    var dial: DialOptions

    @OptionGroup(title: "Output")
    var output: OutputOptions

    @OptionGroup(title: "Output")
    var naming: NamingOptions

    @OptionGroup(title: "Output")
    var files: FileOptions

    @OptionGroup(title: "Several requests")
    var several: PlanOptions

    @OptionGroup
    var accepted: AcceptedOptions

    /// The values of the options.
    var line: RequestLine {
        RequestLine(
            arguments: arguments, fields: fields, texts: texts, conditions: conditions, content: content,
            aws: aws, credentials: credentials, headers: headers, state: state, jarName: jarName,
            transport: transport, redirects: redirects, retries: retries, trust: trust, routing: routing,
            dial: dial, output: output, naming: naming, files: files, several: several, accepted: accepted)
    }

    func validate() throws { try line.validate() }

    func run() async throws { try await line.run() }
}
