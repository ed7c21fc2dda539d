import NIOCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport

@Suite("Rules for kept connections")
struct KeptConnectionRuleTests {
    @Test(
        "A rest lasts as long as the dial did, at least 5 and at most 50 ms",
        arguments: [
            (0, 5_000), (4_999, 5_000), (5_000, 5_000), (5_001, 5_001), (20_000, 20_000), (50_000, 50_000),
            (50_001, 50_000), (10_000_000, 50_000),
        ] as [(Int64, Int64)])
    func rest(row: (dial: Int64, rest: Int64)) {
        expectEqual(KeptConnectionRule.rest(afterDialOf: .microseconds(row.dial)), .microseconds(row.rest))
    }

    @Test(
        "The unread part of a body of a known length up to 64 KiB is waited for",
        arguments: [(nil, false), (0, true), (9, true), (65_536, true), (65_537, false), (.max, false)]
            as [(Int64?, Bool)])
    func body(row: (length: Int64?, isAwaited: Bool)) {
        expectEqual(KeptConnectionRule.awaitsBody(of: row.length), row.isAwaited)
    }

    @Test(
        "The socket is checked for further requests of a call, and after responses without content",
        arguments: [(false, false, false), (true, false, true), (false, true, true), (true, true, true)])
    func socket(row: (isFurtherAttempt: Bool, followsContentless: Bool, asks: Bool)) {
        let asks = KeptConnectionRule.asksSocket(
            isFurtherAttempt: row.isFurtherAttempt, followsContentless: row.followsContentless)
        expectEqual(asks, row.asks)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let repeats: Bool
        let change: @Sendable (inout KeptConnectionRule.Unanswered) -> Void

        init(
            _ name: String, _ repeats: Bool,
            _ change: @escaping @Sendable (inout KeptConnectionRule.Unanswered) -> Void
        ) {
            (testDescription, self.repeats, self.change) = (name, repeats, change)
        }
    }

    /// A POST whose connection ends a moment after the redirect that led to it.
    private static let post = KeptConnectionRule.Unanswered(
        isIdempotent: false, isFurtherAttempt: true, sinceResponse: .milliseconds(2))

    static let rows: [Row] = [
        Row("a POST behind a redirect", true) { _ in },
        Row("at the last moment", true) { $0.sinceResponse = .milliseconds(100) },
        Row("later", false) { $0.sinceResponse = .milliseconds(100) + .nanoseconds(1) },
        Row("the connection had no response before", false) { $0.sinceResponse = nil },
        Row("the first request of a call", false) { $0.isFurtherAttempt = false },
        Row("forbidden by the setting", false) { $0.allowsNonIdempotent = false },
        Row("a body that can be read once", false) { $0.isReplayable = false },
        Row("a second time", false) { $0.isRepeated = true },
        Row("nothing was sent", true) { ($0.wasSent, $0.isFurtherAttempt, $0.sinceResponse) = (false, false, nil) },
        Row("an idempotent request, whenever", true) {
            ($0.isIdempotent, $0.isFurtherAttempt, $0.allowsNonIdempotent, $0.sinceResponse) = (true, false, false, nil)
        },
        Row("an idempotent one a second time", false) { ($0.isIdempotent, $0.isRepeated) = (true, true) },
        Row("an idempotent one whose body can be read once", false) {
            ($0.isIdempotent, $0.isReplayable) = (true, false)
        },
    ]

    @Test("Which requests are resent if their connection ended without a response", arguments: rows)
    func repeats(row: Row) {
        var request = Self.post
        row.change(&request)
        expectEqual(KeptConnectionRule.repeats(request), row.repeats)
    }

    @Test("Connections rest after HEAD until three rests were silent, and close once content arrived")
    func conduct() {
        var conduct = HeadConduct()
        for _ in 0..<3 {
            expectEqual(conduct.next, .rest)
            conduct.wasSilent()
        }
        expectEqual(conduct.next, .reuse)
        conduct.sentContent()
        expectEqual(conduct.next, .close)
        for _ in 0..<5 { conduct.wasSilent() }
        expectEqual(conduct.next, .close)
    }
}
