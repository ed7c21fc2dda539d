import NIOCore
import SternaCore

/// Waking callers.
extension Shard {
    /// Gives a caller its response, together with those of others who are answered in the same turn of the event loop: each by
    /// itself would wake a thread that goes to sleep again before the next one is there.
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
