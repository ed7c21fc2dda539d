import SternaCore
import Synchronization

/// Lets one request at a time ask for the credential of a protection space: those that wait for their turn mostly find that it is known
/// by then, so that people are asked once.
final class AskingTurns: Sendable {
    private let waiting = Mutex<[ProtectionSpace: [CheckedContinuation<Void, Never>]]?>(nil)

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
        await withCheckedContinuation { continuation in
            let isFree = waiting.withLock { waiting in
                var all = waiting ?? [:]
                defer { waiting = all }
                guard all[space] != nil else {
                    all[space] = []
                    return true
                }
                all[space]?.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
        return Turn(space, self)
    }

    private func end(_ space: ProtectionSpace) {
        let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
            guard var queue = waiting?[space], !queue.isEmpty else {
                waiting?[space] = nil
                return nil
            }
            let first = queue.removeFirst()
            waiting?[space] = queue
            return first
        }
        next?.resume()
    }
}
