import HTTPTypes
import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// Limits of sessions and requests, on a clock that stands still: what comes to its end needed no permission to wait for.
@Suite("Bandwidth: sessions and requests", .timeLimit(.minutes(5)))
struct BandwidthSessionTests {
    private let time = TestClock()

    /// Makes a session on the test's clock whose answers have this many bytes.
    private func make(
        answers count: Int = 1_500, _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> (api: Session, mock: MockTransport) {
        let mock = MockTransport { request in
            // As the engine does, the mock reads the content.
            if let body = request.body {
                var reader = BodyReader(body)
                while try await reader.next() != nil {}
            }
            return .bytes(Bytes(repeating: 0x61, count: count), mediaType: "text/plain")
        }
        return try mocked(by: mock) {
            var options = EngineOptions()
            options.clock = time.clock
            $0.network.engine = Engine(options: options)
            $0.responseSerializer = .data
            configure(&$0)
        }
    }

    @Test("A session's limit holds back all its requests, and those of a derived session")
    func session() async throws {
        let limit = BandwidthLimit(download: 32_000)
        let (api, _) = try make { $0.limits.bandwidth = limit }
        // Within the burst of 2,000 bytes.
        try await expectEqual(api.get("a").data().count, 1_500)
        let derived = api.with { $0.headers["X-Own"] = "1" }
        let second = Task { try await derived.get("b").data().count }
        try await BandwidthScene.wait(for: 1, limit.downloads)
        let free = api.with { $0.limits.bandwidth = nil }
        try await expectEqual(free.get("c").data().count, 1_500)
        limit.download = nil
        try await expectEqual(second.value, 1_500)
    }

    @Test("A request's own limit applies in a session without one, and to no other request")
    func request() async throws {
        let limit = BandwidthLimit(download: 16)
        let (api, _) = try make()
        let limited = Task { try await api.get("a") { $0.limits.bandwidth = limit }.data().count }
        try await BandwidthScene.wait(for: 1, limit.downloads)
        try await expectEqual(api.get("b").data().count, 1_500)
        limit.download = nil
        try await expectEqual(limited.value, 1_500)
    }

    @Test("The limits of session and request both apply; a limit that is set for both counts once")
    func both() async throws {
        let (wide, narrow) = (BandwidthLimit(download: 32_000), BandwidthLimit(download: 16))
        let (api, _) = try make { $0.limits.bandwidth = wide }
        try await expectEqual(api.get("a") { $0.limits.bandwidth = wide }.data().count, 1_500)
        let limited = Task { try await api.get("b") { $0.limits.bandwidth = narrow }.data().count }
        try await BandwidthScene.wait(for: 1, narrow.downloads)
        narrow.download = nil
        try await BandwidthScene.wait(for: 1, wide.downloads)
        wide.download = nil
        try await expectEqual(limited.value, 1_500)
    }

    @Test("Sessions that are given one limit share it")
    func shared() async throws {
        let limit = BandwidthLimit(download: 32_000)
        let (one, _) = try make { $0.limits.bandwidth = limit }
        let (other, _) = try make { $0.limits.bandwidth = limit }
        try await one.get("a")
        let second = Task { try await other.get("b").data().count }
        try await BandwidthScene.wait(for: 1, limit.downloads)
        limit.download = nil
        try await expectEqual(second.value, 1_500)
    }

    @Test("A request's body is held back, with its length, and its response is not")
    func upload() async throws {
        let limit = BandwidthLimit(upload: 32_000)
        let (api, mock) = try make(answers: 50_000) { $0.limits.bandwidth = limit }
        let task = Task { try await api.post("a", body: .bytes(Bytes(repeating: 0x62, count: 5_000))) }
        try await BandwidthScene.wait(for: 1, limit.uploads)
        expectEqual(mock.requests.first?.body?.length, 5_000)
        expectEqual(mock.requests.first?.body?.isReplayable, true)
        for _ in 0..<3 {
            try await BandwidthScene.wait(for: 1, limit.uploads)
            await time.waitForTimer(within: .microseconds(31_250))
            await time.advance(by: .microseconds(31_250))
        }
        try await expectEqual(task.value.data().count, 50_000)
    }

    @Test("The limit counts the bytes of the coded content")
    func coded() async throws {
        let limit = BandwidthLimit(download: 32_000)
        let coded = try await Body.bytes(Bytes(repeating: 0x61, count: 100_000)).compressed().collected()
        var bytes = Bytes()
        var reader = BodyReader(coded)
        while var piece = try await reader.next() { bytes.writeBuffer(&piece) }
        let mock = MockTransport { [bytes] _ in
            .init(headers: ["Content-Encoding": "gzip", "Content-Type": "text/plain"], body: ResponseBody(bytes))
        }
        var options = EngineOptions()
        options.clock = time.clock
        let (api, _) = try mocked(by: mock) { [options] in
            $0.network.engine = Engine(options: options)
            $0.responseSerializer = .data
            $0.limits.bandwidth = limit
        }
        #expect(bytes.count < 2_000)
        try await expectEqual(api.get("a").data().count, 100_000)
    }

    @Test("A streamed response begins at once, and its bytes wait")
    func streamed() async throws {
        let limit = BandwidthLimit(download: 16)
        let (api, _) = try make { $0.limits.bandwidth = limit }
        let count = ByteCount()
        try await api.withResponse(to: .get("a")) { response in
            expectEqual(response.status, 200)
            expectEqual(response.body.length, 1_500)
            let reader = Task {
                for try await chunk in response.body { count.add(chunk.count) }
            }
            try await BandwidthScene.wait(for: 1, limit.downloads)
            expectEqual(count.value, 1)
            limit.download = nil
            try await reader.value
        }
        expectEqual(count.value, 1_500)
    }

    @Test("The call's deadline counts while a body waits, and the error names the request")
    func deadline() async throws {
        let limit = BandwidthLimit(download: 1)
        let (api, _) = try make { $0.limits.bandwidth = limit }
        let task = Task { try await api.get("late") { $0.timeouts.total = .milliseconds(500) } }
        try await BandwidthScene.wait(for: 1, limit.downloads)
        await time.advance(by: .milliseconds(500))
        let error = await #expect(throws: SternaError.self) { try await task.value }
        expectEqual(error?.kind, .timedOut)
        expectEqual(error?.phase, .read)
        expectEqual(error?.response?.status, 200)
        expectEqual(error.map { "\($0)" }?.contains("late"), true)
    }

    @Test("Cancelling a request that waits")
    func cancelled() async throws {
        let limit = BandwidthLimit(download: 1, upload: 1)
        let (api, _) = try make { $0.limits.bandwidth = limit }
        for body in [nil, Body.text("content")] {
            let task = Task { try await api.request(body == nil ? .get : .post, "a", body: body) }
            try await BandwidthScene.wait(for: 1, body == nil ? limit.downloads : limit.uploads)
            task.cancel()
            let error = await #expect(throws: SternaError.self) { try await task.value }
            expectEqual(error?.kind, .cancelled)
            expectEqual(limit.downloads.waiterCount + limit.uploads.waiterCount, 0)
        }
    }

    @Test("Printed settings show the rates")
    func shown() throws {
        var own = RequestSettings()
        #expect(dumped(own).contains("limits.bandwidth: nil"))
        own.limits.bandwidth = BandwidthLimit(upload: 4_711)
        #expect(dumped(own).contains("4711"))
        own.limits.bandwidth = nil
        #expect(!dumped(own).contains("4711"))
        let (api, _) = try make { $0.limits.bandwidth = BandwidthLimit(download: 4_712) }
        #expect(dumped(api).contains("4712"))
    }
}
