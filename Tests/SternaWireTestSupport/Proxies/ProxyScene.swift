import Sterna
import SternaTesting
import Testing

/// A proxy, an origin that only the proxy can resolve, as `origin.test`, and sessions that use both.
struct ProxyScene {
    /// The protocol of the proxy.
    enum Kind: CaseIterable {
        case http, https, socks5
        /// TLS as with `https`, and HTTP/2 if the client offers it.
        case http2

        /// The protocols with a connection for every tunnel; HTTP/2 differs from them.
        static let allCases: [Kind] = [.http, .https, .socks5]
    }

    let proxy: TestProxy
    let origin: TestServer
    /// The issuer of the certificates of both.
    let authority: CertificateAuthority
    let isSecure: Bool
    /// The origin's certificate if it uses TLS.
    let bundle: CertificateBundle

    var base: String { isSecure ? "https://origin.test" : "http://origin.test" }

    func url(_ path: String) -> String { base + path }

    static func with(
        _ kind: Kind, secure: Bool = true, options: TestProxy.Options = .init(),
        originHosts: [String] = ["origin.test"], originHTTP2: ServerHTTP2 = [],
        proxyHosts: [String] = ["localhost"], _ work: (ProxyScene) async throws -> Void
    ) async throws {
        let authority = try CertificateAuthority()
        let bundle = try authority.issue(hosts: originHosts)
        try await TestServer.withServer(.init(tls: secure ? bundle : nil, http2: originHTTP2)) { origin in
            var options = options
            switch kind {
            case .http: options.kind = .http
            case .https, .http2:
                options.kind = .https(try authority.issue(hosts: proxyHosts))
                options.http2 = kind == .http2
            case .socks5: options.kind = .socks5
            }
            for host in originHosts + ["origin.test"] {
                options.routes["\(host):\(secure ? 443 : 80)"] = origin.port
            }
            try await TestProxy.withProxy(options) { proxy in
                try await work(
                    ProxyScene(proxy: proxy, origin: origin, authority: authority, isSecure: secure, bundle: bundle))
            }
        }
    }

    /// A session through the proxy, with the credentials that it demands.
    func session(
        _ proxyURL: String? = nil, engine: Engine = Wire.engine(),
        _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> Session {
        try Self.session(proxyURL ?? ownURL, engine: engine, authority: authority, configure)
    }

    /// The proxy's URL, with credentials if it demands some.
    var ownURL: String { proxy.urlWithCredentials.contains("//:@") ? proxy.url : proxy.urlWithCredentials }

    static func session(
        _ proxyURL: String, engine: Engine = Wire.engine(), authority: CertificateAuthority? = nil,
        _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> Session {
        let proxy = try Proxy(proxyURL)
        return try Session {
            $0.network.engine = engine
            $0.retry = .none
            $0.timeout = Wire.patience
            $0.responseSerializer = .data
            $0.network.proxies = .proxy(proxy)
            if let authority { $0.trust.policy = .authority(pem: authority.pem) }
            configure(&$0)
        }
    }

    /// Sends a request that must fail at the proxy, which closes its connection and gets no second attempt.
    @discardableResult
    func refusal(
        _ kind: SternaError.Kind = .proxyFailed, _ phase: SternaError.Phase = .proxy, connections: Int = 1,
        location: SourceLocation = #_sourceLocation, settings: (inout SessionSettings) -> Void = { _ in }
    ) async throws -> SternaError? {
        let api = try session(nil, settings)
        let error = await Wire.failure(kind, phase, location: location) { try await api.get(url("/get")) }
        #expect(error?.requestSent == false, sourceLocation: location)
        #expect(proxy.totalConnections == connections, sourceLocation: location)
        #expect(origin.requestCount == 0, sourceLocation: location)
        try await proxy.waitForOpenConnections(0, within: 60)
        return error
    }

    /// Expects that the proxy's credentials have reached neither the origin nor a tunnel.
    func expectNoCredentials(location: SourceLocation = #_sourceLocation) {
        for request in origin.requests() {
            #expect(!request.headers.contains("Proxy-Authorization"), sourceLocation: location)
            #expect(!request.headers.contains("Proxy-Connection"), sourceLocation: location)
        }
        for connection in proxy.connections() {
            // Encrypted bytes hold any text of three letters now and then; these are too long for that.
            for text in [
                "Proxy-Authorization", "proxy-authorization", "YWRhOnB3", "\u{3}ada\u{2}pw", "username=\"ada\"",
            ] {
                #expect(!connection.tunnelHolds(text), "\(text)", sourceLocation: location)
            }
        }
    }
}

extension TestProxy.Options {
    /// A proxy that demands these credentials.
    static let guarded = TestProxy.Options(username: "ada", password: "pw")
}
