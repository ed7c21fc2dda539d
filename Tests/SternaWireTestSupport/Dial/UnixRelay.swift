import NIOCore
import NIOPosix
import SternaPlatform

@testable import SternaTestSupport

/// A Unix domain socket that relays bytes to a server on the loopback and back.
final class UnixRelay: Sendable {
    let path: String
    private let listener: any Channel
    private let counter: Counter

    /// The number of accepted connections.
    var connections: Int { counter.value }

    private init(path: String, listener: any Channel, counter: Counter) {
        self.path = path
        self.listener = listener
        self.counter = counter
    }

    /// A path that is short enough for a socket, and free.
    static func freePath() -> String {
        FileManager.default.temporaryDirectory.appending(path: "sterna-\(UInt32.random(in: 0 ... .max)).sock").path
    }

    static func with(to port: Int, _ work: (UnixRelay) async throws -> Void) async throws {
        let path = freePath()
        let counter = Counter()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                counter.add()
                return ClientBootstrap(group: channel.eventLoop).connect(host: "127.0.0.1", port: port)
                    .flatMapThrowing { upstream in
                        try channel.pipeline.syncOperations.addHandler(Passing(to: upstream))
                        try upstream.pipeline.syncOperations.addHandler(Passing(to: channel))
                    }
            }
            .bind(unixDomainSocketPath: path).get()
        let result: Result<Void, any Error>
        do {
            result = .success(try await work(UnixRelay(path: path, listener: listener, counter: counter)))
        } catch {
            result = .failure(error)
        }
        try await listener.close().get()
        try? FileManager.default.removeItem(atPath: path)
        try result.get()
    }

    private final class Passing: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let other: any Channel

        init(to other: any Channel) { self.other = other }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            other.writeAndFlush(Self.unwrapInboundIn(data), promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
