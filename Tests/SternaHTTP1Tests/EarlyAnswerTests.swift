import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Answers that come before the request's body is through (RFC 9112, 9.5): they are delivered, and end the connection.
@Suite("Early responses", .timeLimit(.minutes(5)))
struct EarlyAnswerTests {
    enum Kind: CaseIterable { case bytes, file, stream }

    /// More than could be through before the answer comes, or without end.
    private func body(_ kind: Kind, file: TestFile, secure: Bool = false) -> Body {
        let block = Bytes(repeating: 1, count: 1 << 20)
        let range = FileRange(path: file.path, offset: 0, length: 32 << 20)
        return switch kind {
        case .bytes: Body(segments: Array(repeating: .bytes(block), count: secure ? 512 : 8 << 10))
        case .file: Body(segments: Array(repeating: .file(range), count: secure ? 16 : 256))
        case .stream:
            Body(segments: [
                .producer(BodyProducer(length: nil, isReplayable: false) { { Bytes(repeating: 1, count: 64 << 10) } })
            ])
        }
    }

    @Test(
        "A refusal amid an upload is delivered", arguments: Kind.allCases,
        [
            "HTTP/1.1 413 Content Too Large\r\nContent-Length: 8\r\n\r\ntoo much",
            "HTTP/1.1 413 Content Too Large\r\nContent-Length: 8\r\nConnection: close\r\n\r\ntoo much",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 413 Content Too Large\r\nTransfer-Encoding: chunked\r\n\r\n8\r\ntoo much\r\n0\r\n\r\n",
        ])
    func refusal(kind: Kind, answer: String) async throws {
        for secure in [false, true] { try await refusal(kind, answer, secure: secure) }
    }

    private func refusal(_ kind: Kind, _ answer: String, secure: Bool) async throws {
        let file = try TestFile([UInt8](repeating: 7, count: 32 << 20))
        let authority = try CertificateAuthority()
        let bundle = secure ? try authority.issue(hosts: ["localhost"]) : nil
        try await ScriptedServer.withServer(
            tls: bundle, connections: [[.receive(atLeast: 1 << 20), .send(answer)]]
        ) { server in
            let api = try Wire.session(server.url, authority: authority)
            let error = await Wire.failure(.unacceptableStatus, .decode) {
                try await api.post("row", body: body(kind, file: file, secure: secure))
            }
            expectEqual(error?.status, 413)
            expectEqual(error?.body.map { String(buffer: $0) }, "too much")
            let isClosed = try await server.waitForClose(connection: 0, within: 60)
            #expect(isClosed, "secure: \(secure), \(server.received(connection: 0).count) bytes came")
            expectEqual(server.acceptedConnections, 1)
        }
    }

    @Test("An early response may last until the server closes its side", arguments: Kind.allCases)
    func untilClose(kind: Kind) async throws {
        let file = try TestFile([UInt8](repeating: 7, count: 32 << 20))
        let script: [ScriptedServer.Step] = [
            .receive(atLeast: 1 << 20), .send("HTTP/1.1 413 Content Too Large\r\n\r\ntoo much"), .closeOutput,
        ]
        try await ScriptedServer.withServer(connections: [script]) { server in
            let error = await Wire.failure(.unacceptableStatus, .decode) {
                try await Wire.session(server.url).post("row", body: body(kind, file: file))
            }
            expectEqual(error?.body.map { String(buffer: $0) }, "too much")
        }
    }

    @Test(
        "A server that hangs up in the middle of an upload", arguments: Kind.allCases,
        [ScriptedServer.Step.close, .reset])
    func hangUp(kind: Kind, end: ScriptedServer.Step) async throws {
        let file = try TestFile([UInt8](repeating: 7, count: 32 << 20))
        try await ScriptedServer.withServer(connections: [[.receive(atLeast: 1 << 20), end]]) { server in
            let api = try Wire.session(server.url)
            let start = ContinuousClock.now
            let error = await #expect(throws: SternaError.self) {
                try await api.post("row", body: body(kind, file: file))
            }
            #expect(ContinuousClock.now - start < Wire.soon)
            // What the system has taken counts as sent, though the server never read it.
            #expect(error?.kind == .writeFailed || error?.kind == .connectionClosed)
            expectEqual(error?.requestSent, true)
            expectEqual(server.acceptedConnections, 1)
        }
    }
}
