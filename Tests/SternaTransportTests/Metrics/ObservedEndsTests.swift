import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Counts the begins and the ends of requests.
private final class Tally: Sendable {
    private let log = EventLog(.network)

    var observer: EventObserver { log.observer }

    /// Whether each begin and end of a call is an end.
    private var histories: [UInt64: [Bool]] {
        log.events.reduce(into: [:]) { histories, event in
            guard let id = event.call?.id else { return }
            switch event.kind {
            case .requestBegan: histories[id, default: []].append(false)
            case .requestEnded: histories[id, default: []].append(true)
            default: break
            }
        }
    }

    /// So many requests, or however many there were, began once each, and ended once each behind that.
    func expect(_ api: Session, _ count: Int? = nil, location: SourceLocation = #_sourceLocation) async {
        await api.flushEvents()
        let histories = histories
        let areComplete = histories.values.allSatisfy { $0 == [false, true] }
        #expect(areComplete, "\(histories)", sourceLocation: location)
        if let count { expectEqual(histories.count, count, sourceLocation: location) }
    }
}

/// Requests that are sent begin and end, once each.
@Suite("Network events: begins and ends", .timeLimit(.minutes(5)))
struct ObservedEndsTests {
    private struct Stop: Error {}

    @Test("Making a request without sending it, warm-ups and inspections post no events")
    func unsent() async throws {
        let authority = try CertificateAuthority()
        let bundle = try authority.issue(hosts: ["localhost"])
        try await TestServer.withServer(.init(tls: bundle)) { server in
            let tally = Tally()
            let api = try DialScene.session(server.url, authority: authority) { $0.events.observers = [tally.observer] }
            _ = try api.request(for: .get("get"))
            _ = try api.curl(for: .post("post", body: .text("a")))
            try await api.warmUp(connections: 2)
            let seen = try await api.inspectTrust(of: "get")
            #expect(seen.version != nil)
            await tally.expect(api, 0)
            expectEqual(server.requestCount, 0)
            try await api.get("get")
            await tally.expect(api, 1)
        }
    }

    @Test("They post no events if they fail, either")
    func failedUnsent() async throws {
        let closed = try ClosedPort()
        let tally = Tally()
        let api = try DialScene.session("https://127.0.0.1:\(closed.port)") { $0.events.observers = [tally.observer] }
        await Wire.failure(.connectionFailed, .connect) { try await api.warmUp(connections: 2) }
        await #expect(throws: SternaError.self) { try await api.inspectTrust(of: "get") }
        // Without TLS there is no certificate, and a URL of another scheme is no request.
        await #expect(throws: SternaError.self) { try await api.inspectTrust(of: "http://127.0.0.1:1/") }
        await #expect(throws: SternaError.self) { try await api.warmUp("ftp://a.test/") }
        #expect(throws: SternaError.self) { try api.request(for: .get("ftp://a.test/")) }
        await tally.expect(api, 0)
        withExtendedLifetime(closed) {}
    }

    @Test("A request that is made first and then sent counts once")
    func looked() async throws {
        try await TestServer.withServer { server in
            let tally = Tally()
            let api = try DialScene.session(server.url) { $0.events.observers = [tally.observer] }
            let draft = RequestDraft.get("get")
            for _ in 0..<3 { _ = try api.request(for: draft) }
            try await api.send(draft)
            await tally.expect(api, 1)
        }
    }

    @Test("Each sent request begins once and ends once, however it ends")
    func sent() async throws {
        try await TestServer.withServer { server in
            let tally = Tally()
            let api = try DialScene.session(server.url) { $0.events.observers = [tally.observer] }
            try await api.get("get")
            await tally.expect(api, 1)
            await Wire.failure(.unacceptableStatus, .decode) { try await api.get("status/404") }
            await tally.expect(api, 2)
            try await api.get("redirect/2")
            await tally.expect(api, 3)
            await Wire.failure(.truncated, .read) { try await api.get("fault/close-half") }
            await tally.expect(api, 4)
            try await api.get("bytes/600000") { $0.downloadProgress = { _ in } }
            await tally.expect(api, 5)
        }
    }

    @Test("A streamed request begins and ends once: read to its end, in part, or until the reader throws")
    func streamed() async throws {
        try await TestServer.withServer { server in
            let tally = Tally()
            let api = try DialScene.session(server.url) { $0.events.observers = [tally.observer] }
            try await api.withResponse(to: .get("bytes/600000")) { for try await _ in $0.body {} }
            await tally.expect(api, 1)
            try await api.withResponse(to: .get("bytes/60000000")) { expectEqual($0.status.code, 200) }
            await tally.expect(api, 2)
            await #expect(throws: Stop.self) {
                try await api.withResponse(to: .get("bytes/60000000")) { (_: Response) -> Void in throw Stop() }
            }
            await tally.expect(api, 3)
            await Wire.failure(.truncated, .read) {
                try await api.withResponse(to: .get("fault/close-half")) { for try await _ in $0.body {} }
            }
            await tally.expect(api, 4)
        }
    }

    private struct Stopping: Interceptor {
        func intercept(_ request: Request, next: Chain) async throws -> Response { throw Stop() }
    }

    @Test("A request that fails before the network begins and ends once")
    func early() async throws {
        try await TestServer.withServer { server in
            let tally = Tally()
            let api = try DialScene.session(server.url) { $0.events.observers = [tally.observer] }
            let guarded = api.with { $0.network.dialPolicy = .publicOnly }
            await Wire.failure(.addressRefused, .connect) { try await guarded.get("get") }
            await tally.expect(api, 1)
            await Wire.failure(.addressRefused, .connect) {
                try await guarded.withResponse(to: .get("get")) { _ in }
            }
            await tally.expect(api, 2)
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                try await api.get("get")
            }
            task.cancel()
            let error = await #expect(throws: SternaError.self) { try await task.value }
            expectEqual(error?.kind, .cancelled)
            await tally.expect(api, 3)
            let stopping = api.with { $0.networkInterceptors = [Stopping()] }
            await #expect(throws: SternaError.self) { try await stopping.get("get") }
            await tally.expect(api, 4)
            // What is no request may be one that fails, or none; but there is no begin without an end.
            await Wire.failure(.invalidURL, .prepare) { try await api.get("ftp://a.test/") }
            await Wire.failure(.originRefused, .prepare) {
                try await api.with { $0.network.allowsOtherOrigins = false }.get("http://other.test/")
            }
            await tally.expect(api)
            expectEqual(server.requestCount, 0)
        }
    }

    @Test("A request that the engine's shutdown refuses begins and ends once")
    func shutDown() async throws {
        let engine = Wire.engine()
        let tally = Tally()
        let api = try DialScene.session("http://127.0.0.1:1", engine) { $0.events.observers = [tally.observer] }
        await engine.shutDown()
        await Wire.failure(.shutDown, .queue) { try await api.get("get") }
        await tally.expect(api, 1)
    }
}
