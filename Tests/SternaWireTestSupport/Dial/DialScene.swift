import Sterna
import SternaTesting
import Synchronization

/// A resolver with a test's results, which records the hosts that it looks up.
final class GivenResolver: HostResolver {
    private let answer: @Sendable (_ number: Int, AddressFamilies) async throws -> ResolvedHost
    private let questions = Mutex<[String]>([])

    /// - Parameter answer: given the number of the look-up, counted from 1.
    init(_ answer: @escaping @Sendable (_ number: Int, AddressFamilies) async throws -> ResolvedHost) {
        self.answer = answer
    }

    convenience init(_ addresses: [String], timeToLive: Duration? = nil) {
        let host = ResolvedHost(addresses.compactMap { IPAddress($0) }, timeToLive: timeToLive)
        self.init { _, _ in host }
    }

    /// The hosts that were looked up, in order.
    var asked: [String] { questions.withLock { $0 } }

    func resolve(_ host: String, _ families: AddressFamilies) async throws -> ResolvedHost {
        let number = questions.withLock { questions in
            questions.append(host)
            return questions.count
        }
        return try await answer(number, families)
    }
}

/// Engines, sessions and servers for several suites about dialling.
enum DialScene {
    /// An engine with a resolver.
    static func engine(
        _ resolver: any HostResolver = SystemResolver(), _ change: (inout EngineOptions) -> Void = { _ in }
    ) -> Engine {
        var options = Wire.options
        options.resolver = resolver
        change(&options)
        return Engine(options: options)
    }

    /// A session without a proxy, whatever the environment says.
    static func session(
        _ base: String, _ engine: Engine = Wire.engine(), authority: CertificateAuthority? = nil,
        _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> Session {
        try Wire.session(base, engine: engine, authority: authority) {
            $0.network.proxies = .none
            configure(&$0)
        }
    }

    /// Servers at 127.0.0.1 and 127.0.0.2 on one port.
    static func withTwins(_ work: (_ one: TestServer, _ two: TestServer) async throws -> Void) async throws {
        try await TestServer.withServer { one in
            try await TestServer.withServer(.init(host: "127.0.0.2", port: one.port)) { two in
                try await work(one, two)
            }
        }
    }

    /// Closes the idle connection, and waits until the server sees it closed.
    static func closeIdle(_ engine: Engine, _ server: TestServer) async throws {
        engine.closeIdleConnections()
        try await server.waitForOpenConnections(0, within: 60)
    }
}
