import Sterna
import SternaCore
import Synchronization

/// Uploads a file in several parts at once, which a tus server joins (concatenation).
struct ConcatenatedUpload: Sendable {
    /// The states of the parts, and of the upload that joins them.
    struct State: Sendable, Hashable, Codable {
        var parts: [UploadState]
        var whole: UploadState
    }

    let session: Session
    let plan: UploadPlan
    let source: UploadSource

    /// The ranges of the parts, in order.
    let ranges: [Range<Int64>]
    var patience = UploadPatience()

    /// Stores a state; never called concurrently. An error that it throws ends the run.
    let record: @Sendable (State) async throws -> Void

    /// Called with progress, also on event loops: it must return at once.
    var progress: (@Sendable (TransferProgress) -> Void)?

    /// Called with the error of a part before it waits.
    var waits: (@Sendable (SternaError) -> Void)?

    /// - Parameter parts: the number of parts, 1 to 64; fewer for a file of fewer bytes.
    init(
        _ session: Session, _ plan: UploadPlan, file: UploadSource, parts: Int,
        record: @escaping @Sendable (State) async throws -> Void
    ) {
        (self.session, self.plan, self.source, self.record) = (session, plan, file, record)
        let count = max(1, min(Int64(min(max(parts, 1), 64)), plan.length))
        let (size, rest) = plan.length.quotientAndRemainder(dividingBy: count)
        ranges = (0..<count).map { index in
            let start = index * size + min(index, rest)
            return start..<start + size + (index < rest ? 1 : 0)
        }
    }

    /// Uploads the parts, then joins them. If a part fails, the others stop; all can resume later.
    ///
    /// - Parameter state: the last recorded state; nil for a new upload.
    /// - Throws: `SternaError`, and errors of `record`.
    func run(from state: State? = nil) async throws -> UploadResult {
        let state = try resumed(state)
        let log = PartLog(state, record)
        var parts = state.parts
        if state.whole.stage == .begun {
            let done = PartProgress(parts.map(\.offset), plan.length, progress)
            try await withThrowingTaskGroup(of: (Int, UploadState).self) { group in
                for (index, part) in state.parts.enumerated() {
                    group.addTask { (index, try await runner(index, log, done).run(from: part).state) }
                }
                for try await (index, part) in group { parts[index] = part }
            }
        }
        var whole = whole
        whole.concatenation = .final(parts.compactMap(\.url))
        var last = UploadRunner(session, whole, file: source) { try await log.write($0, nil) }
        (last.patience, last.progress, last.waits) = (patience, progress, waits)
        return try await last.run(from: state.whole)
    }

    private func resumed(_ state: State?) throws -> State {
        let plans = ranges.map { part($0) }
        guard let state else { return State(parts: plans.map { UploadState($0) }, whole: UploadState(whole)) }
        guard state.parts.map(\.length) == plans.map(\.length) else {
            throw UploadFault.otherLength(state.whole.length, length: plan.length).error(phase: .prepare)
        }
        return state
    }

    private var whole: UploadPlan {
        var plan = plan
        plan.concatenation = .final([])
        return plan
    }

    private func part(_ range: Range<Int64>) -> UploadPlan {
        var part = plan
        part.length = range.upperBound - range.lowerBound
        part.concatenation = .partial
        part.fileDigest = nil
        return part
    }

    private func runner(_ index: Int, _ log: PartLog, _ done: PartProgress) -> UploadRunner {
        let part = source.from(ranges[index].lowerBound)
        var runner = UploadRunner(session, self.part(ranges[index]), file: part) { try await log.write($0, index) }
        (runner.patience, runner.waits) = (patience, waits)
        runner.progress = { done.report($0.completed, of: index) }
        return runner
    }
}

/// The progress of several parts together.
private final class PartProgress: Sendable {
    private let completed: Mutex<[Int64]>
    private let length: Int64
    private let progress: (@Sendable (TransferProgress) -> Void)?

    init(_ completed: [Int64], _ length: Int64, _ progress: (@Sendable (TransferProgress) -> Void)?) {
        self.completed = Mutex(completed)
        self.length = length
        self.progress = progress
    }

    func report(_ bytes: Int64, of index: Int) {
        guard let progress else { return }
        let sum = completed.withLock { completed in
            completed[index] = bytes
            // Each is at most the length of its part.
            return completed.reduce(0, +)
        }
        progress(TransferProgress(completed: sum, total: length))
    }
}

/// Passes the states of several parts to `record`, one at a time and never an older one after a newer one.
private actor PartLog {
    private let record: @Sendable (ConcatenatedUpload.State) async throws -> Void
    private var state: ConcatenatedUpload.State
    private var version = 0
    private var recorded = 0
    private var isRecording = false
    private var waits: [Wait<Void>] = []

    init(
        _ state: ConcatenatedUpload.State, _ record: @escaping @Sendable (ConcatenatedUpload.State) async throws -> Void
    ) {
        (self.state, self.record) = (state, record)
    }

    /// Returns once the state is recorded.
    ///
    /// - Parameter part: the number of the part; nil for the whole upload.
    func write(_ new: UploadState, _ part: Int?) async throws {
        if let part { state.parts[part] = new } else { state.whole = new }
        version += 1
        let own = version
        while recorded < own {
            guard !isRecording else {
                let wait = Wait<Void>()
                waits.append(wait)
                // A running record ends soon, and the next one may have to follow it: cancellation does not end the wait.
                try? await wait.valueIgnoringCancellation()
                continue
            }
            isRecording = true
            let latest = version
            defer {
                isRecording = false
                for wait in waits { wait.end() }
                waits = []
            }
            try await record(state)
            recorded = latest
        }
    }
}
