import SternaPlatform

/// The inputs of one run in their order, which follows from the seed.
struct MutationRun {
    private let record: MutationRecord
    private let acceptsSeeds: Bool
    private var mutator: Mutator
    private var unchanged: [[UInt8]]
    private var isUnchanged = false
    private var started = UInt64(0)
    private var startedByClock = UInt64(0)
    private let executions = MutationSettings.executions
    private let nanoseconds = MutationSettings.nanoseconds

    init(_ reader: MutatedReader, _ record: MutationRecord) {
        self.record = record
        acceptsSeeds = reader.acceptsSeeds
        mutator = Mutator(seeds: reader.seeds, tokens: reader.tokens, seed: record.seed)
        unchanged = reader.seeds.reversed()
        if let input = MutationSettings.input { unchanged = [input] }
    }

    mutating func begin() {
        started = MutationSettings.processorTime()
        startedByClock = MutationSettings.clockTime()
        record.state = .running
    }

    /// The next input, which the parent knows from now on; nil at the end of the run.
    mutating func next() -> [UInt8]? {
        let count = record.executions
        // Asking for the time costs more than some readers take.
        if count & 0x1F == 0 || unchanged.isEmpty && MutationSettings.input != nil, isOver(count) { return nil }
        let input: [UInt8]
        if let seed = unchanged.popLast() {
            isUnchanged = true
            input = seed
        } else {
            isUnchanged = false
            input = mutator.next()
        }
        record.input = input
        record.executions = count + 1
        return input
    }

    private func isOver(_ count: UInt64) -> Bool {
        record.nanoseconds = MutationSettings.processorTime() - started
        guard unchanged.isEmpty else { return false }
        if MutationSettings.input != nil { return true }
        if let executions { return count >= executions }
        // A machine that has no time for the child ends it, too.
        return record.nanoseconds >= nanoseconds
            || MutationSettings.clockTime() - startedByClock >= 10 * nanoseconds
    }

    mutating func end(_ outcome: MutationOutcome, _ input: [UInt8]) {
        switch outcome {
        case .accepted:
            record.accepted += 1
            if !isUnchanged { mutator.keep(input) }
        case .refused where isUnchanged && acceptsSeeds && MutationSettings.input == nil:
            fail("This seed is refused, although seeds are to be valid.")
        case .refused: break
        }
    }

    func fail(_ message: String) {
        record.message = message
        record.state = .failed
        exit(EXIT_FAILURE)
    }
}
