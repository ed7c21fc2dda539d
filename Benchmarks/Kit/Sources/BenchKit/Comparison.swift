/// Two loads in one process, of which one has something that the other has not.
public struct Comparison: Sendable {
    private let without: Load
    private let with: Load
    private let settle: @Sendable () async -> Void
    private let clean: @Sendable () -> Void

    /// - Parameters:
    ///   - settle: waits for the rest of the work that a turn of `with` causes; counted.
    ///   - clean: frees what a turn of `with` leaves behind; not counted.
    public init(
        _ without: Load, _ with: Load, settle: @escaping @Sendable () async -> Void = {},
        clean: @escaping @Sendable () -> Void = {}
    ) {
        self.without = without
        self.with = with
        self.settle = settle
        self.clean = clean
    }

    /// Gives what `with` takes more, of about `count` requests each; throws if one of them fails.
    public func run(count: Int, concurrency: Int) async throws -> Outcome {
        // Opens the connections, and has a server challenge the client.
        for load in [without, with] { _ = await load.run(count: 1_000, concurrency: concurrency) }
        await settle()
        clean()
        var (plainCPU, fullCPU) = (0.0, 0.0)
        let wall = Usage.clock()
        // In short turns, so that what slows the machine for a while slows both.
        let turns = max(1, count / 1_000)
        for _ in 0..<turns {
            for (load, isFull) in [(without, false), (with, true)] {
                let start = Usage.now()
                let outcome = await load.run(count: 1_000, concurrency: concurrency, warm: false)
                if isFull { await settle() }
                let cpu = (Usage.now() - start).cpu
                if let error = outcome.firstError { throw Failure(text: error) }
                if isFull { fullCPU += cpu } else { plainCPU += cpu }
                if isFull { clean() }
            }
        }
        var outcome = Outcome(requests: turns * 1_000, wall: Usage.clock() - wall, cpu: fullCPU - plainCPU)
        outcome.notes = [("cpu_without", plainCPU)]
        return outcome
    }

    private struct Failure: Error {
        let text: String
    }
}
