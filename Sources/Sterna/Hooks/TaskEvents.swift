import HTTPTypes
import SternaCore
import Synchronization

/// The hooks of one task, and the mailbox that they run in.
final class TaskEvents: Sendable {
    let hooks: SessionHooks
    let mailbox: TaskMailbox

    init(hooks: SessionHooks, mailbox: TaskMailbox) {
        self.hooks = hooks
        self.mailbox = mailbox
    }

    /// Asks the hook for a response's disposition, and throws `cancelled` if it cancels.
    func admit(_ response: Response, of task: SessionTask) async throws(SternaError) {
        guard let hook = hooks.responseReceived else { return }
        let disposition = await mailbox.ask { await hook(task, response) }
        if disposition == nil, Task.isCancelled { throw .cancelled(phase: .read) }
        guard case .cancel? = disposition else { return }
        throw SternaError(.cancelled, phase: .read, "The hook responseReceived cancelled the task.")
    }

    /// Hands a piece of a body to the hook, and waits until it has returned.
    func deliver(_ piece: Bytes, of task: SessionTask) async {
        guard let hook = hooks.dataReceived else { return }
        await mailbox.ask { await hook(task, piece) }
    }
}

/// A body whose pieces a hook sees before their reader.
final class WatchedBody: BodyStream {
    private let base: any BodyStream
    private let watch: @Sendable (Bytes) async -> Void

    init(_ base: any BodyStream, _ watch: @escaping @Sendable (Bytes) async -> Void) {
        (self.base, self.watch) = (base, watch)
    }

    func next() async throws -> Bytes? {
        let piece = try await base.next()
        if let piece { await watch(piece) }
        return piece
    }

    func cancel() { base.cancel() }
    var length: Int64? { base.length }
    var trailers: HTTPFields? { base.trailers }
}

/// Decides on the redirects of a task; nil for calls without such a hook.
enum RedirectHookKey: RequestOptionKey {
    typealias Hook = @Sendable (Response, Request) async -> RedirectDecision?

    static var defaultValue: Hook? { nil }
}
