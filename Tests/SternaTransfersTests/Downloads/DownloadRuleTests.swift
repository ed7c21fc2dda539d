import HTTPTypes
import Sterna
import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Transfers: consequences of a failed download")
struct DownloadRuleTests {
    static let digests: [(isCallersAlone: Bool, isJoined: Bool, earlier: Int, verdict: DigestVerdict)] = [
        // The caller's digest: another fetch brings the same, unless parts of two files were joined.
        (true, false, 0, .another), (true, false, 1, .another), (true, false, 7, .another),
        (true, true, 0, .joined), (true, true, 1, .joinedAgain), (true, true, 7, .joinedAgain),
        // The server's: bytes were lost on the way.
        (false, false, 0, .damaged), (false, false, 1, .damaged), (false, false, 2, .damagedAgain),
        (false, true, 0, .damaged), (false, true, 1, .damaged), (false, true, 2, .damagedAgain),
        (false, false, 99, .damagedAgain),
    ]

    @Test("A wrong digest", arguments: digests)
    func digest(isCallersAlone: Bool, isJoined: Bool, earlier: Int, verdict: DigestVerdict) {
        let mismatch = DigestMismatch(isCallersAlone: isCallersAlone, isJoined: isJoined)
        expectEqual(DownloadRule.decide(mismatch, earlier: earlier), verdict)
        let isFinal = [.another, .joinedAgain, .damagedAgain].contains(verdict)
        expectEqual(verdict.consequence.contains("given up"), isFinal)
        let failure = SternaError(.digestMismatch, phase: .read, "It is wrong.", underlying: verdict)
        expectEqual(DownloadRule.isTransient(failure), !isFinal)
        expectEqual(TransferRule.isTransient(failure), !isFinal)
    }

    @Test("Earlier attempts count by their failures")
    func earlier() {
        let error = SternaError(
            .digestMismatch, phase: .read, "It is wrong.",
            underlying: DigestMismatch(isCallersAlone: false, isJoined: false))
        var attempts: [TransferAttempt] = []
        for (number, kind) in [SternaError.Kind.timedOut, .digestMismatch, .truncated].enumerated() {
            var attempt = TransferAttempt(number: number + 1, began: 0, kept: 0)
            attempt.failure = TransferFailure(kind, "It failed.")
            attempts.append(attempt)
        }
        #expect(DownloadRule.judged(error, attempts).underlying as? DigestVerdict == .damaged)
        #expect(DownloadRule.judged(error, attempts + attempts).underlying as? DigestVerdict == .damagedAgain)
        let other = SternaError(.truncated, phase: .read, "It broke off.")
        expectEqual(DownloadRule.judged(other, attempts).detail, other.detail)
    }

    @Test(
        "A success without the file is transient if the server is creating it, or if the rest of a file is missing",
        arguments: [
            (202, false, true), (202, true, true), (204, false, false), (204, true, true), (205, true, true),
            (201, true, true), (404, true, nil), (500, false, nil), (304, true, nil),
        ] as [(Int, Bool, Bool?)])
    func successes(status: Int, isResumed: Bool, passes: Bool?) throws {
        var error = SternaError(.unacceptableStatus, phase: .read, "There is no file.")
        error.response = Response(status: .init(code: status), url: try HTTPURL("http://a.example/"))
        if isResumed { error.value = try TransferHistoryTests.data([[0, 500]]) }
        expectEqual(DownloadRule.isTransient(error), passes)
    }
}
