import NIOCore
import NIOEmbedded
import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

@Suite("HTTP/2: small writes are joined")
struct WriteGathererTests {
    private static let record = WriteGatherer.recordBytes

    /// A channel with nothing but the gatherer, and what was written to it.
    private struct Scene: ~Copyable {
        let channel: EmbeddedChannel
        private(set) var written = ByteBuffer()

        init(isTLS: Bool) throws {
            channel = EmbeddedChannel()
            try channel.pipeline.syncOperations.addHandler(WriteGatherer(isTLS: isTLS))
            channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
        }

        @discardableResult
        mutating func write(_ count: Int) -> EventLoopFuture<Void> {
            let bytes = Wire.pattern(count, seed: UInt8(truncatingIfNeeded: written.readableBytes))
            written.writeBytes(bytes)
            return channel.write(ByteBuffer(bytes: bytes))
        }

        /// What has come out since it was asked last.
        func out() throws -> [ByteBuffer] {
            var out: [ByteBuffer] = []
            while let buffer = try channel.readOutbound(as: ByteBuffer.self) { out.append(buffer) }
            return out
        }

        deinit { _ = try? channel.finish(acceptAlreadyClosed: true) }
    }

    private static func joined(_ pieces: [ByteBuffer]) -> ByteBuffer {
        var whole = ByteBuffer()
        for piece in pieces { whole.writeImmutableBuffer(piece) }
        return whole
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let isTLS: Bool
        let writes: [Int]
        let out: [Int]
        var testDescription: String { "\(isTLS ? "TLS" : "plain"), \(writes)" }
    }

    static let rows = [
        Row(isTLS: true, writes: [9, 100, 9, 5], out: [123]),
        Row(isTLS: false, writes: [9, 100, 9, 5], out: [123]),
        Row(isTLS: true, writes: [9, record - 9], out: [record]),
        Row(isTLS: true, writes: [9, record - 8], out: [9, record - 8]),
        Row(isTLS: true, writes: [record], out: [record]),
        Row(isTLS: true, writes: [10, record + 1, 10], out: [10, record + 1, 10]),
        Row(isTLS: true, writes: [10_000, 10_000, 10_000], out: [10_000, 10_000, 10_000]),
        Row(isTLS: true, writes: [10_000, 6_000, 10_000, 384], out: [16_000, 10_384]),
        // Without TLS a large piece is not copied.
        Row(isTLS: false, writes: [9, 16_375, 9, 16_375], out: [9, 16_375, 9, 16_375]),
        Row(isTLS: false, writes: [9, 2_048, 9], out: [2_066]),
        Row(isTLS: false, writes: [1, 2_049, 1], out: [1, 2_049, 1]),
        Row(isTLS: false, writes: [Int](repeating: 2_000, count: 10), out: [16_000, 4_000]),
    ]

    @Test("What is written until a flush goes out in few pieces", arguments: rows)
    func joined(row: Row) throws {
        var scene = try Scene(isTLS: row.isTLS)
        for count in row.writes { scene.write(count) }
        #expect(try scene.out().isEmpty)
        scene.channel.flush()
        let out = try scene.out()
        expectEqual(out.map(\.readableBytes), row.out)
        expectEqual(Self.joined(out), scene.written)
    }

    @Test("A frame of the size that is sent goes into one record with its head")
    func frame() throws {
        var scene = try Scene(isTLS: true)
        scene.write(9)
        scene.write(WriteGatherer.frameBytes)
        scene.channel.flush()
        try expectEqual(scene.out().map(\.readableBytes), [Self.record])
    }

    @Test("Whoever waits for a write hears of it, also of one without bytes", arguments: [false, true])
    func promises(isTLS: Bool) throws {
        var scene = try Scene(isTLS: isTLS)
        let done = Counter()
        for count in [5, 3_000, 0, 20_000, 7, 7, 0] { scene.write(count).whenSuccess { done.add() } }
        expectEqual(done.value, 0)
        scene.channel.flush()
        expectEqual(done.value, 7)
    }

    @Test("A write without bytes is done with the flush, where it stands alone")
    func empty() throws {
        var scene = try Scene(isTLS: true)
        let done = Counter()
        scene.write(0).whenSuccess { done.add() }
        scene.channel.flush()
        expectEqual(done.value, 1)
    }

    @Test("Whoever waits hears that the channel is gone")
    func lost() throws {
        var scene = try Scene(isTLS: true)
        let failed = Counter()
        for count in [5, 9, 0] { scene.write(count).whenFailure { _ in failed.add() } }
        // Closed nearer to the network, as where the other side has closed: nothing passes the handler any more.
        let context = try scene.channel.pipeline.syncOperations.context(handlerType: WriteGatherer.self)
        context.close(promise: nil)
        scene.channel.embeddedEventLoop.run()
        expectEqual(failed.value, 3)
    }

    @Test("Nothing is lost, repeated or moved, whatever is written and flushed when", arguments: 0..<20)
    func anySchedule(seed: Int) throws {
        var dice = SeededRandom(seed: UInt64(seed) &* 104_729 &+ 11)
        let isTLS = seed % 2 == 0
        var scene = try Scene(isTLS: isTLS)
        var out: [ByteBuffer] = []
        let done = Counter()
        var writes = 0
        for _ in 0..<300 {
            if Int.random(in: 0..<6, using: &dice) == 0 {
                scene.channel.flush()
                out += try scene.out()
                expectEqual(out.reduce(0) { $0 + $1.readableBytes }, scene.written.readableBytes)
                expectEqual(done.value, writes)
            } else {
                let count =
                    [9, 17, 300, 2_048, 2_049, 5_000, 16_375, 16_384, 16_385, 40_000].randomElement(using: &dice) ?? 1
                scene.write(count).whenSuccess { done.add() }
                writes += 1
            }
        }
        scene.channel.flush()
        out += try scene.out()
        let isSame = Self.joined(out) == scene.written
        #expect(isSame)
        expectEqual(done.value, writes)
        #expect(out.allSatisfy { $0.readableBytes <= Self.record || [16_385, 40_000].contains($0.readableBytes) })
    }
}
