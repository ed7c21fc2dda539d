import BenchKit
import Sterna
import Synchronization

/// What a setting that people switch on adds to a request, from the caller to the network and back.
enum FeatureLoad {
    /// A feature, or several of them.
    enum Feature: String {
        case interceptor, interceptors, credential, digest, token, retry, cookies, coalescing
        /// All callers ask for one URL.
        case oneURL = "one-url"
        case observer, metrics
        /// An interceptor, a token, a retry, cookies and metrics.
        case all
    }

    static func run(_ feature: Feature, _ arguments: Arguments) async throws -> Outcome {
        let url = try HTTPURL(arguments.url)
        let plain = try Session { $0.responseSerializer = .data }
        let full = try session(feature, for: url)
        let settings: @Sendable (inout RequestSettings) -> Void = { request in
            if feature == .retry || feature == .all { request.retry = .transient }
        }
        // Without a credential, the file that one is asked for would not be sent.
        let plainURL = feature == .digest ? try HTTPURL("/1k", relativeTo: url) : url
        let (without, with) = (load(plain, plainURL, feature, arguments), load(full, url, feature, arguments, settings))
        return try await Comparison(without, with).run(count: arguments.count, concurrency: arguments.concurrency)
    }

    private static func load(
        _ session: Session, _ url: HTTPURL, _ feature: Feature, _ arguments: Arguments,
        _ settings: @escaping @Sendable (inout RequestSettings) -> Void = { _ in }
    ) -> Load {
        let number = Atomic64()
        let isStreamed = arguments.isStreamed
        return Load { _ in
            // Each call another URL.
            let url = feature == .coalescing ? url.replacingQuery("\(number.next())") : url
            guard isStreamed else { return try await session.get(url) { settings(&$0) }.body.count }
            return try await session.withResponse(to: .get(url) { settings(&$0) }) { response in
                guard response.status == .ok else { throw Refused() }
                var bytes = 0
                for try await chunk in response.body { bytes += chunk.count }
                return bytes
            }
        }
    }

    private static func session(_ feature: Feature, for url: HTTPURL) throws -> Session {
        let token = try TokenAuthentication(AccessToken("4f2a9c81d7e65b30", lifetime: .seconds(86_400)), for: [url])
        let jar = try jar(for: url)
        return try Session { settings in
            settings.responseSerializer = .data
            switch feature {
            case .interceptor: settings.interceptors = [Pass()]
            case .interceptors: settings.interceptors = (0..<5).map { _ in Pass() }
            case .credential, .digest: settings.auth.credential = Credential(user: "ada", password: "benchmark")
            case .token: settings.auth.tokens = token
            case .retry: break
            case .cookies: settings.cookies.jar = jar
            case .coalescing, .oneURL: settings.network.coalescesRequests = true
            case .observer: settings.events.observers = [EventObserver { _ in }]
            case .metrics: settings.events.collectsMetrics = true
            case .all:
                settings.interceptors = [Pass()]
                settings.auth.tokens = token
                settings.cookies.jar = jar
                settings.events.collectsMetrics = true
            }
        }
    }

    private static func jar(for url: HTTPURL) throws -> CookieJar {
        let jar = CookieJar()
        let cookies = try (0..<5).map { number in
            try Cookie(name: "cookie\(number)", value: "4f2a9c81d7e65b30a1\(1_000 + number)", domain: url.host, path: "/")
        }
        jar.restore(CookieSnapshot(cookies: cookies))
        return jar
    }

    private struct Pass: Interceptor {
        nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
            try await next(request)
        }
    }
}

/// Numbers that are each given once.
private final class Atomic64: Sendable {
    private let value = Atomic<UInt64>(0)

    func next() -> UInt64 { value.wrappingAdd(1, ordering: .relaxed).newValue }
}
