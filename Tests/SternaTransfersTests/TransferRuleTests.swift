import HTTPTypes
import Sterna
import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Transfers: consequences of a failure")
struct TransferRuleTests {
    private static func decide(
        _ kind: SternaError.Kind, asked: Duration? = nil, attempts: Int = 1, failures: Int = 1, requests: Int = 1,
        knowsServer: Bool = true, now: Int64 = 0, random: Double = 1,
        _ change: (inout TransferOptions) -> Void = { _ in }
    ) -> TransferRule.Decision {
        var options = TransferOptions()
        change(&options)
        return TransferRule.decide(
            SternaError(kind, phase: .read, "It failed."), asked: asked, attempts: attempts, failuresInARow: failures,
            requests: requests, knowsServer: knowsServer, options: options, now: now, created: 0, random: random)
    }

    @Test(
        "The pause doubles with each failure in a row, up to the longest",
        arguments: [(1, 1_000), (2, 2_000), (3, 4_000), (9, 256_000), (10, 300_000), (1_000_000, 300_000)]
            as [(Int, Int64)])
    func backOff(failures: Int, pause: Int64) {
        expectEqual(Self.decide(.timedOut, failures: failures), .again(after: pause))
        expectEqual(Self.decide(.timedOut, failures: failures, random: 0), .again(after: pause / 2))
    }

    @Test("A server may request a longer pause, up to a day")
    func retryAfter() {
        expectEqual(Self.decide(.timedOut, asked: .seconds(600)), .again(after: 600_000))
        expectEqual(Self.decide(.timedOut, asked: .seconds(0)), .again(after: 1_000))
        expectEqual(Self.decide(.timedOut, asked: .seconds(Int64.max)), .again(after: 86_400_000))
        expectEqual(Self.decide(.timedOut, asked: .seconds(-5)), .again(after: 1_000))
    }

    @Test("Permanent failures end the transfer", arguments: SternaError.Kind.allCases)
    func kinds(kind: SternaError.Kind) {
        let passing: Set<SternaError.Kind> = [
            .timedOut, .hostNotFound, .connectionFailed, .proxyFailed, .connectionClosed, .truncated, .writeFailed,
            .trafficLimited, .shutDown, .digestMismatch, .malformedResponse, .tlsFailed, .certificateRejected,
        ]
        let isAgain = if case .again = Self.decide(kind) { true } else { false }
        expectEqual(isAgain, passing.contains(kind))
    }

    @Test(
        "Transient statuses, for downloads and uploads",
        arguments: [
            (408, true), (421, true), (425, true), (429, true), (500, true), (501, false), (502, true), (503, true),
            (504, true), (505, false), (506, false), (507, true), (508, false), (509, true), (510, false), (511, true),
            (520, true), (522, true), (524, true), (529, true), (598, true), (599, true), (400, false), (404, false),
            (409, false), (410, false), (418, false), (600, false), (200, false),
        ])
    func statuses(status: Int, passes: Bool) throws {
        var download = SternaError(.unacceptableStatus, phase: .read, "No.")
        download.response = Response(status: .init(code: status), url: try HTTPURL("https://a.example/"))
        expectEqual(TransferRule.isTransient(download), (passes && status != 200))
        var upload = UploadFault.unavailable(status).error()
        upload.underlying = UploadFault.unavailable(status)
        expectEqual(TransferRule.isTransient(upload), passes)
        var refused = UploadFault.refusedByTarget(status, nil).error()
        refused.underlying = UploadFault.refusedByTarget(status, nil)
        // The others may have done something with the content.
        expectEqual(TransferRule.isTransient(refused), [408, 421, 425, 429, 503, 507, 511, 529].contains(status))
        let state = try UploadScene.state(.tus, offset: 100)
        let response = try UploadScene.response(status)
        let decision = UploadRule.refusal(response, to: .append(100..<200, completes: false), state)
        if passes {
            guard case .again(_, .unavailable(status), _) = decision else {
                Issue.record("\(decision)")
                return
            }
        }
    }

    @Test(
        "Failures that other credentials may change block the transfer",
        arguments: [
            (401, true), (403, true), (407, true), (404, false), (400, false), (410, false), (500, false),
        ])
    func credentials(status: Int, isBlocked: Bool) throws {
        func isBlock(_ error: SternaError) -> Bool {
            let decision = TransferRule.decide(
                error, asked: nil, attempts: 100, failuresInARow: 1, requests: 1_000, knowsServer: true,
                options: TransferOptions(), now: 0, created: 0, random: 0)
            if case .block(let failure) = decision { return failure.status == error.response?.status.code }
            return false
        }
        let url = try HTTPURL("https://a.example/")
        var download = SternaError(.unacceptableStatus, phase: .read, "No.")
        download.response = Response(status: .init(code: status), url: url)
        expectEqual(isBlock(download), isBlocked)
        for fault in [UploadFault.refused(status, nil), .refusedByTarget(status, nil)] {
            var upload = fault.error()
            upload.underlying = fault
            expectEqual(isBlock(upload), isBlocked)
        }
        #expect(isBlock(SternaError(.invalidRequest, phase: .prepare, "No value.", underlying: MissingSecret())))
        #expect(isBlock(SternaError(.invalidRequest, phase: .prepare, "No method.", underlying: MissingMethod())))
        #expect(isBlock(SternaError(.authenticationFailed, phase: .wait, "The store of credentials failed.")))
    }

    @Test(
        "A wait ends when it is due, and lasts no longer if the clock was set back",
        arguments: [
            (2_000, 3_000), (5_000, 0), (6_000, 0), (-1_000_000, 4_000), (.min, 0), (.max, 0),
        ] as [(Int64, Int64)])
    func wait(now: Int64, wait: Int64) {
        let failure = TransferFailure(.timedOut, "")
        let history = TransferHistory([.began(number: 1, at: 0, kept: 0), .failed(failure, at: 1_000, again: 5_000)])
        expectEqual(TransferRule.wait(history, now: now), wait)
        expectEqual(TransferRule.wait(TransferHistory(), now: now), 0)
        let odd = TransferHistory([.began(number: 1, at: 0, kept: 0), .failed(failure, at: .min, again: .max)])
        #expect(TransferRule.wait(odd, now: now) <= 86_400_000)
    }

    @Test("Attempts and time are limited, and the reason names the limit")
    func bounds() throws {
        guard case .end(let attempts) = Self.decide(.timedOut, attempts: 3, { $0.maxAttempts = 3 }) else {
            Issue.record("It goes on.")
            return
        }
        #expect(attempts.reason.contains("after 3 attempts") && attempts.kind == "timedOut")
        guard case .end(let time) = Self.decide(.timedOut, now: 9_500, { $0.lifetime = .seconds(10) }) else {
            Issue.record("It goes on.")
            return
        }
        #expect(time.reason.contains("10.0 seconds"))
        expectEqual(Self.decide(.timedOut, now: 8_000) { $0.lifetime = .seconds(10) }, .again(after: 1_000))
        guard case .end(let requests) = Self.decide(.timedOut, requests: 7, { $0.maxRequests = 7 }) else {
            Issue.record("It goes on.")
            return
        }
        #expect(requests.reason.contains("after 7 requests") && requests.kind == "timedOut")
        expectEqual(Self.decide(.timedOut, requests: 999), .again(after: 1_000))
        guard case .end = Self.decide(.timedOut, requests: 1_000) else {
            Issue.record("It goes on.")
            return
        }
    }

    @Test("A certificate that is refused from the beginning ends the transfer; a later one may be a captive portal's")
    func certificates() {
        guard case .end(let failure) = Self.decide(.certificateRejected, knowsServer: false) else {
            Issue.record("It goes on.")
            return
        }
        expectEqual(failure.kind, "certificateRejected")
        expectEqual(Self.decide(.certificateRejected), .again(after: 1_000))
        expectEqual(Self.decide(.connectionFailed, knowsServer: false), .again(after: 1_000))
    }
}

@Suite("Transfers: turns")
struct TransferTurnTests {
    private static let ids = (0..<6).map { _ in TransferID() }

    /// The rule of a store's turns, and whose turn it is after each step.
    private struct Turns {
        private var plan: QueuePlan<TransferID>

        init(total: Int, perHost: Int) {
            plan = QueuePlan(.init(total: total, perHost: perHost))
            plan.resume()
        }

        var running: [TransferID] { plan.running }

        mutating func add(_ id: TransferID, host: String, priority: Request.Priority) -> [TransferID] {
            plan.add(id, host: host, priority: priority)
            plan.ask(id)
            return plan.next()
        }

        mutating func remove(_ id: TransferID) -> [TransferID] {
            _ = plan.remove(id)
            return plan.next()
        }

        mutating func setPriority(_ priority: Request.Priority, of id: TransferID) {
            plan.setPriority(priority, of: id)
        }
    }

    @Test("Limits in total and for a host, by priority and then in order")
    func turns() {
        var queue = Turns(total: 3, perHost: 2)
        let ids = Self.ids
        expectEqual(queue.add(ids[0], host: "a", priority: .normal), [ids[0]])
        expectEqual(queue.add(ids[1], host: "a", priority: .normal), [ids[1]])
        #expect(queue.add(ids[2], host: "a", priority: .high).isEmpty)
        expectEqual(queue.add(ids[3], host: "b", priority: .low), [ids[3]])
        #expect(queue.add(ids[4], host: "b", priority: .normal).isEmpty)
        #expect(queue.add(ids[5], host: "a", priority: .normal).isEmpty)
        // The waiter of the highest priority among those for another host.
        expectEqual(queue.remove(ids[3]), [ids[4]])
        queue.setPriority(.low, of: ids[2])
        expectEqual(queue.remove(ids[0]), [ids[5]])
        #expect(queue.remove(ids[2]).isEmpty)
        #expect(queue.remove(ids[5]).isEmpty && queue.remove(ids[1]).isEmpty && queue.remove(ids[4]).isEmpty)
        #expect(queue.running.isEmpty)
    }

    @Test("A transfer is in the queue once")
    func once() {
        var queue = Turns(total: 1, perHost: 1)
        let ids = Self.ids
        expectEqual(queue.add(ids[0], host: "a", priority: .normal), [ids[0]])
        #expect(queue.add(ids[0], host: "a", priority: .normal).isEmpty)
        #expect(queue.add(ids[1], host: "a", priority: .normal).isEmpty)
        #expect(queue.add(ids[1], host: "a", priority: .normal).isEmpty)
        expectEqual(queue.remove(ids[0]), [ids[1]])
        #expect(queue.remove(ids[1]).isEmpty)
    }
}
