import NIOCore
import NIOPosix
import SternaTesting

@testable import SternaWireTestSupport

/// A scripted peer as a proxy: what is in its tunnels goes to a port and back.
extension PeerConnection {
    /// How what comes from the port is put into frames.
    typealias Dress = @Sendable (_ stream: UInt32, _ bytes: [UInt8]) -> [WireFrame]

    /// Opens every tunnel that is asked for, and carries all of them until the client closes.
    ///
    /// - Parameters:
    ///   - credits: Whether the client may send more as it is read.
    ///   - dress: In place of DATA as the client's windows allow; nobody looks at the windows then.
    func carryAll(to port: Int, credits: Bool = true, dress: Dress? = nil) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            while let request = try await requestOrClosed() {
                try await respondHead(request.stream)
                group.addTask { await self.carry(request.stream, to: port, credits: credits, dress: dress) }
            }
            group.cancelAll()
        }
    }

    /// Carries an open tunnel until one side has ended.
    func carry(_ stream: UInt32, to port: Int, credits: Bool = true, dress: Dress? = nil) async {
        // How the tunnel ends is what tests look for at the client.
        try? await carrying(stream, to: port, credits, dress)
    }

    private func carrying(_ stream: UInt32, to port: Int, _ credits: Bool, _ dress: Dress?) async throws {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        try await channel.executeThenClose { inbound, outbound in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for try await buffer in inbound {
                        let bytes = Array(buffer.readableBytesView)
                        if let dress {
                            try await self.send(dress(stream, bytes))
                        } else {
                            try await self.sendBody(stream, bytes, end: false)
                        }
                    }
                    try await self.send(.data(stream, [], end: true))
                }
                group.addTask {
                    while true {
                        let bytes = try await self.body(of: stream, atLeast: 1, creditsWindows: credits)
                        if bytes.isEmpty { return }
                        try await outbound.write(ByteBuffer(bytes: bytes))
                    }
                }
                try await group.next()
                group.cancelAll()
            }
        }
    }
}
