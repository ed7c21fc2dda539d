import NIOCore
import Sterna
import SternaCore
import SternaPlatform

/// A complete upload.
struct UploadResult: Sendable {
    let state: UploadState

    /// The response to the request that completed the upload, with a body of up to 1 MiB that arrived in time. By the IETF protocol
    /// it comes from the target resource. Nil if it was lost and the server has confirmed the upload since.
    let response: Response?
}

/// Uploads a file by a resumable protocol: sends the requests that the rules decide, until the upload is complete or fails.
///
/// The runner passes each new state to `record`, and awaits it before it sends anything that depends on the state: the upload's URL
/// is stored before its content is sent. After a failed run or a killed process, the upload resumes from the last recorded state.
struct UploadRunner: Sendable {
    let session: Session
    let plan: UploadPlan
    let source: UploadSource
    var patience = UploadPatience()

    /// Stores a state. An error that it throws ends the run.
    let record: @Sendable (UploadState) async throws -> Void

    /// Called with progress, also on event loops: it must return at once.
    var progress: (@Sendable (TransferProgress) -> Void)?

    /// Called with an error before the upload waits because of it.
    var waits: (@Sendable (SternaError) -> Void)?

    /// Returns a random number from 0 to 1.
    var random: @Sendable () -> Double = { .random(in: 0...1) }

    /// Returns the present time in seconds since 1970.
    var now: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }

    init(
        _ session: Session, _ plan: UploadPlan, file: UploadSource,
        record: @escaping @Sendable (UploadState) async throws -> Void
    ) {
        (self.session, self.plan, self.source, self.record) = (session, plan, file, record)
    }

    /// Runs an upload until it is complete.
    ///
    /// - Parameter state: the last recorded state; nil for a new upload.
    /// - Throws: `SternaError`, and errors of `record`.
    func run(from state: UploadState? = nil) async throws -> UploadResult {
        let log = UploadLog(record)
        let exchange = try exchange(log)
        var pace = UploadPace(patience)
        var stabilizer = OffsetStabilizer(state)
        var state = try resumed(state)
        var last: SternaError?
        while true {
            guard !Task.isCancelled else { throw SternaError.cancelled(phase: .prepare) }
            let before = state
            let decision: UploadDecision
            var completes = false
            let next = UploadRule.next(state, plan)
            switch next {
            case .finish: decision = .complete(completed(state))
            case .fail(let fault): decision = .fail(fault)
            case let step:
                state = state.beginning(step)
                completes = step.completes
                try await log.write(state)
                do {
                    (decision, state, last) = try await take(step, state, exchange)
                } catch {
                    // For readers of the upload's progress; the caller gets the error.
                    try? await log.carried(step, to: exchange.sent.end)
                    throw error
                }
            }
            switch pace.move(decision, from: before, latest: state, random: random()) {
            case .end(let next):
                try await log.write(next)
                report(next)
                return UploadResult(state: next, response: completes ? last?.response : nil)
            case .go(let following, var wait):
                let (stable, asksAgain) = stabilizer.stabilize(following, after: next)
                state = stable
                try await log.write(state)
                if case .again(_, let fault, _) = decision, wait > .zero { waits?(obstacle(fault, last)) }
                report(state)
                if asksAgain { wait = max(wait, patience.settling) }
                if wait > .zero { try await session.loopClock.wait(wait) }
            case .fail(let fault, let next):
                try await log.write(next)
                throw try await failure(fault, next, last, exchange, log)
            }
        }
    }

    /// Has the server delete an upload, by one request.
    ///
    /// Returns the state of a new upload. Throws if the server refuses; an upload that no longer exists counts as deleted.
    func cancel(_ state: UploadState) async throws -> UploadState {
        guard state.url != nil else { return state.startedAnew() }
        let log = UploadLog(record)
        let (decision, _, last) = try await take(.cancel, state, try exchange(log))
        guard case .complete(let next) = decision else {
            if case .fail(let fault) = decision { throw error(fault, last) }
            throw last ?? error(.noResponse, nil)
        }
        try await log.write(next)
        return next
    }

    // MARK: Steps

    private func exchange(_ log: UploadLog) throws -> UploadExchange {
        UploadExchange(
            session: try session.confined(to: plan.target.origin), plan: plan, source: source, now: now,
            record: { try await log.write($0) }, progress: progress)
    }

    private func resumed(_ state: UploadState?) throws -> UploadState {
        guard let state else { return UploadState(plan) }
        guard state.length == plan.length else {
            throw error(.otherLength(state.length, length: plan.length), nil)
        }
        return state.unsure()
    }

    private func completed(_ state: UploadState) -> UploadState {
        var state = state
        state.stage = .complete
        return state
    }

    /// Takes a step. Returns the consequence, the state after its interim responses, and the error that explains a failure.
    private func take(
        _ step: UploadStep, _ state: UploadState, _ exchange: UploadExchange
    ) async throws -> (UploadDecision, UploadState, SternaError?) {
        let (outcome, latest, fault) = try await exchange.run(step, state)
        if let fault { return (.fail(fault), latest, nil) }
        switch outcome {
        case .response(let received, let response):
            let decision = UploadRule.decide(received, to: step, latest)
            var latest = latest
            // A refused creation created nothing.
            if case .fail(let fault) = decision, latest.stage == .creating {
                var isRefused = (400..<500).contains(received.status)
                if case .refusedByTarget = fault, fault.isTransient { isRefused = true }
                if isRefused { latest.stage = .begun }
            }
            var error = SternaError(.unacceptableStatus, phase: .read, "")
            error.response = response
            return (decision, latest, error)
        case .failure(var error):
            // The upload's own URL can act as a credential, and errors are displayed.
            error.url = nil
            error = error.at(plan.target)
            guard Self.transientKinds.contains(error.kind) else { throw error }
            let sent = exchange.sent.end
            let sentAll = step.content.isEmpty || sent >= step.content.upperBound
            let carried = latest.carried(step, to: sent)
            let decision = UploadRule.noResponse(to: step, carried, wasSent: error.requestSent, sentAll: sentAll)
            return (decision, carried, error)
        }
    }

    /// The kinds of transient errors, after which an upload continues.
    private static let transientKinds: Set<SternaError.Kind> = [
        .timedOut, .hostNotFound, .connectionFailed, .proxyFailed, .tlsFailed, .writeFailed, .connectionClosed,
        .truncated, .malformedResponse, .limitExceeded,
    ]

    private func report(_ state: UploadState) {
        progress?(TransferProgress(completed: state.offset, total: state.length))
    }

    // MARK: Failures

    /// Returns the error of an upload that cannot continue. An upload that the server keeps in vain is cancelled there.
    private func failure(
        _ fault: UploadFault, _ state: UploadState, _ last: SternaError?, _ exchange: UploadExchange, _ log: UploadLog
    ) async throws -> SternaError {
        if fault.endsUpload, state.url != nil {
            // The upload has failed already; the outcome of this request does not matter.
            _ = try? await exchange.run(.cancel, state)
            try await log.write(state.startedAnew())
        }
        return error(fault, last)
    }

    /// Returns the error because of which an upload waits: the error of a failed connection says more than the fault.
    private func obstacle(_ fault: UploadFault, _ last: SternaError?) -> SternaError {
        if fault == .noResponse, let last, last.response == nil { return last }
        return fault.error()
    }

    private func error(_ fault: UploadFault, _ last: SternaError?) -> SternaError {
        if fault == .noResponse, let last, last.response == nil { return last }
        var error = fault.error().at(plan.target)
        error.response = last?.response
        // The store decides by it. Without a response, the error of the connection says more.
        let isConnections = last.map { $0.response == nil } ?? false
        error.underlying = isConnections && fault != .unanswered ? last : fault
        return error
    }
}

/// Passes states to `record`, each only once.
actor UploadLog {
    private let record: @Sendable (UploadState) async throws -> Void
    private var last: UploadState?

    init(_ record: @escaping @Sendable (UploadState) async throws -> Void) { self.record = record }

    func write(_ state: UploadState) async throws {
        let stored = state.stored
        guard stored != last else { return }
        try await record(stored)
        last = stored
    }

    /// Records how far the network has taken a step's content that the server has not confirmed.
    func carried(_ step: UploadStep, to end: Int64) async throws {
        if let last { try await write(last.carried(step, to: end)) }
    }
}
