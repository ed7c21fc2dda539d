import NIOCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport

/// How many frames without a message a server may send, on a clock of the test's own.
@Suite("HTTP/2: the budget for frames without a message")
struct FrameBudgetTests {
    private static let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

    private static func head(_ type: UInt8, _ length: Int = 0, flags: UInt8 = 0, stream: Int = 1) -> FrameHead {
        FrameHead(length: length, type: type, flags: flags, stream: stream)
    }

    /// How many frames of a kind pass at once, of at most so many.
    private static func passed(
        _ head: FrameHead, of most: Int = 10_000, isOpen: Bool = true, at moment: NIODeadline = start,
        _ budget: inout FrameBudget
    ) -> Int {
        for count in 0..<most where !budget.take(head, isOpen: isOpen, at: moment) { return count }
        return most
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let head: FrameHead
        var isOpen = true
        /// How many pass at once; nil without a limit.
        let passed: Int?
        var testDescription: String { name }
    }

    static let rows: [Row] = [
        Row(name: "unknown", head: head(0x5A), passed: 2_000),
        Row(name: "unknown of 16,384 bytes", head: head(0x5A, 16_384), passed: 117),
        Row(name: "PRIORITY", head: head(2, 5), passed: 1_992),
        Row(name: "RST_STREAM", head: head(3, 4), passed: 1_992),
        Row(name: "SETTINGS", head: head(4, 0, stream: 0), passed: 2_000),
        Row(name: "PING", head: head(6, 8, stream: 0), passed: 1_984),
        Row(name: "GOAWAY", head: head(7, 8, stream: 0), passed: 1_984),
        Row(name: "WINDOW_UPDATE", head: head(8, 4), passed: 1_992),
        Row(name: "ALTSVC", head: head(10, 2, stream: 0), passed: 2_000),
        Row(name: "ORIGIN", head: head(12), passed: 2_000),
        Row(name: "empty DATA", head: head(0), passed: 2_000),
        Row(name: "the end of DATA", head: head(0, flags: FrameHead.endStream), passed: nil),
        Row(
            name: "the end of DATA on a stream that has ended", head: head(0, flags: FrameHead.endStream),
            isOpen: false, passed: 2_000),
        Row(name: "DATA", head: head(0, 1), passed: nil),
        Row(name: "DATA on a stream that has ended", head: head(0, 1), isOpen: false, passed: 2_000),
        Row(name: "HEADERS", head: head(1, 1), passed: nil),
        Row(name: "HEADERS on a stream that has ended", head: head(1, 1), isOpen: false, passed: 2_000),
        Row(name: "CONTINUATION", head: head(9), passed: nil),
        Row(name: "CONTINUATION on a stream that has ended", head: head(9), isOpen: false, passed: 2_000),
    ]

    @Test("Of each kind so many at once", arguments: rows)
    func each(row: Row) {
        var budget = FrameBudget(at: Self.start)
        let count = Self.passed(row.head, isOpen: row.isOpen, &budget)
        #expect(count == row.passed ?? 10_000)
    }

    @Test("Time adds 200 frames a second, and never more than a new connection has")
    func time() {
        var budget = FrameBudget(at: Self.start)
        let unknown = Self.head(0x5A)
        expectEqual(Self.passed(unknown, &budget), 2_000)
        expectEqual(Self.passed(unknown, at: Self.start + .seconds(1), &budget), 199)
        expectEqual(Self.passed(unknown, at: Self.start + .hours(1), &budget), 1_999)
        // A clock that stands still, or goes back, adds nothing.
        expectEqual(Self.passed(unknown, at: Self.start, &budget), 0)
    }

    @Test("100 a second may come for ever, 300 for 20 seconds", arguments: [100, 300])
    func rate(perSecond: Int) {
        var budget = FrameBudget(at: Self.start)
        var seconds: Int64 = 0
        let unknown = Self.head(0x5A)
        while seconds < 1_000,
            Self.passed(unknown, of: perSecond, at: Self.start + .seconds(seconds), &budget) == perSecond
        {
            seconds += 1
        }
        if perSecond == 100 { expectEqual(seconds, 1_000) } else { #expect((15...30).contains(seconds)) }
    }

    @Test(
        "A server may open both windows for each frame of an upload, however small, and for each request",
        arguments: [1, 100, 1_000, 16_384])
    func uploads(bytes: Int) {
        var budget = FrameBudget(at: Self.start)
        let update = Self.head(8, 4)
        for _ in 0..<50_000 {
            budget.sent(bytes, fillsWindow: false)
            expectEqual(Self.passed(update, of: 2, &budget), 2)
        }
        for _ in 0..<50_000 {
            budget.earn(FrameBudget.request)
            expectEqual(Self.passed(update, of: 4, &budget), 4)
        }
    }

    @Test("A server may open both windows for each frame that fills them", arguments: [40, 465, 500, 16_384])
    func fullWindows(bytes: Int) {
        var budget = FrameBudget(at: Self.start)
        for _ in 0..<50_000 {
            budget.sent(bytes, fillsWindow: true)
            expectEqual(Self.passed(Self.head(8, 4), of: 2, &budget), 2)
        }
    }

    @Test("A window opened byte by byte is not worth its frames")
    func drips() {
        var budget = FrameBudget(at: Self.start)
        let update = Self.head(8, 4)
        var count = 0
        while count < 10_000, Self.passed(update, of: 1, &budget) == 1 {
            budget.sent(1, fillsWindow: true)
            count += 1
        }
        #expect((2_000...2_200).contains(count))
    }

    @Test("A download of a gigabyte pays for as many empty frames, and the sum has a limit")
    func downloads() {
        var budget = FrameBudget(at: Self.start)
        for _ in 0..<65_536 {
            expectEqual(Self.passed(Self.head(0, 16_384), of: 1, &budget), 1)
            expectEqual(Self.passed(Self.head(0), of: 1, &budget), 1)
        }
        #expect(budget.credit <= FrameBudget.most)
        budget.earn(1 << 31)
        expectEqual(budget.credit, FrameBudget.most)
    }
}

/// The heads of frames in bytes that are cut anywhere.
@Suite("HTTP/2: heads of frames")
struct FrameScannerTests {
    private static func frame(_ type: UInt8, flags: UInt8 = 0, stream: UInt32, payload: [UInt8]) -> [UInt8] {
        let length = payload.count
        return [UInt8(length >> 16), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), type, flags]
            + (0..<4).map { UInt8(stream >> (24 - 8 * UInt32($0)) & 0xFF) } + payload
    }

    private static let bytes =
        frame(4, stream: 0, payload: []) + frame(8, stream: 0x8000_0003, payload: [0x80, 0, 0, 0])
        + frame(0, flags: 1, stream: 0x7FFF_FFFF, payload: [UInt8](repeating: 8, count: 300))
        + frame(8, stream: 5, payload: [0xFF, 0xFF, 0xFF, 0xFF]) + frame(8, stream: 7, payload: [1, 2, 3])
        + frame(0x5A, flags: 0xFF, stream: 0, payload: [UInt8](repeating: 0, count: 65_536))
        + frame(6, stream: 0, payload: [UInt8](repeating: 9, count: 8))

    private static let heads = [
        FrameHead(length: 0, type: 4, flags: 0, stream: 0),
        FrameHead(length: 4, type: 8, flags: 0, stream: 3, increment: 0),
        FrameHead(length: 300, type: 0, flags: 1, stream: 0x7FFF_FFFF),
        FrameHead(length: 4, type: 8, flags: 0, stream: 5, increment: 0x7FFF_FFFF),
        FrameHead(length: 3, type: 8, flags: 0, stream: 7),
        FrameHead(length: 65_536, type: 0x5A, flags: 0xFF, stream: 0),
        FrameHead(length: 8, type: 6, flags: 0, stream: 0),
    ]

    private static func scan(_ pieces: [ArraySlice<UInt8>]) -> [FrameHead] {
        var scanner = FrameScanner()
        var heads: [FrameHead] = []
        for piece in pieces {
            piece.withUnsafeBytes { bytes in
                var position = 0
                while let head = scanner.next(in: bytes, at: &position) { heads.append(head) }
                expectEqual(position, bytes.count)
            }
        }
        return heads
    }

    @Test(
        "In one piece, byte by byte, and in pieces of any size", arguments: [1, 2, 7, 8, 9, 10, 13, 14, 100, 1 << 20])
    func pieces(size: Int) {
        let pieces = stride(from: 0, to: Self.bytes.count, by: size).map {
            Self.bytes[$0..<min($0 + size, Self.bytes.count)]
        }
        expectEqual(Self.scan(pieces), Self.heads)
    }

    @Test("Cut in two anywhere near a head")
    func cuts() {
        for cut in 0...400 {
            expectEqual(Self.scan([Self.bytes[..<cut], Self.bytes[cut...]]), Self.heads, "\(cut)")
        }
    }
}
