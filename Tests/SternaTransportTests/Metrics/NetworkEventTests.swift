import Dispatch
import NIOCore
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// What happens on the network, in order.
@Suite("Network events", .timeLimit(.minutes(5)))
struct NetworkEventTests {
    /// Returns the line of an event.
    private static func line(_ event: SternaEvent) -> String? {
        switch event.kind {
        case .requestBegan: "began"
        case .attemptBegan(let reason, _): "attempt \(event.attempt): \(reason)"
        case .hostResolved(let host, let addresses):
            "resolved \(host): \(addresses.map(\.description).joined(separator: " "))"
        case .connected(let address): "connected \(address)"
        case .proxyConnected: "proxy"
        case .tlsEstablished(let version): version ?? "TLS?"
        case .connectionAcquired(let isReused): isReused ? "reused" : "new"
        case .requestSent(let bytes): "sent \(bytes > 0)"
        case .informationalReceived(let response): "interim \(response.status)"
        case .responseBegan(let response): "status \(response.status.code)"
        case .responseEnded(let bytes): "ended \(bytes > 0)"
        case .attemptFailed(let error): "failed \(error.kind)"
        case .retryScheduled(let retry): "retry \(retry.number)"
        case .requestEnded: "over"
        default: nil
        }
    }

    /// The lines of a call, once they are delivered.
    private func lines(_ log: EventLog, of api: Session, call number: Int = 0) async -> [String] {
        await api.flushEvents()
        return log.lines(ofCall: number, Self.line)
    }

    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test("A new connection, then a reused one", arguments: [false, true])
    func connections(secure: Bool) async throws {
        let authority = try CertificateAuthority()
        let bundle = secure ? try authority.issue(hosts: ["a.test"]) : nil
        try await TestServer.withServer(.init(tls: bundle)) { server in
            let log = EventLog(.network)
            let engine = DialScene.engine(GivenResolver(["127.0.0.1"]))
            let base = "\(secure ? "https" : "http")://a.test:\(server.port)"
            let api = try DialScene.session(base, engine, authority: authority) { $0.events.observers = [log.observer] }
            for _ in 0..<2 { try await api.get("get") }
            let first = await lines(log, of: api)
            expectEqual(
                first,
                [
                    "began", "attempt 1: first", "resolved a.test: 127.0.0.1", "connected 127.0.0.1:\(server.port)",
                ]
                    + (secure ? ["TLS 1.3"] : []) + ["new", "sent true", "status 200", "ended true", "over"])
            let second = await lines(log, of: api, call: 1)
            expectEqual(
                second,
                ["began", "attempt 1: first", "reused", "sent true", "status 200", "ended true", "over"])
        }
    }

    @Test("Times increase, and all events of a call have its number, method and URL")
    func times() async throws {
        try await TestServer.withServer { server in
            let log = EventLog(.network)
            let api = try DialScene.session(server.url) { $0.events.observers = [log.observer] }
            try await api.get("get?token=hidden")
            await api.flushEvents()
            let events = log.events
            expectEqual(Set(events.map(\.call?.id)).count, 1)
            expectEqual(Set(events.map(\.call?.method)), ["GET"])
            expectEqual(Set(events.map(\.call?.url)), [server.url("/get?token=***")])
            expectEqual(events.first?.attempt, 0)
            #expect(events.dropFirst().allSatisfy { $0.attempt == 1 })
            #expect(zip(events, events.dropFirst()).allSatisfy { $0.time <= $1.time })
            expectEqual(log.metrics.map { $0.attempts.count }, [1])
            expectEqual(log.metrics.first?.id, events.first?.call?.id)
            #expect(!events.contains { "\($0)".contains("hidden") })
        }
    }

    @Test("Redirects")
    func redirects() async throws {
        try await TestServer.withServer { server in
            let log = EventLog(.network)
            let api = try DialScene.session(server.url) { $0.events.observers = [log.observer] }
            try await api.get("redirect/1")
            let events = await lines(log, of: api).filter { !$0.hasPrefix("resolved") && !$0.hasPrefix("connected") }
            expectEqual(
                events,
                [
                    "began", "attempt 1: first", "new", "sent true", "status 302", "ended true", "attempt 2: redirect",
                    "reused", "sent true", "status 200", "ended true", "over",
                ])
            expectEqual(log.metrics.map(\.redirectCount), [1])
        }
    }

    @Test("A failure is reported once, followed by the end")
    func failures() async throws {
        let closed = try ClosedPort()
        let log = EventLog(.network)
        let api = try DialScene.session("http://127.0.0.1:\(closed.port)") { $0.events.observers = [log.observer] }
        await Wire.failure(.connectionFailed, .connect) { try await api.get("a") }
        let events = await lines(log, of: api)
        expectEqual(
            events,
            [
                "began", "attempt 1: first", "resolved 127.0.0.1: 127.0.0.1", "failed connectionFailed", "over",
            ])
        expectEqual(log.metrics.first?.attempts.first?.failure, .connectionFailed)
        withExtendedLifetime(closed) {}
    }

    @Test(
        "A broken response is reported once",
        arguments: [
            ("", [String](), "connectionClosed"), ("HTTP/1.1 2", [], "truncated"),
            ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", ["status 200"], "truncated"),
        ])
    func broken(text: String, head: [String], kind: String) async throws {
        try await ScriptedServer.withServer(connections: [[.receiveHead, .send(text), .close]]) { server in
            let log = EventLog(.network)
            let api = try DialScene.session(server.url) { $0.events.observers = [log.observer] }
            await #expect(throws: SternaError.self) { try await api.get("a") }
            let events = Array(await lines(log, of: api).drop { $0 != "new" })
            expectEqual(events, ["new", "sent true"] + head + ["failed \(kind)", "over"])
        }
    }

    @Test("Interim responses, and a body after 100 (Continue)")
    func interim() async throws {
        let script: [ScriptedServer.Step] = [
            .receiveHead, .send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"),
            .receive(atLeast: 5_000), .send(Self.ok),
        ]
        try await ScriptedServer.withServer(connections: [script]) { server in
            let log = EventLog(.network)
            let api = try DialScene.session(server.url) {
                $0.events.observers = [log.observer]
                $0.limits.continueThreshold = 0
            }
            try await api.post("a", body: .bytes(Bytes(repeating: 1, count: 5_000)))
            let events = await lines(log, of: api)
            expectEqual(events.filter { $0.hasPrefix("interim") }, ["interim 103", "interim 100"])
            expectEqual(events.filter { $0.hasPrefix("sent") }.count, 1)
            expectEqual(events.suffix(3), ["status 200", "ended true", "over"])
        }
    }

    @Test("Proxies")
    func proxy() async throws {
        try await ProxyScene.with(.http) { scene in
            let log = EventLog(.network)
            let api = try scene.session { $0.events.observers = [log.observer] }
            try await api.get(scene.url("/get"))
            let events = await lines(log, of: api)
            let connected = events.filter {
                $0.hasPrefix("connected") || $0 == "proxy" || $0 == "TLS 1.3" || $0 == "new"
            }
            expectEqual(connected, ["connected 127.0.0.1:\(scene.proxy.port)", "proxy", "TLS 1.3", "new"])
        }
    }

    @Test("A streamed body ends before its request does")
    func streamed() async throws {
        try await TestServer.withServer { server in
            let log = EventLog(.network)
            let api = try DialScene.session(server.url) { $0.events.observers = [log.observer] }
            try await api.withResponse(to: .get("bytes/600000")) { for try await _ in $0.body {} }
            let events = await lines(log, of: api)
            expectEqual(events.suffix(3), ["status 200", "ended true", "over"])
        }
    }

    @Test("An unread body fails as cancelled, before its request ends")
    func abandoned() async throws {
        try await TestServer.withServer { server in
            let log = EventLog(.network)
            let api = try DialScene.session(server.url) { $0.events.observers = [log.observer] }
            try await api.withResponse(to: .get("bytes/60000000")) { expectEqual($0.status.code, 200) }
            let events = await lines(log, of: api)
            expectEqual(events.suffix(3), ["status 200", "failed cancelled", "over"])
        }
    }

    @Test("A stale connection")
    func stale() async throws {
        let stale: [ScriptedServer.Step] = [
            .receiveHead, .send(Self.ok), .receiveHead, .pause(milliseconds: 50), .close,
        ]
        try await ScriptedServer.withServer(connections: [stale, [.receiveHead, .send(Self.ok)]]) { server in
            let log = EventLog(.network)
            let api = try DialScene.session(server.url) { $0.events.observers = [log.observer] }
            for _ in 0..<2 { try await api.get("a") }
            let events = await lines(log, of: api, call: 1).filter {
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

    @Test("A retry, with its wait")
    func retry() async throws {
        try await ScriptedServer.withServer(
            connections: [
                [.receiveHead, .send("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"), .receiveHead, .send(Self.ok)]
            ]
        ) { server in
            let log = EventLog(.network)
            let api = try DialScene.session(server.url) {
                $0.events.observers = [log.observer]
                $0.retry = .transient
                $0.retry.backoff = .constant(.milliseconds(1))
            }
            try await api.get("a")
            let events = await lines(log, of: api).filter {
                !$0.hasPrefix("resolved") && !$0.hasPrefix("connected")
            }
            expectEqual(
                events,
                [
                    "began", "attempt 1: first", "new", "sent true", "status 503", "ended true", "retry 1",
                    "attempt 2: retry", "reused", "sent true", "status 200", "ended true", "over",
                ])
        }
    }

    @Test("A call that is cancelled before its response")
    func cancelled() async throws {
        try await TestServer.withServer { server in
            let log = EventLog(.network)
            let api = try DialScene.session(server.url) { $0.events.observers = [log.observer] }
            let call = Task { try await api.get("delay/60") }
            try await server.waitForRequests(1)
            call.cancel()
            _ = try? await call.value
            #expect(await eventually { log.lines(Self.line).last == "over" })
            expectEqual(log.lines(Self.line).suffix(2), ["failed cancelled", "over"])
        }
    }

    @Test("A sequence has the events of later calls")
    func sequence() async throws {
        try await TestServer.withServer { server in
            let api = try DialScene.session(server.url)
            let events = api.events(.network)
            try await api.with { $0.timeout = .seconds(50) }.get("get")
            var lines: [String] = []
            for await event in events {
                lines.append(Self.line(event) ?? "")
                if lines.last == "over" { break }
            }
            expectEqual([lines.first, lines.last], ["began", "over"])
        }
    }

    @Test("An observer that sends requests, and a slow one, delay no request")
    func busy() async throws {
        try await TestServer.withServer { server in
            let own = Mutex<Session?>(nil)
            let (gate, ends) = (DispatchSemaphore(value: 0), Counter())
            let api = try DialScene.session(server.url) {
                $0.events.observers = [
                    EventObserver(.network) { event in
                        guard case .requestEnded = event.kind, ends.add() == 1, let api = own.withLock({ $0 }) else {
                            return
                        }
                        Task { try await api.get("get") }
                        gate.wait()
                    }
                ]
            }
            own.withLock { $0 = api }
            for _ in 0..<20 { try await expectEqual(api.get("get").status, 200) }
            gate.signal()
            #expect(await eventually { ends.value == 21 })
            own.withLock { $0 = nil }
        }
    }

    @Test("Without observers and readers nothing is recorded")
    func silent() async throws {
        try await TestServer.withServer { server in
            let api = try DialScene.session(server.url) { $0.events.observers = [EventObserver { _ in }] }
            try await expectEqual(api.get("get").status, 200)
            #expect(try api.request(for: .get("get")).recorder != nil)
            let plain = try DialScene.session(server.url) { $0.events.observers = [EventObserver(.tasks) { _ in }] }
            try expectNil(plain.request(for: .get("get")).recorder)
            let reader = Task { [events = plain.events] in for await _ in events {} }
            #expect(try plain.request(for: .get("get")).recorder != nil)
            reader.cancel()
            await reader.value
            #expect(try await eventually { try plain.request(for: .get("get")).recorder == nil })
        }
    }
}
