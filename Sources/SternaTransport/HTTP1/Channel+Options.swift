import NIOCore

/// How much is read at once.
enum ReadSize {
    /// What most answers take, up to 64 KiB.
    case usual
    /// Up to 512 KiB where as much is there, half as much as soon as it is not: a piece keeps the whole of its memory.
    case large
    /// What TLS makes of it is the size of its records.
    case largeSealed
}

extension Channel {
    /// How many bytes wait to be taken by the network; called on the event loop.
    var unwrittenBytes: Int { (try? syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 }

    /// Changes how much is read at once; called on the event loop.
    func setReadSize(_ size: ReadSize) {
        let allocator: any RecvByteBufferAllocator =
            switch size {
            case .usual: AdaptiveRecvByteBufferAllocator()
            case .large: AdaptiveRecvByteBufferAllocator(minimum: 4 << 10, initial: 64 << 10, maximum: 512 << 10)
            case .largeSealed: FixedSizeRecvByteBufferAllocator(capacity: 32 << 10)
            }
        try? syncOptions?.setOption(.recvAllocator, value: allocator)
        // Each of several reads would have memory of its own, which the processor's caches do not hold.
        try? syncOptions?.setOption(.maxMessagesPerRead, value: (size == .large ? 1 : 4) as UInt)
    }
}
