import HTTPTypes
import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// What a redirect takes along, as the servers saw it.
@Suite("Credentials on redirects", .timeLimit(.minutes(5)))
struct RedirectCredentialsTests {
    static let secrets: Headers = [
        "Authorization": "Bearer sesame", "Cookie": "id=1", "Proxy-Authorization": "Basic eA==", "X-Api-Key": "k1",
        "X-Trace": "t1",
    ]
    static let names = ["Authorization", "Cookie", "Proxy-Authorization", "X-Api-Key"]

    private func session(_ authority: CertificateAuthority? = nil) throws -> Session {
        try Session {
            $0.network.engine = Wire.engine()
            $0.timeout = Wire.patience
            if let authority { $0.trust.policy = .authority(pem: authority.pem) }
        }
    }

    /// The last request that a server saw must have none of the secrets.
    private func expectStripped(_ server: TestServer, location: SourceLocation = #_sourceLocation) {
        guard let seen = server.requests().last else {
            Issue.record("no request came", sourceLocation: location)
            return
        }
        for name in Self.names { expectNil(seen.headers[name], "\(name)", sourceLocation: location) }
        expectEqual(seen.headers["X-Trace"], "t1", sourceLocation: location)
    }

    private static func start(tls: CertificateBundle? = nil) async throws -> TestServer {
        var options = TestServer.Options()
        options.tls = tls
        let server = try await TestServer.start(options)
        server.route(nil, "/to") { request in
            .redirect(to: request.query("url") ?? "/", status: Int(request.query("status") ?? "") ?? 302)
        }
        server.route(nil, "/end") { _ in .text("end") }
        return server
    }

    private func ask(_ api: Session, _ url: String, method: HTTPRequest.Method = .get) async throws -> Reply {
        try await api.request(method, url, headers: Self.secrets) { $0.auth.secretHeaders = ["x-api-key"] }
    }

    @Test("Credentials are not sent to another port", arguments: [301, 302, 303, 307, 308])
    func port(status: Int) async throws {
        let (one, two) = (try await Self.start(), try await Self.start())
        let reply = try await ask(try session(), "\(one.url)/to?status=\(status)&url=\(two.url)/end")
        try await expectEqual(reply.text(), "end")
        expectEqual(one.requests().last?.headers["Authorization"], "Bearer sesame")
        expectEqual(one.requests().last?.headers["X-Api-Key"], "k1")
        expectStripped(two)
        expectEqual(two.requests().last?.headers["Host"], "127.0.0.1:\(two.port)")
        try await one.stop()
        try await two.stop()
    }

    @Test("Credentials are not sent to another host on the same port", arguments: ["localhost", "LOCALHOST", "127.1"])
    func host(host: String) async throws {
        let server = try await Self.start()
        let reply = try await ask(try session(), "\(server.url)/to?url=http://\(host):\(server.port)/end")
        try await expectEqual(reply.text(), "end")
        if host == "127.1" {
            // Another way to write the same address is the same origin.
            expectEqual(server.requests().last?.headers["Authorization"], "Bearer sesame")
        } else {
            expectStripped(server)
        }
        try await server.stop()
    }

    @Test("Credentials are not sent to another scheme")
    func scheme() async throws {
        let authority = try CertificateAuthority()
        let one = try await Self.start()
        let two = try await Self.start(tls: try authority.issue(hosts: ["localhost", "127.0.0.1"]))
        let reply = try await ask(try session(authority), "\(one.url)/to?url=https://127.0.0.1:\(two.port)/end")
        try await expectEqual(reply.text(), "end")
        expectStripped(two)
        try await one.stop()
        try await two.stop()
    }

    @Test("Credentials are not sent again on return to the first origin")
    func back() async throws {
        let (one, two) = (try await Self.start(), try await Self.start())
        let last = "\(one.url)/end"
        let reply = try await ask(try session(), "\(one.url)/to?url=\(two.url)/to?url=\(last)")
        try await expectEqual(reply.text(), "end")
        expectEqual(one.requestCount, 2)
        expectStripped(one)
        expectEqual(reply.response.redirects.count, 2)
        try await one.stop()
        try await two.stop()
    }

    @Test("The session's own credentials are not added again at another origin, nor on return")
    func sessionCredentials() async throws {
        let (one, two) = (try await Self.start(), try await Self.start())
        let api = try Session(baseURL: one.url) {
            $0.network.engine = Wire.engine()
            $0.auth.header = .basic("user", "secret")
        }
        try await api.get("/to?url=\(two.url)/to?url=\(one.url)/end")
        expectEqual(one.requests().first?.headers["Authorization"]?.hasPrefix("Basic "), true)
        expectNil(two.requests().last?.headers["Authorization"])
        expectEqual(one.requests().last?.target, "/end")
        expectNil(one.requests().last?.headers["Authorization"])
        try await api.get("/to?url=/end")
        expectEqual(one.requests().last?.headers["Authorization"]?.hasPrefix("Basic "), true)
        try await one.stop()
        try await two.stop()
    }

    @Test("Credentials in a Location URL are sent to its target")
    func userinfo() async throws {
        let server = try await Self.start()
        let target = "http://eve:pass@127.0.0.1:\(server.port)/end"
        try await session().get("\(server.url)/to?url=\(target)")
        expectEqual(server.requests().last?.target, "/end")
        expectEqual(server.requests().last?.headers["Authorization"], "Basic ZXZlOnBhc3M=")
        try await server.stop()
    }

    @Test(
        "A redirect to the same origin keeps all credentials",
        arguments: ["/end", "end", "//127.0.0.1:PORT/end", "http://127.0.0.1:PORT/end", "?url=/end&status=307"])
    func sameOrigin(target: String) async throws {
        let server = try await Self.start()
        let location = target.split(separator: "PORT", omittingEmptySubsequences: false).joined(
            separator: "\(server.port)")
        let coded = location.split(separator: "&", omittingEmptySubsequences: false).joined(separator: "%26")
        try await expectEqual(ask(try session(), "\(server.url)/to?url=\(coded)").text(), "end")
        for name in Self.names {
            // No origin is ever shown what is for a proxy.
            let isForProxy = "\(name)".lowercased() == "proxy-authorization"
            expectEqual((server.requests().last?.headers[name] != nil), !isForProxy, "\(name)")
        }
        try await server.stop()
    }

    @Test("https to http is refused unless allowed")
    func downgrade() async throws {
        let authority = try CertificateAuthority()
        let one = try await Self.start(tls: try authority.issue(hosts: ["localhost"]))
        let two = try await Self.start()
        let url = "\(one.url)/to?url=\(two.url)/end"
        let error = await Wire.failure(.redirectRefused, .read) { _ = try await ask(try session(authority), url) }
        expectEqual(error?.status, 302)
        expectEqual(two.totalConnections, 0)
        let lax = try session(authority).with { $0.redirects.allowsInsecure = true }
        try await expectEqual(ask(lax, url).text(), "end")
        expectStripped(two)
        try await one.stop()
        try await two.stop()
    }

    @Test(
        "A redirect to a scheme other than http and https fails",
        arguments: [
            "ftp://127.0.0.1/x", "file:///etc/passwd", "ws://127.0.0.1/", "javascript:1", "http://", "http://[::1",
            "data:,x",
        ])
    func schemes(target: String) async throws {
        try await Wire.refusal(
            .redirectRefused, .read, mayKeep: true,
            script: [.send("HTTP/1.1 302 Found\r\nLocation: \(target)\r\nContent-Length: 0\r\n\r\n")])
    }

    @Test("A redirect loop ends at the limit")
    func circle() async throws {
        let server = try await Self.start()
        server.route("GET", "/loop") { _ in .redirect(to: "/loop") }
        let error = await Wire.failure(.tooManyRedirects, .read) { try await session().get("\(server.url)/loop") }
        expectEqual(error?.status, 302)
        expectEqual(server.requests().filter { $0.target == "/loop" }.count, 21)
        try await server.stop()
    }

    @Test("A body that can be read only once is not sent to another target")
    func body() async throws {
        let (one, two) = (try await Self.start(), try await Self.start())
        let url = "\(one.url)/to?status=307&url=\(two.url)/end"
        let once = AsyncStream<Bytes> { continuation in
            continuation.yield(Bytes(string: "once"))
            continuation.finish()
        }
        await Wire.failure(.bodyNotReplayable, .read) { try await session().post(url, body: .stream(once)) }
        expectEqual(two.totalConnections, 0)
        try await session().post(url, body: .bytes(Array("again".utf8)), headers: ["Cookie": "a=1"])
        expectEqual(two.requests().last?.method, "POST")
        expectEqual(two.requests().last?.bodySize, 5)
        expectNil(two.requests().last?.headers["Cookie"])
        try await one.stop()
        try await two.stop()
    }
}
