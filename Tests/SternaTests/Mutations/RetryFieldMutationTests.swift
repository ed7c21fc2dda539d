import HTTPTypes
import MutationKit
import SternaCore
import Testing

@testable import Sterna

/// Retry-After, RateLimit and RateLimit-Policy, one in each line.
@Suite("Mutations: fields of servers that are busy")
struct RetryFieldMutationTests {
    static let reader = MutatedReader(
        "RetryFields",
        seeds: [
            "120", "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
            "7\n\"default\";r=0;t=30\n\"default\";q=100;w=60", "\n\"a\";r=0, \"b\";r=3;t=9\n\"a\";q=1;w=86400",
            "\ndefault;r=0;t=999999999999999\ndefault;w=-1",
        ],
        tokens: [
            "\n", "\"", ";", "=", ",", "r=0", "t=", "w=", "q=", "-", "99999999999999999999", "Sun, ", " GMT", ":", "(",
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
        guard pauses.allSatisfy({ $0 > .zero && $0 <= .seconds(86_400) }) else {
            throw MutationFailure("The pauses are \(pauses).")
        }
        return wait == nil && pauses.isEmpty ? .refused : .accepted
    }

    @Test("No mutated field ends the process")
    func survives() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await RetryFieldMutationTests.reader.run() }
        }
        #expect(report.failure == nil, "\(report)")
    }
}
