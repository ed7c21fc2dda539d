import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransport

/// An authenticator as a part of settings: what is equal, what is shared, and what is shown.
@Suite("Proxies: authenticators in settings", .timeLimit(.minutes(5)))
struct ProxyAuthenticatorSettingsTests {
    private final class Holder: ProxyAuthenticator {
        let password = "hidden"

        func authorization(for challenge: ProxyChallenge) async throws -> ProxyAuthorization? {
            .basic("ada", password)
        }
    }

    @Test("Settings with the same authenticator are equal")
    func equality() throws {
        let (one, other) = (Holder(), Holder())
        var settings = ProxySettings.proxy(try Proxy("http://proxy.test"))
        let plain = settings
        settings.authenticator = one
        #expect(settings != plain)
        var same = plain
        same.authenticator = one
        #expect(settings == same && settings.hashValue == same.hashValue)
        same.authenticator = other
        #expect(settings != same)
        same.authenticator = nil
        expectEqual(same, plain)
    }

    @Test("Sessions with the same authenticator share a transport, others do not")
    func transports() throws {
        let engine = Engine()
        let (one, other) = (Holder(), Holder())
        func transport(_ authenticator: Holder?) throws -> EngineTransport {
            var routing = RouteConfiguration()
            routing.proxies = .proxy(try Proxy("http://proxy.test"))
            routing.proxies.authenticator = authenticator
            return engine.transport(routing: routing)
        }
        let first = try transport(one)
        #expect(try transport(one) === first)
        #expect(try transport(other) !== first)
        #expect(try transport(nil) !== first)
        #expect(try transport(one) === first)
    }

    @Test("A transport that is gone keeps no authenticator")
    func released() throws {
        let engine = Engine()
        weak var kept: Holder?
        do {
            let holder = Holder()
            kept = holder
            var routing = RouteConfiguration()
            routing.proxies = .proxy(try Proxy("http://proxy.test"))
            routing.proxies.authenticator = holder
            _ = try engine.transport(routing: routing).endpoint(for: HTTPURL("https://origin.test/"))
        }
        // The engine looks through what is gone when it has grown.
        for number in 0..<200 {
            var routing = RouteConfiguration()
            routing.proxies = .proxy(try Proxy("http://proxy\(number).test"))
            routing.proxies.authenticator = Holder()
            _ = try engine.transport(routing: routing).endpoint(for: HTTPURL("https://origin.test/"))
        }
        expectNil(kept)
    }

    @Test("Authentications are shared by proxy and authenticator, not by origin")
    func authentications() throws {
        let engine = Engine()
        let holder = Holder()
        func authentication(
            _ origin: String, _ proxy: String = "http://proxy.test", http2: HTTP2Mode = .negotiated
        ) throws -> ProxyAuthentication? {
            var routing = RouteConfiguration()
            routing.proxies = .proxy(try Proxy(proxy))
            routing.proxies.authenticator = holder
            routing.http2 = http2
            let transport = engine.transport(routing: routing)
            transports.append(transport)
            return try transport.endpoint(for: HTTPURL(origin)).proxyAuthentication
        }
        var transports: [EngineTransport] = []
        let first = try #require(try authentication("https://one.test/"))
        #expect(try authentication("https://two.test/") === first)
        #expect(try authentication("https://one.test/", http2: .off) === first)
        #expect(try authentication("https://one.test/", "http://other.test") !== first)
        #expect(try authentication("https://one.test/", "http://eve:pw@proxy.test") !== first)
        #expect(try authentication("https://one.test/", "socks5://proxy.test") == nil)
    }

    @Test("No description contains credentials")
    func shown() throws {
        let proxy = try Proxy("http://ada:hidden@proxy.test")
        var made: SessionSettings?
        _ = try Session {
            $0.network.proxies = .proxy(proxy)
            $0.network.proxies.authenticator = Holder()
            made = $0
        }
        let settings = try #require(made)
        let answers = [
            ProxyAuthorization.basic("ada", "hidden"), .init(.bearer("hidden")), .each { _ in .bearer("hidden") },
            ProxyAuthorization(Authorization("Digest", "hidden")),
        ]
        var dumped = ""
        dump(settings, to: &dumped)
        dump(settings.network.proxies, to: &dumped)
        dump(answers, to: &dumped)
        let shown =
            "\(settings.network.proxies) \(String(reflecting: settings.network.proxies)) \(answers) \(String(reflecting: answers))"
        #expect(!(shown + dumped).contains("hidden"))
        #expect(shown.contains("Holder"))
        #expect(shown.contains("Basic ***") && shown.contains("Digest ***"))
    }
}
