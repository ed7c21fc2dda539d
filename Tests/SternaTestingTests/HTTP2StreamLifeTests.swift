import NIOCore
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaTesting

/// What a stream leaves behind in the server.
@Suite("Release of the server's HTTP/2 streams", .timeLimit(.minutes(5)))
struct HTTP2StreamLifeTests {
    /// Remembers the pipes that bodies came by, and keeps none of them.
    // Invariant: the list is touched with its lock held.
    private final class Pipes: Sendable {
        private struct Weak: Sendable { weak var pipe: ServerBodyPipe? }
        private let list = Mutex<[Weak]>([])

        func add(_ pipe: ServerBodyPipe?) { list.withLock { $0.append(Weak(pipe: pipe)) } }

        var total: Int { list.withLock { $0.count } }
        var alive: Int { list.withLock { $0.count { $0.pipe != nil } } }
    }

    enum Ending: CaseIterable { case read, unread, reset }

    @Test("A stream is released when it has ended", arguments: Ending.allCases)
    func ended(ending: Ending) async throws {
        let pipes = Pipes()
        try await TestServer.withServer(.init(http2: .byPriorKnowledge)) { server async throws in
            server.route("POST", "/body") { request in
                pipes.add(request.body.pipe)
                switch ending {
                case .read: return .text("\(try await request.body.collect().count)")
                case .unread: return .text("no")
                case .reset: throw ServerStreamReset.internalError
                }
            }
            try await HTTP2Client.with(port: server.port) { client async throws in
                for _ in 0..<3 {
                    _ = try? await client.withStream(HTTP2Client.head("POST", "/body"), hasBody: true) {
                        stream, inbound in
                        try await stream.send([UInt8](repeating: 1, count: 1_000), endStream: true)
                        return try await HTTP2Client.read(&inbound)
                    }
                }
                // While the connection goes on.
                for _ in 0..<500 where pipes.alive > 0 { try await Task.sleep(for: .milliseconds(10)) }
                expectEqual(pipes.alive, 0)
                try await expectEqual(client.request("GET", "/1k").status, 200)
            }
        }
        expectEqual(pipes.total, 3)
    }
}
