package import HTTPTypes
import Synchronization

/// Records how far a call has come, for errors that its user's interceptors throw: these say neither where the call was nor what
/// had come back. Nil in calls of sessions without such interceptors.
package final class CallTrace: Sendable {
    /// Where a call stands.
    package struct Point: Sendable {
        /// The method of the request that was passed on last; nil before the first one.
        package var method: HTTPRequest.Method?

        /// The URL of the request that was passed on last.
        package var url: HTTPURL?

        /// How many attempts the call had made before that.
        package var attempts = 0

        /// What came back for that request; nil until then.
        package var outcome: Outcome?

        /// The redirects that led to that request, first one first; known where a redirect was followed in vain.
        package var redirects: [RedirectStep] = []

        package init() {}
    }

    /// What comes back for a request.
    package enum Outcome: Sendable {
        /// A response, without its body.
        case response(Response)
        case failure(SternaError)
        /// An error that is not the library's, of a transport that is not its engine.
        case transportFailure
    }

    private let state = Mutex(Point())

    package init() {}

    /// Where the call stands.
    package var point: Point { state.withLock { $0 } }

    /// Notes that a request is passed on.
    package func passed(_ request: Request) {
        var point = Point()
        point.method = request.method
        point.url = request.url
        point.attempts = request.call?.attempts ?? 0
        replace(by: point)
    }

    /// Notes the response to a request.
    package func returned(_ response: Response) {
        // A body that is kept here would keep its connection.
        var head = response
        head.body = ResponseBody()
        update { $0.outcome = .response(head) }
    }

    /// Notes what came in place of a response.
    package func failed(_ outcome: Outcome) { update { $0.outcome = outcome } }

    /// Notes the redirects that were followed before an interceptor failed.
    package func followed(_ steps: [RedirectStep]) { update { $0.redirects = steps } }

    private func update(_ change: (inout Point) -> Void) {
        var point = point
        change(&point)
        replace(by: point)
    }

    private func replace(by point: Point) {
        // What was noted before is released outside the lock.
        let old = state.withLock { state in
            let old = state
            state = point
            return old
        }
        _ = old
    }
}
