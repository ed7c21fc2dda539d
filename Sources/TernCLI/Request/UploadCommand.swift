import ArgumentParser
import Sterna

/// Sends a file as the body of a request.
struct UploadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upload", abstract: "Send a file.",
        discussion: """
            A URL that ends in a slash is a folder: the file goes there under its own
            name. ITEMs are header fields and fields of the query, as for a request.
            The file is the whole body. A form with a file is tern --form URL name@FILE;
            standard input is sent by tern PUT URL. Without --fail the exit status is 0
            whatever the server answers.
            """)

    @Argument(help: ArgumentHelp("The file.", valueName: "FILE"))
    var file: String

    @Argument(help: ArgumentHelp("The URL to send it to.", valueName: "URL"))
    var url: String

    @Argument(help: ArgumentHelp("Name:value, name==value.", valueName: "ITEM"))
    var items: [String] = []

    @Option(
        name: [.customShort("X", allowingJoined: true), .long], help: ArgumentHelp("The method.", valueName: "method"))
    var method = "PUT"

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

    func validate() throws {
        if file == "-" {
            throw ValidationError("tern upload sends a file; for standard input write … | tern \(method) URL.")
        }
    }

    func run() async throws {
        var url = Target.expand(url)
        if url.hasSuffix("/"), let name = file.split(separator: "/").last {
            url += QueryEncoder.percentEncoded(String(name))
        }
        let target = Target(method: method, url: url, items: ["@" + file] + items)
        var job = RequestJob(
            target: target, request: request, connection: connection, trust: trust, routing: routing, output: output)
        job.ignoresInput = true
        try await job.run()
    }
}
