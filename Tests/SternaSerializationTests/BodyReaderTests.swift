import NIOCore
import SternaCore
import SternaPlatform
import SternaSerialization
import Synchronization
import Testing

@testable import SternaTestSupport

@Suite("Bodies read, collected, slowed down and compressed")
struct BodyReaderTests {
    private static let file = Result { try ScratchFile(String(repeating: "0123456789", count: 3_000), name: "f") }

    /// Bytes, a file, a stream, nothing, and bytes again.
    private static func body(seed: UInt64 = 1) throws -> (Body, [UInt8]) {
        let start = Array("start ".utf8)
        let middle = (0..<9_999).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let stream = Body.stream(length: 9_999) {
            let chunks = Mutex(stride(from: 0, to: 9_999, by: 1_000).map { middle[$0..<min($0 + 1_000, 9_999)] })
            return ChunkSource(chunks.withLock { $0 }).next
        }
        let file = try file.get()
        let parts: [Body] = [
            .bytes(Bytes(copying: start)), try .file(file.path), .bytes(Bytes()), stream,
            try .file(file.path, range: 3..<7), .bytes(Bytes(copying: start)),
        ]
        let body = Body(segments: parts.flatMap(\.segments))
        let content = Array(String(repeating: "0123456789", count: 3_000).utf8)
        return (body, start + content + middle + Array("3456".utf8) + start)
    }

    private final class ChunkSource: Sendable {
        private let chunks: Mutex<[ArraySlice<UInt8>]>

        init(_ chunks: [ArraySlice<UInt8>]) { self.chunks = Mutex(chunks) }

        func next() async throws -> Bytes? {
            chunks.withLock { $0.isEmpty ? nil : Bytes(copying: $0.removeFirst()) }
        }
    }

    @Test("Any pattern of reads yields the same bytes, as many as declared", arguments: [1, 2, 7, 4_096, 1 << 20])
    func patterns(size: Int) async throws {
        let (body, expected) = try Self.body()
        expectEqual(body.length, Int64(expected.count))
        // Twice, as it can be read again.
        for _ in 0..<2 { try await expectEqual(MultipartFormTests.bytes(body, pieces: size), expected) }
        var reader = BodyReader(body)
        var filled: [UInt8] = []
        while let piece = try await reader.next(filling: size) {
            filled += piece.readableBytesView
            #expect(piece.readableBytes == size || filled.count == expected.count)
        }
        expectEqual(filled, expected)
    }

    @Test("Random patterns")
    func random() async throws {
        let (body, expected) = try Self.body()
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20 {
            var reader = BodyReader(body)
            var all: [UInt8] = []
            while let piece = try await reader.next(upTo: .random(in: 1...3_000, using: &generator)) {
                all += piece.readableBytesView
            }
            expectEqual(all, expected)
        }
    }

    @Test("A file that changed, and a source that is not as long as declared, are errors and nothing is padded")
    func faults() async throws {
        let file = try ScratchFile("0123456789", name: "f")
        let body = try Body.file(file.path)
        for content in ["0123", "0123456789ABC", ""] {
            try Data(content.utf8).write(to: URL(filePath: file.path))
            let error = await #expect(throws: SternaError.self) { try await MultipartFormTests.bytes(body) }
            #expect(error?.underlying as? BodyFault == .changed(path: file.path))
        }
        try FileManager.default.removeItem(atPath: file.path)
        let gone = await #expect(throws: SternaError.self) { try await MultipartFormTests.bytes(body) }
        #expect(gone?.underlying as? BodyFault == .unreachable(path: file.path, code: 2))
        for (length, fault) in [
            (Int64(4), BodyFault.tooLong(declared: 4)), (Int64(6), .tooShort(delivered: 5, declared: 6)),
        ] {
            let stream = AsyncStream<Bytes> {
                $0.yield(Bytes(text: "12345"))
                $0.finish()
            }
            let body = Body.stream(stream, length: length)
            let error = await #expect(throws: SternaError.self) { try await MultipartFormTests.bytes(body) }
            #expect(error?.underlying as? BodyFault == fault)
            let again = await #expect(throws: SternaError.self) { try await MultipartFormTests.bytes(body) }
            expectEqual(again?.kind, .bodyNotReplayable)
        }
    }

    @Test(
        "A builder keeps a little in memory and the rest on disk, where nobody sees it", arguments: [0, 10, 256 << 10])
    func builder(limit: Int) async throws {
        let (source, expected) = try Self.body()
        var builder = BodyBuilder(memoryLimit: limit)
        try builder.append(Bytes(text: "12345"))
        try builder.append(Bytes())
        try await builder.append(source)
        try await builder.append(.file(try Self.file.get().path))
        let body = builder.body(mediaType: "a/b")
        expectEqual(body.mediaType, "a/b")
        #expect(body.isReplayable)
        expectEqual(body.length, builder.length)
        let bytes = try await MultipartFormTests.bytes(body)
        #expect(bytes.starts(with: Array("12345".utf8) + expected))
        expectEqual(bytes.count, 5 + expected.count + 30_000)
        if case .file(let range) = body.segments[0] {
            #expect(limit < 256 << 10)
            #expect(!FileManager.default.fileExists(atPath: range.path))
        } else {
            expectEqual(limit, 256 << 10)
        }
    }

    @Test("A file at a given path loses its name at once, and never overwrites")
    func givenPath() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "sterna-body-\(UUID().uuidString)").path
        var builder = BodyBuilder(memoryLimit: 0, path: path)
        try builder.append(Bytes(text: "secret"))
        #expect(!FileManager.default.fileExists(atPath: path))
        guard case .file(let range)? = builder.body().segments.first else {
            Issue.record("The body is not on disk.")
            return
        }
        expectEqual(range.path, path)
        try Data("there".utf8).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        var second = BodyBuilder(memoryLimit: 0, path: path)
        #expect(throws: SternaError.self) { try second.append(Bytes(text: "x")) }
        try expectEqual(Data(contentsOf: URL(filePath: path)), Data("there".utf8))
        try await expectEqual(MultipartFormTests.bytes(builder.body()), Array("secret".utf8))
    }

    @Test("A body is written to a file with progress; an existing file stays, an unfinished one is removed")
    func written() async throws {
        let (body, expected) = try Self.body()
        let path = FileManager.default.temporaryDirectory.appending(path: "sterna-form-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let steps = Mutex<[Int64]>([])
        let copy = try await body.write(to: path) { step in steps.withLock { $0.append(step.completed) } }
        try expectEqual(Data(contentsOf: URL(filePath: path)), Data(expected))
        try await expectEqual(MultipartFormTests.bytes(copy), expected)
        expectEqual(steps.withLock { $0.last }, Int64(expected.count))
        #expect(steps.withLock { $0 == $0.sorted() })
        await #expect(throws: SternaError.self) { try await body.write(to: path) }
        #expect(FileManager.default.fileExists(atPath: path))
        let short = Body.stream(AsyncStream<Bytes> { $0.finish() }, length: 5)
        await #expect(throws: SternaError.self) { try await short.write(to: path + "2") }
        #expect(!FileManager.default.fileExists(atPath: path + "2"))
    }

    /// A clock that stands still but for whoever sleeps.
    private final class SleepCount: Clock, Sendable {
        let slept = Mutex<[Duration]>([])

        var now: ContinuousClock.Instant { .now }
        var minimumResolution: Duration { .nanoseconds(1) }

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
            try Task.checkCancellation()
            slept.withLock { $0.append(deadline - .now) }
            await Task.yield()
        }
    }

    @Test("Throttled: full packets with a pause before each but the first; length and replay as before")
    func throttled() async throws {
        let (body, expected) = try Self.body()
        let clock = SleepCount()
        let slow = body.throttled(packets: 1_000, delay: .seconds(5), clock: clock)
        expectEqual(slow.length, body.length)
        #expect(slow.isReplayable)
        var reader = BodyReader(slow)
        var sizes: [Int] = []
        var all: [UInt8] = []
        while let piece = try await reader.next() {
            sizes.append(piece.readableBytes)
            all += piece.readableBytesView
        }
        expectEqual(all, expected)
        #expect(sizes.dropLast().allSatisfy { $0 == 1_000 })
        #expect((sizes.last ?? 0) <= 1_000)
        let pauses = clock.slept.withLock { $0 }
        // One more before the end is seen.
        expectEqual(pauses.count, sizes.count)
        let (least, most) = (Duration.seconds(4), Duration.seconds(5))
        #expect(pauses.allSatisfy { (pause: Duration) -> Bool in pause > least && pause <= most })
        let task = Task { try await MultipartFormTests.bytes(body.throttled(packets: 1_000, delay: .seconds(600))) }
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.value }
    }

    @Test(
        "Compressed: undone by zlib it is the body; collected it has a length",
        arguments: [ContentCoding.gzip, .deflate])
    func compressed(coding: ContentCoding) async throws {
        let (body, expected) = try Self.body()
        let coded = body.compressed(coding)
        expectNil(coded.length)
        #expect(coded.isReplayable)
        expectEqual(coded.contentCoding, coding.rawValue)
        for _ in 0..<2 {
            let bytes = try await MultipartFormTests.bytes(coded)
            #expect(bytes.count < expected.count / 2)
            let decoded = DecodedBody(ResponseBody(Bytes(copying: bytes)), codings: [coding], limits: DecodingLimits())
            try await expectEqual(ResponseBody(decoded).collect(upTo: 1 << 20).array, expected)
        }
        for limit in [0, 1 << 20] {
            let collected = try await coded.collected(memoryLimit: limit)
            expectEqual(collected.contentCoding, coding.rawValue)
            try await expectEqual(MultipartFormTests.bytes(collected).count, Int(collected.length ?? -1))
        }
        expectEqual(body.compressed(.gzip).compressed(.deflate).contentCoding, "gzip, deflate")
    }
}
