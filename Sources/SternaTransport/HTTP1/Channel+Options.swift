import NIOCore
import SternaPlatform

/// How many bytes one socket read takes.
enum ReadSize {
    /// Suits most responses; up to 64 KiB.
    case usual
    /// Up to 512 KiB while that much is available, then half as much: a piece retains its whole buffer.
    case large
    /// For TLS, whose pieces have the size of its records.
    case largeSealed
}

/// What has arrived on a socket that its event loop has not read.
enum UnreadInput {
    case nothing, bytes
    /// The peer has closed its side, or the connection is broken.
    case end
}

/// A channel's socket. A connection looks it up once, since the look-up in NIO costs more than a system call on the socket.
struct ChannelSocket {
    /// Nil for channels without a socket.
    private let descriptor: NIOBSDSocket.Handle?

    init(of channel: any Channel) {
        let found = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
            $0
        }
        // Channels for tests have an invalid one.
        descriptor = found.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// What the event loop will read next; nothing for channels without a socket.
    ///
    /// Called on the channel's event loop while the channel is active: only then is the descriptor open and the channel's own.
    var unreadInput: UnreadInput {
        guard let descriptor else { return .nothing }
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT))
        if count > 0 { return .bytes }
        return count < 0 && (errno == EAGAIN || errno == EINTR) ? .nothing : .end
    }
}

extension Channel {
    /// The number of bytes that the network has not taken yet; called on the event loop.
    var unwrittenBytes: Int { (try? syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 }

    /// Sets the read size; called on the event loop.
    func setReadSize(_ size: ReadSize) {
        let allocator: any RecvByteBufferAllocator =
            switch size {
            case .usual: AdaptiveRecvByteBufferAllocator()
            case .large: AdaptiveRecvByteBufferAllocator(minimum: 4 << 10, initial: 64 << 10, maximum: 512 << 10)
            case .largeSealed: FixedSizeRecvByteBufferAllocator(capacity: 32 << 10)
            }
        try? syncOptions?.setOption(.recvAllocator, value: allocator)
        // Several reads would each use their own memory, which the processor's caches do not hold.
        try? syncOptions?.setOption(.maxMessagesPerRead, value: (size == .large ? 1 : 4) as UInt)
    }
}
