import Testing

@testable import SternaTestSupport
@testable import SternaTransport

@Suite("HTTP/2: what a stream's peer may send")
struct ReceiveWindowTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let size: Int
        var target = ReceiveWindow.initial
        var expected: Int64?
        let more: Int?
        var testDescription: String { "\(size) of \(target), \(expected.map { "\($0)" } ?? "nothing known") to come" }
    }

    private static let whole = ReceiveWindow.initial
    private static let half = ReceiveWindow.initial / 2
    private static let most = ReceiveWindow.initial / 4 * 3

    static let rows = [
        Row(size: whole, more: nil),
        Row(size: most + 1, more: nil),
        Row(size: most, more: whole - most),
        Row(size: half, more: half),
        Row(size: 1, more: whole - 1),
        Row(size: 0, more: whole),
        // A target that has grown counts as soon as three quarters of it or less are left.
        Row(size: whole, target: 2 * whole, more: whole),
        Row(size: 2 * most + 1, target: 2 * whole, more: nil),
        Row(size: 0, target: 16 << 20, more: 16 << 20),
        Row(size: 0, target: 1 << 30, more: 1 << 30),
        // One that has shrunk takes nothing back.
        Row(size: 4 * whole, target: whole, more: nil),
        // No credit for what will not come.
        Row(size: half, expected: 0, more: nil),
        Row(size: half, expected: Int64(half), more: nil),
        Row(size: 0, expected: 0, more: nil),
        Row(size: half, expected: Int64(half) + 1, more: half),
        Row(size: 0, expected: 1, more: whole),
        Row(size: half, expected: .max, more: half),
        Row(size: most + 1, expected: .max, more: nil),
    ]

    @Test("More is allowed from three quarters of the window on, if more is expected", arguments: rows)
    func credit(row: Row) {
        var window = ReceiveWindow()
        window.isLeft(row.size)
        let more = window.credit(upTo: row.target, expected: row.expected)
        expectEqual(more, row.more)
        expectEqual(window.size, row.size + (row.more ?? 0))
        // What is under way already is not allowed twice.
        let again = window.credit(upTo: row.target, expected: row.expected)
        expectNil(again)
    }

    @Test("A window begins with the size that SETTINGS announces")
    func beginning() {
        expectEqual(ReceiveWindow().size, ReceiveWindow.initial)
        expectEqual(ReceiveWindow(size: 65_535).size, 65_535)
        #expect(ReceiveWindow.initial <= 0x7FFF_FFFF)
    }
}
