import NIOCore
import SternaCore
import SternaTesting
import Testing

@testable import Sterna
@testable import SternaRecorder
@testable import SternaTestSupport

/// The bounds of a recorder.
@Suite("Recorder: limits", .timeLimit(.minutes(5)))
struct RecorderLimitsTests {
    private func paths(_ recorder: Recorder) async -> [String] {
        await recorder.exchanges().map { String($0.request.url.path.dropFirst()) }
    }

    @Test("The oldest exchanges are removed beyond the limit of their number")
    func number() async throws {
        let scene = RecorderScene { $0.exchanges = 3 }
        let api = try scene.mocked { _ in .text("a") }
        for number in 1...5 { try await api.get("\(number)") }
        expectEqual(await paths(scene.recorder), ["3", "4", "5"])
        await scene.recorder.clear()
        expectEqual(await paths(scene.recorder), [])
        try await api.get("6")
        expectEqual(await paths(scene.recorder), ["6"])
    }

    @Test("The oldest exchanges are removed beyond the limit of bytes; one that exceeds it itself has no body")
    func bytes() async throws {
        let scene = RecorderScene { $0.bytes = 100_000 }
        let api = try scene.mocked { request in
            .text(String(repeating: "a", count: request.url.path == "/large" ? 200_000 : 40_000))
        }
        for number in 1...5 {
            try await api.get("\(number)")
            // The bytes of a call whose events were not delivered yet would count as those of a running one.
            _ = await scene.recorder.exchanges()
        }
        expectEqual(await paths(scene.recorder), ["4", "5"])
        let kept = await scene.recorder.exchanges().flatMap(\.attempts).compactMap(\.responseBody?.bytes?.count)
        expectEqual(kept, [40_000, 40_000])
        try await api.get("large")
        let large = try #require(await scene.recorder.exchanges().last)
        expectEqual(large.request.url.path, "/large")
        expectEqual(large.attempts.first?.responseBody?.size, 200_000)
        expectNil(large.attempts.first?.responseBody?.bytes)
    }

    @Test("An exchange whose heads exceed the limit is left out; a limit of 0 records nothing")
    func heads() async throws {
        for limit in [0, 2_000] {
            let scene = RecorderScene { $0.bytes = limit }
            let api = try scene.mocked { _ in .text("a") }
            try await api.get("a", headers: ["X-Long": String(repeating: "a", count: 4_000)])
            expectEqual(await paths(scene.recorder), [])
        }
    }

    @Test("Bodies of running calls leave a quarter of the bytes for heads, so that no exchange is lost")
    func reserve() {
        var limits = Recorder.Limits()
        limits.bytes = 1_000
        let memory = RecorderMemory(limits)
        let (budget, other) = (RecordingBudget(memory), RecordingBudget(memory))
        #expect(budget.take(750, of: .body) && !other.take(1, of: .body))
        #expect(other.take(250, of: .heads) && !other.take(1, of: .heads))
        budget.release(400)
        #expect(other.take(100, of: .body) && !budget.take(51, of: .body))
        // An exchange has taken its bytes over: a late piece of its body takes and returns its own.
        expectEqual(other.takeOver(), 350)
        other.release(350)
        #expect(!budget.take(51, of: .body) && budget.take(50, of: .body))
    }

    @Test("Of a body above the limit only the size is kept, streamed or not")
    func bodies() async throws {
        try await TestServer.withServer { server in
            let scene = RecorderScene { $0.bodyBytes = 10 }
            server.route("PUT", "/whole") { _ in .text("0123456789-") }
            server.route("PUT", "/streamed") { request in
                // A response that does not wait for the body would end it.
                _ = try await request.body.collect()
                return .init(
                    headers: ["Content-Type": "text/plain"],
                    body: .stream(length: nil) { writer in
                        for _ in 0..<3 { try await writer.write("01234") }
                    })
            }
            let api = try scene.session(server.url)
            try await api.put("whole", body: .text("0123456789"))
            try await api.put("streamed", body: .stream(Pieces(["01234", "56789"]), mediaType: "text/plain"))
            try await api.put("streamed", body: .stream(Pieces(["01234", "567890"]), mediaType: "text/plain"))
            let attempts = await scene.recorder.exchanges().flatMap(\.attempts)
            expectEqual(attempts.map(\.responseBody?.size), [11, 15, 15])
            #expect(attempts.allSatisfy { $0.responseBody?.bytes == nil })
            expectEqual(attempts.map(\.requestBody?.bytes?.text), ["0123456789", "0123456789", nil])
            expectEqual(attempts.map(\.requestBody?.size), [10, 10, 11])
            let content = await scene.recorder.har().entries.map(\.response.content)
            expectEqual(content.map(\.size), [11, 15, 15])
            #expect(content.allSatisfy { $0.text == nil })
        }
    }

    @Test("Bodies are kept by media type")
    func types() async throws {
        for (keepsAll, kept) in [
            (false, ["application/json", "text/csv"]), (true, ["application/json", "image/png", "text/csv"]),
        ] {
            let scene = RecorderScene { $0.keepsBinaryBodies = keepsAll }
            let api = try scene.mocked { request in
                .bytes(
                    [0x31], mediaType: String(request.url.path.dropFirst()))
            }
            for type in ["application/json", "image/png", "text/csv"] { try await api.get("/\(type)") }
            let attempts = await scene.recorder.exchanges().flatMap(\.attempts)
            expectEqual(attempts.map(\.responseBody?.size), [1, 1, 1])
            let types = attempts.filter { $0.responseBody?.bytes != nil }.compactMap { $0.response?[.contentType] }
            expectEqual(types, kept)
        }
    }

    @Test("Small bodies that become large are decoded up to a limit of the whole document")
    func decoded() {
        let text = [UInt8](repeating: 0x61, count: 100_000)
        let coded = Zlib.gzip(text)
        #expect(coded.count < 1_000)
        let body = Recorder.Body(size: Int64(coded.count), bytes: Bytes(bytes: coded))
        var room = 250_000
        let sizes = (0..<3).map { _ in body.content("gzip", room: &room)?.readableBytes }
        expectEqual(sizes, [100_000, 100_000, nil])
        expectEqual(room, 50_000)
        // One that has no coding needs none of it.
        expectEqual(body.content("identity", room: &room)?.readableBytes, coded.count)
        expectEqual(room, 50_000)
    }

    @Test("In a cancelled task, too, there are the exchanges of all calls that have ended")
    func cancelled() async throws {
        let (scene, barrier) = (RecorderScene(), EventBarrier())
        let api = try scene.mocked({ $0.events.observers = [barrier.observer] }) { _ in .text("a") }
        try await api.get("a")
        let work = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await paths(scene.recorder)
        }
        // One that did not wait would end now.
        for _ in 0..<1_000 { await Task.yield() }
        barrier.open()
        expectEqual(await work.value, ["a"])
    }

    @Test("Lost events leave no exchange open, and lose none")
    func dropped() async throws {
        try await TestServer.withServer { server in
            let (scene, barrier) = (RecorderScene(), EventBarrier())
            let api = try scene.session(server.url) {
                $0.events.observers = [barrier.observer]
                $0.events.capacity = 2
            }
            for _ in 0..<8 { try await api.get("get") }
            barrier.open()
            expectEqual(await scene.rows, Array(repeating: "GET /get 200", count: 8))
            let exchanges = await scene.recorder.exchanges()
            #expect(exchanges.allSatisfy { $0.attempts.first?.responseBody?.bytes != nil })
        }
    }
}

/// An asynchronous sequence of texts.
private struct Pieces: AsyncSequence, Sendable {
    let all: [String]

    init(_ all: [String]) { self.all = all }

    struct AsyncIterator: AsyncIteratorProtocol {
        var rest: ArraySlice<String>
        mutating func next() async -> String? { rest.popFirst() }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: all[...]) }
}
