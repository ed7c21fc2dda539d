import NIOCore
import NIOEmbedded
import Sterna
import SternaCore
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// What the library's decoder gets of a connection's bytes: it keeps all that it cannot decode yet.
@Suite("HTTP/2: the decoder gets whole frames, and pieces of content", .timeLimit(.minutes(5)))
struct FrameMeterTests {
    private struct Frame {
        let type: UInt8
        let payload: [UInt8]
        var flags: UInt8 = 0

        var bytes: [UInt8] {
            let length = [0, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
            return length + [type, flags, 0, 0, 0, type == FrameHead.Kind.settings ? 0 : 1] + payload
        }

        /// Whether the decoder may get its content in pieces.
        var isSplit: Bool { type == FrameHead.Kind.data && flags == 0 }
    }

    private static let frames = [
        Frame(type: FrameHead.Kind.settings, payload: []),
        Frame(type: FrameHead.Kind.data, payload: Wire.pattern(30)),
        Frame(type: FrameHead.Kind.windowUpdate, payload: [0, 0, 0, 1]),
        Frame(type: FrameHead.Kind.headers, payload: Wire.pattern(20)),
        Frame(type: FrameHead.Kind.data, payload: []),
        Frame(type: FrameHead.Kind.data, payload: Wire.pattern(300)),
        Frame(type: FrameHead.Kind.data, payload: [5] + Wire.pattern(40), flags: FrameHead.padded),
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

    @Test(
        "However the reads split them, each read of the decoder ends with a frame, or within the content of one",
        arguments: 1...80)
    func splits(length: Int) throws {
        let bytes = Self.frames.flatMap(\.bytes)
        var mayEnd: Set<Int> = []
        var start = 0
        for frame in Self.frames {
            let end = start + frame.bytes.count
            mayEnd.formUnion(frame.isSplit && !frame.payload.isEmpty ? Array(start + 10...end) : [end])
            start = end
        }
        var reads = try Self.reads(of: bytes, each: length)
        // The acknowledgement of SETTINGS that the meter inserts behind the first frame.
        let place = try #require(reads.firstIndex(of: Array(buffer: HeaderListAnnouncement.acknowledgement)))
        reads.remove(at: place)
        expectEqual(reads.flatMap(\.self), bytes)
        var passed = 0
        for read in reads {
            passed += read.count
            #expect(mayEnd.contains(passed), "\(passed)")
        }
    }

    @Test("Content is not held back", arguments: [1, 100, 16_000])
    func content(count: Int) throws {
        let head = Frame(type: FrameHead.Kind.data, payload: Wire.pattern(16_384)).bytes[..<9]
        let channel = EmbeddedChannel(handler: FrameMeter(Limits(), by: TestClock().clock))
        defer { _ = try? channel.finish() }
        try channel.writeInbound(ByteBuffer(bytes: Frame(type: FrameHead.Kind.settings, payload: []).bytes))
        while try channel.readInbound(as: ByteBuffer.self) != nil {}
        try channel.writeInbound(ByteBuffer(bytes: head))
        let early = try channel.readInbound(as: ByteBuffer.self)
        #expect(early == nil)
        try channel.writeInbound(ByteBuffer(bytes: Wire.pattern(count)))
        try expectEqual(channel.readInbound(as: ByteBuffer.self)?.readableBytes, 9 + count)
        try channel.writeInbound(ByteBuffer(bytes: Wire.pattern(7)))
        try expectEqual(channel.readInbound(as: ByteBuffer.self)?.readableBytes, 7)
    }

    @Test("The pieces of a body keep no memory but their own, wherever records end", arguments: [10_007, nil])
    func pieces(length: Int?) async throws {
        let content = Wire.pattern(200_000)
        try await FrameScene.withSession(secure: true) { connection in
            try await connection.handshake()
            let request = try await connection.request()
            try await connection.respondHead(request.stream)
            let frames = stride(from: 0, to: content.count, by: 16_000).map { start in
                WireFrame.data(request.stream, Array(content[start..<min(start + 16_000, content.count)]))
            }
            let bytes = frames.map(\.bytes)
            var heads: [Int] = []
            var start = 0
            for frame in bytes {
                heads.append(start + 9)
                start += frame.count
            }
            // Each write is a record of TLS, and a read. Without a length, each record ends with the head of the next frame.
            let places = length.map { Array(stride(from: $0, to: start, by: $0)) } ?? heads
            connection.look { $0.note(sent: frames) }
            try await connection.sendSplit(bytes.flatMap(\.self), at: places)
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
