import NIOCore
import Sterna
import SternaCore
import Synchronization

/// The reactions of a queue to changes of its transfers.
extension TransferQueue {
    /// Records that a transfer requests a turn.
    func want(_ id: Int) {
        state.withLock { state in
            if state.held[id] != nil { state.held[id] = true } else { state.plan.ask(id) }
        }
        giveTurns()
    }

    /// Records that a store's transfer has given its turn back.
    func rest(_ id: Int) {
        state.withLock { state in
            if state.held[id] != nil { state.held[id] = false }
            state.plan.rest(id)
            state.transfers[id]?.set(.waiting)
        }
        giveTurns()
    }

    /// Gives free turns to waiting transfers.
    func giveTurns() {
        transitions.withLock { _ in
            let begun = state.withLock { state in
                state.plan.next().compactMap { id -> QueuedTransfer? in
                    guard let transfer = state.transfers[id] else { return nil }
                    transfer.set(.running)
                    if state.begun.insert(id).inserted { post(.transferStarted, of: transfer) }
                    return transfer
                }
            }
            for transfer in begun { transfer.work.beginTurn(keeping: self) }
        }
    }

    // MARK: Progress

    func report(_ id: Int, _ progress: TransferProgress, resumedAt: Int64) {
        state.withLock { state in
            guard let transfer = state.transfers[id] else { return }
            transfer.set(progress)
            state.meter.set(id, progress, resumedAt: resumedAt, at: time.clock.now)
            publish(&state)
        }
    }

    /// Reports the progress. Called under the lock, so that no older value replaces a newer one.
    func publish(_ state: inout State) {
        channel.report(state.meter.progress(at: time.clock.now))
    }

    // MARK: Lengths

    /// Requests the lengths of transfers, at most as many at the same time as may run.
    func askForLengths() {
        guard options.asksForLengths else { return }
        let asked = state.withLock { state -> [QueuedTransfer] in
            var asked: [QueuedTransfer] = []
            while !state.plan.isSuspended, state.asking.count < max(1, state.plan.limits.total),
                let id = state.unasked.popFirst()
            {
                guard let transfer = state.transfers[id] else { continue }
                state.asking.insert(id)
                asked.append(transfer)
            }
            return asked
        }
        for transfer in asked {
            Task { [weak self] in
                let length = await transfer.work.askForLength()
                self?.lengthIsKnown(transfer.id, length)
            }
        }
    }

    private func lengthIsKnown(_ id: Int, _ length: Int64?) {
        state.withLock { state in
            state.asking.remove(id)
            if let length { state.meter.setTotal(length, of: id) }
            if state.held.removeValue(forKey: id) == true { state.plan.ask(id) }
            publish(&state)
        }
        giveTurns()
        askForLengths()
    }

    // MARK: Ends

    /// Whether a transfer is in this queue and not over.
    func holds(_ id: Int) -> Bool { state.withLock { $0.transfers[id] != nil } }

    /// Records the end of a task's attempt, or of a store's transfer.
    func ended(_ id: Int, _ error: SternaError?) {
        guard let transfer = state.withLock({ $0.transfers[id] }) else { return }
        if let error, triesAgain(transfer, after: error) { return }
        let known = state.withLock { state -> (error: SternaError?, failed: [QueuedTransfer])? in
            guard state.transfers.removeValue(forKey: id) != nil else { return nil }
            let cause = state.causes.removeValue(forKey: id)
            let error = error.map { cause ?? $0 }
            state.held[id] = nil
            state.begun.remove(id)
            let waiting = state.plan.remove(id)
            // The end may arrive before the last progress report.
            let (present, resumedAt) = transfer.work.present
            transfer.set(present)
            state.meter.set(id, present, resumedAt: resumedAt, at: time.clock.now)
            state.meter.end(id, succeeded: error == nil)
            transfer.set(error.map { .failed($0) } ?? .finished)
            post(error.map { .transferFailed($0) } ?? .transferFinished, of: transfer)
            if state.transfers.isEmpty {
                let all = state.meter.progress(at: time.clock.now)
                post(.queueFinished(finished: all.finished, failed: all.failed))
            }
            publish(&state)
            // ``stop()`` ends all transfers of a stopped queue.
            let runsOn = error == nil || options.runsAfterFailure || state.isStopped
            let failed = runsOn ? [] : waiting.compactMap { state.transfers[$0] }
            for other in failed { state.plan.giveUpWaiting(other.id) }
            return (state.isStopped ? nil : error, failed)
        }
        guard let known else { return }
        for other in known.failed { giveUp(other, after: transfer) }
        if let error = known.error, error.kind != .cancelled, !transfer.isLeft, options.cancelsAllOnFailure {
            for other in transfers { cancel(other, because: Self.otherFailed(transfer, error)) }
        }
        giveTurns()
        transfer.work.release()
    }

    func require(_ transfer: QueuedTransfer, after other: QueuedTransfer) throws(SternaError) {
        guard other.isOf(self) else { throw Self.otherQueue }
        if case .failed = other.state, !options.runsAfterFailure {
            return giveUp(transfer, after: other)
        }
        do throws(QueuePlan<Int>.Fault) {
            try state.withLock { state throws(QueuePlan<Int>.Fault) in
                try state.plan.require(transfer.id, after: other.id)
            }
        } catch {
            switch error {
            case .begun, .unknown:
                throw Self.misuse("The transfer has begun or ended, and cannot wait for another one.")
            case .cycle: throw Self.misuse("The other transfer waits for this one, so that neither would ever begin.")
            }
        }
    }

    /// Ends a transfer whose dependency has failed: cancels it, or returns a store's transfer to its store if the dependency can
    /// still be resumed.
    func giveUp(_ transfer: QueuedTransfer, after other: QueuedTransfer) {
        guard !state.withLock({ $0.isStopped }) else { return }
        let cause = Self.dependencyFailed(other)
        guard other.isLeft, let work = transfer.work as? DurableWork else { return cancel(transfer, because: cause) }
        state.withLock { $0.plan.giveUpWaiting(transfer.id) }
        work.leave(cause)
    }

    /// Schedules another attempt of a failed task. Returns false if it must not be retried.
    private func triesAgain(_ transfer: QueuedTransfer, after error: SternaError) -> Bool {
        let mayRetry = state.withLock { !$0.isStopped && $0.causes[transfer.id] == nil }
        guard mayRetry, let work = transfer.work as? TaskWork,
            let pause = QueueRetry.pause(
                after: error, asked: error.response.flatMap { RetryAfter.delay($0) }, attempts: work.attempts,
                retries: options.retries, longest: options.longestPause, random: .random(in: 0...1)),
            work.again()
        else { return false }
        state.withLock { state in
            guard state.transfers[transfer.id] != nil else { return }
            state.plan.rest(transfer.id)
            transfer.set(.waiting)
            post(.transferRetryScheduled(error, pause: .milliseconds(pause)), of: transfer)
        }
        Task {
            try? await time.wait(.milliseconds(pause))
            want(transfer.id)
        }
        giveTurns()
        return true
    }

    // MARK: Errors

    static func misuse(_ sentence: String) -> SternaError { SternaError(.invalidRequest, phase: .prepare, sentence) }

    static var stopped: SternaError { misuse("The queue was stopped, and takes no more transfers.") }

    static var otherQueue: SternaError {
        misuse("A transfer can only wait for transfers of its own queue; add both to one queue.")
    }

    static func dependencyFailed(_ other: QueuedTransfer) -> SternaError {
        SternaError(
            .cancelled, phase: .queue,
            "The transfer was not begun, since number \(other.id), which it waits for, has \(other.isLeft ? "not ended" : "failed"). Set runsAfterFailure to run it anyway.",
            underlying: other.isLeft ? LeftToStore() : nil)
    }

    static func otherFailed(_ other: QueuedTransfer, _ error: SternaError) -> SternaError {
        SternaError(
            .cancelled, phase: .queue,
            "The queue cancelled all transfers, since number \(other.id) has failed (\(error.kind.rawValue)).")
    }
}

extension TransferState {
    /// The error of a failed, blocked or cancelled transfer; nil for other states.
    var error: SternaError? {
        switch self {
        case .failed(let failure), .blocked(let failure):
            SternaError(SternaError.Kind(rawValue: failure.kind) ?? .interceptorFailed, phase: .read, failure.reason)
        case .cancelled: SternaError(.cancelled, phase: .read, "The transfer was cancelled.")
        default: nil
        }
    }
}
