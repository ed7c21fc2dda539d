import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// The body of a proxy's 407 to a forwarded request, for which the authenticator is asked.
@Suite("Proxies: the body of a refusal", .timeLimit(.minutes(5)))
struct ProxyRefusedBodyTests {
    @Test(
        "It is read before the authenticator is asked, and delivered if there are no credentials",
        arguments: [false, true])
    func asked(answers: Bool) async throws {
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: 400_000)
        let refusal =
            "HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=x\r\nContent-Length: \(body.count)\r\n\r\n"
        let script: [ScriptedServer.Step] = [
            .receiveHead, .send(refusal), .sendBytes(body),
            .receiveHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone"),
        ]
        try await ScriptedServer.withServer(connections: [script]) { server in
            let engine = Wire.engine()
            let login = ProxyLogin { _ in
                #expect(await eventually { await engine.statistics().origins.first?.idle == 1 })
                return answers ? .basic("ada", "pw") : nil
            }
            let api = try ProxyScene.session("http://127.0.0.1:\(server.port)", engine: engine) {
                $0.network.proxies.authenticator = login
            }
            let (status, size) = try await api.withResponse(to: .get("http://origin.test/a")) { response in
                (response.status.code, try await response.body.collect(upTo: 1 << 20).readableBytes)
            }
            expectEqual(status, (answers ? 200 : 407))
            expectEqual(size, (answers ? 4 : body.count))
            expectEqual(server.acceptedConnections, 1)
            expectEqual(login.challenges.count, 1)
        }
    }
}
