import Synchronization

/// The requests of a call's attempts, as they were sent.
///
/// They are kept without their call: it has the log, and a task that is finished would never be freed.
package final class RequestLog: Sendable {
    private struct State: Sendable {
        var sent: [Request] = []
        var receiver: (@Sendable (Request, Int) -> Void)?
    }

    private let state = Mutex(State())

    package func add(_ request: Request) {
        var kept = request
        kept.call = nil
        state.withLock { [kept] in $0.sent.append(kept) }
    }

    /// Sets what is called on an event loop when a request is sent again on another connection, with the number of attempts.
    package func onRepeat(_ receiver: @escaping @Sendable (Request, Int) -> Void) {
        state.withLock { $0.receiver = receiver }
    }

    func requests(of call: Call) -> [Request] {
        state.withLock { $0.sent }.map { Self.request($0, of: call) }
    }

    /// Reports that the last request is sent again.
    func repeated(_ attempts: Int, of call: Call) {
        let (receiver, last) = state.withLock { ($0.receiver, $0.sent.last) }
        if let last { receiver?(Self.request(last, of: call), attempts) }
    }

    private static func request(_ kept: Request, of call: Call) -> Request {
        var request = kept
        request.join(call)
        return request
    }
}
