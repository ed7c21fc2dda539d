import HTTPTypes
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// Which requests are sent again.
@Suite("Retry rule")
struct RetryRuleTests {
    private static func request(
        _ method: Request.Method = .get, key: String? = nil, body: Body? = nil
    ) throws -> Request {
        var request = Request(method, try HTTPURL("https://api.example.com/a"), body: body)
        if let field = IdempotencyKey.field { request.headers[field] = key }
        return request
    }

    private static func decide(
        _ request: Request, _ outcome: RetryRule.Outcome, _ policy: RetryPolicy = .standard, retries: Int = 0,
        former: Int = 0, elapsed: Duration = .zero, timeLeft: Duration? = .seconds(60), isCancelled: Bool = false,
        random: Double = 0.5, hasNewBody: Bool = false, budget: Bool = true
    ) -> RetryRule.Decision {
        RetryRule.decide(
            request, outcome, policy,
            RetryRule.Progress(
                retries: retries, formerRetries: former, elapsed: elapsed, timeLeft: timeLeft, isCancelled: isCancelled),
            random: random, hasNewBody: hasNewBody, budget: budget)
    }

    @Test(
        "Errors of the default policy",
        arguments: SternaError.Kind.allCases)
    func errors(kind: SternaError.Kind) throws {
        let retried: Set<SternaError.Kind> = [.connectionFailed, .connectionClosed, .truncated, .writeFailed]
        let decision = Self.decide(try Self.request(), .failure(kind))
        #expect(
            decision
                == (retried.contains(kind)
                    ? .retry(after: .milliseconds(125), .error(kind)) : .deliver(.outcome)))
    }

    @Test(
        "Statuses of the default policy",
        arguments: [
            (503, .seconds(1), .retry(after: .seconds(1), .status(503))),
            (429, .seconds(30), .retry(after: .seconds(30), .status(429))),
            (503, .seconds(31), .deliver(.retryAfter)), (503, nil, .deliver(.outcome)),
            (500, .seconds(1), .deliver(.outcome)), (200, .seconds(1), .deliver(.outcome)),
            // Zero does not mean at once.
            (503, .zero, .retry(after: .milliseconds(125), .status(503))),
        ] as [(Int, Duration?, RetryRule.Decision)])
    func statuses(status: Int, retryAfter: Duration?, expected: RetryRule.Decision) throws {
        expectEqual(Self.decide(try Self.request(), .response(status: status, retryAfter: retryAfter)), expected)
    }

    @Test("Statuses of the wider policy, with and without Retry-After", arguments: [408, 425, 429, 500, 502, 503, 504])
    func transient(status: Int) throws {
        let plain = Self.decide(try Self.request(), .response(status: status, retryAfter: nil), .transient)
        expectEqual(plain, .retry(after: .milliseconds(125), .status(status)))
        let later = Self.decide(try Self.request(), .response(status: status, retryAfter: .seconds(3)), .transient)
        expectEqual(later, .retry(after: .seconds(3), .status(status)))
        let tooLate = Self.decide(try Self.request(), .response(status: status, retryAfter: .seconds(90)), .transient)
        expectEqual(tooLate, .deliver(.retryAfter))
    }

    @Test("Methods: idempotent ones, and any with an idempotency key")
    func methods() throws {
        let outcome = RetryRule.Outcome.failure(.connectionClosed)
        for method in [Request.Method.get, .head, .put, .delete, .options, .trace] {
            #expect(Self.decide(try Self.request(method), outcome) != .deliver(.method), "\(method)")
        }
        for method in [Request.Method.post, .patch, .connect] {
            expectEqual(Self.decide(try Self.request(method), outcome), .deliver(.method), "\(method)")
            expectEqual(Self.decide(try Self.request(method, key: ""), outcome), .deliver(.method), "\(method)")
            let keyed = Self.decide(try Self.request(method, key: "7"), outcome)
            expectEqual(keyed, .retry(after: .milliseconds(125), .error(.connectionClosed)), "\(method)")
        }
    }

    @Test("Limit, cancellation, and a body that can be read once")
    func limits() throws {
        let outcome = RetryRule.Outcome.failure(.connectionClosed)
        let plain = try Self.request()
        expectEqual(Self.decide(plain, outcome, retries: 2), .deliver(.limit))
        // Those before a redirect count, and the wait begins anew.
        expectEqual(Self.decide(plain, outcome, retries: 1, former: 1), .deliver(.limit))
        expectEqual(Self.decide(plain, outcome, former: 2), .deliver(.limit))
        expectEqual(Self.decide(plain, outcome, former: 1), Self.decide(plain, outcome))
        expectEqual(Self.decide(plain, outcome, RetryPolicy.none), .deliver(.limit))
        expectEqual(Self.decide(plain, outcome, isCancelled: true), .deliver(.cancelled))
        let once = try Self.request(.put, body: .stream(AsyncStream<Bytes> { $0.finish() }))
        #expect(!once.isReplayable)
        expectEqual(Self.decide(once, outcome), .deliver(.body))
        expectEqual(Self.decide(once, .requested(after: .zero)), .deliver(.body))
        expectEqual(Self.decide(once, .requested(after: .zero), hasNewBody: true), .retry(after: .zero, .retrier))
        // So that no new body is made that would not be sent.
        expectEqual(Self.decide(once, .requested(after: .seconds(70))), .deliver(.time))
    }

    @Test("Time: the deadline and the policy's own are never passed")
    func time() throws {
        let plain = try Self.request()
        let later = RetryRule.Outcome.response(status: 503, retryAfter: .seconds(5))
        expectEqual(Self.decide(plain, later, timeLeft: .seconds(5)), .deliver(.time))
        expectEqual(Self.decide(plain, later, timeLeft: .seconds(6)), .retry(after: .seconds(5), .status(503)))
        expectEqual(Self.decide(plain, later, timeLeft: nil), .retry(after: .seconds(5), .status(503)))
        expectEqual(Self.decide(plain, .requested(after: .seconds(5)), timeLeft: .seconds(4)), .deliver(.time))
        var policy = RetryPolicy.standard
        policy.totalTime = .seconds(10)
        expectEqual(Self.decide(plain, later, policy, elapsed: .seconds(4)), .retry(after: .seconds(5), .status(503)))
        expectEqual(Self.decide(plain, later, policy, elapsed: .seconds(5)), .deliver(.time))
    }

    @Test("A retrier's retry ignores method, status and limit, but needs the budget")
    func requested() throws {
        let post = try Self.request(.post, body: .bytes([1]))
        expectEqual(
            Self.decide(post, .requested(after: .seconds(1)), retries: 7), .retry(after: .seconds(1), .retrier))
        expectEqual(Self.decide(post, .requested(after: .seconds(-1))), .retry(after: .zero, .retrier))
        expectEqual(Self.decide(post, .requested(after: .zero), budget: false), .deliver(.budget))
    }

    @Test("The budget is asked only for what would be retried")
    func budget() throws {
        var asked = 0
        func ask() -> Bool {
            asked += 1
            return false
        }
        let plain = try Self.request()
        for (outcome, retries) in [(RetryRule.Outcome.failure(.decodingFailed), 0), (.failure(.connectionClosed), 2)] {
            _ = RetryRule.decide(
                plain, outcome, .standard, RetryRule.Progress(retries: retries), random: 0, budget: ask())
        }
        expectEqual(asked, 0)
        let decision = RetryRule.decide(
            plain, .failure(.connectionClosed), .standard, RetryRule.Progress(), random: 0, budget: ask())
        expectEqual(decision, .deliver(.budget))
        expectEqual(asked, 1)
    }
}
