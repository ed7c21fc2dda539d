import NIOPosix
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// A connection that is closed behind its answer holds up nobody who waits for its permit, whatever its server does.
@Suite("Pool: permits of connections that are being closed", .timeLimit(.minutes(5)))
struct ClosingPermitTests {
    private static let plain = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    private static let last = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"

    /// A request to each of some hosts at once, all of them names of a server that does not say goodbye back (`close_notify`)
    /// and keeps its side open. Each request needs the permit of the one before it.
    private func inTurn(
        _ answer: String, hosts: [String], loops: Int, location: SourceLocation = #_sourceLocation,
        _ change: (inout EngineOptions) -> Void
    ) async throws {
        let authority = try CertificateAuthority()
        let bundle = try authority.issue(hosts: Set(hosts).sorted())
        let script: [ScriptedServer.Step] = [.receiveHead, .send(answer), .hang]
        try await ScriptedServer.withServer(tls: bundle, connections: [script]) { server in
            try await PoolSupport.withLoops(loops) { group in
                let urls = hosts.map { "https://\($0):\(server.port)" }
                let engine = PoolSupport.engine(group: group) { options in
                    for host in hosts { options.hostOverrides["\(host):\(server.port)"] = ["127.0.0.1"] }
                    change(&options)
                }
                let api = try PoolSupport.session(urls[0], engine, authority: authority) { $0.network.http2 = .off }
                let start = ContinuousClock.now
                let tasks = urls.map { url in Task { try await api.get("\(url)/row").status } }
                for task in tasks {
                    let status = try await task.value
                    expectEqual(status, 200, sourceLocation: location)
                }
                // TLS waits five seconds for a goodbye, and each request but the first would wait for one.
                #expect(ContinuousClock.now - start < .seconds(5) * (urls.count - 1), sourceLocation: location)
                expectEqual(server.acceptedConnections, hosts.count, sourceLocation: location)
                await PoolSupport.expectNothing(engine)
            }
        }
    }

    @Test("After the maximum number of requests", arguments: [1, 2])
    func uses(loops: Int) async throws {
        try await inTurn(Self.plain, hosts: Array(repeating: "one.test", count: 5), loops: loops) {
            $0.maximumConnectionsPerOrigin = 1
            $0.maximumUses = 1
        }
    }

    @Test("After Connection: close by the server", arguments: [1, 2])
    func closed(loops: Int) async throws {
        try await inTurn(Self.last, hosts: Array(repeating: "one.test", count: 5), loops: loops) {
            $0.maximumConnectionsPerOrigin = 1
        }
    }

    @Test("With a waiting request of another origin", arguments: [1, 2], [false, true])
    func inAll(loops: Int, saysSo: Bool) async throws {
        let hosts = ["one.test", "two.test", "three.test", "four.test", "five.test"]
        try await inTurn(saysSo ? Self.last : Self.plain, hosts: hosts, loops: loops) {
            $0.maximumConnections = 1
            if !saysSo { $0.maximumUses = 1 }
        }
    }
}
