import NIOCore
import SternaCore
import SternaPlatform
import Synchronization
import Testing

@testable import SternaTestSupport

/// What a reader of a body does with numbers, paths and sources that nobody should give it.
@Suite("Reading bodies at the bounds", .timeLimit(.minutes(5)))
struct BodyReaderBoundsTests {
    @Test("A path with a NUL is not cut short to another file's")
    func nul() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "sterna-nul-\(UUID().uuidString)").path
        try Data("secret".utf8).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        var reader = BodyReader(Body(segments: [.file(FileRange(path: path + "\0.txt", offset: 0, length: 6))]))
        let error = await #expect(throws: SternaError.self) { try await reader.next() }
        expectEqual(error?.kind, .fileUnreadable)
    }

    @Test("A piece of any size may be asked for, of a file longer than a buffer")
    func huge() async {
        await #expect(processExitsWith: .success) {
            let path = FileManager.default.temporaryDirectory.appending(path: "sterna-huge-\(UUID().uuidString)").path
            try Data().write(to: URL(filePath: path))
            defer { try? FileManager.default.removeItem(atPath: path) }
            guard truncate(path, 5 << 30) == 0 else { return }
            var reader = BodyReader(try Body.file(path))
            let piece = try await reader.next(upTo: .max)
            #expect((1...(64 << 20)).contains(piece?.readableBytes ?? 0))
        }
    }

    @Test("A pause beyond all clocks is a long one")
    func pause() async {
        await #expect(processExitsWith: .success) {
            let clock = NotedClock()
            let body = Body.text("ab").throttled(packets: 1, delay: .seconds(Int64.max), clock: clock)
            let task = Task {
                var reader = BodyReader(body)
                while try await reader.next() != nil {}
            }
            #expect(await eventually { !clock.moments.isEmpty })
            let inAWeek = clock.now + .seconds(7 * 86_400)
            #expect(clock.moments.allSatisfy { $0 > inAWeek })
            task.cancel()
            await #expect(throws: (any Error).self) { try await task.value }
            expectEqual(clock.moments.count, 1)
        }
    }

    /// The system's clock, which notes until when it is slept on.
    private final class NotedClock: Clock, Sendable {
        private let noted = Mutex<[ContinuousClock.Instant]>([])

        var moments: [ContinuousClock.Instant] { noted.withLock { $0 } }
        var now: ContinuousClock.Instant { .now }
        var minimumResolution: Duration { ContinuousClock().minimumResolution }

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
            noted.withLock { $0.append(deadline) }
            try await ContinuousClock().sleep(until: deadline, tolerance: tolerance)
        }
    }

    @Test("A source that delivers nothing without end can be given up")
    func nothing() async {
        let calls = Mutex(0)
        let producer = BodyProducer(length: nil, isReplayable: false) {
            {
                let count = calls.withLock { count in
                    count += 1
                    return count
                }
                if count == 10 { withUnsafeCurrentTask { $0?.cancel() } }
                return count > 10_000 ? nil : Bytes()
            }
        }
        let task = Task {
            var reader = BodyReader(Body(segments: [.producer(producer)]))
            return try await reader.next()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(calls.withLock { $0 } < 100)
    }

    #if os(Linux)
    @Test(
        "A file that has content and says that it has none is not sent as nothing",
        arguments: ["/proc/version", "/proc/self/status"])
    func sizeless(path: String) {
        let error = #expect(throws: SternaError.self) { try Body.file(path) }
        #expect(error?.underlying as? BodyFault == .notAFile(path: path))
    }
    #endif
}
