import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Servers that answer in the middle of an upload and hang up at once: the answer came first, and is what counts
/// (RFC 9112, 9.6).
@Suite("Early responses followed by a close", .timeLimit(.minutes(5)))
struct EarlyAnswerCloseTests {
    @Test(
        "The response is delivered, not the lost connection", arguments: EarlyAnswerTests.Kind.allCases,
        [ScriptedServer.Step.close, .closeAbruptly, .reset])
    func hangUp(kind: EarlyAnswerTests.Kind, end: ScriptedServer.Step) async throws {
        for secure in [false, true] { try await hangUp(kind, end, secure: secure) }
    }

    private func hangUp(_ kind: EarlyAnswerTests.Kind, _ end: ScriptedServer.Step, secure: Bool) async throws {
        let authority = try CertificateAuthority()
        let bundle = secure ? try authority.issue(hosts: ["localhost"]) : nil
        for answer in [
            "HTTP/1.1 413 Content Too Large\r\nContent-Length: 8\r\nConnection: close\r\n\r\ntoo much",
            "HTTP/1.1 413 Content Too Large\r\nContent-Length: 8\r\n\r\ntoo much",
        ] {
            try await ScriptedServer.withServer(
                tls: bundle, connections: [[.receive(atLeast: 1 << 20), .send(answer), end]]
            ) { server in
                let file = try TestFile([UInt8](repeating: 7, count: 8 << 20))
                let range = FileRange(path: file.path, offset: 0, length: 8 << 20)
                let body: Body =
                    switch kind {
                    case .bytes:
                        Body(segments: Array(repeating: .bytes(Bytes(repeating: 1, count: 1 << 20)), count: 999))
                    case .file: Body(segments: Array(repeating: .file(range), count: 99))
                    case .stream:
                        Body(segments: [
                            .producer(
                                BodyProducer(length: nil, isReplayable: false) {
                                    { Bytes(repeating: 1, count: 64 << 10) }
                                })
                        ])
                    }
                let error = await #expect(throws: SternaError.self) {
                    try await Wire.session(server.url, authority: authority).post("row", body: body)
                }
                expectEqual(error?.status, 413, "secure: \(secure), \(error.map { "\($0)" } ?? "none")")
                expectEqual(error?.body?.text, "too much")
                expectEqual(server.acceptedConnections, 1)
            }
        }
    }
}
