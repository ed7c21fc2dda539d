import NIOCore
import NIOHPACK
import NIOPosix
import NIOSSL
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

@Suite("The peer that speaks in frames", .timeLimit(.minutes(5)))
struct FramePeerTests {
    static let frames: [WireFrame] = [
        .settings([(1, 4096), (4, 0xFFFF_FFFF)]), .settingsAck, .ping([1, 2, 3, 4, 5, 6, 7, 8], ack: true),
        .goAway(last: 5, code: .enhanceYourCalm, debug: [9, 9]), .reset(3, .cancel), .windowUpdate(0, 1 << 30),
        .data(1, Array("text".utf8), end: true, padding: 3),
        .headers(1, [0x82], end: true, endHeaders: false, padding: 0, priority: .init(dependency: 7, exclusive: true)),
        .continuation(1, []), .pushPromise(1, promised: 2, [0x82, 0x84], padding: 1), .priority(0x7FFF_FFFF),
        .unknown(type: 0xFA, flags: 0xFF, stream: 9, payload: [0]),
        WireFrame(type: 4, flags: 0, stream: 1, reserved: true, payload: [1, 2, 3]),
        .data(1, [UInt8](repeating: 7, count: 70_000)),
    ]

    @Test("Frames cut anywhere are the frames that were written")
    func splits() {
        let frames = Self.frames.dropLast()
        let bytes = frames.flatMap(\.bytes)
        for cut in 0...bytes.count {
            var parser = WireFrameParser()
            var parsed: [WireFrame] = []
            for piece in [bytes[..<cut], bytes[cut...]] {
                parser.append(piece)
                while let frame = parser.next() { parsed.append(frame) }
            }
            #expect(parsed.elementsEqual(frames), "cut at \(cut)")
            expectEqual(parser.remainder, 0)
        }
        var parser = WireFrameParser()
        var parsed: [WireFrame] = []
        for byte in bytes {
            parser.append([byte])
            while let frame = parser.next() { parsed.append(frame) }
        }
        #expect(parsed.elementsEqual(frames))
    }

    @Test("A frame read back is the frame", arguments: frames)
    func roundTrip(frame: WireFrame) {
        #expect(WireFrameParser.frames(in: frame.bytes) == [frame])
        #expect(WireFrameParser.frames(in: frame.bytes.dropLast()).isEmpty)
    }

    @Test("Frames as the specification draws them")
    func layout() {
        #expect(WireFrame.settings([(4, 0x0102_0304)]).bytes == [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 1, 2, 3, 4])
        #expect(
            WireFrame.headers(3, [0x82], end: true, padding: 2, priority: .init(dependency: 1, weight: 9)).bytes == [
                0, 0, 9, 1, 0x2D, 0, 0, 0, 3, 2, 0, 0, 0, 1, 9, 0x82, 0, 0,
            ])
        #expect(
            WireFrame.goAway(last: 0x8000_0001, code: .protocolError).bytes == [
                0, 0, 8, 7, 0, 0, 0, 0, 0, 0x80, 0, 0, 1, 0, 0, 0, 1,
            ])
        #expect(
            WireFrame(.ping, stream: 0xFFFF_FFFF, reserved: true, payload: [1], rawLength: 0x0102_0304).bytes == [
                2, 3, 4, 6, 0, 0xFF, 0xFF, 0xFF, 0xFF, 1,
            ])
    }

    @Test("What a frame says")
    func fields() {
        #expect(WireFrame.data(1, [1, 2], padding: 5).content == [1, 2])
        #expect(WireFrame.headers(1, [1, 2], padding: 1, priority: .init()).content == [1, 2])
        #expect(WireFrame(.data, flags: 8, stream: 1, payload: [9, 1]).content.isEmpty)
        #expect(WireFrame.reset(1, .refusedStream).code == .refusedStream)
        #expect(WireFrame.goAway(last: 7, code: 11).lastStream == 7)
        #expect(WireFrame.goAway(last: 7, code: 11).code == .enhanceYourCalm)
        #expect(WireFrame.windowUpdate(1, 0x8000_0005).increment == 5)
        #expect(WireFrame.settings([(3, 1), (6, 2)]).settings.map(\.1) == [1, 2])
        #expect(WireFrame(.reset, payload: [1]).code == nil)
    }

    @Test("A long block goes on in CONTINUATION")
    func continuation() {
        let block = Array(UInt8(0)...99)
        let frames = WireFrame.headerFrames(1, block, end: true, maximum: 40)
        #expect(frames.map(\.kind) == [.headers, .continuation, .continuation])
        #expect(frames.map(\.endsHeaders) == [false, false, true])
        #expect(frames.map(\.endsStream) == [true, false, false])
        #expect(frames.flatMap(\.payload) == block)
        #expect(WireFrame.headerFrames(1, Array(block.prefix(40)), maximum: 40).map(\.endsHeaders) == [true])
    }

    // MARK: Field blocks

    static let lists: [[(String, String)]] = [
        [(":status", "200"), (":status", "204"), (":status", "299"), ("content-type", "text/plain")],
        [("Upper-Case", "a"), ("x", ""), ("accept-encoding", "gzip, deflate"), ("bad\r\nname", "a\u{0}b\r\nc")],
        [(":method", "GET"), (":path", "/"), (":path", "/x"), (":authority", ""), ("vary", "é")],
        HeaderBlock.staticTable,
        [("long", String(repeating: "a", count: 126)), ("l2", String(repeating: "b", count: 127))],
        [(String(repeating: "n", count: 128), String(repeating: "c", count: 20_000))], [],
    ]

    @Test("The hand-made encoder is understood", arguments: lists.indices, [false, true])
    func encoder(list: Int, indexed: Bool) throws {
        let fields = Self.lists[list]
        let decoded = try Self.decode(HeaderBlock.encode(fields, indexed: indexed))
        #expect(decoded.map(\.name) == fields.map(\.0))
        #expect(decoded.map(\.value) == fields.map(\.1))
    }

    @Test("The static table is the specification's")
    func staticTable() throws {
        #expect(HeaderBlock.staticTable.count == 61)
        var block = HeaderBlock()
        for index in 1...61 { block.index(index) }
        let decoded = try Self.decode(block.bytes)
        #expect(decoded.map(\.name) == HeaderBlock.staticTable.map(\.0))
        #expect(decoded.map(\.value) == HeaderBlock.staticTable.map(\.1))
        #expect(HeaderBlock.encode([(":status", "204")], indexed: true) == [0x89])
        #expect(HeaderBlock.encode([("", "a")]) == [0, 0, 1, 0x61])
        #expect(HeaderBlock.encode([(":status", "299")], indexed: true) == [0x08, 3, 0x32, 0x39, 0x39])
    }

    @Test("Literals of each form", arguments: HeaderBlock.Form.allCases)
    func forms(form: HeaderBlock.Form) throws {
        var block = HeaderBlock()
        block.tableSize(4096)
        block.literal("a", "b", form)
        block.literal(nameIndex: 58, value: "agent", form)
        let decoded = try Self.decode(block.bytes)
        #expect(decoded.map(\.name) == ["a", "user-agent"])
        #expect(decoded.map(\.value) == ["b", "agent"])
        for field in decoded {
            switch (form, field.indexable) {
            case (.withIncrementalIndexing, .indexable), (.withoutIndexing, .nonIndexable),
                (.neverIndexed, .neverIndexed):
                break
            default: Issue.record("\(form) is read as \(field.indexable)")
            }
        }
    }

    private static func decode(_ block: [UInt8]) throws -> HPACKHeaders {
        var decoder = HPACKDecoder(
            allocator: ByteBufferAllocator(), maxDynamicTableSize: 4096, maxHeaderListSize: 1 << 20)
        var buffer = ByteBuffer(bytes: block)
        return try decoder.decodeHeaders(from: &buffer)
    }
}
