import SternaCore
import Synchronization

/// Lets one request at a time ask for the credential of a protection space: those that wait for their turn mostly find that it is known
/// by then, so that people are asked once.
final class AskingTurns: Sendable {
    private let waiting = Mutex<[ProtectionSpace: [Wait<Void>]]>([:])

    /// Whether the present task runs a handler. Its own requests do not wait for it.
    @TaskLocal static var isAsking = false

    /// The turn of a request, which ends when it is released.
    final class Turn: Sendable {
        let space: ProtectionSpace
        private let turns: AskingTurns

        fileprivate init(_ space: ProtectionSpace, _ turns: AskingTurns) { (self.space, self.turns) = (space, turns) }

        deinit { turns.end(space) }
    }

    /// Waits for the turn; nil within a handler.
    func take(_ space: ProtectionSpace) async -> Turn? {
        guard !Self.isAsking else { return nil }
        let wait = waiting.withLock { waiting -> Wait<Void>? in
            guard waiting[space] != nil else {
                waiting[space] = []
                return nil
            }
            let wait = Wait<Void>()
            waiting[space]?.append(wait)
            return wait
        }
        // Cancellation does not end the wait: the turn of a cancelled request is released unused when it comes.
        try? await wait?.valueIgnoringCancellation()
        return Turn(space, self)
    }

    private func end(_ space: ProtectionSpace) {
        let next = waiting.withLock { waiting -> Wait<Void>? in
            guard waiting[space]?.isEmpty == false else {
                waiting[space] = nil
                return nil
            }
            return waiting[space]?.removeFirst()
        }
        next?.end()
    }
}
