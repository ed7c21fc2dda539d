import ArgumentParser

/// The commands of `tern` as a shell completes them: the options of requests stand beside the names of the other commands.
///
/// ``Tern`` itself has no options, as it parses requests by a command that is not shown. The groups are those of
/// ``RequestCommand`` without its arguments, which bash would find in the names of the other commands.
struct CommandTree: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tern", abstract: RequestCommand.configuration.abstract,
        subcommands: Tern.configuration.subcommands.filter { $0.configuration.shouldDisplay })

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

    /// Returns the completion script for bash, zsh or fish. Throws `UsageError` for another shell.
    static func completions(for shell: String?) throws(UsageError) -> String {
        guard let shell = shell.flatMap({ CompletionShell(rawValue: $0) }) else {
            throw UsageError("--generate-completion-script takes the name of a shell: bash, zsh or fish.")
        }
        let commands = configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
        return CompletionText.adapted(completionScript(for: shell), for: shell, commands: commands)
    }
}
