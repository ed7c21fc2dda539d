import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Counts the begins and the ends of requests.
private final class Tally: NetworkObserver {
    private struct Event {
        let id: UInt64
        let isEnd: Bool
    }

    private let events = Mutex<[Event]>([])

    func requestBegan(_ request: ObservedRequest) {
        events.withLock { $0.append(Event(id: request.id, isEnd: false)) }
    }
    func requestEnded(_ request: ObservedRequest, _ metrics: RequestMetrics) {
        events.withLock { $0.append(Event(id: request.id, isEnd: true)) }
    }

    /// So many requests, or however many there were, began once each, and ended once each behind that.
    func expect(_ count: Int? = nil, location: SourceLocation = #_sourceLocation) {
        let all = events.withLock { $0 }
        let histories = Dictionary(grouping: all) { $0.id }.mapValues { $0.map(\.isEnd) }
        let areComplete = histories.values.allSatisfy { $0 == [false, true] }
        #expect(areComplete, "\(histories)", sourceLocation: location)
        if let count { expectEqual(histories.count, count, sourceLocation: location) }
    }
}

/// An observer hears of requests that are sent, and of the end of each.
@Suite("Network observers: begins and ends", .timeLimit(.minutes(5)))
struct ObservedEndsTests {
    private struct Stop: Error {}

    @Test("Looking at a request, warming up and inspecting certificates send none")
    func unsent() async throws {
        let authority = try CertificateAuthority()
        let bundle = try authority.issue(hosts: ["localhost"])
        try await TestServer.withServer(.init(tls: bundle)) { server in
            let tally = Tally()
            let api = try DialScene.session(server.url, authority: authority) { $0.observer = tally }
            _ = try api.request(for: .get("get"))
            _ = try api.curl(for: .post("post", body: .text("a")))
            try await api.warmUp(connections: 2)
            let seen = try await api.inspectTrust(of: "get")
            #expect(seen.version != nil)
            tally.expect(0)
            expectEqual(server.requestCount, 0)
            try await api.get("get")
            tally.expect(1)
        }
    }

    @Test("Nor do they where they fail")
    func failedUnsent() async throws {
        let closed = try ClosedPort()
        let tally = Tally()
        let api = try DialScene.session("https://127.0.0.1:\(closed.port)") { $0.observer = tally }
        await Wire.failure(.connectionFailed, .connect) { try await api.warmUp(connections: 2) }
        await #expect(throws: SternaError.self) { try await api.inspectTrust(of: "get") }
        // Without TLS there is no certificate, and a URL of another scheme is no request.
        await #expect(throws: SternaError.self) { try await api.inspectTrust(of: "http://127.0.0.1:1/") }
        await #expect(throws: SternaError.self) { try await api.warmUp("ftp://a.test/") }
        #expect(throws: SternaError.self) { try api.request(for: .get("ftp://a.test/")) }
        tally.expect(0)
        withExtendedLifetime(closed) {}
    }

    @Test("A request that was looked at and is then sent counts once")
    func looked() async throws {
        try await TestServer.withServer { server in
            let tally = Tally()
            let api = try DialScene.session(server.url) { $0.observer = tally }
            let draft = RequestDraft.get("get")
            for _ in 0..<3 { _ = try api.request(for: draft) }
            try await api.send(draft)
            tally.expect(1)
        }
    }

    @Test("Whatever is sent begins once and ends once, however it ends")
    func sent() async throws {
        try await TestServer.withServer { server in
            let tally = Tally()
            let api = try DialScene.session(server.url) { $0.observer = tally }
            try await api.get("get")
            tally.expect(1)
            await Wire.failure(.unacceptableStatus, .decode) { try await api.get("status/404") }
            tally.expect(2)
            try await api.get("redirect/2")
            tally.expect(3)
            await Wire.failure(.truncated, .read) { try await api.get("fault/close-half") }
            tally.expect(4)
            try await api.get("bytes/600000") { $0.downloadProgress = { _ in } }
            tally.expect(5)
        }
    }

    @Test("So does what is streamed: to its end, in part, and until the reader throws")
    func streamed() async throws {
        try await TestServer.withServer { server in
            let tally = Tally()
            let api = try DialScene.session(server.url) { $0.observer = tally }
            try await api.withResponse(to: .get("bytes/600000")) { for try await _ in $0.body {} }
            tally.expect(1)
            try await api.withResponse(to: .get("bytes/60000000")) { expectEqual($0.status.code, 200) }
            tally.expect(2)
            await #expect(throws: Stop.self) {
                try await api.withResponse(to: .get("bytes/60000000")) { (_: Response) -> Void in throw Stop() }
            }
            tally.expect(3)
            await Wire.failure(.truncated, .read) {
                try await api.withResponse(to: .get("fault/close-half")) { for try await _ in $0.body {} }
            }
            tally.expect(4)
        }
    }

    private struct Stopping: Interceptor {
        func intercept(_ request: Request, next: Chain) async throws -> Response { throw Stop() }
    }

    @Test("So does what fails before it comes to the network")
    func early() async throws {
        try await TestServer.withServer { server in
            let tally = Tally()
            let api = try DialScene.session(server.url) { $0.observer = tally }
            let guarded = api.with { $0.dialPolicy = .publicOnly }
            await Wire.failure(.addressRefused, .connect) { try await guarded.get("get") }
            tally.expect(1)
            await Wire.failure(.addressRefused, .connect) {
                try await guarded.withResponse(to: .get("get")) { _ in }
            }
            tally.expect(2)
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                try await api.get("get")
            }
            task.cancel()
            let error = await #expect(throws: SternaError.self) { try await task.value }
            expectEqual(error?.kind, .cancelled)
            tally.expect(3)
            let stopping = api.with { $0.networkInterceptors = [Stopping()] }
            await #expect(throws: SternaError.self) { try await stopping.get("get") }
            tally.expect(4)
            // What is no request may be one that fails, or none; but there is no begin without an end.
            await Wire.failure(.invalidURL, .prepare) { try await api.get("ftp://a.test/") }
            await Wire.failure(.originRefused, .prepare) {
                try await api.with { $0.allowsOtherOrigins = false }.get("http://other.test/")
            }
            tally.expect()
            expectEqual(server.requestCount, 0)
        }
    }

    @Test("So does what the engine's shutdown refuses")
    func shutDown() async throws {
        let engine = Wire.engine()
        let tally = Tally()
        let api = try DialScene.session("http://127.0.0.1:1", engine) { $0.observer = tally }
        await engine.shutDown()
        await Wire.failure(.shutDown, .queue) { try await api.get("get") }
        tally.expect(1)
    }
}
