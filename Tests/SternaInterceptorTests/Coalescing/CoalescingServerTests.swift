import HTTPTypes
import MutationKit
import NIOCore
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Coalescing: over a network", .timeLimit(.minutes(5)))
struct CoalescingServerTests {
    private func session(_ server: TestServer, _ configure: (inout SessionSettings) -> Void = { _ in }) throws
        -> Session
    {
        let engine = Engine()
        return try Session(baseURL: server.url) {
            $0.network.engine = engine
            $0.responseSerializer = .data
            $0.network.coalescesRequests = true
            $0.events.collectsMetrics = true
            configure(&$0)
        }
    }

    @Test("Fifty requests, one transfer, one attempt in the metrics")
    func fifty() async throws {
        try await TestServer.withServer { server in
            let gate = Gate()
            server.holdAnswer(until: gate)
            let api = try session(server)
            let requests = (0..<50).map { _ in Task { try await api.get("wait") } }
            await api.waitForReaders(50)
            gate.open()
            let replies = try await requests.asyncValues()
            #expect(replies.allSatisfy { $0.body.array == [0x61] })
            expectEqual(replies.map { $0.response.metrics?.attempts.count ?? 0 }.reduce(0, +), 1)
            expectEqual(server.requestCount, 1)
        }
    }

    @Test("Three readers get the same 16 MiB")
    func large() async throws {
        try await TestServer.withServer { server in
            let (gate, size) = (Gate(), 16 << 20)
            server.route("GET", "/large") { _ in
                await gate.wait()
                return ServerResponse(
                    body: .stream(length: size) { writer in
                        var random = MutationGenerator(seed: 7)
                        for _ in 0..<(size >> 16) {
                            let byte = UInt8(truncatingIfNeeded: random.next())
                            try await writer.write([UInt8](repeating: byte, count: 1 << 16))
                        }
                    })
            }
            let api = try session(server)
            let requests = (0..<3).map { _ in
                Task {
                    try await api.withResponse(to: .get("large")) { response in
                        try await response.body.collect(upTo: size)
                    }
                }
            }
            await api.waitForReaders(3)
            gate.open()
            let bodies = try await requests.asyncValues()
            #expect(bodies.allSatisfy { $0 == bodies[0] } && bodies[0].count == size)
            expectEqual(server.requestCount, 1)
        }
    }

    @Test("The request that began it is cancelled, then the last: the connection is given up")
    func cancelled() async throws {
        try await TestServer.withServer { server in
            let gate = Gate()
            server.holdAnswer(until: gate)
            let api = try session(server)
            let leader = Task { try await api.get("wait") }
            await api.waitForReaders(1)
            let follower = Task { try await api.get("wait") }
            await api.waitForReaders(2)
            try await server.waitForRequests(1, within: 60)
            leader.cancel()
            await expectEqual(failure(of: leader), .cancelled)
            expectEqual(server.openConnections, 1)
            follower.cancel()
            await expectEqual(failure(of: follower), .cancelled)
            try await server.waitForOpenConnections(0, within: 60)
            gate.open()
        }
    }

    @Test("Invalidating the session fails all, and closes the connection")
    func invalidated() async throws {
        try await TestServer.withServer { server in
            let gate = Gate()
            server.holdAnswer(until: gate)
            let api = try session(server) { $0.retry = .none }
            let requests = (0..<3).map { _ in Task { try await api.get("wait") } }
            await api.waitForReaders(3)
            try await server.waitForRequests(1, within: 60)
            api.invalidateAndCancel()
            for request in requests { await expectEqual(failure(of: request), .cancelled) }
            try await server.waitForOpenConnections(0, within: 60)
            gate.open()
        }
    }

    @Test(
        "Any schedule: each request ends once, with its own bytes or the end that was chosen for it", arguments: 0..<4)
    func schedule(run: UInt64) async throws {
        let seed = LongTests.areOn ? LongTests.seed &+ run : run
        var random = MutationGenerator(seed: seed)
        let (count, resources) = (LongTests.choose(60, inFull: 2_000), 4)
        var plans: [(resource: Int, delay: Int, stop: Int?, pause: Int)] = []
        for _ in 0..<count {
            plans.append(
                (
                    Int.random(in: 0..<resources, using: &random), Int.random(in: 0..<20_000, using: &random),
                    Int.random(in: 0..<3, using: &random) == 0 ? Int.random(in: 0..<20_000, using: &random) : nil,
                    Int.random(in: 0..<4, using: &random) == 0 ? 200 : 0
                ))
        }
        let scene = try CoalescingScene {
            $0.coalescingLimits = .init(window: 50_000, patience: .milliseconds(1))
            $0.network.engine = Engine()
        } answer: { request, number in
            let resource = Int(request.url.path.dropFirst()) ?? 0
            // The content of a resource is its number; one is not shareable, and one is small.
            var fields: ServerHeaders = ["ETag": "\"\(resource)\""]
            if resource == 1 { fields[.cacheControl] = "no-store" }
            let start = request.headers[.range].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
            let size = resource == 2 ? 1_000 : 200_000
            if number % 3 == 0 { try await Task.sleep(for: .microseconds(number * 37 % 2_000)) }
            if start > 0 { fields[.contentRange] = "bytes \(start)-\(size - 1)/\(size)" }
            let bytes = Bytes(repeating: UInt8(resource), count: size - start)
            guard resource != 2 else { return .init(headers: fields, body: ResponseBody(bytes)) }
            let pieces = stride(from: 0, to: bytes.count, by: 7_000).map { at in
                bytes.getSlice(at: at, length: min(7_000, bytes.count - at)) ?? Bytes()
            }
            return .init(status: start > 0 ? 206 : 200, headers: fields, body: ResponseBody(CountedPieces(pieces)))
        }
        let ends = try await withThrowingTaskGroup(of: Bool.self) { group in
            for plan in plans {
                group.addTask {
                    try? await Task.sleep(for: .microseconds(plan.delay))
                    let work = Task {
                        try await scene.api.withResponse(to: .get("\(plan.resource)")) { response in
                            var sum = 0
                            for try await piece in response.body {
                                // In a debug build this takes a fraction of a loop's time.
                                guard piece == Bytes(repeating: UInt8(plan.resource), count: piece.count) else {
                                    return -1
                                }
                                sum += piece.count
                                if plan.pause > 0 { try? await Task.sleep(for: .microseconds(plan.pause)) }
                            }
                            return sum
                        }
                    }
                    if let stop = plan.stop {
                        try? await Task.sleep(for: .microseconds(stop))
                        work.cancel()
                    }
                    switch await work.result {
                    case .success(let sum): return sum == (plan.resource == 2 ? 1_000 : 200_000)
                    case .failure(let error): return plan.stop != nil && (error as? SternaError)?.kind == .cancelled
                    }
                }
            }
            var ends: [Bool] = []
            for try await end in group { ends.append(end) }
            return ends
        }
        #expect(ends.count == count && ends.allSatisfy { $0 }, "seed \(seed)")
        let transfers = scene.api.plan.builder.coalescing.transfers
        #expect(await eventually { transfers.count == 0 && transfers.readers == 0 }, "seed \(seed)")
    }
}
