import HTTPTypes
import NIOCore
import SternaCore
import SternaTesting
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Coalescing: requests", .timeLimit(.minutes(5)))
struct CoalescingTests {
    private static func text(_ text: String, _ fields: ServerHeaders = [:], status: Int = 200) -> ServerResponse {
        .init(status: status, headers: fields, body: ResponseBody(Bytes(text: text)))
    }

    @Test("Fifty identical requests share one transfer; a later one is sent again")
    func shared() async throws {
        let gate = Gate()
        let scene = try CoalescingScene { _, number in
            await gate.wait()
            return Self.text("\(number)")
        }
        let requests = (0..<50).map { _ in Task { try await scene.api.get("a").text() } }
        await scene.waitForReaders(50)
        gate.open()
        for request in requests { try await expectEqual(request.value, "0") }
        expectEqual(scene.sent, 1)
        try await expectEqual(scene.api.get("a").text(), "1")
        #expect(scene.isQuiet)
    }

    @Test("It is off by default; a request may ask for it, or opt out")
    func settings() async throws {
        #expect(try !dumped(Session(baseURL: "https://a.example").plan.requestOptions).contains("coalescesRequests"))
        for (session, request, count) in [(false, nil, 2), (false, true, 1), (true, false, 2), (true, nil, 1)]
            as [(Bool, Bool?, Int)]
        {
            let gate = Gate()
            let scene = try CoalescingScene {
                if !session { $0.network.coalescesRequests = false }
            } answer: { _, _ in
                await gate.wait()
                return Self.text("a")
            }
            let requests = (0..<2).map { _ in
                Task {
                    try await scene.api.get("a") { if let request { $0.network.coalescesRequests = request } }.status
                }
            }
            if count == 1 { await scene.waitForReaders(2) }
            #expect(await eventually { scene.sent == count })
            gate.open()
            for request in requests { try await expectEqual(request.value, 200) }
            expectEqual(scene.sent, count, "\(session) \(String(describing: request))")
        }
    }

    @Test("Requests of different identities, or that differ otherwise, never share")
    func different() async throws {
        let gate = Gate()
        let scene = try CoalescingScene {
            $0.auth.secretHeaders = ["X-Key"]
        } answer: { request, _ in
            await gate.wait()
            let seen = [request.headers[.authorization], request.headers[.cookie], request.headers[.range]]
            return Self.text("\(request.method) \(request.url.requestTarget) \(seen)")
        }
        let ways: [@Sendable () async throws -> Reply] = [
            { try await scene.api.get("a") },
            { try await scene.api.get("a?b") },
            { try await scene.api.head("a") },
            { try await scene.api.get("a") { $0.auth.header = .bearer("one") } },
            { try await scene.api.get("a") { $0.auth.header = .bearer("two") } },
            { try await scene.api.get("a", headers: ["Cookie": "a=1"]) },
            { try await scene.api.get("a", headers: ["Cookie": "a=2"]) },
            { try await scene.api.get("a", headers: ["X-Key": "1"]) },
            { try await scene.api.get("a", headers: ["X-Key": "2"]) },
            { try await scene.api.get("a", headers: ["Range": "bytes=0-5"]) },
            { try await scene.api.get("a", headers: ["Range": "bytes=0-6"]) },
            { try await scene.api.get("a", headers: ["Accept-Language": "de"]) },
            { try await scene.api.get("a", headers: ["X-Name": "e\u{301}"]) },
            { try await scene.api.get("a", headers: ["X-Name": "\u{E9}"]) },
            { try await scene.api.get("a") { $0.timeout = .seconds(7) } },
            { try await scene.api.get("a") { $0.cache.policy = .reload } },
        ]
        let requests = ways.map { way in Task { try await way().text() } }
        #expect(await eventually { scene.sent == ways.count })
        expectEqual(scene.api.plan.builder.coalescing.transfers.readers, ways.count)
        gate.open()
        let texts = try await requests.asyncValues()
        #expect(texts[3].contains("one") && texts[4].contains("two"))
        #expect(texts[5].contains("a=1") && texts[6].contains("a=2"))
    }

    @Test("Sessions with other labels do not share, nor does one request before and after a login")
    func identities() async throws {
        let gate = Gate()
        let jar = CookieJar()
        let scene = try CoalescingScene {
            $0.cookies.jar = jar
        } answer: { request, _ in
            await gate.wait()
            return Self.text(request.headers[.cookie] ?? "none")
        }
        let before = Task { try await scene.api.get("a").text() }
        await scene.waitForReaders(1)
        jar.store(FieldSection([.setCookie: "user=ada"]), from: try HTTPURL("https://api.example.com/"))
        let after = (0..<2).map { _ in Task { try await scene.api.get("a").text() } }
        let other = Task { try await scene.api.with { $0.auth.identityLabel = "bob" }.get("a").text() }
        await scene.waitForReaders(3)
        #expect(await eventually { scene.sent == 3 })
        gate.open()
        try await expectEqual(before.value, "none")
        for request in after { try await expectEqual(request.value, "user=ada") }
        try await expectEqual(other.value, "user=ada")
    }

    @Test("Options that cannot be compared keep a request alone")
    func options() async throws {
        let gate = Gate()
        let scene = try CoalescingScene { _, _ in
            await gate.wait()
            return Self.text("a")
        }
        let limit = BandwidthLimit(download: 1 << 30)
        let requests = [
            Task { try await scene.api.get("a") { $0.onInformational = { _ in } }.status },
            Task { try await scene.api.get("a") { $0.onInformational = { _ in } }.status },
            Task { try await scene.api.get("a") { $0.limits.bandwidth = limit }.status },
            Task { try await scene.api.get("a") { $0.limits.bandwidth = limit }.status },
            Task { try await scene.api.get("a") { $0.redirects = .doNotFollow }.status },
            Task { try await scene.api.get("a").status },
        ]
        await scene.waitForReaders(4)
        #expect(await eventually { scene.sent == 4 })
        gate.open()
        for request in requests { try await expectEqual(request.value, 200) }
        expectEqual(scene.sent, 4)
    }

    @Test("HEAD requests share, too")
    func head() async throws {
        let gate = Gate()
        let scene = try CoalescingScene { _, _ in
            await gate.wait()
            return .init(headers: ["Content-Length": "5"])
        }
        let requests = (0..<3).map { _ in Task { try await scene.api.head("a").headers[.contentLength] } }
        await scene.waitForReaders(3)
        gate.open()
        for request in requests { try await expectEqual(request.value, "5") }
        expectEqual(scene.sent, 1)
    }

    @Test("Followers fetch for themselves what is not shareable", arguments: [true, false])
    func notShareable(isStreamed: Bool) async throws {
        let gate = Gate()
        let scene = try CoalescingScene { _, number in
            if number == 0 { await gate.wait() }
            var answer = Self.text("\(number)", ["Cache-Control": "no-store"])
            if isStreamed { answer.body = .content(ResponseBody(CountedPieces([Bytes(text: "\(number)")]))) }
            return answer
        }
        let requests = (0..<5).map { _ in Task { try await scene.api.get("a").text() } }
        await scene.waitForReaders(5)
        gate.open()
        let texts = try await requests.asyncValues()
        #expect(Set(texts) == ["0", "1", "2", "3", "4"] && scene.sent == 5)
    }

    @Test("An error reaches all requests; each may retry, and retries share again")
    func errors() async throws {
        let (gate, again) = (Gate(), Gate())
        let scene = try CoalescingScene {
            $0.retry = .standard
        } answer: { _, number in
            await (number == 0 ? gate : again).wait()
            if number == 0 { throw SternaError(.connectionClosed, phase: .wait, "The mock closed the connection.") }
            return Self.text("\(number)")
        }
        let requests = (0..<4).map { _ in Task { try await scene.api.get("a") { $0.retry = RetryPolicy.none }.text() } }
        let retried = Task { try await scene.api.get("a").text() }
        await scene.waitForReaders(5)
        gate.open()
        for request in requests { await expectEqual(failure(of: request), .connectionClosed) }
        again.open()
        while true {
            await scene.time.advance(by: .seconds(5))
            if scene.sent == 2 { break }
            try await Task.sleep(for: .milliseconds(1))
        }
        try await expectEqual(retried.value, "1")
    }

    @Test("A request with an unsafe method lets later requests join no earlier transfer")
    func unsafe() async throws {
        let gate = Gate()
        let scene = try CoalescingScene { request, number in
            if request.method == .get { await gate.wait() }
            return Self.text("\(number)")
        }
        let before = Task { try await scene.api.get("a").text() }
        await scene.waitForReaders(1)
        try await expectEqual(scene.api.put("b", body: .text("x")).text(), "1")
        let after = Task { try await scene.api.get("a").text() }
        #expect(await eventually { scene.sent == 3 })
        gate.open()
        try await expectEqual(before.value, "0")
        try await expectEqual(after.value, "2")
    }

    @Test("Behind redirects, each hop is shared")
    func redirects() async throws {
        let (first, second) = (Gate(), Gate())
        let scene = try CoalescingScene { request, _ in
            if request.url.path == "/old" {
                await first.wait()
                return .redirect(to: "/new")
            }
            await second.wait()
            return Self.text("new")
        }
        let requests = (0..<3).map { _ in Task { try await scene.api.get("old").response.redirects.count } }
        await scene.waitForReaders(3)
        first.open()
        // The first transfer is closed before the second begins.
        #expect(await eventually { scene.sent == 2 })
        await scene.waitForReaders(3)
        second.open()
        for request in requests { try await expectEqual(request.value, 1) }
        expectEqual(scene.sent, 2)
    }

    @Test("The cache is asked once, and Cache-Status of the others says collapsed")
    func cache() async throws {
        let gate = Gate()
        let scene = try CoalescingScene {
            $0.cache.store = .memory()
        } answer: { _, _ in
            await gate.wait()
            return Self.text("a", ["Cache-Control": "max-age=60"])
        }
        let requests = (0..<4).map { _ in Task { try await scene.api.get("a").headers["Cache-Status"] ?? "" } }
        await scene.waitForReaders(4)
        gate.open()
        let fields = try await requests.asyncValues()
        expectEqual(fields.filter { $0.contains("; stored; collapsed; detail=") }.count, 3)
        expectEqual(fields.filter { $0.contains("; stored; detail=") }.count, 1)
        expectEqual(scene.sent, 1)
        let later = try await scene.api.get("a")
        #expect(later.response.source == .cache && later.headers["Cache-Status"]?.contains("collapsed") == false)
    }

    @Test("A compressed response is decoded for each reader")
    func decoding() async throws {
        let gate = Gate()
        let scene = try CoalescingScene { _, _ in
            await gate.wait()
            return .init(headers: ["Content-Encoding": "gzip"], body: ResponseBody(Bytes(bytes: Zlib.gzip("hello"))))
        }
        let requests = (0..<3).map { _ in Task { try await scene.api.get("a").text() } }
        await scene.waitForReaders(3)
        gate.open()
        for request in requests { try await expectEqual(request.value, "hello") }
        expectEqual(scene.sent, 1)
    }
}

extension Array {
    /// Waits for all tasks.
    func asyncValues<Value: Sendable>() async throws -> [Value] where Element == Task<Value, any Error> {
        var values: [Value] = []
        for task in self { values.append(try await task.value) }
        return values
    }
}
