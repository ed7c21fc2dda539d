import HTTPTypes
import NIOCore
import SternaCore
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Bandwidth: request bodies", .timeLimit(.minutes(5)))
struct LimitedUploadTests {
    private let scene = BandwidthScene()

    @Test("The length, the media type, the trailer fields and the replayability stay")
    func properties() async throws {
        let limit = BandwidthLimit(upload: 32_000)
        let bytes = Body.text("content").withTrailers { [:] }.limited(by: [limit], scene.clock)
        expectEqual(bytes.length, 7)
        expectEqual(bytes.mediaType, "text/plain; charset=utf-8")
        #expect(bytes.isReplayable)
        #expect(bytes.trailers != nil)
        let (stream, continuation) = AsyncStream<Bytes>.makeStream()
        continuation.finish()
        let once = Body.stream(stream).limited(by: [limit], scene.clock)
        expectNil(once.length)
        #expect(!once.isReplayable)
        expectEqual(Body.bytes([]).limited(by: [limit], scene.clock).segments.count, 1)
    }

    @Test("Portions wait for their turn; a body that is sent again pays again")
    func portions() async throws {
        let limit = BandwidthLimit(upload: 32_000)
        let content = (0..<4_500).map { UInt8(truncatingIfNeeded: $0) }
        let body = Body.bytes(content).limited(by: [limit], scene.clock)
        for round in 0..<2 {
            let count = ByteCount()
            let task = Task {
                var reader = BodyReader(body)
                var all = Bytes()
                while var piece = try await reader.next() {
                    count.add(piece.count)
                    all.writeBuffer(&piece)
                }
                return all.array
            }
            for turn in 0..<(round == 0 ? 3 : 5) {
                try await scene.wait(for: 1, limit.uploads, turnWithin: .microseconds(31_250))
                expectEqual(count.value, (round == 0 ? 2_000 : 0) + 1_000 * turn)
                // The last turn of the first round is half a portion, and leaves none.
                await scene.time.advance(
                    by: count.value == 4_000 ? .microseconds(15_625) : .microseconds(31_250))
            }
            try await expectEqual(task.value, content)
        }
    }

    @Test("Cancelling the task that sends ends the wait")
    func cancelled() async throws {
        let limit = BandwidthLimit(upload: 1)
        let body = Body.text("content").limited(by: [limit], scene.clock)
        let task = Task {
            var reader = BodyReader(body)
            while try await reader.next() != nil {}
        }
        try await BandwidthScene.wait(for: 1, limit.uploads)
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.value }
        expectEqual(limit.uploads.waiterCount, 0)
    }
}
