import NIOCore
import NIOEmbedded
import Sterna
import SternaCore
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// What the library's decoder gets of a connection's bytes, which keeps all that it cannot decode yet.
@Suite("HTTP/2: no read of the decoder ends within the head of a frame", .timeLimit(.minutes(5)))
struct FrameMeterTests {
    private struct Frame {
        let type: UInt8
        let payload: [UInt8]

        var bytes: [UInt8] {
            [0, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF), type, 0, 0, 0, 0, type == 4 ? 0 : 1] + payload
        }
    }

    private static let frames = [
        Frame(type: FrameHead.Kind.settings, payload: []),
        Frame(type: FrameHead.Kind.data, payload: Wire.pattern(30)),
        Frame(type: FrameHead.Kind.windowUpdate, payload: [0, 0, 0, 1]),
        Frame(type: FrameHead.Kind.headers, payload: Wire.pattern(20)),
        Frame(type: FrameHead.Kind.data, payload: []),
        Frame(type: FrameHead.Kind.data, payload: Wire.pattern(300)),
        Frame(type: FrameHead.Kind.windowUpdate, payload: [0, 0, 1, 0]),
        Frame(type: FrameHead.Kind.data, payload: [7]),
    ]

    /// Feeds frames in reads of one length; returns the reads of the decoder.
    private static func reads(of bytes: [UInt8], each length: Int) throws -> [[UInt8]] {
        let channel = EmbeddedChannel(handler: FrameMeter(Limits(), by: TestClock().clock))
        defer { _ = try? channel.finish() }
        var reads: [[UInt8]] = []
        for start in stride(from: 0, to: bytes.count, by: length) {
            let part = bytes[start..<min(start + length, bytes.count)]
            try channel.writeInbound(ByteBuffer(bytes: part))
            while let read = try channel.readInbound(as: ByteBuffer.self) { reads.append(Array(buffer: read)) }
        }
        return reads
    }

    @Test("However the reads split them, frames arrive in full, and the bytes of a head together", arguments: 1...60)
    func splits(length: Int) throws {
        let bytes = Self.frames.flatMap(\.bytes)
        // For each place within a head, the head's end.
        var ends: [Int: Int] = [:]
        var start = 0
        for frame in Self.frames {
            for place in start + 1..<start + 9 { ends[place] = start + 9 }
            start += frame.bytes.count
        }
        var reads = try Self.reads(of: bytes, each: length)
        // The acknowledgement of SETTINGS that the meter inserts behind the first frame.
        let place = try #require(reads.firstIndex(of: Array(buffer: HeaderListAnnouncement.acknowledgement)))
        reads.remove(at: place)
        expectEqual(reads.flatMap(\.self), bytes)
        var passed = 0
        for (read, next) in zip(reads, reads.dropFirst()) {
            passed += read.count
            // What is held back comes in a read of its own, in front of the rest of the head.
            if let end = ends[passed] { #expect(passed + next.count >= end) }
        }
    }

    @Test("The pieces of a body keep no memory but their own, also where frames end within records")
    func pieces() async throws {
        let content = Wire.pattern(200_000)
        try await FrameScene.withSession(secure: true) { connection in
            try await connection.handshake()
            let request = try await connection.request()
            try await connection.respondHead(request.stream)
            // Each write is a record of TLS, so that frames of another length begin and end within records.
            let frames = stride(from: 0, to: content.count, by: 16_000).map { start in
                WireFrame.data(request.stream, Array(content[start..<min(start + 16_000, content.count)]))
            }
            try await connection.sendSplit(frames, every: 10_007)
            try await connection.send(.data(request.stream, [], end: true))
        } body: { api, _ in
            var body = Bytes()
            try await api.withResponse(to: .get("row")) { response in
                for try await piece in response.body {
                    #expect(piece.storageCapacity <= max(8_192, 2 * piece.readableBytes))
                    body.writeImmutableBuffer(piece)
                }
            }
            #expect(Wire.same(body, content))
        }
    }
}
