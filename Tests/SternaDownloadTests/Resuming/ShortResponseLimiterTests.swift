import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Downloads: servers that send little for each request", .timeLimit(.minutes(5)))
struct ShortResponseLimiterTests {
    @Test("The pause doubles with each consecutive short response, until the download ends")
    func doubles() {
        var limiter = ShortResponseLimiter()
        let pauses = (0..<9).map { _ in limiter.ended(bringing: 10) }
        expectEqual(
            pauses, [100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600].map { .next(after: .milliseconds($0)) })
        guard case .end(let detail) = limiter.ended(bringing: 10) else {
            Issue.record("It goes on.")
            return
        }
        #expect(detail.contains("only a few bytes") && detail.contains("10 for the last of 10 in a row"))
    }

    @Test("A response of 64 KiB restarts the count")
    func enough() {
        var limiter = ShortResponseLimiter()
        for _ in 0..<1_000 { expectEqual(limiter.ended(bringing: 64 << 10), .next(after: .zero)) }
        for _ in 0..<100 {
            expectEqual(limiter.ended(bringing: (64 << 10) - 1), .next(after: .milliseconds(100)))
            expectEqual(limiter.ended(bringing: 3 << 20), .next(after: .zero))
        }
    }

    @Test("A response without bytes ends the download")
    func nothing() {
        var limiter = ShortResponseLimiter()
        guard case .end = limiter.ended(bringing: 0) else {
            Issue.record("It goes on.")
            return
        }
    }

    /// Serves the first bytes of a file, cut, and then parts of a given length.
    private static func serve(_ content: [UInt8], parts: Int, on server: TestServer) {
        server.route("GET", "/file") { request in
            guard let first = request.firstOfRange else {
                return ServerResponse(
                    headers: ["ETag": "\"1\""],
                    body: .stream(length: content.count) { writer in
                        try await writer.write(Array(content.prefix(parts)))
                        throw RangedFile.Cut()
                    })
            }
            let end = min(first + parts, content.count)
            return ServerResponse(
                status: 206, headers: ["ETag": "\"1\"", "Content-Range": "bytes \(first)-\(end - 1)/\(content.count)"],
                body: .bytes(Array(content[first..<end])))
        }
    }

    private static func session(_ server: TestServer, _ time: TestClock) throws -> Session {
        var options = EngineOptions()
        options.clock = time.clock
        // No timer but those of pauses is due within minutes.
        options.idleTimeout = .seconds(3_600)
        let engine = Engine(options: options)
        return try Downloading.session(server) {
            $0.network.engine = engine
            $0.timeouts.setEach(.seconds(3_600))
        }
    }

    @Test("With ten bytes per request, requests become rarer, then the download fails, and the partial file is kept")
    func crumbs() async throws {
        try await TestServer.withServer { server in
            Self.serve(RangedFile.content(1_000, seed: 1), parts: 10, on: server)
            try await Downloading.withFolder { folder in
                let time = TestClock()
                let api = try Self.session(server, time)
                let path = "\(folder)/x"
                await #expect(throws: SternaError.self) { try await api.download("file", to: .file(path)).value }
                let task = api.download("file", to: .file(path))
                for number in 0..<9 {
                    let pause = Duration.milliseconds(100 << number)
                    await time.waitForTimer(within: pause)
                    expectEqual(server.requestCount, number + 2)
                    await time.advance(by: pause - .milliseconds(1))
                    expectEqual(server.requestCount, number + 2)
                    await time.advance(by: .milliseconds(1))
                }
                let error = await #expect(throws: SternaError.self) { try await task.value }
                #expect(error?.kind == .truncated && error?.detail.contains("only a few bytes") == true)
                expectEqual(error?.resumeData?.receivedBytes, 110)
                expectEqual(server.requestCount, 11)
            }
        }
    }

    @Test("A pause ends with the task")
    func cancelled() async throws {
        try await TestServer.withServer { server in
            Self.serve(RangedFile.content(1_000, seed: 1), parts: 10, on: server)
            try await Downloading.withFolder { folder in
                let time = TestClock()
                let api = try Self.session(server, time)
                await #expect(throws: SternaError.self) {
                    try await api.download("file", to: .file("\(folder)/x")).value
                }
                let task = api.download("file", to: .file("\(folder)/x"))
                await time.waitForTimer(within: .milliseconds(100))
                await expectEqual(task.cancelProducingResumeData()?.receivedBytes, 20)
                expectEqual(server.requestCount, 2)
            }
        }
    }

    @Test("Parts of 64 KiB are requested without pauses")
    func worthwhile() async throws {
        let content = RangedFile.content(50 << 16, seed: 3)
        try await TestServer.withServer { server in
            Self.serve(content, parts: 1 << 16, on: server)
            try await Downloading.withFolder { folder in
                // Its clock stands still, so that a pause would not end.
                let api = try Self.session(server, TestClock())
                await #expect(throws: SternaError.self) {
                    try await api.download("file", to: .file("\(folder)/x")).value
                }
                let file = try await api.download("file", to: .file("\(folder)/x")).value
                try expectEqual(Data(contentsOf: file.url), Data(content))
            }
        }
    }
}
