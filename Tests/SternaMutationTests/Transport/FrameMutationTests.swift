import MutationKit
import NIOCore
import NIOEmbedded
import NIOHPACK
import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

@Suite("Mutations: frames of HTTP/2")
struct FrameMutationTests {
    private static func fields(_ fields: [(String, String)]) -> [UInt8] {
        var encoder = HPACKEncoder(allocator: ByteBufferAllocator())
        var buffer = ByteBuffer()
        try? encoder.encode(headers: HPACKHeaders(fields), to: &buffer)
        return Array(buffer.readableBytesView)
    }

    private static func frame(_ kind: WireFrame.Kind, _ flags: UInt8 = 0, _ stream: UInt32 = 0, _ payload: [UInt8] = [])
        -> [UInt8]
    {
        WireFrame(type: kind.rawValue, flags: flags, stream: stream, payload: payload).bytes
    }

    private static let settings =
        frame(.settings, 0, 0, [0, 3, 0, 0, 0, 100, 0, 4, 0, 1, 0, 0, 0, 5, 0, 0, 0x40, 0]) + frame(.settings, 1)
    private static let head = fields([(":status", "200"), ("content-length", "5")])

    private static let conversations: [[UInt8]] = [
        settings + frame(.headers, 4, 1, head) + frame(.data, 1, 1, Array("hello".utf8)),
        settings + frame(.headers, 5, 1, fields([(":status", "204")]))
            + frame(.headers, 5, 3, fields([(":status", "404")])),
        settings + frame(.windowUpdate, 0, 0, [0x7F, 0xFF, 0, 0]) + frame(.windowUpdate, 0, 3, [0, 1, 0, 0])
            + frame(.ping, 0, 0, Array(0..<8)) + frame(.reset, 0, 1, [0, 0, 0, 8]),
        settings + frame(.headers, 0, 1, Array(head.prefix(1))) + frame(.continuation, 4, 1, Array(head.dropFirst()))
            + frame(.data, 8, 1, [2] + Array("he".utf8) + [0, 0]) + frame(.data, 0, 1, Array("llo".utf8))
            + frame(.headers, 5, 1, fields([("x", "y")])),
        settings + frame(.goAway, 0, 0, [0, 0, 0, 1, 0, 0, 0, 0]) + frame(.headers, 4, 1, head),
        frame(.settings, 0, 0, [0, 4, 0, 0, 0, 0]) + frame(.settings, 0, 0, [0, 4, 0x7F, 0xFF, 0xFF, 0xFF]),
    ]

    /// What the server sends on a connection with a GET and a PUT under way.
    static let connection = MutatedReader(
        "Frames", seeds: conversations,
        tokens: WireFrame.Kind.allCases.flatMap { kind in
            [frame(kind), frame(kind, 0xFF, 1, [0, 0, 0, 0]), frame(kind, 4, 3, [UInt8](repeating: 0, count: 8))]
        } + [
            [0, 4, 0xFF, 0xFF, 0xFF, 0xFF], [0, 3, 0, 0, 0, 0], [0, 5, 0, 0xFF, 0xFF, 0xFF], [0xFF, 0xFF, 0xFF],
            [0x7F, 0xFF, 0xFF, 0xFF],
        ],
        acceptsSeeds: false,
        asynchronously: { bytes in
            let world = try await FrameWorld(seed: 1)
            try await world.ask(bodyLength: 0, delivery: .head)
            try await world.ask(bodyLength: 100_000, delivery: .head)
            let half = bytes.count / 2
            for piece in [bytes[..<half], bytes[half...]] { try await world.receive(Array(piece)) }
            await world.loop.advanceTime(by: .seconds(1))
            return try await world.end() ? .accepted : .refused
        })

    @Test("No mutated frame ends the process")
    func survives() async {
        let report = await Self.connection.supervise {
            await #expect(processExitsWith: .success) { await FrameMutationTests.connection.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}

extension FrameWorld {
    /// Delivers bytes that no model has made.
    fileprivate func receive(_ bytes: [UInt8]) async throws {
        let (channel, buffer) = (channel, ByteBuffer(bytes: bytes))
        try await loop.executeInContext {
            guard channel.isActive else { return }
            channel.pipeline.fireChannelRead(buffer)
            channel.pipeline.fireChannelReadComplete()
        }
        try await drain()
    }

    private func drain() async throws {
        await loop.run()
        while try await channel.readOutbound(as: ByteBuffer.self) != nil {}
    }

    /// Ends the connection and what is left of the requests; returns whether one of them was answered.
    fileprivate func end() async throws -> Bool {
        try await drain()
        let channel = channel
        try await loop.executeInContext { channel.close(promise: nil) }
        for ask in asks { ask.exchange.cancel() }
        try await drain()
        var isAnswered = false
        for ask in asks {
            guard let response = try? await ask.task.value else { continue }
            isAnswered = true
            response.body.cancel()
        }
        try await drain()
        return isAnswered
    }
}
