import NIOCore
import NIOPosix
import Sterna
import SternaTesting
import Testing

/// Many origins behind one proxy, whose connections are on one event loop.
extension ProxyScene {
    /// The names of a number of origins, the first of which is `origin.test`; one server serves all of them.
    static func hosts(_ count: Int) -> [String] { (0..<count).map { $0 == 0 ? "origin.test" : "origin\($0).test" } }

    /// A URL of an origin by its number.
    func url(of number: Int, _ path: String = "/get") -> String { "https://\(Self.hosts(number + 1)[number])\(path)" }

    /// A scene of HTTP/2 with an engine of one event loop.
    static func withTunnels(
        _ kind: Kind = .http2, origins: Int = 1, options: TestProxy.Options = .init(), http2: ServerHTTP2 = [],
        engine change: (inout EngineOptions) -> Void = { _ in },
        _ work: (ProxyScene, Engine) async throws -> Void
    ) async throws {
        try await with(kind, options: options, originHosts: hosts(origins), originHTTP2: http2) { scene in
            try await PoolSupport.withLoops { group in
                let engine = PoolSupport.engine(group: group, change)
                let result: Result<Void, any Error>
                do { result = .success(try await work(scene, engine)) } catch { result = .failure(error) }
                await engine.shutDown(within: .seconds(1))
                try result.get()
            }
        }
    }

    /// A session on an engine.
    func session(_ engine: Engine, _ configure: (inout SessionSettings) -> Void = { _ in }) throws -> Session {
        try session(nil, engine: engine, configure)
    }

    /// Sends concurrent requests to origins; returns the statuses in the order of their numbers.
    func statuses(_ api: Session, _ numbers: Range<Int>, _ path: String = "/get") async throws -> [Int] {
        try await withThrowingTaskGroup(of: (Int, Int).self) { group in
            for number in numbers {
                let url = url(of: number, path)
                group.addTask { (number, try await api.get(url).status) }
            }
            var statuses: [Int: Int] = [:]
            for try await (number, status) in group { statuses[number] = status }
            return numbers.map { statuses[$0] ?? 0 }
        }
    }

    /// Begins a request for `/held/{n}` in a tunnel, and waits until the origin has it.
    func held(_ api: Session, _ number: Int = 0) async throws -> Task<String, any Error> {
        let url = url(of: number, "/held/\(number)")
        let count = origin.requestCount
        let task = Task { try await api.get(url).text() }
        try await origin.waitForRequests(count + 1, within: PoolSupport.limit)
        return task
    }

    /// Expects only valid HTTP/2 at the proxy.
    func expectOnlyHTTP2(connections: Int? = nil, location: SourceLocation = #_sourceLocation) {
        let seen = proxy.connections()
        #expect(
            seen.allSatisfy { $0.isHTTP2 && $0.violation == nil }, "\(seen.map(\.violation))", sourceLocation: location)
        #expect(seen.flatMap(\.requests).allSatisfy { $0.version == "HTTP/2" }, sourceLocation: location)
        if let connections { #expect(seen.count == connections, sourceLocation: location) }
    }
}

extension Session {
    /// Expects that a request for `/get` at an origin of a scene succeeds.
    func expect(_ scene: ProxyScene, _ number: Int = 0, location: SourceLocation = #_sourceLocation) async throws {
        let status = try await get(scene.url(of: number)).status
        #expect(status == 200, sourceLocation: location)
    }
}
