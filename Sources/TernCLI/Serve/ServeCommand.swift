import ArgumentParser
import Sterna
import SternaTesting

/// Runs the test server.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run the test server, with httpbin's routes, until Ctrl-C.",
        discussion: """
            It speaks HTTP/1.1 and HTTP/2: with --tls by ALPN, without by prior knowledge.
            """)

    @Option(help: ArgumentHelp("The port to listen on; 0 takes any free one.", valueName: "number"))
    var port = 8080

    @Option(help: ArgumentHelp("The address to listen on.", valueName: "address"))
    var host = "127.0.0.1"

    @Flag(help: "Serve over TLS, with a certificate made on the spot.")
    var tls = false

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port is 0 to 65535.") }
    }

    func run() async throws {
        let authority = tls ? try CertificateAuthority(commonName: "tern serve") : nil
        let hosts = Set(["localhost", "127.0.0.1", "::1", host]).sorted()
        let bundle = try authority.map { try $0.issue(hosts: hosts) }
        let server = try await start(bundle)
        let file = try authority.map { try PrivateFile(content: $0.pem, name: "tern-ca") }
        Descriptor.standardOutput.print(
            "Serving on \(server.url); \(server.url("/")) lists the routes. Ctrl-C ends it.")
        if let file {
            Descriptor.standardOutput.print("Ask it with: tern --cacert \(file.path) \(server.url("/get"))")
        }
        await Self.untilCancelled()
        try await server.stop()
    }

    private func start(_ bundle: CertificateBundle?) async throws -> TestServer {
        do {
            return try await TestServer.start(
                .init(host: host, port: port, tls: bundle, http2: [.byALPN, .byPriorKnowledge]))
        } catch {
            throw UsageError(
                "The server cannot listen on \(host):\(port): \(error). Choose another one with --port.",
                status: ExitStatus.failure)
        }
    }

    private static func untilCancelled() async {
        let (forever, end) = AsyncStream.makeStream(of: Never.self)
        for await _ in forever {}
        withExtendedLifetime(end) {}
    }
}
