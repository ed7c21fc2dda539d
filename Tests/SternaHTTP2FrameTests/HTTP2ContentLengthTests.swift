import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Content-Length is checked against the content, though it frames nothing here (RFC 9113 §8.1.1).
@Suite("HTTP/2: Content-Length of responses", .timeLimit(.minutes(5)))
struct HTTP2ContentLengthTests {
    private static func head(_ lengths: String..., end: Bool = false) -> @Sendable (UInt32) -> WireFrame {
        let block = HeaderBlock.encode([(":status", "200")] + lengths.map { ("content-length", $0) })
        return { .headers($0, block, end: end) }
    }

    private static func bytes(_ count: Int) -> [UInt8] { Wire.pattern(count) }

    private static func row(_ name: String, _ frames: @escaping @Sendable (UInt32) -> [WireFrame]) -> FrameRow {
        FrameRow(name, .protocolError, frames: frames)
    }

    /// The client ends the stream, which is open.
    static let unended: [FrameRow] =
        [
            row("too long in one frame") { [head("5")($0), .data($0, bytes(10))] },
            row("too long by one byte in a frame of its own") {
                [head("5")($0), .data($0, bytes(5)), .data($0, bytes(1))]
            },
            row("a byte where there should be none") { [head("0")($0), .data($0, bytes(1))] },
            row("too long behind padding") { [head("5")($0), .data($0, bytes(6), padding: 9)] },
            row("two lengths") { [head("5", "6")($0)] }, row("two lengths in a list") { [head("5, 6")($0)] },
            row("two lengths, one of them none") { [head("5", "")($0)] },
        ]
        + [
            "", "-1", "+5", "5x", "x", "five", "0x5", "5.0", "5 5", "5,", ",5", "5;", "1e1", "\u{0665}",
            "9223372036854775808", "18446744073709551616", "18446744073709551621", "99999999999999999999999999",
        ].map { length in row("length “\(length)”") { [head(length)($0)] } }

    /// The server has ended the stream.
    static let over: [FrameRow] = [
        row("too short") { [head("10")($0), .data($0, bytes(5), end: true)] },
        row("too short by one byte in several frames") {
            [head("10")($0), .data($0, bytes(5)), .data($0, bytes(4)), .data($0, [], end: true)]
        },
        row("too short by padding") { [head("10")($0), .data($0, bytes(5), end: true, padding: 4)] },
        row("too short before trailers") {
            [head("10")($0), .data($0, bytes(5)), .headers($0, HeaderBlock.encode([("x-sum", "1")]), end: true)]
        },
        row("nothing, the head ends the stream") { [head("10", end: true)($0)] },
        row("nothing, empty DATA ends the stream") { [head("1")($0), .data($0, [], end: true)] },
        row("too long") { [head("5")($0), .data($0, bytes(10), end: true)] },
        row("too long by its last frame") { [head("5")($0), .data($0, bytes(5)), .data($0, bytes(1), end: true)] },
    ]

    static let good: [FrameRow] = [
        row("one frame") { [head("10")($0), .data($0, bytes(10), end: true)] },
        row("two frames") { [head("10")($0), .data($0, bytes(4)), .data($0, Array(bytes(10)[4...]), end: true)] },
        row("padding does not count") { [head("10")($0), .data($0, bytes(10), end: true, padding: 200)] },
        row("an empty frame at the end") { [head("10")($0), .data($0, bytes(10)), .data($0, [], end: true)] },
        row("before trailers") {
            [head("10")($0), .data($0, bytes(10)), .headers($0, HeaderBlock.encode([("x-sum", "1")]), end: true)]
        },
        row("leading zeros") { [head("0010")($0), .data($0, bytes(10), end: true)] },
        row("the same length twice") { [head("10", "10")($0), .data($0, bytes(10), end: true)] },
        row("the same length in a list") { [head("10, 10")($0), .data($0, bytes(10), end: true)] },
        row("none") { [head()($0), .data($0, bytes(10), end: true)] },
    ]

    @Test("Content that is too long, and lengths that are none", arguments: unended, [false, true])
    func resetting(row: FrameRow, secure: Bool) async throws {
        try await FrameScene.streamError(secure: secure) { connection, stream in
            try await connection.send(row.frames(stream))
        }
    }

    @Test("Content that is too short, or too long at its end", arguments: over, [false, true])
    func ending(row: FrameRow, secure: Bool) async throws {
        try await FrameScene.streamError(reset: .optional, secure: secure) { connection, stream in
            try await connection.send(row.frames(stream))
        }
    }

    @Test("A reader never has the end, nor more than there should be", arguments: [(5, false), (5, true), (20, true)])
    func streamed(length: Int, isEnded: Bool) async throws {
        let hasBegun = Counter()
        try await FrameScene.streamError(reset: isEnded ? .optional : .required([.protocolError])) {
            connection, stream in
            try await connection.send(Self.head("\(length)")(stream), .data(stream, Self.bytes(5)))
            #expect(await eventually { hasBegun.value == 1 })
            try await connection.send(.data(stream, Self.bytes(5), end: isEnded))
        } ask: { api in
            try await api.withResponse(to: .get("row")) { response in
                expectEqual(response.status, .ok)
                hasBegun.add()
                var count = 0
                defer { #expect(count <= length) }
                for try await chunk in response.body { count += chunk.readableBytes }
            }
        }
        expectEqual(hasBegun.value, 1)
    }

    @Test("The right length, in many ways", arguments: good)
    func right(row: FrameRow) async throws {
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            let stream = try await connection.request().stream
            try await connection.send(row.frames(stream))
            try await connection.roundTrip()
            #expect(!connection.log.contains { $0.kind == .reset || $0.kind == .goAway })
        } body: { api, _ in
            let reply = try await api.get("row")
            #expect(Wire.same(reply.body, Self.bytes(10)))
        }
    }
}
