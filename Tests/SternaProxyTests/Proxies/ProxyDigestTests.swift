import HTTPTypes
import NIOCore
import Sterna
import SternaCore
import SternaTesting
import SternaTransport
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Proxies that ask for Digest (RFC 7616, 3.8), by CONNECT and for forwarded requests.
@Suite("Proxies: Digest", .timeLimit(.minutes(5)))
struct ProxyDigestTests {
    private static func options(_ digest: TestProxy.Digest) -> TestProxy.Options {
        TestProxy.Options(username: "ada", password: "pw", digest: digest)
    }

    static let demands: [TestProxy.Digest] = [
        .init(.md5), .init(.sha256), .init(.md5, quality: nil), .init(.sha256, quality: "auth-int"),
        .init(.sha256, offersBasic: true),
    ]

    @Test(
        "Tunnels: the proxy's own credentials, by what it demands", arguments: demands,
        ProxyAuthenticatorTests.kinds + [.http2])
    func tunnels(digest: TestProxy.Digest, kind: ProxyScene.Kind) async throws {
        try await ProxyScene.with(kind, options: Self.options(digest), originHosts: ["origin.test", "other.test"]) {
            scene in
            let api = try scene.session()
            try await expectEqual(api.get(scene.url("/get")).status, 200)
            #expect(try await api.get("https://other.test/get").status == 200)
            // Basic is sent unasked, as it always was; where it is accepted, no challenge follows.
            let sent = scene.proxy.requests()
            expectEqual(sent.first?.credentials, .right)
            if digest.offersBasic {
                expectEqual(sent.map(\.credentials), [.right, .right])
            } else {
                expectEqual(sent.count, 3)
                #expect(sent.dropFirst().allSatisfy { $0.digest?["username"] == "ada" && $0.method == "CONNECT" })
                expectEqual(sent.dropFirst().map { $0.digest?["uri"] }, ["origin.test:443", "other.test:443"])
                expectEqual(Set(sent.dropFirst().map { $0.digest?["nonce"] }).count, 1)
                if digest.quality != nil {
                    expectEqual(sent.dropFirst().map { $0.digest?["nc"] }, ["00000001", "00000002"])
                }
            }
            Self.expectNothingInTunnels(scene)
        }
    }

    @Test("Forwarded requests: the whole URL is hashed", arguments: demands, ProxyAuthenticatorTests.kinds)
    func forwarded(digest: TestProxy.Digest, kind: ProxyScene.Kind) async throws {
        try await ProxyScene.with(kind, secure: false, options: Self.options(digest)) { scene in
            let api = try scene.session()
            for number in 1...3 { try await expectEqual(api.get(scene.url("/get?number=\(number)")).status, 200) }
            let sent = scene.proxy.requests()
            expectEqual(sent.first?.credentials, .right)
            guard !digest.offersBasic else { return expectEqual(sent.count, 3) }
            expectEqual(sent.count, 4)
            expectEqual(sent.dropFirst().map { $0.digest?["uri"] }, sent.dropFirst().map(\.target))
            #expect(sent.last?.target == "http://origin.test/get?number=3")
            if digest.quality != nil {
                expectEqual(sent.dropFirst().map { $0.digest?["nc"] }, ["00000001", "00000002", "00000003"])
            }
            for request in scene.origin.requests() { #expect(!request.headers.contains("Proxy-Authorization")) }
            expectEqual(scene.origin.requestCount, 3)
        }
    }

    /// Makes a response's body compressed, with a proxy's proof that covers it.
    private struct ProvesBody: Interceptor {
        let sent: [UInt8]
        let proved: [UInt8]

        nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
            var response = try await next(request)
            guard response.status.code == 200, let field = request.headers[.proxyAuthorization],
                let given = AuthenticationChallenge.parse([field]).first, let uri = given["uri"],
                let nonce = given["nonce"], let realm = given["realm"], let count = given["nc"],
                let client = given["cnonce"], let name = HTTPField.Name("Proxy-Authentication-Info")
            else { return response }
            let hash = DigestHash.sha256
            let target = hash.hex(":\(uri):\(DigestHash.hex(hash.hash(proved)))")
            let proof = hash.hex("\(hash.hex("ada:\(realm):pw")):\(nonce):\(count):\(client):auth-int:\(target)")
            response.headers[name] = "qop=auth-int, rspauth=\"\(proof)\", cnonce=\"\(client)\", nc=\(count)"
            response.headers[.contentEncoding] = "gzip"
            response.headers[.contentType] = "text/plain"
            response.body = ResponseBody(Bytes(copying: sent))
            return response
        }
    }

    @Test("The proof of a proxy covers a compressed body as it was sent", arguments: [true, false])
    func proof(isRight: Bool) async throws {
        try await ProxyScene.with(
            .http, secure: false, options: Self.options(.init(.sha256, quality: "auth-int"))
        ) { scene in
            let sent = Zlib.gzip(Array("content".utf8))
            let proved = isRight ? sent : Array("content".utf8)
            let api = try scene.session { $0.networkInterceptors = [ProvesBody(sent: sent, proved: proved)] }
            guard isRight else {
                let error = await #expect(throws: SternaError.self) { try await api.get(scene.url("/get")) }
                expectEqual(error?.kind, .proxyFailed)
                return
            }
            try await expectEqual(api.get(scene.url("/get")).text(), "content")
        }
    }

    @Test("A stale nonce is replaced silently, a limited number of times", arguments: [true, false])
    func stale(secure: Bool) async throws {
        try await ProxyScene.with(.http, secure: secure, options: Self.options(.init(nonceUses: 2))) { scene in
            // A connection of its own for each request, so that each has credentials.
            var options = EngineOptions()
            options.maximumUses = 1
            let api = try scene.session(engine: Engine(options: options))
            for _ in 0..<6 { try await expectEqual(api.get(scene.url("/get")).status, 200) }
            expectEqual(scene.origin.requestCount, 6)
            expectEqual(Set(scene.proxy.requests().compactMap { $0.digest?["nonce"] }).count, 3)
        }
        try await ProxyScene.with(.http, secure: secure, options: Self.options(.init(nonceUses: 0))) { scene in
            let api = try scene.session()
            if secure {
                let error = await Wire.failure(.proxyFailed, .proxy) { try await api.get(scene.url("/get")) }
                expectEqual(error?.proxyResponse?.status.code, 407)
            } else {
                let error = await #expect(throws: SternaError.self) { try await api.get(scene.url("/get")) }
                expectEqual(error?.status, 407)
            }
            expectEqual(scene.origin.requestCount, 0)
            expectEqual(scene.proxy.requests().count, 4)
        }
    }

    @Test("The new nonce of a restarted proxy is used, stale or not", arguments: [true, false])
    func restarted(saysStale: Bool) async throws {
        try await ProxyScene.with(.http, secure: false, options: Self.options(.init(saysStale: saysStale))) { scene in
            let api = try scene.session()
            try await expectEqual(api.get(scene.url("/get")).status, 200)
            scene.proxy.forgetNonces()
            try await expectEqual(api.get(scene.url("/get")).status, 200)
            expectEqual(scene.proxy.requests().count, 4)
        }
    }

    @Test("A wrong password is tried once by each scheme", arguments: [true, false])
    func wrong(secure: Bool) async throws {
        try await ProxyScene.with(.http, secure: secure, options: Self.options(.init(offersBasic: true))) { scene in
            let api = try scene.session(scene.proxy.url(username: "ada", password: "no"))
            let error = await #expect(throws: SternaError.self) { try await api.get(scene.url("/get")) }
            expectEqual((secure ? error?.proxyResponse?.status.code : error?.status), 407)
            expectEqual(scene.proxy.requests().map { $0.digest != nil }, [false, true])
            expectEqual(error.map { "\($0)".contains("\"no\"") }, false)
            expectEqual(scene.origin.totalConnections, 0)
        }
    }

    @Test("Many connections share a nonce, and no count is used twice")
    func shared() async throws {
        try await ProxyScene.with(.http, options: Self.options(.init())) { scene in
            var options = EngineOptions()
            options.maximumUses = 1
            let api = try scene.session(engine: Engine(options: options))
            try await expectEqual(api.get(scene.url("/get")).status, 200)
            try await withThrowingTaskGroup { group in
                for _ in 0..<20 {
                    group.addTask {
                        let status = try await api.get(scene.url("/get")).status
                        expectEqual(status, 200)
                    }
                }
                try await group.waitForAll()
            }
            let sent = scene.proxy.requests().compactMap(\.digest)
            expectEqual(Set(sent.map { $0["nonce"] }).count, 1)
            expectEqual(Set(sent.map { $0["nc"] }).count, sent.count)
        }
    }

    @Test("An authenticator's password is requested once, and sent by the strongest scheme", arguments: [true, false])
    func authenticator(secure: Bool) async throws {
        try await ProxyScene.with(
            .http, secure: secure, options: Self.options(.init(nonceUses: 1, offersBasic: true))
        ) { scene in
            let login = ProxyLogin { $0.refusedCount == 0 ? .password("ada", "pw") : nil }
            var options = EngineOptions()
            options.maximumUses = 1
            let api = try scene.session(login, engine: Engine(options: options))
            for _ in 0..<3 { try await expectEqual(api.get(scene.url("/get")).status, 200) }
            expectEqual(login.challenges.count, 1)
            expectEqual(login.challenges.first?.challenges.map(\.scheme), ["Basic", "Digest"])
            #expect(scene.proxy.requests().allSatisfy { $0.credentials == nil })
            expectEqual("\(ProxyAuthorization.password("ada", "hidden"))".contains("hidden"), false)
        }
    }

    @Test("An authenticator's password is sent by Basic if the proxy offers nothing else")
    func basic() async throws {
        try await ProxyScene.with(.http, options: .guarded) { scene in
            let login = ProxyLogin { $0.refusedCount == 0 ? .password("ada", "pw") : nil }
            let api = try scene.session(login)
            try await expectEqual(api.get(scene.url("/get")).status, 200)
            expectEqual(scene.shown, [nil, .right])
        }
    }

    @Test("The proxy's own credentials are refused by both schemes before the authenticator is asked")
    func ownFirst() async throws {
        try await ProxyScene.with(.http, options: Self.options(.init())) { scene in
            let login = ProxyLogin { $0.refusedCount == 1 ? .password("ada", "pw") : nil }
            let api = try scene.session(login, username: "eve", password: "no")
            try await expectEqual(api.get(scene.url("/get")).status, 200)
            expectEqual(login.challenges.map(\.refusedCount), [1])
            expectEqual(scene.proxy.requests().map { $0.digest?["username"] }, [nil, "eve", "ada"])
        }
    }

    /// Nothing of the proxy's credentials may have come into a tunnel.
    private static func expectNothingInTunnels(_ scene: ProxyScene) {
        for request in scene.origin.requests() { #expect(!request.headers.contains("Proxy-Authorization")) }
        for connection in scene.proxy.connections() {
            for text in ["Proxy-Authorization", "proxy-authorization", "Digest username"] {
                #expect(!connection.tunnelHolds(text), "\(text)")
            }
        }
    }
}
