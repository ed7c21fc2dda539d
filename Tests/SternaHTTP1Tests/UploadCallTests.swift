import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOPosix
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// The caller's closures run between changes of a connection's state, not within them.
@Suite("When the caller's closures are called", .timeLimit(.minutes(5)))
struct UploadCallTests {
    /// Notes when a request is written, and when the write returns.
    // Invariant: touched on the channel's event loop only, but for the list, which has a lock.
    private final class WriteNotes: ChannelOutboundHandler, @unchecked Sendable {
        typealias OutboundIn = ByteBuffer
        let notes = Mutex<[String]>([])

        func note(_ text: String) { notes.withLock { $0.append(text) } }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            note("write")
            context.write(data, promise: promise)
        }

        func flush(context: ChannelHandlerContext) {
            note("flush")
            context.flush()
            note("flushed")
        }
    }

    @Test("Upload progress is reported after the write, not before or during it", arguments: [0, 5])
    func http1(size: Int) async throws {
        let beneath = WriteNotes()
        let fake = try await FakeConnection(beneath: beneath)
        let task = try await fake.start { request in
            request.method = .post
            request.body = .bytes([UInt8](repeating: 1, count: size))
            request.uploadProgress = { beneath.note("progress \($0.completed)") }
        }
        try await fake.receive("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        _ = try await task.value
        expectEqual(beneath.notes.withLock { $0 }, ["write", "flush", "flushed", "progress \(size)"])
    }

    @Test("Over HTTP/2 the server has the request while the closure still runs")
    func http2() async throws {
        // A loop of the client's own, since the closure holds it up.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let engine = Engine(options: Wire.options, group: group)
        let arrived = Mutex(false)
        let seen = Mutex<Bool?>(nil)
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            let request = try await connection.request()
            arrived.withLock { $0 = true }
            try await connection.respond(request.stream, text: "all")
        } body: { peer in
            let api = try HTTP2Scene.session(peer, engine)
            try await api.upload(
                .bytes([]), to: "row",
                progress: { _ in
                    let start = ContinuousClock.now
                    while !arrived.withLock({ $0 }), ContinuousClock.now - start < .seconds(10) {}
                    seen.withLock { $0 = arrived.withLock { $0 } }
                })
            try await peer.waitForScripts()
        }
        expectEqual(seen.withLock { $0 }, true)
        await engine.shutDown(within: .seconds(5))
        try await group.shutdownGracefully()
    }

    @Test("Progress is reported before the response is delivered", arguments: 0..<20)
    func order(round: Int) async throws {
        let fake = try await FakeConnection()
        let seen = Mutex<[String]>([])
        let task = try await fake.start { request in
            request.method = .post
            request.body = .bytes([1, 2, 3])
            request.uploadProgress = { step in seen.withLock { $0.append("sent \(step.completed)") } }
            request.onInformational = { response in seen.withLock { $0.append("\(response.status)") } }
        }
        try await fake.receive(
            "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        )
        _ = try await task.value
        expectEqual(seen.withLock { $0 }, ["sent 3", "103", "103"])
    }
}
