import HTTPTypes
import NIOCore
import SternaCore
import SternaRecorder
import SternaTesting
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// What is recorded of which call; `docs/HAR.md` has the table.
@Suite("Recorder: calls", .timeLimit(.minutes(5)))
struct RecorderCallsTests {
    private let scene = RecorderScene()

    @Test("A call: as given, as sent, as received")
    func call() async throws {
        try await TestServer.withServer { server in
            server.route("POST", "/birds") { _ in .json(["name": "tern"], status: 201, headers: ["X-Own": "1"]) }
            let api = try scene.session(server.url)
            #expect(api.recorder === scene.recorder)
            try await api.post("birds?page=2", json: ["name": "egg"], headers: ["X-Given": "a"])
            let exchange = try #require(await scene.recorder.exchanges().first)
            expectEqual(exchange.request.headers["X-Given"], "a")
            expectEqual(exchange.response?.status.code, 201)
            expectNil(exchange.error)
            expectEqual(exchange.attempts.count, 1)
            let attempt = try #require(exchange.attempts.first)
            expectEqual(attempt.request.method, .post)
            expectEqual(attempt.requestBody?.bytes?.text, #"{"name":"egg"}"#)
            expectEqual(attempt.requestBody?.size, 14)
            expectEqual(attempt.response?.status.code, 201)
            expectEqual(attempt.responseBody?.bytes?.text, #"{"name":"tern"}"#)
            expectEqual(attempt.metrics.status, 201)
            let entry = try #require(await scene.recorder.har().entries.first)
            expectEqual(entry.row, "POST /birds 201")
            expectEqual(entry.request.url, server.url + "/birds?page=2")
            expectEqual(entry.request.postData?.text, #"{"name":"egg"}"#)
            expectEqual(entry.response.content.text, #"{"name":"tern"}"#)
            expectEqual(entry.response.bodySize, 15)
            expectEqual(entry.serverIPAddress, try HTTPURL(server.url).hostWithoutBrackets)
            expectEqual(entry.response.headers.first { $0.name.lowercased() == "x-own" }?.value, "1")
        }
    }

    @Test("A transport of the session's own, redirects included")
    func transport() async throws {
        let api = try scene.mocked { request in
            request.url.path == "/old" ? .redirect(to: "/new") : .json(["a": 1])
        }
        try await api.get("old")
        expectEqual(await scene.rows, ["GET /old 302", "GET /new 200 redirect"])
        let exchange = try #require(await scene.recorder.exchanges().first)
        expectEqual(exchange.attempts.last?.responseBody?.bytes?.text, #"{"a":1}"#)
    }

    @Test("A failed dial")
    func dial() async throws {
        let port = try ClosedPort()
        let api = try scene.session("http://127.0.0.1:\(port.port)")
        _ = try? await api.get("a")
        expectEqual(await scene.rows, ["GET /a 0 connectionFailed"])
        let exchange = try #require(await scene.recorder.exchanges().first)
        #expect(exchange.error?.hasPrefix("connectionFailed: ") == true && exchange.response == nil)
        #expect(exchange.attempts.first?.response == nil)
    }

    @Test("A cancelled call")
    func cancelled() async throws {
        try await TestServer.withServer { server in
            let gate = Gate()
            server.holdAnswer(until: gate)
            let api = try scene.session(server.url)
            let work = Task { try await api.get("wait") }
            try await server.waitForRequests(1)
            work.cancel()
            _ = try? await work.value
            gate.open()
            expectEqual(await scene.rows, ["GET /wait 0 cancelled"])
        }
    }

    @Test("A body that is cancelled has what was read")
    func cancelledBody() async throws {
        let api = try scene.mocked { _ in
            .init(
                headers: ["Content-Type": "text/plain"],
                body: .stream(length: nil) { writer in
                    try await writer.write("first")
                    try await writer.write("second")
                })
        }
        try await api.withResponse(to: .get("a")) { response in
            for try await _ in response.body { break }
        }
        let exchange = try #require(await scene.recorder.exchanges().first)
        expectEqual(exchange.attempts.first?.responseBody?.bytes?.text.hasPrefix("first"), true)
    }

    @Test("A download and a task of a stream have the response, too")
    func tasks() async throws {
        let api = try scene.mocked { _ in .text("a") }
        try await Downloading.withFolder { folder in
            _ = try await api.download("file", to: .file(folder + "/file")).value
        }
        let task = api.streamTask(.get("stream"))
        for try await _ in task.bytes {}
        try await task.finished()
        expectEqual(await scene.rows, ["GET /file 200", "GET /stream 200"])
        expectEqual(await scene.recorder.exchanges().map { $0.response?.status.code }, [200, 200])
    }

    @Test("A redirect that is followed, and one that is refused")
    func redirects() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/old") { _ in .redirect(to: "/get") }
            server.route("GET", "/away") { _ in .redirect(to: "ftp://b.test/x") }
            let api = try scene.session(server.url)
            try await api.get("old")
            _ = try? await api.get("away")
            expectEqual(await scene.rows, ["GET /old 302", "GET /get 200 redirect", "GET /away 302 redirectRefused"])
            let entry = try #require(await scene.recorder.har().entries.first)
            expectEqual(entry.response.redirectURL, "/get")
        }
    }

    @Test("A retry")
    func retry() async throws {
        let count = Mutex(0)
        try await TestServer.withServer { server in
            server.route("GET", "/busy") { _ in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                return number == 1 ? .text("busy", status: 503) : .text("done")
            }
            let api = try scene.session(server.url) {
                $0.retry = .transient
                $0.retry.backoff = .constant(.milliseconds(1))
            }
            try await api.get("busy")
            expectEqual(await scene.rows, ["GET /busy 503", "GET /busy 200 retry"])
            let exchange = try #require(await scene.recorder.exchanges().first)
            #expect(exchange.decisions.contains { $0.hasPrefix("Retry 1 after ") && $0.hasSuffix(": status 503.") })
            expectEqual(exchange.attempts.map { $0.responseBody?.bytes?.text }, ["busy", "done"])
        }
    }

    @Test("A response of the cache, and one that the server confirms")
    func cache() async throws {
        let api = try scene.mocked({ $0.cache.store = .memory() }) { request in
            if request.url.path == "/kept" { return .text("kept", headers: ["Cache-Control": "max-age=600"]) }
            guard request.headers[.ifNoneMatch] == nil else { return .init(status: 304, headers: ["ETag": "\"1\""]) }
            return .text("old", headers: ["ETag": "\"1\"", "Cache-Control": "no-cache"])
        }
        for path in ["kept", "kept", "asked", "asked"] { try await api.get(path) }
        expectEqual(
            await scene.rows, ["GET /kept 200", "GET /kept 200 from memory", "GET /asked 200", "GET /asked 304"])
        let exchanges = await scene.recorder.exchanges()
        expectEqual(exchanges[1].responseBody?.bytes?.text, "kept")
        expectEqual(exchanges[1].decisions, ["The cache had the response."])
        expectEqual(exchanges[3].responseBody?.bytes?.text, "old")
        expectEqual(exchanges[3].response?.source, .revalidated)
        #expect(exchanges[3].decisions.contains("The server confirmed the cache's response."))
    }

    @Test("Of coalesced calls only the first has an attempt")
    func coalesced() async throws {
        try await TestServer.withServer { server in
            let gate = Gate()
            server.route("GET", "/wait") { _ in
                await gate.wait()
                return .text("shared")
            }
            let api = try scene.session(server.url) { $0.network.coalescesRequests = true }
            let calls = (0..<2).map { _ in Task { try await api.get("wait") } }
            let transfers = api.plan.builder.coalescing.transfers
            #expect(await eventually { transfers.readers == 2 })
            gate.open()
            for call in calls { _ = try await call.value }
            expectEqual(await scene.rows, ["GET /wait 200", "GET /wait 200"])
            let exchanges = await scene.recorder.exchanges()
            expectEqual(exchanges.map(\.attempts.count).sorted(), [0, 1])
            let joined = try #require(exchanges.first { $0.attempts.isEmpty })
            expectEqual(joined.responseBody?.bytes?.text, "shared")
            expectEqual(joined.decisions, ["Another call's transfer had the response."])
            #expect(joined.duration > .zero)
        }
    }

    @Test("A hedged call has an entry for each copy")
    func hedged() async throws {
        try await TestServer.withServer { server in
            let (held, time) = (Gate(), TestClock())
            let count = Mutex(0)
            server.route("GET", "/late") { _ in
                let isFirst = count.withLock { count in
                    count += 1
                    return count == 1
                }
                if isFirst { await held.wait() }
                return .text("done")
            }
            let api = try scene.session(server.url) {
                var options = EngineOptions()
                options.clock = time.clock
                $0.network.engine = Engine(options: options)
                $0.network.hedging = HedgingPolicy(after: .fixed(.milliseconds(50)), budget: nil)
            }
            let work = Task { try await api.get("late") }
            #expect(await eventually { count.withLock { $0 } == 1 })
            await time.advance(by: .milliseconds(50))
            _ = try await work.value
            held.open()
            expectEqual(await scene.rows, ["GET /late 0 cancelled", "GET /late 200 hedge"])
        }
    }

    @Test("A WebSocket has its handshake")
    func webSocket() async throws {
        try await TestServer.withServer { server in
            let api = try scene.session(server.url)
            try await api.withWebSocket("ws/echo") { _ in }
            expectEqual(await scene.rows, ["GET /ws/echo 101"])
        }
    }

    @Test("Trailers; a coded body is decoded in the document")
    func parts() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/a") { _ in
                var response = ServerResponse(body: .stream(length: nil) { try await $0.write("a tern") })
                response.trailers = ["X-Sum": "7"]
                return response
            }
            let api = try scene.session(server.url)
            try await api.get("a")
            try await api.get("gzip")
            let exchanges = await scene.recorder.exchanges()
            expectEqual(exchanges.count, 2)
            let entries = await scene.recorder.har().entries
            expectEqual(exchanges.first?.attempts.first?.response?.body.trailers?["X-Sum"], "7")
            expectEqual(entries.first?.json["_trailers"].array?.first?["value"].string, "7")
            let coded = try #require(exchanges.last?.attempts.first)
            #expect(coded.responseContent?.text.contains("{") == true)
            #expect(coded.responseBody?.bytes != coded.responseContent)
            expectEqual(entries.last?.response.content.text, coded.responseContent?.text)
            expectEqual(entries.last?.response.content.size, coded.responseContent?.count)
            expectEqual(entries.last?.response.bodySize.map { Int64($0) }, coded.responseBody?.size)
        }
    }

    @Test("A derived session may have another recorder")
    func derived() async throws {
        let other = RecorderScene()
        let api = try scene.mocked { _ in .text("a") }
        let derived = api.with { $0.events.record(with: other.recorder) }
        #expect(derived.recorder === other.recorder)
        try await derived.get("b")
        try await api.get("a")
        expectEqual(await scene.rows, ["GET /a 200"])
        expectEqual(await other.rows, ["GET /b 200"])
    }
}
