import Synchronization

/// The requests of a call's attempts, as they were sent.
///
/// They are kept without their call, which retains the log: the cycle would leak finished tasks.
package final class RequestLog: Sendable {
    private let sent = Mutex<[Request]>([])

    package func add(_ request: Request) {
        var kept = request
        kept.call = nil
        sent.withLock { [kept] in $0.append(kept) }
    }

    func requests(of call: Call) -> [Request] {
        sent.withLock { $0 }.map { kept in
            var request = kept
            request.join(call)
            return request
        }
    }
}
