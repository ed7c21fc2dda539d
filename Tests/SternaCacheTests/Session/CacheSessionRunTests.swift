import SternaPlatform
import Testing

@testable import Sterna

/// Random runs of whole sessions; `STERNA_LONG_TESTS=1` makes many.
@Suite("Cache: random sessions compared with a model", .timeLimit(.minutes(10)))
struct CacheSessionRunTests {
    private static let isLong = ProcessInfo.processInfo.environment["STERNA_LONG_TESTS"] == "1"

    private func run(_ seeds: Int, evicts: Bool, bytes: Int64, onDisk: Bool) async throws {
        var counts: [String: Int] = [:]
        for seed in 1...UInt64(Self.isLong ? seeds * 50 : seeds) {
            let folder = CacheTestFolder()
            let options = CacheSessionRun.Options(
                bytes: bytes, folder: onDisk ? folder.path : nil, evicts: evicts,
                // Only a machine without other work has a disk that is fast enough.
                mayLose: onDisk && !Self.isLong, dropsVariants: onDisk && bytes < 1 << 20)
            var run = try CacheSessionRun(seed: seed, options)
            for number in 0..<200 {
                do {
                    try await run.step()
                } catch let error as CacheSessionRun.Failure {
                    Issue.record(
                        "seed \(seed), step \(number): \(error)\n\(run.recent.suffix(60).joined(separator: "\n"))")
                    return
                }
            }
            counts.merge(run.counts, uniquingKeysWith: +)
        }
        if Self.isLong { print("sessions: \(counts.sorted { $0.key < $1.key })") }
        // A run without such cases proves nothing.
        for name in ["cache", "network", "revalidated", "change", "failed change", "removal"] {
            #expect(counts[name, default: 0] > seeds, "\(name)")
        }
        if onDisk { #expect(counts["loss of the journal", default: 0] > 0 && counts["start", default: 0] > seeds) }
    }

    @Test("A cache in memory agrees with the model") func memory() async throws {
        try await run(20, evicts: false, bytes: 32 << 20, onDisk: false)
    }

    @Test("A cache in memory that is too small for all responses agrees with the model") func eviction() async throws {
        try await run(20, evicts: true, bytes: 100_000, onDisk: false)
    }

    @Test("A cache on disk with a memory cache agrees with the model") func disk() async throws {
        try await run(6, evicts: false, bytes: 32 << 20, onDisk: true)
    }

    @Test("A cache on disk with a small memory cache agrees with the model") func smallMemory() async throws {
        try await run(6, evicts: false, bytes: 100_000, onDisk: true)
    }
}
