import HTTPTypes
import MutationKit
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// Retry-After, RateLimit and RateLimit-Policy, one in each line; then RateLimit-Remaining and RateLimit-Reset.
@Suite("Mutations: fields of servers that are busy")
struct RetryFieldMutationTests {
    static let reader = MutatedReader(
        "RetryFields",
        seeds: [
            "120", "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
            "7\n\"default\";r=0;t=30\n\"default\";q=100;w=60", "\n\"a\";r=0, \"b\";r=3;t=9\n\"a\";q=1;w=86400",
            "\ndefault;r=0;t=999999999999999\ndefault;w=-1", "\nlimit=100, remaining=0, reset=30",
            "\n\n\n0\n30", "3\nlimit=1;x, remaining=0;y=2, reset=999999999999999, more=(1 2)\n\n00\n86400",
        ],
        tokens: [
            "\n", "\"", ";", "=", ",", "r=0", "t=", "w=", "q=", "limit=", "remaining=0",
            "reset=", "-", "99999999999999999999", "Sun, ", " GMT", ":", "(",
            ")",
            "?1", "@1", "%\"", "é", "\u{0}",
        ]
    ) { bytes in
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        let wait = lines.first.flatMap { RetryAfter.seconds($0) { 784_111_777 } }
        if let wait, wait < 0 || wait > 4_000_000_000 { throw MutationFailure("The wait is \(wait) s.") }
        let windows = RateLimitField.windows(Array(lines.dropFirst(2)))
        let pauses = RateLimitField.pauses(Array(lines.dropFirst().prefix(1)), windows)
        let fields = lines.dropFirst(3).map { [$0] }
        let old = RateLimitField.oldPause(remaining: fields.first ?? [], reset: fields.dropFirst().first ?? [])
        guard (pauses + [old].compactMap { $0 }).allSatisfy({ $0 > .zero && $0 <= .seconds(86_400) }) else {
            throw MutationFailure("The pauses are \(pauses) and \(String(describing: old)).")
        }
        return wait == nil && pauses.isEmpty && old == nil ? .refused : .accepted
    }

    @Test("No mutated field ends the process")
    func survives() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await RetryFieldMutationTests.reader.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
