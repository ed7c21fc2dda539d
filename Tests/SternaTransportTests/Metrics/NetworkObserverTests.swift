import NIOCore
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Writes down what it is told.
private final class Listener: NetworkObserver {
    private struct Entry {
        let request: ObservedRequest
        let text: String
    }

    private let entries = Mutex<[Entry]>([])
    private let ended = Mutex<[RequestMetrics]>([])

    private func add(_ request: ObservedRequest, _ text: String) {
        entries.withLock { $0.append(Entry(request: request, text: text)) }
    }

    /// What it was told of one request, in order; the n-th of those that it was told of.
    func events(ofRequest number: Int = 0) -> [String] {
        entries.withLock { entries in
            let ids = Set(entries.map(\.request.id)).sorted()
            guard number < ids.count else { return [] }
            return entries.filter { $0.request.id == ids[number] }.map(\.text)
        }
    }

    var requests: [ObservedRequest] { entries.withLock { $0.map(\.request) } }
    var metrics: [RequestMetrics] { ended.withLock { $0 } }

    func requestBegan(_ request: ObservedRequest) { add(request, "began") }
    func attemptBegan(_ request: ObservedRequest, reason: AttemptMetrics.Reason) {
        add(request, "attempt \(request.attempt): \(reason)")
    }
    func hostResolved(_ request: ObservedRequest, host: String, addresses: [IPAddress]) {
        add(request, "resolved \(host): \(addresses.map(\.description).joined(separator: " "))")
    }
    func connected(_ request: ObservedRequest, to address: String) { add(request, "connected \(address)") }
    func proxyConnected(_ request: ObservedRequest, proxy: String) { add(request, "proxy") }
    func tlsEstablished(_ request: ObservedRequest, version: String?) { add(request, version ?? "TLS?") }
    func connectionAcquired(_ request: ObservedRequest, isReused: Bool) {
        add(request, isReused ? "reused" : "new")
    }
    func requestSent(_ request: ObservedRequest, bytes: Int64) { add(request, "sent \(bytes > 0)") }
    func informationalReceived(_ request: ObservedRequest, _ response: InformationalResponse) {
        add(request, "interim \(response.status)")
    }
    func responseBegan(_ request: ObservedRequest, status: Int) { add(request, "status \(status)") }
    func responseEnded(_ request: ObservedRequest, bytes: Int64) { add(request, "ended \(bytes > 0)") }
    func attemptFailed(_ request: ObservedRequest, _ error: SternaError) { add(request, "failed \(error.kind)") }
    func requestEnded(_ request: ObservedRequest, _ metrics: RequestMetrics) {
        add(request, "over")
        ended.withLock { $0.append(metrics) }
    }
}

/// What observers are told, in order.
@Suite("Network observers", .timeLimit(.minutes(5)))
struct NetworkObserverTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test("A new connection, then a reused one", arguments: [false, true])
    func connections(secure: Bool) async throws {
        let authority = try CertificateAuthority()
        let bundle = secure ? try authority.issue(hosts: ["a.test"]) : nil
        try await TestServer.withServer(.init(tls: bundle)) { server in
            let listener = Listener()
            let engine = DialScene.engine(GivenResolver(["127.0.0.1"]))
            let base = "\(secure ? "https" : "http")://a.test:\(server.port)"
            let api = try DialScene.session(base, engine, authority: authority) { $0.observer = listener }
            for _ in 0..<2 { try await api.get("get") }
            expectEqual(
                listener.events(),
                [
                    "began", "attempt 1: first", "resolved a.test: 127.0.0.1", "connected 127.0.0.1:\(server.port)",
                ]
                    + (secure ? ["TLS 1.3"] : []) + ["new", "sent true", "status 200", "ended true", "over"])
            expectEqual(
                listener.events(ofRequest: 1),
                ["began", "attempt 1: first", "reused", "sent true", "status 200", "ended true", "over"])
        }
    }

    @Test("Times go on, and all of a request have its number, method and URL")
    func times() async throws {
        try await TestServer.withServer { server in
            let listener = Listener()
            try await DialScene.session(server.url) { $0.observer = listener }.get("get?token=hidden")
            let requests = listener.requests
            expectEqual(Set(requests.map(\.id)).count, 1)
            expectEqual(Set(requests.map(\.method)), ["GET"])
            expectEqual(Set(requests.map(\.url)), [server.url("/get?token=***")])
            expectEqual(requests.first?.attempt, 0)
            #expect(requests.dropFirst().allSatisfy { $0.attempt == 1 })
            #expect(zip(requests, requests.dropFirst()).allSatisfy { $0.time <= $1.time })
            expectEqual(listener.metrics.map { $0.attempts.count }, [1])
            expectEqual(listener.metrics.first?.id, requests.first?.id)
        }
    }

    @Test("Redirects")
    func redirects() async throws {
        try await TestServer.withServer { server in
            let listener = Listener()
            try await DialScene.session(server.url) { $0.observer = listener }.get("redirect/1")
            let events = listener.events().filter { !$0.hasPrefix("resolved") && !$0.hasPrefix("connected") }
            expectEqual(
                events,
                [
                    "began", "attempt 1: first", "new", "sent true", "status 302", "ended true", "attempt 2: redirect",
                    "reused", "sent true", "status 200", "ended true", "over",
                ])
            expectEqual(listener.metrics.map(\.redirectCount), [1])
        }
    }

    @Test("A failure is told once, and the end after it")
    func failures() async throws {
        let closed = try ClosedPort()
        let listener = Listener()
        let api = try DialScene.session("http://127.0.0.1:\(closed.port)") { $0.observer = listener }
        await Wire.failure(.connectionFailed, .connect) { try await api.get("a") }
        expectEqual(
            listener.events(),
            [
                "began", "attempt 1: first", "resolved 127.0.0.1: 127.0.0.1", "failed connectionFailed", "over",
            ])
        expectEqual(listener.metrics.first?.attempts.first?.failure, .connectionFailed)
        withExtendedLifetime(closed) {}
    }

    @Test(
        "A broken answer is told once",
        arguments: [
            ("", [String](), "connectionClosed"), ("HTTP/1.1 2", [], "truncated"),
            ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", ["status 200"], "truncated"),
        ])
    func broken(text: String, head: [String], kind: String) async throws {
        try await ScriptedServer.withServer(connections: [[.receiveHead, .send(text), .close]]) { server in
            let listener = Listener()
            let api = try DialScene.session(server.url) { $0.observer = listener }
            await #expect(throws: SternaError.self) { try await api.get("a") }
            let events = Array(listener.events().drop { $0 != "new" })
            expectEqual(events, ["new", "sent true"] + head + ["failed \(kind)", "over"])
        }
    }

    @Test("Interim responses, and the body that was asked for")
    func interim() async throws {
        let script: [ScriptedServer.Step] = [
            .receiveHead, .send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"),
            .receive(atLeast: 5_000), .send(Self.ok),
        ]
        try await ScriptedServer.withServer(connections: [script]) { server in
            let listener = Listener()
            let api = try DialScene.session(server.url) {
                $0.observer = listener
                $0.continueThreshold = 0
            }
            try await api.post("a", body: .bytes(Bytes(repeating: 1, count: 5_000)))
            let events = listener.events()
            expectEqual(events.filter { $0.hasPrefix("interim") }, ["interim 103", "interim 100"])
            expectEqual(events.filter { $0.hasPrefix("sent") }.count, 1)
            expectEqual(events.suffix(3), ["status 200", "ended true", "over"])
        }
    }

    @Test("Proxies")
    func proxy() async throws {
        try await ProxyScene.with(.http) { scene in
            let listener = Listener()
            try await scene.session { $0.observer = listener }.get(scene.url("/get"))
            let events = listener.events()
            let connected = events.filter {
                $0.hasPrefix("connected") || $0 == "proxy" || $0 == "TLS 1.3" || $0 == "new"
            }
            expectEqual(connected, ["connected 127.0.0.1:\(scene.proxy.port)", "proxy", "TLS 1.3", "new"])
        }
    }

    @Test("A streamed body ends before its request does")
    func streamed() async throws {
        try await TestServer.withServer { server in
            let listener = Listener()
            let api = try DialScene.session(server.url) { $0.observer = listener }
            try await api.withResponse(to: .get("bytes/600000")) { for try await _ in $0.body {} }
            expectEqual(listener.events().suffix(3), ["status 200", "ended true", "over"])
        }
    }

    @Test("What a caller leaves unread fails as cancelled, before its request is over")
    func abandoned() async throws {
        try await TestServer.withServer { server in
            let listener = Listener()
            let api = try DialScene.session(server.url) { $0.observer = listener }
            try await api.withResponse(to: .get("bytes/60000000")) { expectEqual($0.status.code, 200) }
            #expect(await eventually { listener.events().count >= 9 })
            expectEqual(listener.events().suffix(3), ["status 200", "failed cancelled", "over"])
        }
    }

    @Test("A stale connection")
    func stale() async throws {
        let stale: [ScriptedServer.Step] = [
            .receiveHead, .send(Self.ok), .receiveHead, .pause(milliseconds: 50), .close,
        ]
        try await ScriptedServer.withServer(connections: [stale, [.receiveHead, .send(Self.ok)]]) { server in
            let listener = Listener()
            let api = try DialScene.session(server.url) { $0.observer = listener }
            for _ in 0..<2 { try await api.get("a") }
            let events = listener.events(ofRequest: 1).filter {
                !$0.hasPrefix("resolved") && !$0.hasPrefix("connected")
            }
            expectEqual(
                events,
                [
                    "began", "attempt 1: first", "reused", "sent true", "failed connectionClosed",
                    "attempt 2: staleConnection", "new",
                    "sent true",
                    "status 200", "ended true", "over",
                ])
        }
    }

    private struct Silent: NetworkObserver {}

    @Test("One with nothing but the empty methods is one, and without one nothing is written down")
    func silent() async throws {
        try await TestServer.withServer { server in
            let api = try DialScene.session(server.url) { $0.observer = Silent() }
            try await expectEqual(api.get("get").status, 200)
            #expect(try api.request(for: .get("get")).recorder != nil)
            try expectNil(DialScene.session(server.url).request(for: .get("get")).recorder)
        }
    }
}
