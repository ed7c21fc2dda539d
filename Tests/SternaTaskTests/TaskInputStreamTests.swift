#if Foundation
import Foundation
import NIOCore
import NIOPosix
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Tasks: a stream as Foundation's input stream", .timeLimit(.minutes(5)))
struct TaskInputStreamTests {
    private func session(_ server: TestServer) throws -> Session {
        try Session(baseURL: server.url) {
            $0.network.engine = Engine()
            $0.responseSerializer = .data
        }
    }

    /// Runs work on a thread of its own.
    private func onThread<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "test.stream").async { continuation.resume(with: Result { try work() }) }
        }
    }

    private static func readAll(_ stream: InputStream, by size: Int) -> (bytes: [UInt8], last: Int) {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: size)
        while true {
            let count = stream.read(&buffer, maxLength: size)
            guard count > 0 else { return (bytes, count) }
            bytes += buffer[..<count]
        }
    }

    @Test("The stream is read to its end, in portions of any size", arguments: [1_000, 100_000])
    func whole(size: Int) async throws {
        try await TestServer.withServer { server in
            let count = 3_000_000
            _ = server.holdBody(of: count, until: Gate())
            let task = try session(server).streamTask(.get("held"))
            let (bytes, last) = try await onThread {
                let stream = task.inputStream()
                expectEqual(stream.streamStatus, .notOpen)
                stream.open()
                defer { stream.close() }
                let read = Self.readAll(stream, by: size)
                expectEqual(stream.streamStatus, .atEnd)
                return read
            }
            expectEqual(last, 0)
            expectEqual(bytes, Array(Downloading.alphabet(count)))
            try await task.finished()
        }
    }

    @Test("Closing the stream early cancels its task")
    func closed() async throws {
        try await TestServer.withServer { server in
            let task = try session(server).streamTask(.get("bytes/100000000"))
            try await onThread {
                let stream = task.inputStream()
                stream.open()
                var byte: UInt8 = 0
                expectEqual(stream.read(&byte, maxLength: 1), 1)
                stream.close()
                expectEqual(stream.read(&byte, maxLength: 1), -1)
            }
            await #expect(throws: SternaError.self) { try await task.finished() }
            expectEqual(task.error?.kind, .cancelled)
            try await server.waitForOpenConnections(0)
        }
    }

    @Test("The task's error is the stream's")
    func failure() async throws {
        try await TestServer.withServer { server in
            let task = try session(server).streamTask(.get("status/500"))
            let kind = try await onThread {
                let stream = task.inputStream()
                stream.open()
                expectEqual(Self.readAll(stream, by: 10).last, -1)
                expectEqual(stream.streamStatus, .error)
                return (stream.streamError as? SternaError)?.kind
            }
            expectEqual(kind, .unacceptableStatus)
        }
    }

    @Test("It does not block an event loop or a Swift task")
    func refused() async throws {
        let (api, _) = try mocked(by: MockTransport { _ in .text("abc") })
        let task = api.streamTask(.get("a"))
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let message = try await group.next().submit {
            let stream = task.inputStream()
            stream.open()
            expectEqual(Self.readAll(stream, by: 10).last, -1)
            return (stream.streamError as? SternaError)?.message
        }.get()
        expectEqual(message?.contains("event loop"), true)
        try await group.shutdownGracefully()
        task.cancel()
    }
}
#endif
