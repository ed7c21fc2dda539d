import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Callers that give up: their stream to the proxy ends, and nobody else's.
@Suite("Proxies: cancelling tunnels over HTTP/2", .timeLimit(.minutes(5)))
struct HTTP2TunnelCancellationTests {
    private static let cancel: UInt32 = 0x8

    @Test("Cancelling a waiting CONNECT resets its stream, and the others continue", arguments: [1, 5])
    func waiting(count: Int) async throws {
        let options = TestProxy.Options(fault: .stalls(after: 1))
        try await ProxyScene.withTunnels(origins: count + 1, options: options) { scene, engine in
            let gate = Gate()
            scene.origin.hold(gate)
            let api = try scene.session(engine)
            let held = try await scene.held(api)
            let tasks = (1...count).map { number in
                let url = scene.url(of: number)
                return Task { try await api.get(url) }
            }
            try await scene.proxy.waitForOpenTunnels(count + 1, within: PoolSupport.limit)
            for (number, task) in tasks.enumerated() {
                task.cancel()
                let error = await Wire.failure(.cancelled, .proxy) { _ = try await task.value }
                expectEqual(error?.requestSent, false)
                try await scene.proxy.waitForOpenTunnels(count - number, within: PoolSupport.limit)
            }
            let ended = scene.proxy.tunnels().filter { !$0.isOpen }
            expectEqual(ended.count, count)
            #expect(ended.allSatisfy { $0.reset == Self.cancel && $0.bytesFromClient == 0 })
            gate.open()
            try await expectEqual(held.value, "0")
            try await api.expect(scene)
            expectEqual(scene.origin.requestCount, 2)
            scene.expectOnlyHTTP2(connections: 1)
        }
    }

    @Test("Cancelling during the proxy's handshake, also the request that began it", arguments: [0, 1, 2])
    func handshake(cancelled: Int) async throws {
        try await ProxyScene.withTunnels(origins: 3) { scene, engine in
            try await scene.proxy.pauseAccepting()
            let api = try scene.session(engine)
            var tasks: [Task<Int, any Error>] = []
            for number in 0..<3 {
                let url = scene.url(of: number)
                tasks.append(Task { try await api.get(url).status })
                await PoolSupport.expect(engine, "\(number) is under way") { $0.activeRequests == number + 1 }
            }
            tasks[cancelled].cancel()
            let error = await #expect(throws: SternaError.self) { _ = try await tasks[cancelled].value }
            expectEqual(error?.kind, .cancelled)
            try await scene.proxy.resumeAccepting()
            for (number, task) in tasks.enumerated() where number != cancelled {
                try await expectEqual(task.value, 200)
            }
            expectEqual(scene.origin.requestCount, 2)
            // A dial that was given up may have been taken by the system all the same.
            expectEqual(scene.proxy.connections().count { $0.isHTTP2 }, 1)
            expectEqual(scene.proxy.tunnels().count { $0.status == 200 }, 2)
        }
    }

    @Test("Cancelling all during the proxy's handshake leaves nothing, and the next succeeds")
    func all() async throws {
        try await ProxyScene.withTunnels(origins: 3) { scene, engine in
            try await scene.proxy.pauseAccepting()
            let api = try scene.session(engine)
            let tasks = (0..<3).map { number in
                let url = scene.url(of: number)
                return Task { try await api.get(url).status }
            }
            await PoolSupport.expect(engine, "all are under way") { $0.activeRequests == 3 }
            for task in tasks { task.cancel() }
            for task in tasks {
                let error = await #expect(throws: SternaError.self) { _ = try await task.value }
                expectEqual(error?.kind, .cancelled)
            }
            await PoolSupport.expect(engine, "nothing is under way") { $0.activeRequests == 0 }
            try await scene.proxy.resumeAccepting()
            try await api.expect(scene)
            expectEqual(scene.proxy.openTunnels, 1)
            expectEqual(scene.origin.requestCount, 1)
        }
    }

    @Test("Cancelling within a tunnel of HTTP/1.1 ends its stream, and the proxy's connection stays")
    func inside() async throws {
        try await ProxyScene.withTunnels(origins: 2) { scene, engine in
            let gate = Gate()
            scene.origin.hold(gate)
            let api = try scene.session(engine)
            let other = try await scene.held(api, 1)
            for round in 1...3 {
                let held = try await scene.held(api)
                held.cancel()
                let error = await #expect(throws: SternaError.self) { _ = try await held.value }
                expectEqual(error?.kind, .cancelled)
                try await scene.proxy.waitForOpenTunnels(1, within: PoolSupport.limit)
                expectEqual(scene.proxy.tunnels().count, round + 1)
            }
            try await scene.origin.waitForOpenConnections(1, within: PoolSupport.limit)
            gate.open()
            try await expectEqual(other.value, "1")
            try await api.expect(scene)
            scene.expectOnlyHTTP2(connections: 1)
        }
    }

    @Test("Cancelling within a tunnel of HTTP/2 keeps the tunnel")
    func insideHTTP2() async throws {
        try await ProxyScene.withTunnels(http2: [.byALPN]) { scene, engine in
            let gate = Gate()
            scene.origin.hold(gate)
            let api = try scene.session(engine)
            let held = [try await scene.held(api), try await scene.held(api)]
            held[0].cancel()
            let error = await #expect(throws: SternaError.self) { _ = try await held[0].value }
            expectEqual(error?.kind, .cancelled)
            try await scene.origin.waitForOpenStreams(1, within: PoolSupport.limit)
            gate.open()
            try await expectEqual(held[1].value, "0")
            try await api.expect(scene)
            expectEqual(scene.proxy.openTunnels, 1)
            expectEqual(scene.proxy.tunnels().count, 1)
            scene.expectOnlyHTTP2(connections: 1)
        }
    }

    @Test("Cancelling while reading, and while sending", arguments: [false, true])
    func content(isUpload: Bool) async throws {
        try await ProxyScene.withTunnels { scene, engine in
            let gate = Gate()
            scene.origin.route("PUT", "/slow") { _ in
                await gate.pass()
                return .text("late")
            }
            let api = try scene.session(engine)
            let (url, slow) = (scene.url("/bytes/100000000"), scene.url("/slow"))
            let hasBegun = Gate()
            let task = Task {
                if isUpload {
                    try await api.put(slow, body: .bytes([UInt8](repeating: 1, count: 100_000_000))) {
                        $0.limits.continueThreshold = .max
                    }
                } else {
                    try await api.withResponse(to: .get(url)) { response in
                        for try await _ in response.body { hasBegun.open() }
                    }
                }
            }
            if isUpload {
                try await scene.proxy.waitForTunnels(within: 60) { $0.contains { $0.bytesFromClient > 100_000 } }
            } else {
                await hasBegun.pass()
            }
            task.cancel()
            let error = await #expect(throws: SternaError.self) { _ = try await task.value }
            expectEqual(error?.kind, .cancelled)
            try await scene.proxy.waitForOpenTunnels(0, within: PoolSupport.limit)
            try await api.expect(scene)
            scene.expectOnlyHTTP2(connections: 1)
            gate.open()
        }
    }

    @Test(
        "After 200 cancellations at random moments the connection still works", arguments: HTTP2TunnelTests.inner
    )
    func storm(inner: ServerHTTP2) async throws {
        try await ProxyScene.withTunnels(origins: 10, options: .guarded, http2: inner) { scene, engine in
            let api = try scene.session(engine) { $0.timeout = PoolSupport.ages }
            try await api.expect(scene)
            let ended = Counter()
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    let url = scene.url(of: number % 10, "/bytes/\(number * 500)")
                    group.addTask {
                        let task = Task { try await api.get(url).body.readableBytes }
                        try? await Task.sleep(for: .microseconds(.random(in: 0...60_000)))
                        task.cancel()
                        switch await task.result {
                        case .success(let count):
                            expectEqual(count, number * 500)
                            ended.add()
                        case .failure(let error as SternaError) where error.kind == .cancelled: ended.add()
                        case .failure(let error): Issue.record("\(error)")
                        }
                    }
                }
            }
            expectEqual(ended.value, 200)
            for number in 0..<10 { try await api.expect(scene, number) }
            await PoolSupport.expect(engine, "nothing is under way") { $0.activeRequests == 0 }
            // There may be more of them: for tunnels beyond a hundred, and dials that were given up.
            expectEqual(scene.proxy.connections().first?.isOpen, true)
            #expect(scene.proxy.connections().allSatisfy { $0.violation == nil })
            scene.expectNoCredentials()
        }
    }
}
