import NIOCore
import SternaCore

/// Waking callers.
extension Shard {
    /// Delivers a response to its caller, together with the other responses of this turn of the event loop. Delivered singly,
    /// each would wake a thread that sleeps again before the next one is ready.
    func reply(to exchange: Exchange, _ response: Response) {
        guard !exchange.isOnLoop, !active.isEmpty || !replies.isEmpty else { return exchange.succeed(response) }
        guard let reply = exchange.reply(response) else { return }
        replies.append(reply)
        if replies.count == 1 { loop.execute { self.sendReplies() } }
    }

    private func sendReplies() {
        let replies = replies
        self.replies = []
        if replies.count == 1 { return replies[0].send() }
        Task { for reply in replies { reply.send() } }
    }
}
