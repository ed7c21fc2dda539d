import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// The order of frames that makes a response (RFC 9113 §8.1): interim heads, a head, content, trailers.
@Suite("HTTP/2: the order of a response's frames", .timeLimit(.minutes(5)))
struct HTTP2MessageOrderTests {
    private static func fields(
        _ stream: UInt32, _ fields: [(String, String)], end: Bool = false
    ) -> WireFrame { .headers(stream, HeaderBlock.encode(fields), end: end) }

    private static func status(_ stream: UInt32, _ status: Int, end: Bool = false) -> WireFrame {
        fields(stream, [(":status", "\(status)")], end: end)
    }

    private static func text(_ stream: UInt32, end: Bool = false) -> WireFrame {
        .data(stream, Array("text".utf8), end: end)
    }

    private static func row(_ name: String, _ frames: @escaping @Sendable (UInt32) -> [WireFrame]) -> FrameRow {
        FrameRow(name, .protocolError, frames: frames)
    }

    // Content before the head is of a stream that takes none yet to the library that counts frames.
    private static let codes: Set<WireFrame.Code> = [.protocolError, .streamClosed]

    static let unended: [FrameRow] = [
        row("DATA first") { [text($0)] },
        row("DATA first, and a head behind") { [text($0), status($0, 200)] },
        row("empty DATA first") { [.data($0, [])] },
        row("DATA between an interim head and the final one") { [status($0, 103), text($0), status($0, 200)] },
        row("two heads") { [status($0, 200), status($0, 200)] },
        row("an interim head behind the final one") { [status($0, 200), status($0, 103)] },
        row("fields behind content that do not end the stream") {
            [status($0, 200), text($0), fields($0, [("a", "b")])]
        },
        row("fields behind the head that do not end the stream") { [status($0, 200), fields($0, [("a", "b")])] },
        row("101") { [fields($0, [(":status", "101")])] },
        row("101 that switches protocols") { [fields($0, [(":status", "101"), ("x-upgrade", "websocket")])] },
    ]

    static let over: [FrameRow] = [
        row("nothing but DATA") { [text($0, end: true)] }, row("nothing but empty DATA") { [.data($0, [], end: true)] },
        row("100 that ends the stream") { [status($0, 100, end: true)] },
        row("103 that ends the stream") { [status($0, 103, end: true)] },
        row("101 that ends the stream") { [status($0, 101, end: true)] },
        row("103, and DATA that ends the stream") { [status($0, 103), text($0, end: true)] },
        row("the status among the trailers") { [status($0, 200), text($0), status($0, 200, end: true)] },
        row("the status behind the trailers") {
            [status($0, 200), text($0), fields($0, [("a", "b"), (":status", "200")], end: true)]
        },
        row("another pseudo-header field among the trailers") {
            [status($0, 200), text($0), fields($0, [(":path", "/")], end: true)]
        },
        row("an unknown pseudo-header field among the trailers") {
            [status($0, 200), text($0), fields($0, [("a", "b"), (":foo", "1")], end: true)]
        },
        row("a trailer's name in upper case") { [status($0, 200), text($0), fields($0, [("Sum", "1")], end: true)] },
        row("a trailer with a line break") {
            [status($0, 200), text($0), fields($0, [("sum", "1\r\nx: 2")], end: true)]
        },
        row("a trailer with NUL") { [status($0, 200), text($0), fields($0, [("sum", "\0")], end: true)] },
        row("a field of the connection among the trailers") {
            [status($0, 200), text($0), fields($0, [("connection", "close")], end: true)]
        },
        row("transfer-encoding among the trailers") {
            [status($0, 200), text($0), fields($0, [("transfer-encoding", "chunked")], end: true)]
        },
    ]

    @Test("What the client must end", arguments: unended, [false, true])
    func resetting(row: FrameRow, secure: Bool) async throws {
        try await FrameScene.streamError(reset: .required(Self.codes), secure: secure) { connection, stream in
            try await connection.send(row.frames(stream))
        }
    }

    @Test("What is over when it is seen", arguments: over, [false, true])
    func ending(row: FrameRow, secure: Bool) async throws {
        try await FrameScene.streamError(reset: .optional, secure: secure) { connection, stream in
            try await connection.send(row.frames(stream))
        }
    }

    @Test("The same frames one by one", arguments: over + unended)
    func split(row: FrameRow) async throws {
        let isEnded = row.frames(1).contains { $0.endsStream }
        try await FrameScene.streamError(reset: isEnded ? .optional : .required(Self.codes)) {
            connection, stream in
            try await connection.sendSplit(row.frames(stream), every: 1)
        }
    }

    @Test("A reader has the content before trailers that are none, and then the error", arguments: over.suffix(9))
    func streamed(row: FrameRow) async throws {
        let text = Counter()
        try await FrameScene.streamError(reset: .optional) { connection, stream in
            let frames = row.frames(stream)
            try await connection.send(Array(frames.dropLast()))
            #expect(await eventually { text.value == 4 })
            try await connection.send(Array(frames.suffix(1)))
        } ask: { api in
            try await api.withResponse(to: .get("row")) { response in
                for try await chunk in response.body { text.add(chunk.readableBytes) }
            }
        }
        expectEqual(text.value, 4)
    }
}
