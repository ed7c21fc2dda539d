import HTTPTypes
import NIOCore
import SternaCore
import SternaPlatform
import Synchronization
import Testing

@testable import SternaTestSupport

@Suite("Request bodies")
struct BodyTests {
    private func temporary() -> String {
        FileManager.default.temporaryDirectory.appending(path: "sterna-body-\(UUID().uuidString)").path
    }

    private func stream(_ chunks: [String]) -> AsyncStream<Bytes> {
        AsyncStream { continuation in
            for chunk in chunks { continuation.yield(Bytes(string: chunk)) }
            continuation.finish()
        }
    }

    @Test("Bytes and texts know their length and media type")
    func bytes() {
        expectEqual(Body.bytes([1, 2, 3]).length, 3)
        expectNil(Body.bytes([1, 2, 3]).mediaType)
        expectEqual(Body.bytes(Bytes(string: "ab"), mediaType: "a/b").mediaType, "a/b")
        expectEqual(Body.text("é").length, 2)
        expectEqual(Body.text("é").mediaType, "text/plain; charset=utf-8")
        expectEqual(Body(segments: []).length, 0)
        #expect(Body(segments: []).isReplayable)
    }

    @Test("The length is the sum of the segments', unknown where one is, the largest number beyond all")
    func length() {
        let bytes = Body.Segment.bytes(Bytes(string: "abc"))
        let huge = Body.Segment.producer(BodyProducer(length: .max, isReplayable: true) { { nil } })
        let unknown = Body.stream(stream([])).segments
        expectEqual(Body(segments: [bytes, bytes]).length, 6)
        expectEqual(Body(segments: [huge]).length, .max)
        expectEqual(Body(segments: [huge, bytes]).length, .max)
        expectNil(Body(segments: [bytes] + unknown).length)
        expectEqual(Body(segments: [bytes] + Body.stream(stream([]), length: 4).segments).length, 7)
    }

    @Test("A sequence can be sent once, everything else again")
    func replay() throws {
        #expect(Body.text("a").isReplayable)
        #expect(Body(segments: [.file(FileRange(path: "x", offset: 0, length: 1))]).isReplayable)
        #expect(!Body.stream(stream([])).isReplayable)
        #expect(!Body(segments: Body.text("a").segments + Body.stream(stream([])).segments).isReplayable)
        let again = BodyProducer(length: 0, isReplayable: true) { { nil } }
        #expect(Body(segments: [.producer(again)]).isReplayable)
    }

    @Test("A sequence's producer reads it to the end, and refuses to begin again")
    func once() async throws {
        let producer = BodyProducer(once: stream(["ab", "c"]), length: nil)
        let reader = try producer.makeReader()
        try await expectEqual(reader()?.text, "ab")
        try await expectEqual(reader()?.text, "c")
        try await expectNil(reader())
        let error = #expect(throws: SternaError.self) { try producer.makeReader() }
        expectEqual(error?.kind, .bodyNotReplayable)
    }

    @Test("A file is taken with the size it has")
    func file() throws {
        let path = temporary()
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data("hello".utf8).write(to: URL(filePath: path))
        let body = try Body.file(path, mediaType: "text/x")
        expectEqual(body.length, 5)
        expectEqual(body.mediaType, "text/x")
        #expect(body.isReplayable)
        try Data().write(to: URL(filePath: path))
        try expectEqual(Body.file(path).length, 0)
    }

    @Test("A missing file, a directory and a device are refused at once")
    func unreadable() throws {
        let missing = temporary()
        for path in [missing, FileManager.default.temporaryDirectory.path, "/dev/null", "", "\(missing)/below"] {
            let error = #expect(throws: SternaError.self) { try Body.file(path) }
            expectEqual(error?.kind, .fileUnreadable)
            expectEqual(error?.phase, .prepare)
            expectEqual(error?.requestSent, false)
            expectEqual(error?.description.contains(path), true)
        }
    }

    @Test("A path with a NUL is not cut short to another file's")
    func nul() throws {
        let path = temporary()
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data("hello".utf8).write(to: URL(filePath: path))
        let error = #expect(throws: SternaError.self) { try Body.file(path + "\u{0}.png") }
        expectEqual(error?.kind, .fileUnreadable)
    }

    @Test("A producer's length is never negative")
    func producer() {
        expectEqual(BodyProducer(length: -1, isReplayable: true) { { nil } }.length, 0)
        expectEqual(Body.stream(stream([]), length: .min).length, 0)
    }

    @Test("A range's bounds are never negative, and their sum does not overflow")
    func range() {
        let huge = FileRange(path: "x", offset: .max, length: .max)
        #expect(!huge.offset.addingReportingOverflow(huge.length).overflow)
        let range = FileRange(path: "x", offset: -1, length: .min)
        expectEqual(range.offset, 0)
        expectEqual(range.length, 0)
    }
}

@Suite("Response bodies")
struct ResponseBodyTests {
    private final class Chunks: BodyStream {
        let chunks: ChunkBox
        let length: Int64?
        var trailers: HTTPFields? { nil }

        init(_ chunks: [String], length: Int64? = nil) {
            self.chunks = ChunkBox(chunks)
            self.length = length
        }

        func next() async throws -> Bytes? { chunks.pop().map { Bytes(string: $0) } }
        func cancel() { chunks.cancel() }
    }

    @Test("A whole body is one chunk, an empty one none")
    func whole() async throws {
        let body = ResponseBody(Bytes(string: "abc"))
        expectEqual(body.whole?.text, "abc")
        expectEqual(body.length, 3)
        var chunks: [String] = []
        for try await chunk in body { chunks.append(chunk.text) }
        expectEqual(chunks, ["abc"])
        for try await _ in ResponseBody() { Issue.record("an empty body has a chunk") }
    }

    @Test("Collecting stops at the limit", arguments: [(3, true), (2, false), (0, false)])
    func limit(limit: Int, fits: Bool) async throws {
        let unknown = Chunks(["ab", "c"])
        let known = Chunks(["ab", "c"], length: 3)
        for body in [ResponseBody(Bytes(string: "abc")), ResponseBody(unknown), ResponseBody(known)] {
            if fits {
                try await expectEqual(body.collect(upTo: limit).text, "abc")
            } else {
                let error = await #expect(throws: SternaError.self) { try await body.collect(upTo: limit) }
                expectEqual(error?.kind, .limitExceeded)
            }
        }
        expectEqual(unknown.chunks.isCancelled, !fits)
        expectEqual(known.chunks.isCancelled, !fits)
    }

    @Test("Giving up tells the stream")
    func cancelling() {
        let stream = Chunks(["a"])
        ResponseBody(stream).cancel()
        #expect(stream.chunks.isCancelled)
    }
}

/// Chunks that are taken one by one, and whether the rest was given up.
private final class ChunkBox: Sendable {
    private let state: Mutex<(chunks: ArraySlice<String>, isCancelled: Bool)>

    init(_ chunks: [String]) { state = Mutex((chunks[...], false)) }

    func pop() -> String? { state.withLock { $0.chunks.popFirst() } }

    func cancel() { state.withLock { $0.isCancelled = true } }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }
}
