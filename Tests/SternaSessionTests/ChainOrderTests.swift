import Foundation
import Testing

@testable import Sterna
@testable import SternaCore
@testable import SternaTestSupport

@Suite("The order of a chain")
struct ChainOrderTests {
    private struct Own: Interceptor {
        nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
            try await next(request)
        }
    }

    private final class NoCalls: JoinedCalls {
        func add() {}
    }

    /// All slots that requests can ask for.
    private static let slots: ChainSlots = [
        .adaptation, .retry, .authentication, .bandwidth, .signing, .hedging, .coalescing, .digests,
    ]

    private func builder(_ configure: (inout SessionSettings) -> Void) throws -> ChainBuilder {
        try Session { settings in
            (settings.cookies.jar, settings.trust.hsts) = (nil, nil)
            configure(&settings)
        }.plan.builder
    }

    /// The interceptors of a position by the names of their types.
    private func names(_ builder: ChainBuilder, at position: ChainPosition, _ slots: ChainSlots) -> [String] {
        builder.interceptors(at: position, slots).map { "\(type(of: $0))".replacing("Interceptor", with: "") }
    }

    @Test("The order of a chain with all interceptors")
    func everything() throws {
        let tokens = try TokenAuthentication(for: ["https://api.example.com"])
        let builder = try builder { settings in
            settings.interceptors = [Own(), Own()]
            settings.networkInterceptors = [Own()]
            settings.events.spans = SpanSetting(
                requests: Own(), calls: Own(), isActive: { true }, joinedCalls: { NoCalls() })
            settings.tasks.decisions = TaskDecisions()
            settings.cookies.jar = CookieJar()
            settings.limits.circuitBreaker = CircuitBreaker()
            settings.limits.rate = RateLimit(requests: 1, per: .seconds(1))
            settings.limits.concurrency = AdaptiveConcurrencyLimit()
            settings.auth.tokens = tokens
            settings.network.waitsForConnectivity = true
            settings.network.proxies = .each { _ in nil }
        }
        let table: [(ChainPosition, [String])] = [
            (.callSpan, ["Own"]), (.adaptationBegin, ["Adaptation"]), (.application, ["Own", "Trace", "Own", "Trace"]),
            (.adaptationEnd, ["Adaptation"]), (.signingOrigin, ["SigningOrigin"]),
            (.redirect, ["Redirect"]), (.retry, ["Retry"]), (.hedging, ["Hedging"]),
            (.circuitBreaker, ["CircuitBreaker"]), (.rateLimit, ["RateLimit"]), (.token, ["TokenAuthentication"]),
            (.contentDecoding, ["ContentDecoding"]), (.authentication, ["Authentication"]),
            (.proxyAuthentication, ["ProxyAuthentication"]), (.signedCookies, ["Cookie"]),
            (.adaptiveConcurrency, ["AdaptiveConcurrency"]), (.coalescing, ["Coalescing"]), (.cache, []),
            (.connectivity, ["Connectivity"]), (.digests, ["Digest"]), (.signing, ["Signing", "Signing"]),
            (.circuitReport, ["CircuitReport"]), (.hedgeReport, ["HedgeReport"]), (.networkState, ["NetworkState"]),
            (.network, ["Trace", "Own", "Trace"]), (.requestSpan, ["Own"]), (.bandwidth, ["Bandwidth"]),
        ]
        expectEqual(table.map(\.0), ChainPosition.allCases)
        for (position, expected) in table {
            expectEqual(names(builder, at: position, Self.slots), expected, "\(position)")
            let other = names(builder, at: position, [])
            if position == .retry {
                // It reads the bodies that calls collect.
                expectEqual(other, ["BodyReading"])
            } else {
                expectEqual(other, position.slot == nil ? expected : [], "\(position)")
            }
        }
    }

    @Test("A plain chain follows redirects, reads bodies and decodes content; a cache adds the cookies itself")
    func plain() throws {
        let plain = try builder { _ in }
        expectEqual(
            ChainPosition.allCases.flatMap { names(plain, at: $0, []) }, ["Redirect", "BodyReading", "ContentDecoding"])
        let cached = try builder { settings in
            settings.cookies.jar = CookieJar()
            settings.cache.store = .memory(bytes: 1 << 10)
        }
        expectEqual(
            ChainPosition.allCases.flatMap { names(cached, at: $0, .signing) },
            [
                "SigningOrigin", "Redirect", "BodyReading", "ContentDecoding", "Cache", "Signing", "Signing",
                "NetworkState",
            ])
    }

    @Test("docs/Architecture.md shows the order")
    func shown() throws {
        let root = URL(fileURLWithPath: #filePath).appending(path: "../../..").standardized
        let map = try String(contentsOf: root.appending(path: "docs/Architecture.md"), encoding: .utf8)
        let item = try #require(map.split(separator: "outermost first: ").last?.split(separator: "`bandwidth`").first)
        let shown = item.split(separator: "`").map(String.init).filter { word in
            word.allSatisfy(\.isLetter)
        }
        expectEqual(shown + ["bandwidth"], ChainPosition.allCases.map { "\($0)" })
    }
}
