import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

@Suite("HTTP/2: negotiation")
struct NegotiationTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let use: HTTP2Mode
        let isTLS: Bool
        let server: ServerHTTP2
        let version: HTTPVersion
        var testDescription: String { "\(use), TLS \(isTLS), server \(server.rawValue)" }
    }

    static let rows = [
        Row(use: .negotiated, isTLS: true, server: .byALPN, version: .http2),
        Row(use: .negotiated, isTLS: true, server: [], version: .http11),
        Row(use: .negotiated, isTLS: false, server: .byPriorKnowledge, version: .http11),
        Row(use: .priorKnowledge, isTLS: false, server: .byPriorKnowledge, version: .http2),
        Row(use: .priorKnowledge, isTLS: true, server: .byALPN, version: .http2),
        Row(use: .priorKnowledge, isTLS: true, server: [], version: .http11),
        Row(use: .off, isTLS: true, server: .byALPN, version: .http11),
        Row(use: .off, isTLS: false, server: .byPriorKnowledge, version: .http11),
    ]

    @Test("The version depends on what both sides offer", arguments: rows)
    func version(row: Row) async throws {
        let authority = try CertificateAuthority()
        let bundle = row.isTLS ? try authority.issue(hosts: ["localhost"]) : nil
        let server = try await TestServer.start(.init(tls: bundle, http2: row.server))
        let base = row.isTLS ? "https://localhost:\(server.port)" : "http://127.0.0.1:\(server.port)"
        let session = try Wire.session(base, authority: row.isTLS ? authority : nil) { $0.network.http2 = row.use }
        for _ in 0..<3 {
            let reply = try await session.get("get")
            expectEqual(reply.response.version, row.version)
            expectEqual(reply.status, 200)
        }
        expectEqual(server.totalConnections, 1)
        try await server.stop()
    }
}
