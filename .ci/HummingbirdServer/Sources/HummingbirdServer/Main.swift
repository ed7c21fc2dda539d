import Hummingbird
import HummingbirdHTTP2
import HummingbirdTLS
import Logging
import NIOCore
import NIOSSL

/// Serves zeros over HTTPS, with HTTP/2, on a port of the loopback: `GET /COUNT/PIECE` answers COUNT bytes, PIECE of them at a time.
///
/// The arguments are a port, a certificate and its key (PEM).
@main
struct Main {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let port = Int(arguments[1]) else { throw Usage() }
        let chain = try NIOSSLCertificate.fromPEMFile(arguments[2]).map(NIOSSLCertificateSource.certificate)
        let key = try NIOSSLPrivateKey(file: arguments[3], format: .pem)
        let router = Router()
        router.get("/:count/:piece") { _, context in
            let count = try context.parameters.require("count", as: Int.self)
            let piece = try context.parameters.require("piece", as: Int.self)
            guard count >= 0, piece > 0 else { throw HTTPError(.badRequest) }
            let bytes = ByteBuffer(repeating: 0, count: min(piece, count))
            return Response(
                status: .ok, headers: [.contentLength: "\(count)"],
                body: ResponseBody { writer in
                    var rest = count
                    while rest > 0 {
                        let part = bytes.getSlice(at: 0, length: min(piece, rest)) ?? bytes
                        try await writer.write(part)
                        rest -= part.readableBytes
                    }
                    try await writer.finish(nil)
                })
        }
        var logger = Logger(label: "HummingbirdServer")
        logger.logLevel = .error
        let application = Application(
            router: router,
            server: try .http2Upgrade(
                tlsConfiguration: TLSConfiguration.makeServerConfiguration(
                    certificateChain: chain, privateKey: .privateKey(key))),
            configuration: .init(address: .hostname("127.0.0.1", port: port)), logger: logger)
        try await application.runService()
    }

    struct Usage: Error {}
}
