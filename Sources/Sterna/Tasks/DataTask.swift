import NIOCore
public import SternaCore
import SternaSerialization

/// A task that collects its response in memory.
///
///     let task = api.dataTask(.get("report"))
///     let report = try await task.value.decode(Report.self)
///
/// Several serializers may read the one ``value``: it is a ``Reply``.
// Invariant: as in `SessionTask`.
public class DataTask: SessionTask, @unchecked Sendable {
    let outcome = TaskOutcome<Reply>()

    /// Turns the result into the task's completion callback; nil without one.
    private let completion: (@Sendable (DataTask, Result<Reply, SternaError>) -> Ending)?

    /// The completion callback of a task, which runs in the callback queue.
    struct Ending: Sendable {
        /// The error that the callback reports, if the value could not be made.
        var error: SternaError?

        /// The value, if it could be made.
        var value: (any Sendable)?
        var call: @Sendable () -> Void
    }

    required init(
        _ session: Session, _ draft: RequestDraft, _ prepared: Result<Request, SternaError>,
        callbackQueue: UserCallbackQueue?,
        completion: (@Sendable (DataTask, Result<Reply, SternaError>) -> Ending)? = nil
    ) {
        self.completion = completion
        super.init(session, draft, prepared, callbackQueue: callbackQueue)
    }

    /// The response with its body, once the task is complete; throws the task's error. Any number of Swift tasks may await it.
    ///
    /// Cancelling a Swift task that awaits the value ends only its wait, with `cancelled`; ``SessionTask/cancel(silently:)`` ends
    /// the task. Awaiting does not start a suspended task.
    public var value: Reply {
        get async throws { try await outcome.value }
    }

    override func copy(_ prepared: Result<Request, SternaError>) -> SessionTask? {
        guard completion == nil else { return nil }
        return Self(session, draft, prepared, callbackQueue: nil)
    }

    override func perform(_ request: Request) async {
        if canStartAgain(request) {
            gate.isReleasable = true
            offersConnections()
        }
        while true {
            // A cancelled task passes the gate, too; its request then fails.
            _ = try? await gate.pass()
            let releases = gate.releases
            do {
                let reply = try await session.plan.send(reporting(request), draft, TaskReading(task: self))
                return end(with: .success(reply))
            } catch {
                // The suspended task gave its connection up.
                if gate.releases == releases { return end(with: session.plan.describe(error, request)) }
            }
        }
    }

    /// Whether the request can be sent again from the beginning without a visible effect.
    private func canStartAgain(_ request: Request) -> Bool {
        request.method == .get && request.body == nil && decider == nil && events == nil
            && request.recorder == nil && !session.plan.hasInterceptors
    }

    override func end(with error: SternaError) { end(with: .failure(error)) }

    private func end(with result: Result<Reply, SternaError>) {
        var result = result
        if case .success(let reply) = result { received(reply.response) }
        let ending = completion?(self, result)
        if let error = ending?.error { result = .failure(error) }
        var failure: SternaError?
        if case .failure(let error) = result { failure = error }
        guard complete(failure, summary(result, ending), last: { ending?.call() }) else { return }
        outcome.set(result)
    }

    private func summary(_ result: Result<Reply, SternaError>, _ ending: Ending?) -> TaskSummary {
        var summary = TaskSummary()
        summary.value = ending?.value
        summary.body = (try? result.get())?.body
        summary.serializer = session.plan.serializer(for: draft)
        return summary
    }
}

/// A task that sends a body, and collects its response in memory.
// Invariant: as in `SessionTask`.
public final class UploadTask: DataTask, @unchecked Sendable {
    /// The progress of the request's body.
    public override var progress: Updates<TransferProgress> { uploadProgress }

    override var isTransfer: Bool { true }
}
