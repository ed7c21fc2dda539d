import SternaCore
import Synchronization

/// Lets one request at a time call the challenge handler for a protection space. Waiting requests mostly find that the credential
/// is known by then, so that people are asked once.
final class ChallengeHandlerQueue: Sendable {
    private let waiting = Mutex<[ProtectionSpace: [Wait<Void>]]>([:])

    /// Whether the present task runs a handler. Its own requests do not wait for it.
    @TaskLocal static var isAsking = false

    /// The permission of a request to call the handler, which ends when it is released.
    final class Permit: Sendable {
        let space: ProtectionSpace
        private let queue: ChallengeHandlerQueue

        fileprivate init(_ space: ProtectionSpace, _ queue: ChallengeHandlerQueue) {
            (self.space, self.queue) = (space, queue)
        }

        deinit { queue.end(space) }
    }

    /// Waits for the permit; nil within a handler.
    func take(_ space: ProtectionSpace) async -> Permit? {
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
        // Cancellation does not end the wait: the permit of a cancelled request is released unused when it comes.
        try? await wait?.valueIgnoringCancellation()
        return Permit(space, self)
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
