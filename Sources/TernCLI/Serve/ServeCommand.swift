import ArgumentParser
import NIOCore
import Sterna
import SternaPlatform
import SternaTesting

/// Runs the test server.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run the test server, with httpbin's routes, until Ctrl-C.",
        discussion: """
            It speaks HTTP/1.1 and HTTP/2: with --tls by ALPN, without by prior knowledge.

            Resumable uploads are created at /uploads/ietf (draft-ietf-httpbis-resumable-upload, interop versions 3 to 8) and at \
            /uploads/tus (tus 1.0.0); GET /uploads/ID/status tells their state. The query asks for faults, such as \
            /uploads/tus?cut=50000. docs/Testing.md lists them.
            """)

    @Option(help: ArgumentHelp("The port to listen on; 0 takes any free one.", valueName: "number"))
    var port = 8080

    @Option(help: ArgumentHelp("The address to listen on.", valueName: "address"))
    var host = "127.0.0.1"

    @Flag(help: "Serve over TLS, with a certificate made on the spot.")
    var tls = false

    @Option(
        help: ArgumentHelp(
            "Keep resumable uploads in this folder, so that they resume after a restart.", valueName: "folder"))
    var uploads: String?

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port is 0 to 65535.") }
    }

    func run() async throws {
        let authority = tls ? try CertificateAuthority(commonName: "tern serve") : nil
        let hosts = Set(["localhost", "127.0.0.1", "::1", host]).sorted()
        let bundle = try authority.map { try $0.issue(hosts: hosts) }
        let uploads = try uploadServer()
        let server = try await Self.start(host: host, port: port, tls: bundle)
        uploads.serve(on: server)
        let file = try authority.map { try PrivateTemporaryFile(content: $0.pem, name: "tern-ca") }
        Descriptor.standardOutput.print(
            "Serving on \(server.url); \(server.url("/")) lists the routes. Press Ctrl-C to stop.")
        if let file {
            Descriptor.standardOutput.print("Try it with: tern --cacert \(file.path) \(server.url("/get"))")
        }
        await Self.untilCancelled()
        try await server.stop()
    }

    private func uploadServer() throws -> UploadServer {
        do {
            return try UploadServer(UploadServer.Options(folder: uploads))
        } catch {
            throw UsageError(
                "The folder “\(uploads ?? "")” cannot be used for uploads: \(error)",
                status: ExitStatus.failure)
        }
    }

    /// Starts a server; throws `UsageError` if it cannot listen on the address.
    static func start(host: String, port: Int, tls: CertificateBundle?) async throws -> TestServer {
        do {
            return try await TestServer.start(
                .init(host: host, port: port, tls: tls, http2: [.byALPN, .byPriorKnowledge]))
        } catch {
            throw UsageError(reason(error, host, port), status: ExitStatus.failure)
        }
    }

    /// Returns why the server cannot listen on the address, and how to fix it.
    private static func reason(_ error: any Error, _ host: String, _ port: Int) -> String {
        let place = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        switch (error as? IOError)?.errnoCode {
        case EADDRINUSE?:
            return
                "Another program listens on \(place) already; choose another port with --port, or any free one with --port 0."
        case EADDRNOTAVAIL?: return "\(host) is not an address of this machine; choose another one with --host."
        case EACCES?: return "Listening on \(place) is not allowed; choose a port above 1023 with --port."
        case let code?: return "The server cannot listen on \(place): \(String(cString: strerror(code)))."
        case nil where error is SocketAddressError.UnknownHost || error is SocketAddressError:
            return "“\(host)” is not an address; give one of this machine with --host."
        case nil: return "The server cannot listen on \(place): \(error)."
        }
    }

    /// Returns when the task is cancelled.
    static func untilCancelled() async {
        let (forever, end) = AsyncStream.makeStream(of: Never.self)
        for await _ in forever {}
        withExtendedLifetime(end) {}
    }
}
