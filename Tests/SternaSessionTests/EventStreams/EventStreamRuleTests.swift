import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Event streams: when they connect again")
struct EventStreamRuleTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let outcome: EventStreamRule.Outcome
        var reconnects = true
        var failures = 1
        var random = 0.0
        var change: @Sendable (inout EventStreamSettings) -> Void = { _ in }
        let decision: EventStreamRule.Decision

        init(
            _ description: String, _ outcome: EventStreamRule.Outcome, reconnects: Bool = true, failures: Int = 1,
            random: Double = 0, _ decision: EventStreamRule.Decision,
            _ change: @escaping @Sendable (inout EventStreamSettings) -> Void = { _ in }
        ) {
            (testDescription, self.outcome, self.reconnects) = (description, outcome, reconnects)
            (self.failures, self.random, self.decision, self.change) = (failures, random, decision, change)
        }
    }

    private static func failed(
        _ kind: SternaError.Kind, _ phase: SternaError.Phase = .read, status: Int = 0, retryAfter: Duration? = nil
    ) -> EventStreamRule.Outcome {
        .failed(kind, phase, status: status, retryAfter: retryAfter)
    }

    private static let lost: [SternaError.Kind] = [
        .hostNotFound, .addressRefused, .connectionFailed, .proxyFailed, .tlsFailed, .writeFailed, .connectionClosed,
        .truncated,
        .timedOut, .trafficLimited,
    ]

    static let rows: [Row] = [
        Row("204 ends the stream", .noContent, .finish),
        Row("the server's end, with reconnection", .ended, .connect(after: .seconds(2))),
        Row("the server's end, without", .ended, reconnects: false, .finish),
        Row("a status", failed(.unacceptableStatus, status: 503), .fail),
        Row("a status with Retry-After", failed(.unacceptableStatus, status: 503, retryAfter: .seconds(9)), .fail),
        Row("a status that is retried", failed(.unacceptableStatus, status: 503), .connect(after: .seconds(2))) {
            $0.retriedStatuses = [503]
        },
        Row(
            "its Retry-After", failed(.unacceptableStatus, status: 503, retryAfter: .seconds(9)),
            .connect(after: .seconds(9))
        ) {
            $0.retriedStatuses = [503]
        },
        Row("another status", failed(.unacceptableStatus, status: 500), .fail) { $0.retriedStatuses = [503] },
        Row("a retried status without reconnection", failed(.unacceptableStatus, status: 503), reconnects: false, .fail)
        {
            $0.retriedStatuses = [503]
        },
        Row("a wrong media type", failed(.unacceptableMediaType, status: 200), .fail) { $0.retriedStatuses = [200] },
        Row("a deadline that has passed", failed(.timedOut, .prepare), .fail),
        Row("a lost connection without reconnection", failed(.truncated), reconnects: false, .fail),
        Row("the first failure", failed(.truncated), random: 1, .connect(after: .seconds(3))),
        Row("the fourth failure", failed(.truncated), failures: 4, random: 1, .connect(after: .seconds(10))),
        Row("half of the back-off", failed(.truncated), failures: 4, random: 0.5, .connect(after: .seconds(6))),
        Row("the hundredth failure", failed(.truncated), failures: 100, random: 1, .connect(after: .seconds(62))),
        Row("the failure before the limit", failed(.truncated), failures: 2, .connect(after: .seconds(2))) {
            $0.failureLimit = 3
        },
        Row("the failure at the limit", failed(.truncated), failures: 3, .fail) { $0.failureLimit = 3 },
        Row("no failure is allowed", failed(.truncated), failures: 1, .fail) { $0.failureLimit = 0 },
    ]

    @Test("What follows the end of a connection, for a reconnection time of 2 s", arguments: rows)
    func decides(row: Row) {
        var settings = EventStreamSettings()
        row.change(&settings)
        let decision = EventStreamRule.decide(
            row.outcome, settings, reconnects: row.reconnects, reconnectionTime: .seconds(2), failures: row.failures,
            random: row.random)
        expectEqual(decision, row.decision)
    }

    @Test(
        "Errors of the network count as a lost connection, others end the stream", arguments: SternaError.Kind.allCases)
    func kinds(kind: SternaError.Kind) {
        let decision = EventStreamRule.decide(
            Self.failed(kind), EventStreamSettings(), reconnects: true, reconnectionTime: .zero, failures: 1, random: 0)
        expectEqual(decision, Self.lost.contains(kind) ? .connect(after: .zero) : .fail)
    }
}
