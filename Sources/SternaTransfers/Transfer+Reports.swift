import Sterna
package import SternaCore
import SternaPlatform
import Synchronization

/// Reports to the readers of a transfer.
extension Transfer {
    /// Reports a failure that could not be written to the journal, as the failure of the last attempt.
    func report(unwritten error: any Error) {
        let now = TransferClock.now()
        var attempt =
            // An earlier attempt without a failure was interrupted.
            journal.history.attempts.last.flatMap { $0.failure == nil ? $0 : nil }
            ?? TransferAttempt(number: journal.history.attemptCount + 1, began: now, kept: journal.history.keptBytes)
        let failure =
            error as? SternaError
            ?? SternaError(.writeFailed, phase: .wait, "The journal cannot be written: \(error)", underlying: error)
        (attempt.ended, attempt.failure) = (now, TransferFailure(failure))
        state.withLock { [attempt] in $0.unwritten = attempt }
        // Even if the state is the same: readers of the states look for the reason of the failure.
        report(always: true)
    }

    /// Reports the journal's state, under the lock so that no older state replaces a newer one. `progress` counts only while an
    /// attempt runs.
    ///
    /// - Parameter always: whether to report even if nothing has changed.
    @inline(never)
    func report(_ progress: TransferProgress? = nil, always: Bool = false) {
        let isNew = state.withLock { state in
            let known = channel.current
            // The frequent case, for each piece of a body: only the progress has changed.
            if let progress, !always, state.unwritten == nil, known.state == .running, journal.isRunning {
                if let status = known.advanced(to: progress) { channel.report(status) }
                return false
            }
            var status = TransferStatus(journal.history, details)
            if state.unwritten != nil || state.waitsForTurn, status.state == .running { status.state = .waiting }
            if state.triesAgain, status.state.isBlocked { status.state = .waiting }
            if status.state == .running {
                status.progress = progress ?? known.progress
                if status.progress.completed <= known.progress.completed { status.obstacle = known.obstacle }
            }
            guard status != known || always else { return false }
            channel.report(status)
            guard status.state != known.state || always else { return false }
            states.report(status.state)
            return true
        }
        if isNew { ownContext.settings.stateChanged?(self) }
    }

    /// Reports why the running attempt waits.
    func report(obstacle: TransferFailure) {
        let obstacle = obstacle.hiding(context.sentSecrets)
        let isNew = state.withLock { _ in
            var status = channel.current
            guard status.state == .running, status.obstacle != obstacle else { return false }
            status.obstacle = obstacle
            channel.report(status)
            // Readers of the states look for the reason.
            states.report(status.state)
            return true
        }
        if isNew { ownContext.settings.stateChanged?(self) }
    }

    /// The values of the state, beginning with the present one, without progress.
    package var stateUpdates: Updates<TransferState> { Updates(states, startsAtOnce: true) }
}
