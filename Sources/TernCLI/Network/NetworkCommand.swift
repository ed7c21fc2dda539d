import ArgumentParser
import Sterna
import SternaReachability

/// Shows whether the network reaches a destination, and over what.
struct NetworkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "network", abstract: "Show whether the network can be reached, and over what.",
        discussion: """
            The answer is what this machine's routes say; nothing is sent without --probe.
            The exit status is 0 if there is a path, else 1.
            """,
        subcommands: [NetworkShowCommand.self, NetworkWatchCommand.self], defaultSubcommand: NetworkShowCommand.self)
}

/// The destination to watch, and the format of the output.
struct NetworkOptions: ParsableArguments {
    @Option(
        name: .customLong("to"),
        help: ArgumentHelp("A host or an address; by default the default route is meant.", valueName: "HOST"))
    var host: String?

    @Option(
        help: ArgumentHelp(
            "Confirm each path by a GET of this URL, and find captive portals.", valueName: "URL"))
    var probe: String?

    @Option(
        name: .customLong("expect"),
        help: ArgumentHelp("The status that the probe is answered with; 204 by default.", valueName: "STATUS"))
    var status: Int?

    @Flag(help: "Print JSON, one line for each path.")
    var json = false

    func validate() throws {
        if host?.isEmpty == true { throw ValidationError("The host of --to is empty.") }
        if status != nil, probe == nil { throw ValidationError("--expect needs --probe.") }
        if let status, !(100...599).contains(status) {
            throw ValidationError("--expect takes a status from 100 to 599, not \(status).")
        }
    }

    func reachability() throws -> NetworkReachability {
        var options = ReachabilityOptions()
        if let probe {
            // An invalid URL is an error here, and no failure of the network.
            options.probe = ReachabilityProbe("\(try Target.url(Target.expand(probe)))", status: status ?? 204)
        }
        return NetworkReachability(to: host.map { .host($0) } ?? .defaultRoute, options: options)
    }

    func print(_ path: NetworkPath) throws {
        let line = json ? NetworkLine.json(path).description : TerminalText.line("\(path)")
        try Descriptor.standardOutput.write(line + "\n")
    }
}

/// A path, for programs.
enum NetworkLine {
    static func json(_ path: NetworkPath) -> JSON {
        let status =
            switch path.status {
            case .unknown: "unknown"
            case .notReachable: "notReachable"
            case .reachable: "reachable"
            }
        return [
            "status": .string(status), "link": path.link.map { .string($0.rawValue) } ?? .null,
            "interface": path.interface.map { .string($0) } ?? .null,
            "families": .array(path.families.map { $0 == .v4 ? "IPv4" : "IPv6" }.sorted().map { .string($0) }),
            "metered": path.isMetered.map { .bool($0) } ?? .null,
            "probe": path.confirmation == .notAsked ? .null : .string(path.confirmation.rawValue),
        ]
    }
}

/// Shows the present path.
struct NetworkShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show the path of now.")

    @OptionGroup
    var options: NetworkOptions

    func run() async throws {
        let path = await (try options.reachability()).current()
        try options.print(path)
        if !path.isReachable { throw ExitCode(ExitStatus.failure) }
    }
}

/// Shows the path and its changes.
struct NetworkWatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Show the path and its changes, until you interrupt it.")

    @OptionGroup
    var options: NetworkOptions

    func run() async throws {
        for await path in try options.reachability().updates { try options.print(path) }
        // Only an interruption ends it.
        throw ExitCode(ExitStatus.failure)
    }
}
