import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// A connection that is closed the moment it is there gives its permit back.
@Suite("Pool: permits of connections that were closed at once", .timeLimit(.minutes(5)))
struct PermitReturnTests {
    @Test("Bodies that cannot be sent, on fresh connections", arguments: [1, 2], [false, true])
    func unsendable(maximum: Int, secure: Bool) async throws {
        let authority = try CertificateAuthority()
        let options = TestServer.Options(tls: secure ? try authority.issue(hosts: ["localhost"]) : nil)
        try await TestServer.withServer(options) { server in
            let engine = PoolSupport.engine { $0.maximumConnectionsPerOrigin = maximum }
            let api = try PoolSupport.session(server.url, engine, authority: authority) {
                $0.timeouts.queue = .seconds(15)
            }
            let producer = BodyProducer(length: 4, isReplayable: false) {
                throw SternaError(.bodyNotReplayable, phase: .write, "No.")
            }
            for _ in 0..<4 {
                await Wire.failure(.bodyNotReplayable, .write) {
                    try await api.post("post", body: Body(segments: [.producer(producer)]))
                }
            }
            await PoolSupport.expect(engine, "nothing is open") { $0.openConnections == 0 }
            try await expectEqual(api.get("1k").status, 200)
            await engine.shutDown(within: .seconds(15))
            await PoolSupport.expectNothing(engine)
        }
    }
}
