import SternaCore
import Synchronization

/// Lets one request at a time call the handlers for a protection space. A waiting request usually finds the credential known when
/// its turn comes, so that the user is asked once.
final class ChallengeHandlerQueue: Sendable {
    private let waiting = Mutex<[ProtectionSpace: [Wait<Void>]]>([:])

    /// Whether the current task runs a handler, whose own requests must not wait for its turn.
    @TaskLocal static var isAsking = false

    /// The permit of a request; releasing the object ends it.
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
        // Cancellation does not end the wait: a cancelled request receives its permit and releases it unused.
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
