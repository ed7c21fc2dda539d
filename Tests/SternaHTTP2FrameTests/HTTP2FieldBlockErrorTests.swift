import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Field blocks that are cut, broken into, or cannot be decoded (RFC 9113 §4.3): the table is lost, and with it the
/// connection.
@Suite("HTTP/2: broken field blocks", .timeLimit(.minutes(5)))
struct HTTP2FieldBlockErrorTests {
    private static let ok = HeaderBlock.encode([(":status", "200")])

    private static func begun(_ stream: UInt32) -> WireFrame { .headers(stream, ok, endHeaders: false) }

    static let order: [FrameRow] = [
        FrameRow("CONTINUATION first", .protocolError) { [.continuation($0, ok)] },
        FrameRow("CONTINUATION behind a whole head", .protocolError) { [.headers($0, ok), .continuation($0, ok)] },
        FrameRow("CONTINUATION behind DATA", .protocolError) {
            [.headers($0, ok), .data($0, [1]), .continuation($0, ok)]
        },
        FrameRow("DATA within a head", .protocolError) { [begun($0), .data($0, [1])] },
        FrameRow("HEADERS within a head", .protocolError) { [begun($0), .headers($0, ok)] },
        FrameRow("RST_STREAM within a head", .protocolError) { [begun($0), .reset($0, .cancel)] },
        FrameRow("PRIORITY within a head", .protocolError) { [begun($0), .priority($0)] },
        FrameRow("PING within a head", .protocolError) { [begun($0), .ping()] },
        FrameRow("SETTINGS within a head", .protocolError) { [begun($0), .settings([])] },
        FrameRow("WINDOW_UPDATE within a head", .protocolError) { [begun($0), .windowUpdate(0, 1)] },
        FrameRow("GOAWAY within a head", .protocolError) { [begun($0), .goAway(last: $0)] },
        FrameRow("an unknown frame within a head", .protocolError) { [begun($0), .unknown(type: 0x5A)] },
        FrameRow("an unknown frame of the stream within a head", .protocolError) {
            [begun($0), .unknown(type: 0x5A, stream: $0)]
        },
        FrameRow("CONTINUATION of another stream within a head", .protocolError) {
            [begun($0), .continuation($0 + 2, ok)]
        },
        FrameRow("CONTINUATION of no stream within a head", .protocolError) { [begun($0), .continuation(0, ok)] },
        FrameRow("PING within trailers", .protocolError) {
            [.headers($0, ok), .headers($0, [], end: true, endHeaders: false), .ping()]
        },
    ]

    /// What comes behind a good field, or in its place.
    struct Block: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]
        /// Whether it has to be the first of its block.
        let isFirst: Bool

        init(_ name: String, _ bytes: [UInt8], isFirst: Bool = false) {
            self.name = name
            self.bytes = bytes
            self.isFirst = isFirst
        }

        /// With a status in front.
        var head: [UInt8] { (isFirst ? [] : [0x88]) + bytes }

        /// With a field in front.
        var trailers: [UInt8] { (isFirst ? [] : HeaderBlock.encode([("a", "b")])) + bytes }

        var testDescription: String { name }
    }

    static let blocks: [Block] = [
        Block("index 0", [0x80]), Block("an index behind the static table", [0xBE]),
        Block("an index far behind it", [0xFF, 0xFF, 0x7F]),
        Block("a name by an index that is not there", [0x40 | 0x3F, 0x00, 0x01, 0x61]),
        Block("an integer without end", [0xFF] + [UInt8](repeating: 0xFF, count: 20)),
        Block("an integer of more than 64 bits", [0xFF] + [UInt8](repeating: 0xFF, count: 20) + [0x01]),
        Block("a length of more than 64 bits", [0x00, 0x7F] + [UInt8](repeating: 0xFF, count: 12) + [0x01]),
        Block("an integer that is cut", [0xFF]), Block("a literal that is cut", [0x00]),
        Block("a name longer than the block", [0x00, 0x05, 0x61]),
        Block("a value longer than the block", [0x00, 0x01, 0x61, 0x05, 0x62]),
        Block("a value longer than any block", [0x00, 0x01, 0x61, 0x7F, 0x80, 0xFF, 0xFF, 0xFF, 0x07, 0x62]),
        Block("a name and no value", [0x00, 0x01, 0x61]),
        // The name is “a”, and the value is in Huffman's code.
        Block("the end of string within a text", [0x00, 0x01, 0x61, 0x84, 0xFF, 0xFF, 0xFF, 0xFF]),
        Block("padding of a whole byte", [0x00, 0x01, 0x61, 0x82, 0x1F, 0xFF]),
        Block("padding that is not ones", [0x00, 0x01, 0x61, 0x81, 0x18]),
        Block("a change of the table behind a field", [0x20]),
        Block("a change of the table between fields", [0x3F, 0x00, 0x88]),
        Block("a table larger than the client's", tableSize(1 << 30), isFirst: true),
        Block("a table without bounds", [0x3F] + [UInt8](repeating: 0xFF, count: 12) + [0x01], isFirst: true),
    ]

    private static func tableSize(_ size: Int) -> [UInt8] {
        var block = HeaderBlock()
        block.tableSize(size)
        block.index(8)
        return block.bytes
    }

    @Test("Frames that break into a block, and pieces of none", arguments: order)
    func cut(row: FrameRow) async throws {
        try await FrameScene.connectionError(codes: row.codes) { connection, stream in
            try await connection.send(bytes: row.frames(stream).flatMap(\.bytes))
        }
    }

    @Test("Blocks that cannot be decoded", arguments: blocks)
    func head(block: Block) async throws {
        try await FrameScene.connectionError(codes: [.compressionError]) { connection, stream in
            try await connection.send(.headers(stream, block.head, end: true))
        }
    }

    @Test("The same in trailers, and in pieces", arguments: blocks)
    func trailers(block: Block) async throws {
        try await FrameScene.connectionError(codes: [.compressionError]) { connection, stream in
            try await connection.send(.headers(stream, Self.ok), .data(stream, [1]))
            let bytes = block.trailers
            let half = bytes.count / 2
            try await connection.send(
                .headers(stream, Array(bytes[..<half]), end: true, endHeaders: false),
                .continuation(stream, Array(bytes[half...])))
        }
    }

    // A connection on which a request has failed has been used: of a method that is never repeated on another one.
    @Test("The same on a stream that the client has reset", arguments: blocks)
    func over(block: Block) async throws {
        try await FrameScene.connectionError(codes: [.compressionError], requests: 2, method: .post) {
            connection, stream in
            try await connection.send(.headers(stream, HeaderBlock.encode([(":status", "200"), ("Bad", "1")])))
            try await expectEqual(connection.receive(.reset, stream: stream).code, .protocolError)
            try await connection.send(.headers(stream, block.trailers, end: true))
        }
    }

    @Test("With TLS, and with several requests under way", arguments: [blocks[0]])
    func several(block: Block) async throws {
        for secure in [false, true] {
            try await FrameScene.connectionError(codes: [.compressionError], requests: 3, secure: secure) {
                connection, stream in
                try await connection.send(.headers(stream, block.head))
            }
        }
    }
}
