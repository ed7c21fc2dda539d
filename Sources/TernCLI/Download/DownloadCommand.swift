import ArgumentParser
import Sterna

/// Downloads files, which can be interrupted and continued.
struct DownloadCommand: AsyncParsableCommand, ConnectingCommand {
    static let configuration = CommandConfiguration(
        commandName: "download", abstract: "Download files; interrupted downloads can be continued.",
        discussion: """
            A file appears under its name when it is complete and verified. Without -o,
            -O or --into it goes to the current folder under the name that the server
            gives, else that of the URL, with a number if the name is taken. -o and -O
            replace a file, as curl does; -O -J keeps it and fails. Files of one command
            never replace each other.
            Until a file is complete its bytes are in NAME.sterna-part. Ctrl-C keeps
            them if the server has a validator for the file (ETag or Last-Modified), and
            prints the command that continues; without --continue a download begins anew.
            A status of 400 or more is an error, and its body is not saved. The exit
            status is 0 if all files were saved, else that of the first URL that failed.
            """)

    @Argument(help: ArgumentHelp("The URLs.", valueName: "URL"))
    var urls: [String] = []

    @OptionGroup(title: "Files")
    var saving: SavingOptions

    @OptionGroup(title: "Request")
    var aws: AWSOptions

    @OptionGroup(title: "Request")
    var credentials: CredentialOptions

    @OptionGroup(title: "Request")
    var headers: HeaderOptions

    @OptionGroup(title: "Request")
    var state: StateOptions

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

    @OptionGroup
    var accepted: AcceptedOptions

    /// curl's `--fail`, which is the rule here.
    @Flag(name: [.customShort("f"), .customLong("fail")], help: .hidden)
    var fails = false

    /// The options of the requests.
    var sender: SenderOptions { SenderOptions(credentials: credentials, fields: headers, state: state) }

    func validate() throws {
        guard !urls.isEmpty else { throw ValidationError("The URL is missing; write tern download URL.") }
        try aws.check(credentials)
        if state.printsOnly {
            throw ValidationError("--offline answers from a folder of responses; name it with --cache FOLDER.")
        }
        guard urls.count > 1 else { return }
        if saving.path != nil {
            throw ValidationError("-o names one file, but there are \(urls.count) URLs; write --into FOLDER.")
        }
        if saving.sha256 != nil { throw ValidationError("--sha256 is of one file, but there are \(urls.count) URLs.") }
    }

    func run() async throws {
        try await DownloadJob(
            urls: try urls.map { text throws(SternaError) in try Target.url(Target.expand(text)) }, saving: saving,
            sender: sender, aws: aws, connection: connection, trust: trust, routing: routing
        ).run()
    }
}
