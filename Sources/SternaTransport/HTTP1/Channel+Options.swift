import NIOCore

extension Channel {
    /// How many bytes wait to be taken by the network; called on the event loop.
    var unwrittenBytes: Int { (try? syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 }

    /// Reads pieces of a size, or, with nil, of one that follows what comes; called on the event loop.
    func setReadSize(_ size: Int?) {
        let allocator: any RecvByteBufferAllocator =
            size.map { FixedSizeRecvByteBufferAllocator(capacity: $0) } ?? AdaptiveRecvByteBufferAllocator()
        try? syncOptions?.setOption(.recvAllocator, value: allocator)
    }
}
