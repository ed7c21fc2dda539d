import NIOCore
import SternaCore
import SternaPlatform
import Synchronization

/// The state that the retries of a request and of its redirects' targets share.
final class RetryHistory: Sendable {
    private let start = Mutex<NIODeadline?>(nil)

    /// The Idempotency-Key of the request, if its policy adds one.
    let idempotencyKey = RetryHistory.newKey()

    /// Returns when the first attempt began; records `now` for the first one.
    func began(at now: NIODeadline) -> NIODeadline {
        start.withLock { start in
            let first = start ?? now
            start = first
            return first
        }
    }

    static func newKey() -> String { UUID().uuidString.lowercased() }

    /// Returns a request with a history, if its policy has a total time or adds a key.
    static func added(to request: Request) -> Request {
        guard request.options.read(RetryPolicyKey.self, \.hasHistory) == true else { return request }
        var request = request
        request.state.course.history = RetryHistory()
        return request
    }
}
