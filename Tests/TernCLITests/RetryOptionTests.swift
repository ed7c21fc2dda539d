import ArgumentParser
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// `--retry` and its neighbours.
@Suite("tern: retries", .timeLimit(.minutes(5)))
struct RetryOptionTests {
    /// Serves a route that responds with 503 to the first requests, then with 200.
    private func serve(_ failures: Int, status: Int = 503, on server: TestServer, retryAfter: String? = nil) {
        let count = Mutex(0)
        let answer: @Sendable (ServerRequest) -> ServerResponse = { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            guard number <= failures else { return .text("done") }
            guard let retryAfter else { return .text("busy", status: status) }
            return .text("busy", status: status, headers: ["Retry-After": "\(retryAfter)"])
        }
        for method in ["GET", "POST"] { server.route(method, "/busy") { answer($0) } }
    }

    private func policy(_ arguments: String...) throws -> RetryPolicy { try RetryOptions.parse(arguments).policy }

    @Test("Without --retry nothing is retried")
    func off() async throws {
        #expect(try policy() == .none)
        #expect(try policy("--retry", "0") == .none)
        try await TestServer.withServer { server in
            serve(1, on: server, retryAfter: "0")
            let outcome = try await TernProcess.run("--fail", server.url("/busy"))
            expectEqual(outcome.status, 22)
            expectEqual(server.requests().count, 1)
        }
    }

    @Test("Waits are curl's: doubled from a second up to ten minutes, or constant")
    func waits() throws {
        let doubled = try policy("--retry", "20").backoff
        #expect(doubled.base == .seconds(1) && doubled.factor == 2 && doubled.cap == .seconds(600))
        #expect(!doubled.isJittered)
        try expectEqual(policy("--retry", "2", "--retry-delay", "0.5").backoff, .constant(.milliseconds(500)))
        try expectEqual(policy("--retry", "2", "--retry-delay", "0").backoff, doubled)
        try expectNil(policy("--retry", "2").totalTime)
        try expectEqual(policy("--retry", "2", "--retry-max-time", "9").totalTime, .seconds(9))
    }

    @Test("A server cannot ask for a wait of days")
    func longestRetryAfter() async throws {
        try expectEqual(policy("--retry", "2").longestRetryAfter, .seconds(21_600))
        try await TestServer.withServer { server in
            serve(9, on: server, retryAfter: "86400")
            let outcome = try await TernProcess.run("--retry", "1", "--print", "b", server.url("/busy"))
            expectEqual(outcome.text, "busy", "\(outcome.errors)")
            expectEqual(server.requests().count, 1)
        }
    }

    @Test("--retry retries some errors and statuses, --retry-all-errors more of them")
    func reasons() throws {
        let plain = try policy("--retry", "2")
        expectEqual(plain.errors, [.timedOut, .hostNotFound])
        expectEqual(plain.statuses, [408, 429, 500, 502, 503, 504])
        let all = try RetryOptions.parse(["--retry", "2", "--retry-all-errors"])
        #expect(all.policy.errors.isSuperset(of: [.connectionFailed, .tlsFailed, .truncated, .malformedResponse]))
        #expect(!all.policy.errors.contains(.cancelled))
        #expect(!all.policy(for: .get, fails: false).statuses.contains(404))
        #expect(all.policy(for: .get, fails: true).statuses.contains(404))
    }

    @Test(
        "Invalid options are wrong usage", arguments: [["--retry", "-1"], ["--retry", "x"], ["--retry-delay", "1"]])
    func refused(arguments: [String]) async throws {
        let outcome = try await TernProcess.run(arguments + ["http://127.0.0.1:1/"])
        expectEqual(outcome.status, 2)
        #expect(outcome.errors.contains("--retry"), "\(outcome.errors)")
    }

    @Test("A request is sent until it succeeds, whatever its method", arguments: ["GET", "POST"])
    func retried(method: String) async throws {
        try await TestServer.withServer { server in
            serve(2, on: server)
            let outcome = try await TernProcess.run(
                "--retry", "3", "--retry-delay", "0.01", "--print", "b", method, server.url("/busy"), "a=b")
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            expectEqual(outcome.text, "done")
            expectEqual(server.requests().count, 3)
        }
    }

    @Test("-v shows attempts, reasons and waits")
    func verbose() async throws {
        try await TestServer.withServer { server in
            serve(1, on: server, retryAfter: "0")
            let outcome = try await TernProcess.run("-v", "--retry", "2", "--retry-delay", "0.02", server.url("/busy"))
            expectEqual(outcome.status, 0)
            #expect(outcome.errors.contains("Retry 1 of 2 in 0.02 s, because of status 503"), "\(outcome.errors)")
            #expect(outcome.errors.contains("Attempt 2: GET"), "\(outcome.errors)")
            // Both exchanges are shown.
            #expect(outcome.text.contains("503"), "\(outcome.text)")
            #expect(outcome.text.contains("done"), "\(outcome.text)")
        }
    }

    @Test("A refused connection is retried only with --retry-all-errors", arguments: [true, false])
    func refusedConnection(all: Bool) async throws {
        let closed = try ClosedPort()
        let outcome = try await TernProcess.run(
            ["-v", "--retry", "1", "--retry-delay", "0.01"] + (all ? ["--retry-all-errors"] : [])
                + ["http://127.0.0.1:\(closed.port)/"])
        expectEqual(outcome.status, 7)
        expectEqual(outcome.errors.contains("Retry 1 of 1"), all, "\(outcome.errors)")
    }

    @Test("No retry begins beyond --retry-max-time")
    func longest() async throws {
        try await TestServer.withServer { server in
            serve(9, on: server, retryAfter: "60")
            let outcome = try await TernProcess.run(
                "--fail", "--retry", "5", "--retry-max-time", "20", server.url("/busy"))
            expectEqual(outcome.status, 22)
            expectEqual(server.requests().count, 1)
        }
    }

    @Test(
        "Durations are printed in seconds",
        arguments: [(0, "0 s"), (1, "0.001 s"), (20, "0.02 s"), (1_500, "1.5 s"), (60_000, "60 s")] as [(Int, String)])
    func durations(milliseconds: Int, text: String) {
        expectEqual(AttemptLog.seconds(.milliseconds(milliseconds)), text)
    }
}
