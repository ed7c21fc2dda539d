import Synchronization

/// Compressors that no message uses, shared by all connections whose side forgets. A new one takes 256 KiB of fresh memory, which
/// can cost more than the compression of a short message; one between messages of each connection would take that much for each.
enum IdleDeflaters {
    private static let limit = 8
    private static let idle = Mutex<[MessageDeflater]>([])

    /// Returns a compressor that has seen nothing; nil if there is no memory.
    static func take(windowBits: Int) -> MessageDeflater? {
        let kept = idle.withLock { idle in
            idle.lastIndex { $0.windowBits == windowBits }.map { idle.remove(at: $0) }
        }
        return kept ?? MessageDeflater(windowBits: windowBits)
    }

    /// Keeps a compressor, to which no other reference is used any more.
    static func keep(_ deflater: MessageDeflater) {
        guard deflater.reset() else { return }
        idle.withLock { if $0.count < limit { $0.append(deflater) } }
    }
}
