import Foundation
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The rows of docs/Migrating/URLSession.md that no other page has.
@Suite("Coming from URLSession: names", .timeLimit(.minutes(5)))
struct MigratingURLSessionNameTests {
    /// Answers by itself, as a URLProtocol does.
    private struct Stub: Interceptor {
        nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
            guard request.url.path.hasSuffix("stubbed") else { return try await next(request) }
            return Response(status: .noContent, url: request.url)
        }
    }

    private struct NoNames: HostResolver {
        struct Unknown: Error {}

        func resolve(_ host: String, _ families: AddressFamilies) async throws -> ResolvedHost { throw Unknown() }
    }

    @Test("Settings in place of a configuration's")
    func settings() async throws {
        let stub = Stub()
        let (api, mock) = try mocked { $0.interceptors = [stub] }
        #expect(try await api.get("stubbed").status == 204)
        let patient = api.with { $0.timeout = .seconds(300) }
        try await patient.get("users")
        #expect(mock.requests.map(\.timeouts.betweenBytes) == [.seconds(300)])

        let proxy = try Proxy("http://proxy.example:3128")
        let proxied = api.with { $0.network.proxies = .proxy(proxy, except: ["intranet.example", "10.0.0.0/8"]) }
        try await proxied.get("users")
        #expect(mock.requests.count == 2)
    }

    @Test("Connections")
    func connections() async throws {
        try await TestServer.withServer { server in
            var options = EngineOptions()
            options.maximumConnectionsPerOrigin = 8
            let engine = Engine(options: options)
            let api = try Session(baseURL: server.url) { $0.network.engine = engine }
            try await api.get("get")
            let isClosed = await eventually {
                engine.closeIdleConnections()
                return server.openConnections == 0
            }
            #expect(isClosed)
            try await api.get("get")
            #expect(server.totalConnections == 2)
        }
    }

    @Test("TLS and client certificates")
    func identities() async throws {
        try await Downloading.withFolder { folder in
            let bundle = try CertificateAuthority().issue(CertificateOptions(hosts: ["client.example"]))
            let (certificate, key) = ("\(folder)/client.pem", "\(folder)/client.key")
            try bundle.writeChainPEM(toPath: certificate)
            try bundle.writePrivateKeyPEM(toPath: key)
            var policy = SecurityPolicy.system
            policy.tls.minimumVersion = .tls13
            policy.identity = try ClientIdentity(certificateFile: certificate, keyFile: key)
            #expect(policy != .system)
            let origin = try Origin(scheme: .https, host: "api.example.com")
            let space = ProtectionSpace(origin: origin, realm: "Staff")
            #expect(space.realm == "Staff")
        }
    }

    @Test("Requests and responses")
    func requests() async throws {
        let (api, mock) = try mocked()
        try await api.put("notes/7", body: .text("Eggs"))
        #expect(mock.requests.last?.givenText == "Eggs")
        try await api.get("search", parameters: ["q": "tern", "page": 2])
        #expect(mock.requests.last?.url.query == "page=2&q=tern")

        try await TestServer.withServer { server in
            server.route("GET", "/early") { request in
                try await request.inform(103, ["Link": "</a.css>"])
                return .json([:])
            }
            let interim = Counter()
            let api = try Session(baseURL: server.url)
            let length = try await api.withResponse(to: .get("1k")) { response in response.body.length }
            #expect(length == 1_024)
            try await api.withResponse(to: .get("frames?rate=1000&count=2")) { response in
                for try await part in response.parts { print(part.headers) }
            }
            try await api.get("early") { $0.onInformational = { print($0.status) } }
            try await api.get("early") { $0.onInformational = { _ in interim.add(1) } }
            #expect(interim.value == 1)
        }
    }

    private func failure(_ call: () async throws -> Void) async throws -> SternaError {
        do {
            try await call()
        } catch let error as SternaError {
            return error
        }
        Issue.record("The request succeeded.")
        return SternaError(.cancelled, phase: .prepare, "The request succeeded.")
    }

    @Test("Errors, as servers cause them")
    func errors() async throws {
        try await TestServer.withServer { server in
            server.route("POST", "/moved") { _ in .redirect(to: "/post", status: 307) }
            let api = try Downloading.session(server) {
                $0.cache.store = .memory()
                $0.network.proxies = .none
            }
            var error = try await failure { try await api.get("fault/close-half") }
            #expect(error.kind == .truncated)
            error = try await failure { try await api.get("fault/garbage") }
            #expect(error.kind == .malformedResponse)
            error = try await failure { try await api.get("get") { $0.cache.policy = .cachedOnly } }
            #expect(error.status == 504)
            error = try await failure {
                let (pieces, continuation) = AsyncStream.makeStream(of: Bytes.self)
                continuation.yield(Bytes(text: "row"))
                continuation.finish()
                try await api.post("moved", body: .stream(pieces))
            }
            #expect(error.kind == .bodyNotReplayable)
            server.route("GET", "/nowhere") { _ in ServerResponse(status: 302) }
            error = try await failure { try await api.get("nowhere") }
            #expect(error.kind == .unacceptableStatus)
        }
    }

    @Test("Errors before a server is reached, and of a full disk")
    func unreachable() async throws {
        var options = EngineOptions()
        options.resolver = NoNames()
        let lost = try Session { [options] in
            $0.network.engine = Engine(options: options)
            $0.retry = .none
            $0.network.proxies = .none
        }
        var error = try await failure { try await lost.get("http://nowhere.test/") }
        #expect(error.kind == .hostNotFound)

        let (full, _) = try mocked(
            by: MockTransport { request in
                if request.url.path.hasSuffix("full") { throw SternaError(.writeFailed, phase: .write, "Full.") }
                throw SternaError(.tlsFailed, phase: .tls, "No cipher suite in common.")
            }
        ) { $0.retry = .none }
        error = try await failure { try await full.get("full") }
        #expect(error.kind == .writeFailed)
        error = try await failure { try await full.get("secure") }
        #expect(error.kind == .tlsFailed)
    }
}
