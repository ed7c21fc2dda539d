import NIOCore
import NIOPosix
import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Files on their way to a server that does not read.
@Suite("Files that wait for the server", .serialized, .timeLimit(.minutes(5)))
struct UnreadFileTests {
    /// How long the threads of a group have computed.
    private static func seconds(_ group: MultiThreadedEventLoopGroup) async throws -> Double {
        try await group.next().submit { FileBodyTests.threadSeconds() }.get()
    }

    /// Waits until a number stands still.
    private static func settled(_ number: () -> Int) async throws -> Bool {
        var last = -1
        var unchanged = 0
        return try await eventually {
            try await Task.sleep(for: .milliseconds(50))
            unchanged = number() == last ? unchanged + 1 : 0
            last = number()
            return last > 0 && unchanged >= 6
        }
    }

    @Test("A file that is truncated after it was handed to the network keeps no event loop busy", arguments: [63, 66])
    func truncated(kibibytes: Int) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let file = try TestFile(Wire.pattern(kibibytes << 10))
        let range = FileRange(path: file.path, offset: 0, length: Int64(kibibytes << 10))
        let line = Bytes(repeating: 1, count: 2 << 10)
        let body = Body(segments: (0..<2_000).flatMap { _ in [.file(range), .bytes(line)] as [Body.Segment] })
        let (gate, opener) = AsyncStream<Void>.makeStream()
        try await TestServer.withServer { server in
            server.route("POST", "/slow") { request in
                for try await _ in request.body { for await _ in gate {} }
                return .text("all")
            }
            let engine = Engine(options: Wire.options, group: group)
            let api = try Wire.session(server.url, engine: engine) { $0.timeouts.betweenBytes = .seconds(20) }
            let taken = Counter()
            let task = Task {
                try await api.upload(body, to: "slow", progress: { taken.raise(to: Int($0.completed)) })
            }
            #expect(try await Self.settled { taken.value })
            let before = try await Self.seconds(group)
            _ = truncate(file.path, 0)
            opener.finish()
            let error = await #expect(throws: SternaError.self) { try await task.value }
            expectEqual(error?.kind, .fileUnreadable)
            #expect(try await Self.seconds(group) - before < 1)
        }
        try await group.shutdownGracefully()
    }

    #if os(Linux)
    /// How many descriptors of this process lead to a file.
    private static func descriptors(of path: String) -> Int {
        (0..<4_096).count { number in
            var target = [CChar](repeating: 0, count: 4_096)
            let length = readlink("/proc/self/fd/\(number)", &target, target.count - 1)
            return length > 0 && target[..<length].elementsEqual(path.utf8.map { CChar(bitPattern: $0) })
        }
    }

    @Test("Many small files hold few descriptors")
    func descriptors() async throws {
        let listener = try RawListener(isFull: false)
        let file = try TestFile(Wire.pattern(10))
        let small = FileRange(path: file.path, offset: 0, length: 10)
        let line = Bytes(repeating: 1, count: 200)
        // Fills what the system takes, so that what follows waits.
        let filler = [Body.Segment](repeating: .bytes(Bytes(repeating: 1, count: 1_000)), count: 12_000)
        let parts = (0..<40_000).flatMap { _ in [.file(small), .bytes(line)] as [Body.Segment] }
        let api = try Wire.session("http://127.0.0.1:\(listener.port)") { $0.timeouts.betweenBytes = .seconds(10) }
        let taken = Counter()
        let body = Body(segments: parts + filler)
        let task = Task {
            try await api.upload(body, to: "row", progress: { taken.raise(to: Int($0.completed)) })
        }
        #expect(try await Self.settled { taken.value })
        #expect(Self.descriptors(of: file.path) < 20)
        task.cancel()
        await #expect(throws: SternaError.self) { try await task.value }
        let areClosed = await eventually { Self.descriptors(of: file.path) == 0 }
        #expect(areClosed)
        withExtendedLifetime(listener) {}
    }
    #endif
}
