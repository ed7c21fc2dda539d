import HTTPTypes
import InMemoryTracing
import NIOCore
import SternaTesting
import Synchronization
import Testing
import Tracing

@testable import Sterna
@testable import SternaCore
@testable import SternaTestSupport
@testable import SternaTracing

/// Spans of requests, by OpenTelemetry's conventions.
@Suite("Traces", .timeLimit(.minutes(5)))
struct TracingTests {
    private let scene = TracingScene()

    @Test("A request has the attributes of the conventions, and the server receives its context")
    func attributes() async throws {
        try await TestServer.withServer { server in
            let url = try HTTPURL(server.url)
            try await scene.session(server.url).get("get?token=s3cret&a=1")
            let span = try #require(scene.requests.first)
            expectEqual(scene.requests.count, 1)
            expectEqual(span.operationName, "GET")
            expectNil(span.status)
            expectNil(span.parentSpanID)
            expectEqual(
                span.texts,
                [
                    "http.request.method": "GET", "url.full": "\(server.url)/get?token=***&a=1",
                    "server.address": url.hostWithoutBrackets, "server.port": "\(server.port)",
                    "http.response.status_code": "200", "network.protocol.version": "1.1",
                    "network.peer.address": "127.0.0.1", "network.peer.port": "\(server.port)",
                ])
            let sent = try #require(server.requests().last)
            expectEqual(sent.headers[InMemoryTracer.spanIDKey], span.spanID)
            expectEqual(sent.headers[InMemoryTracer.traceIDKey], span.traceID)
            #expect(scene.tracer.activeSpans.isEmpty)
        }
    }

    @Test("Methods, versions and peers as the conventions write them")
    func rules() throws {
        let url = try HTTPURL("https://[2001:db8::1]/a")
        for (method, name, label) in [("GET", "GET", "GET"), ("PATCH", "PATCH", "PATCH"), ("PURGE", "HTTP", "_OTHER")] {
            let request = Request(try #require(Request.Method(method)), url)
            var attributes: SpanAttributes = [:]
            SpanRule.add(request, resends: 0, to: &attributes)
            let texts = attributes.texts
            expectEqual(SpanRule.name(of: request.method), name)
            expectEqual(texts["http.request.method"], label)
            expectEqual(texts["http.request.method_original"], label == "_OTHER" ? method : nil)
            expectEqual(texts["server.address"], "2001:db8::1")
            expectEqual(texts["server.port"], "443")
            expectNil(texts["http.request.resend_count"])
        }
        expectEqual(KnownMethods.names("PURGE, GET"), ["PURGE", "GET"])
        expectEqual([HTTPVersion.http10, .http11, .http2].map(\.number), ["1.0", "1.1", "2"])
        let peers: [(String, String, Int?)] = [
            ("192.0.2.1:80", "192.0.2.1", 80), ("[::1]:8080", "::1", 8080), ("/run/a.sock", "/run/a.sock", nil),
            ("/run/a:80", "/run/a:80", nil),
        ]
        for (text, address, port) in peers {
            expectEqual(SpanRule.peer(text).address, address)
            expectEqual(SpanRule.peer(text).port, port)
        }
    }

    @Test(
        "Statuses of the client and of the server are errors",
        arguments: [(204, nil), (304, nil), (404, "404"), (500, "500")])
    func statuses(status: Int, type: String?) async throws {
        let api = try scene.session { $0.network.transport = MockTransport { _ in ServerResponse(status: status) } }
        _ = try? await api.get("a")
        let span = try #require(scene.requests.first)
        expectEqual(span.texts["http.response.status_code"], "\(status)")
        expectEqual(span.texts["error.type"], type)
        expectEqual(span.isError, type != nil)
        expectNil(span.status?.message)
    }

    @Test("Each hop of a redirect has a span of its own, and resends are counted", arguments: [false, true])
    func redirects(coalesces: Bool) async throws {
        try await TestServer.withServer { server in
            let api = try scene.session(server.url, wholeCalls: true) { $0.network.coalescesRequests = coalesces }
            try await api.get("redirect/2")
            expectEqual(scene.values("http.response.status_code"), ["302", "302", "200"])
            expectEqual(scene.values("http.request.resend_count"), ["-", "1", "2"])
            expectEqual(scene.requests.map(\.isError), [false, false, false])
            let call = try #require(scene.calls.first)
            expectEqual(call.operationName, "GET call")
            expectEqual(call.texts["url.full"], "\(server.url)/redirect/2")
            expectEqual(call.texts["http.response.status_code"], "200")
            expectEqual(call.texts["sterna.response.source"], "network")
            expectEqual(scene.requests.map(\.parentSpanID), Array(repeating: call.spanID, count: 3))
            expectEqual(server.requests().map { $0.headers[InMemoryTracer.spanIDKey] }, scene.requests.map(\.spanID))
        }
    }

    @Test("A retry has a span of its own")
    func retries() async throws {
        let retrying = RetryScene()
        let (api, _) = try retrying.make({
            $0.retry = .transient
            $0.events.trace(by: scene.tracer)
        }) { _, number in
            number == 0 ? ServerResponse(status: 503) : .text("a")
        }
        _ = try await retrying.run { try await api.get("a") }
        expectEqual(scene.values("http.response.status_code"), ["503", "200"])
        expectEqual(scene.values("error.type"), ["503", "-"])
        expectEqual(scene.values("http.request.resend_count"), ["-", "1"])
    }

    @Test("A failed dial is an error without a status")
    func dial() async throws {
        let closed = try ClosedPort()
        let api = try scene.session("http://127.0.0.1:\(closed.port)")
        await #expect(throws: SternaError.self) { try await api.get("a") }
        let span = try #require(scene.requests.first)
        expectEqual(span.texts["error.type"], "connectionFailed")
        expectNil(span.texts["http.response.status_code"])
        #expect(span.isError)
        #expect(span.status?.message?.isEmpty == false)
        #expect(scene.tracer.activeSpans.isEmpty)
    }

    @Test("A cancelled call ends its spans")
    func cancelled() async throws {
        let begun = Gate()
        let mock = MockTransport { _ in
            begun.open()
            try await Task.sleep(for: .seconds(3_600))
            return .text("late")
        }
        let api = try scene.session(wholeCalls: true) { $0.network.transport = mock }
        let work = Task { try await api.get("a") }
        await begun.wait()
        work.cancel()
        await expectEqual(failure(of: work), .cancelled)
        expectEqual(scene.values("error.type"), ["cancelled"])
        expectEqual(scene.calls.map { $0.texts["error.type"] }, ["cancelled"])
        #expect(scene.tracer.activeSpans.isEmpty)
    }

    @Test("A refused redirect is an error of the call, not of the request")
    func refused() async throws {
        let api = try scene.session(wholeCalls: true) {
            $0.redirects.limit = 1
            $0.network.transport = MockTransport { _ in .redirect(to: "/b") }
        }
        await #expect(throws: SternaError.self) { try await api.get("a") }
        expectEqual(scene.values("http.response.status_code"), ["302", "302"])
        expectEqual(scene.values("error.type"), ["-", "-"])
        expectEqual(scene.calls.map { $0.texts["error.type"] }, ["tooManyRedirects"])
    }

    @Test("A response of the cache has no request, and so no span of one")
    func cacheHit() async throws {
        let api = try scene.session(wholeCalls: true) {
            $0.cache.store = .memory(bytes: 1 << 20)
            $0.network.transport = MockTransport { _ in .text("a", headers: ["Cache-Control": "max-age=3600"]) }
        }
        for _ in 0..<2 { try await api.get("a") }
        expectEqual(scene.requests.count, 1)
        expectEqual(scene.calls.map { $0.texts["sterna.response.source"] }, ["network", "cache"])
    }

    @Test("The span of a coalesced request is linked to the calls that join it")
    func coalesced() async throws {
        let gate = Gate()
        let mock = MockTransport { _ in
            await gate.wait()
            return .text("a")
        }
        let api = try scene.session {
            $0.network.transport = mock
            $0.network.coalescesRequests = true
        }
        var work: [Task<String, any Error>] = []
        for number in 1...3 {
            work.append(
                Task { [tracer = scene.tracer] in
                    try await tracer.withSpan("call \(number)") { span in
                        _ = try await api.get("a")
                        return span.spanID
                    }
                })
            let hasJoined = await eventually {
                let span = scene.tracer.activeSpans.first { $0.kind == .client }
                return span?.links.count == number - 1
            }
            #expect(hasJoined)
        }
        gate.open()
        var callers: [String] = []
        for task in work { try await callers.append(task.value) }
        let span = try #require(scene.requests.first)
        expectEqual(scene.requests.count, 1)
        expectEqual(span.parentSpanID, callers.first)
        expectEqual(Set(span.links.map { $0.context.inMemorySpanContext?.spanID }), Set(callers.dropFirst()))
    }

    @Test("Each copy of a hedged request has a span")
    func hedged() async throws {
        let retrying = RetryScene()
        let (api, mock) = try retrying.make({
            $0.retry = .none
            $0.network.hedging = HedgingPolicy(after: .fixed(.milliseconds(100)))
            $0.events.trace(by: scene.tracer)
        }) { _, number in
            if number == 0 { try await Task.sleep(for: .seconds(3_600)) }
            return .text("a")
        }
        let work = Task { try await api.get("a").status }
        await retrying.time.waitForTimer(within: .milliseconds(100))
        await retrying.time.advance(by: .milliseconds(100))
        try await expectEqual(work.value, 200)
        expectEqual(mock.requests.count, 2)
        expectEqual(Set(scene.values("error.type")), ["cancelled", "-"])
        expectEqual(Set(scene.values("http.request.resend_count")), ["-", "1"])
        #expect(scene.tracer.activeSpans.isEmpty)
    }

    @Test("A span ends with its body: read to its end, given up, or broken off")
    func bodies() async throws {
        try await TestServer.withServer { server in
            let api = try scene.session(server.url)
            for reads in [true, false] {
                scene.tracer.clearFinishedSpans()
                try await api.withResponse(to: .get("bytes/5000000")) { response in
                    expectEqual(scene.tracer.activeSpans.count, 1)
                    if reads { for try await _ in response.body {} }
                    expectEqual(scene.tracer.activeSpans.count, reads ? 0 : 1)
                }
                let isOver = await eventually { scene.tracer.activeSpans.isEmpty }
                #expect(isOver)
                expectEqual(scene.values("error.type"), ["-"])
            }
        }
        scene.tracer.clearFinishedSpans()
        let broken = try scene.session { $0.network.transport = MockTransport { _ in BrokenBody.answer } }
        await #expect(throws: SternaError.self) { try await broken.get("a") }
        expectEqual(scene.values("error.type"), ["truncated"])
        expectEqual(scene.values("http.response.status_code"), ["200"])
    }

    @Test("A span whose body a cancelled call gives up is cancelled")
    func cancelledBody() async throws {
        try await TestServer.withServer { server in
            let begun = Gate()
            let api = try scene.session(server.url)
            let work = Task {
                try await api.withResponse(to: .get("bytes/5000000")) { _ in
                    begun.open()
                    _ = await eventually { Task.isCancelled }
                }
            }
            await begun.wait()
            work.cancel()
            _ = await work.result
            let isOver = await eventually { scene.tracer.activeSpans.isEmpty }
            #expect(isOver)
            expectEqual(scene.values("error.type"), ["cancelled"])
        }
    }

    @Test("Work below a span runs in its context; the caller's context is its parent, and comes back")
    func context() async throws {
        let seen = Mutex<String?>(nil)
        let mock = MockTransport { _ in
            seen.withLock { $0 = ServiceContext.current?.inMemorySpanContext?.spanID }
            return .text("a")
        }
        let api = try scene.session { $0.network.transport = mock }
        try await scene.tracer.withSpan("caller") { caller in
            try await api.get("a")
            expectEqual(ServiceContext.current?.inMemorySpanContext?.spanID, caller.spanID)
            expectEqual(scene.requests.map(\.parentSpanID), [caller.spanID])
        }
        expectEqual(seen.withLock { $0 }, scene.requests.first?.spanID)
    }

    @Test("Without a tracer nothing is recorded or sent; the one in use is found when a request is sent")
    func noTracer() async throws {
        let mock = MockTransport { _ in .text("a") }
        for tracer in [nil, NoOpTracer()] as [NoOpTracer?] {
            let api = try scene.session {
                $0.network.transport = mock
                $0.events.trace(by: tracer)
            }
            // The tests bootstrap no tracer.
            try await expectNil(api.get("a").response.metrics)
            expectNil(mock.requests.last?.headers[try #require(HTTPField.Name(InMemoryTracer.spanIDKey))])
            try await withTracer(scene.tracer) { _ = try await api.get("a") }
        }
        // A session's own tracer takes precedence over the one in use.
        expectEqual(scene.requests.count, 1)
    }

    @Test("Lost events leave no span open")
    func lostEvents() async throws {
        let api = try scene.session {
            $0.network.transport = MockTransport { _ in .text("a") }
            $0.events.capacity = 1
            $0.events.observe { _ in }
        }
        for _ in 0..<20 { try await api.get("a") }
        expectEqual(scene.requests.count, 20)
        #expect(scene.tracer.activeSpans.isEmpty)
    }

    @Test("The message of a status is not the server's, which may repeat secrets")
    func serverMessage() async throws {
        let api = try scene.session(wholeCalls: true) {
            $0.network.transport = MockTransport { _ in
                var error = SternaError(.connectionClosed, phase: .wait, "The mock closed the connection.")
                error.serverMessage = "The token s3cret is not valid."
                throw error
            }
        }
        let error = await #expect(throws: SternaError.self) { try await api.get("a") }
        #expect(error?.serverMessage?.contains("s3cret") == true)
        expectEqual(scene.tracer.finishedSpans.count, 2)
        for span in scene.tracer.finishedSpans {
            #expect(span.status?.message?.isEmpty == false)
            #expect(!span.exported.contains("s3cret"), "\(span.exported)")
        }
    }

    @Test("No secret is in a name, an attribute or a status")
    func secrets() async throws {
        let names = [
            "token", "access_token", "api_key", "apikey", "password", "passwd", "secret", "client_secret", "signature",
            "refresh_token", "id_token", "auth",
        ]
        let query = names.map { "\($0)=s3cret-\($0)" }.joined(separator: "&")
        let api = try scene.session("https://api.example.com", wholeCalls: true) {
            $0.auth.header = .bearer("s3cret-bearer")
            $0.headers["Cookie"] = "session=s3cret-cookie"
            $0.headers["X-Api-Key"] = "s3cret-key"
            $0.headers["Proxy-Authorization"] = "Basic s3cret-proxy"
            $0.network.allowsOtherOrigins = true
            $0.network.transport = MockTransport { request in
                if request.url.path == "/first" { return .redirect(to: "/second?code=1&\(query)") }
                throw SternaError(.connectionClosed, phase: .wait, "The mock closed the connection.")
            }
        }
        let form: Parameters = ["password": "s3cret-form", "token": "s3cret-form"]
        _ = try? await api.post("https://user:s3cret-userinfo@api.example.com/first?\(query)", parameters: form)
        #expect(scene.requests.count == 2)
        for span in scene.tracer.finishedSpans { #expect(!span.exported.contains("s3cret"), "\(span.exported)") }
    }

    @Test("No secret of a body or a trailer is in a span, whether the body is whole or read piece by piece")
    func bodySecrets() async throws {
        try await TestServer.withServer { server in
            let key = try #require(HTTPField.Name("X-Api-Key"))
            server.route("POST", "/login") { request in
                // A response that does not wait for the body would end it.
                _ = try await request.body.collect()
                let body = #"{"access_token": "s3cret-member", "user": {"password": "s3cret-nested"}}"#
                return ServerResponse(
                    status: 403, headers: ["Content-Type": "application/json", "Set-Cookie": "session=s3cret-cookie"],
                    body: .stream(length: nil) { try await $0.write(body) }, trailers: ["X-Api-Key": "s3cret-trailer"])
            }
            let api = try scene.session(server.url, wholeCalls: true)
            let json: JSON = ["password": "s3cret-password", "list": [["token": "s3cret-token"]], "name": "Ada"]
            let bodies: [Body] = [
                Body.text(json.description).withTrailers { [key: "s3cret-sent"] }, .text("otp=s3cret-form"),
            ]
            for body in bodies {
                await #expect(throws: SternaError.self) {
                    try await api.post("login", body: body, headers: ["Content-Type": "application/json"])
                }
                try await api.withResponse(to: .post("login", body: body)) { response in
                    var text = ""
                    for try await piece in response.body { text += piece.text }
                    #expect(text.contains("s3cret-nested"))
                    expectEqual(response.body.trailers?[key], "s3cret-trailer")
                }
            }
            #expect(server.requests().first?.bodyText?.contains("s3cret-token") == true)
            expectEqual(scene.values("error.type"), Array(repeating: "403", count: 4))
            expectEqual(scene.calls.count, 4)
            for span in scene.tracer.finishedSpans { #expect(!span.exported.contains("s3cret"), "\(span.exported)") }
        }
    }
}
