/// The responses of one turn of an event loop, whose callers are woken together at its end.
///
/// Delivered singly, each would wake a thread that sleeps again before the next one is ready.
struct ReplyBatch {
    private var replies: [Exchange.Reply] = []

    var isEmpty: Bool { replies.isEmpty }

    /// Adds a reply. Returns whether it is the first one of its batch.
    mutating func add(_ reply: Exchange.Reply) -> Bool {
        replies.append(reply)
        return replies.count == 1
    }

    /// Takes the replies out.
    mutating func takeAll() -> ReplyBatch {
        let batch = self
        replies = []
        return batch
    }

    /// Wakes the callers.
    func send() {
        if replies.count == 1 { return replies[0].send() }
        Task { for reply in replies { reply.send() } }
    }
}
