import Dispatch
import NIOCore
import Sterna
import SternaTesting
import Synchronization
import Testing

#if Foundation
import Foundation

@testable import SternaTestSupport
#endif

@Suite("Tasks: suspended while they run", .timeLimit(.minutes(5)))
struct TaskSuspensionTests {
    private func session(_ server: TestServer, _ configure: (inout SessionSettings) -> Void = { _ in }) throws
        -> Session
    {
        try Session(baseURL: server.url) {
            $0.network.engine = Engine()
            $0.responseSerializer = .data
            configure(&$0)
        }
    }

    /// Waits until a counter has stopped growing.
    private func settled(_ value: @Sendable () -> Int) async throws -> Int {
        var last = value()
        while true {
            try await Task.sleep(for: .milliseconds(300))
            let now = value()
            if now == last { return now }
            last = now
        }
    }

    @Test("A suspended download stops reading; resumed, it completes and counts all bytes", arguments: [false, true])
    func download(http2: Bool) async throws {
        let size = 64 << 20
        try await TestServer.withServer(TestServer.Options(http2: .byPriorKnowledge)) { server in
            let release = Gate()
            let written = server.holdBody(of: size, until: release)
            let api = try session(server) {
                $0.network.http2 = http2 ? .priorKnowledge : .off
                $0.events.collectsMetrics = true
            }
            let task = api.dataTask(.get("held"))
            for await step in task.progress where step.completed > 1 << 20 { break }
            task.suspend()
            task.suspend()
            expectEqual(task.state, .suspended)
            release.open()
            let stood = try await settled { written.value }
            #expect(stood < size)
            task.resume()
            try await expectEqual(task.value.body.readableBytes, size)
            // The bytes from before the pause count, too.
            let attempt = try #require(task.metrics?.attempts.first)
            #expect(attempt.bytesSent > 0 && attempt.bytesReceived > Int64(size), "\(attempt)")
        }
    }

    @Test("A suspended upload stops reading its source", arguments: [false, true])
    func upload(http2: Bool) async throws {
        try await TestServer.withServer(TestServer.Options(http2: .byPriorKnowledge)) { server in
            server.route("POST", "/discard") { request in
                for try await _ in request.body {}
                return ServerResponse()
            }
            let read = Mutex<Int64>(0)
            let pieces = 1_500
            let release = Gate()
            let source = BodyProducer(length: Int64(pieces) * 10_000, isReplayable: true) {
                let given = Atomic<Int>(0)
                return {
                    guard given.add(1, ordering: .relaxed).newValue <= pieces else { return nil }
                    if read.withLock({
                        $0 += 1
                        return $0
                    }) > 200 {
                        await release.wait()
                    }
                    return Bytes(repeating: 0x61, count: 10_000)
                }
            }
            let body = Body(segments: [.producer(source)])
            let task = try session(server) { $0.network.http2 = http2 ? .priorKnowledge : .off }
                .uploadTask(.upload(body, to: "discard"))
            for await step in task.progress where step.completed > 1 << 20 { break }
            task.suspend()
            release.open()
            let stood = try await settled { read.withLock { Int($0) } }
            #expect(stood < pieces)
            task.resume()
            try await expectEqual(task.value.status, 200)
            expectEqual(read.withLock { $0 }, Int64(pieces))
        }
    }

    @Test("No limit expires while a task is suspended, and the total limit does not run")
    func time() async throws {
        try await TestServer.withServer { server in
            let clock = TestClock()
            var options = EngineOptions()
            options.clock = clock.clock
            let task = try session(server) { $0.network.engine = Engine(options: options) }.dataTask(
                .get("bytes/50000000") { $0.timeouts.total = .seconds(100) })
            for await step in task.progress where step.completed > 0 { break }
            task.suspend()
            await clock.advance(by: .seconds(10_000))
            task.resume()
            try await expectEqual(task.value.body.readableBytes, 50_000_000)
        }
    }

    @Test("A suspended task can be cancelled")
    func cancel() async throws {
        try await TestServer.withServer { server in
            _ = server.holdBody(of: 50_000_000, until: Gate())
            let task = try session(server).dataTask(.get("held"))
            for await step in task.progress where step.completed > 0 { break }
            task.suspend()
            task.cancel()
            let error = await #expect(throws: SternaError.self) { try await task.value }
            expectEqual(error?.kind, .cancelled)
            try await server.waitForOpenConnections(0)
        }
    }

    #if Foundation
    @Test("Foundation's progress suspends, resumes and cancels its task")
    func object() async throws {
        try await TestServer.withServer { server in
            _ = server.holdBody(of: 50_000_000, until: Gate())
            let task = try session(server) { $0.callbacks = .queue(DispatchQueue(label: "test")) }
                .dataTask(.get("held"))
            let progress = task.downloadProgressObject
            // Foundation calls the handlers on a queue of its own.
            progress.pause()
            #expect(await eventually { task.state == .suspended })
            progress.resume()
            #expect(await eventually { task.state == .running })
            progress.cancel()
            let error = await #expect(throws: SternaError.self) { try await task.value }
            expectEqual(error?.kind, .cancelled)
        }
    }
    #endif
}
