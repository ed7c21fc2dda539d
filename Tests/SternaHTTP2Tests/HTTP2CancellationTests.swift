import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// What a cancelled request leaves on the wire: RST_STREAM (CANCEL) where its stream had begun, and a connection to go on with.
@Suite("HTTP/2: cancellation", .timeLimit(.minutes(5)))
struct HTTP2CancellationTests {
    /// Cancels a request when a gate is open; it must fail as cancelled at once.
    @discardableResult
    private func cancelled(
        _ phase: SternaError.Phase?, when gate: Gate, location: SourceLocation = #_sourceLocation,
        _ work: @escaping @Sendable () async throws -> Void
    ) async -> SternaError? {
        let task = Task { try await work() }
        await gate.pass()
        let start = ContinuousClock.now
        task.cancel()
        let error = await #expect(throws: SternaError.self, sourceLocation: location) { try await task.value }
        #expect(ContinuousClock.now - start < Wire.soon, sourceLocation: location)
        expectEqual(error?.kind, .cancelled, "\(error.map { "\($0)" } ?? "")", sourceLocation: location)
        if let phase { expectEqual(error?.phase, phase, sourceLocation: location) }
        return error
    }

    @Test("Cancelling the wait for a stream sends nothing and uses no stream identifier")
    func queued() async throws {
        let isCancelled = Gate()
        try await FramePeer.withPeer { connection in
            try await connection.greet(settings: [(WireFrame.Setting.maxConcurrentStreams, 1)])
            let first = try await connection.request()
            await isCancelled.pass()
            try await connection.roundTrip()
            try await connection.respond(first.stream, text: "first")
            let next = try await connection.request()
            expectEqual(next.path, "/next")
            expectEqual(next.stream, first.stream + 2)
            #expect(connection.resets.isEmpty)
            try await connection.respond(next.stream, text: "next")
        } body: { peer in
            let engine = PoolSupport.engine { $0.maximumConnectionsPerOrigin = 1 }
            let api = try HTTP2Scene.session(peer, engine)
            try await api.get("warm")
            let first = Task { try await api.get("held").text() }
            try await peer.connection(0).waitForRequests(2)
            let isQueued = Gate()
            let watch = Task {
                await PoolSupport.expect(engine, "two are under way") { $0.activeRequests == 2 }
                isQueued.open()
            }
            let error = await cancelled(.queue, when: isQueued) { try await api.post("row", body: .text("queued")) }
            expectEqual(error?.requestSent, false)
            await watch.value
            isCancelled.open()
            try await expectEqual(first.value, "first")
            try await expectEqual(api.get("next").text(), "next")
            expectEqual(peer.connectionCount, 1)
            expectEqual(peer.totalRequests, 3)
            try await peer.waitForScripts()
        }
    }

    @Test("Cancelling the wait for a response discards a late one")
    func waiting() async throws {
        let isThere = Gate()
        try await FramePeer.withPeer { connection in
            try await connection.greet()
            let stream = try await connection.request().stream
            isThere.open()
            try await expectEqual(connection.resetCode(of: stream), .cancel)
            // The late head fills the table that the next one refers to.
            var late = HeaderBlock()
            late.index(8)
            late.literal("x-late", "entry", .withIncrementalIndexing)
            try await connection.send(.headers(stream, late.bytes), .data(stream, [1, 2, 3]))
            try await connection.send(.windowUpdate(stream, 5), .data(stream, [], end: true), .reset(stream, .noError))
            let next = try await connection.request()
            var head = HeaderBlock()
            head.index(8)
            head.index(62)
            try await connection.send(.headers(next.stream, head.bytes), .data(next.stream, [0x61], end: true))
            try await connection.roundTrip()
            expectEqual(connection.resets.count, 1)
            expectEqual(connection.frames(of: stream).last?.kind, .reset)
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            try await api.get("first")
            let error = await cancelled(.wait, when: isThere) { try await api.get("row") }
            expectEqual(error?.requestSent, true)
            let reply = try await api.get("next")
            try await expectEqual(reply.text(), "a")
            #expect(reply.response.headers.contains { $0.name.canonicalName == "x-late" && $0.value == "entry" })
            expectEqual(peer.connectionCount, 1)
            try await peer.waitForScripts()
        }
    }

    @Test("Cancelling while the body is sent", arguments: HTTP2Scene.Upload.allCases)
    func sending(kind: HTTP2Scene.Upload) async throws {
        let content = Wire.pattern(300_000)
        let file = try TestFile(content)
        let isUsedUp = Gate()
        try await FramePeer.withPeer { connection in
            try await connection.greet()
            let stream = try await connection.request().stream
            try await expectEqual(connection.settledData(stream, atLeast: 65_535), 65_535)
            isUsedUp.open()
            try await expectEqual(connection.resetCode(of: stream), .cancel)
            try await connection.send(.windowUpdate(stream, 1 << 20), .windowUpdate(0, 1 << 20))
            try await connection.roundTrip()
            expectEqual(connection.dataCount(stream), 65_535)
            expectEqual(connection.frames(of: stream).last?.kind, .reset)
            let next = try await connection.request()
            #expect(HTTP2Scene.same(try await connection.body(of: next.stream), content))
            try await connection.respond(next.stream, text: "all")
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            try await api.get("first")
            let body = try HTTP2Scene.body(kind, content, file)
            await cancelled(.write, when: isUsedUp) { try await api.post("row", body: body) }
            try await expectEqual(api.post("next", body: .bytes(content)).text(), "all")
            expectEqual(peer.connectionCount, 1)
            try await peer.waitForScripts()
        }
    }

    @Test("Cancelling while the response is read, collected or streamed", arguments: [false, true])
    func reading(isStreamed: Bool) async throws {
        let hasBegun = Gate()
        try await FramePeer.withPeer { connection in
            try await connection.greet()
            let stream = try await connection.request().stream
            try await connection.respondHead(stream)
            try await connection.send(.data(stream, Array("half".utf8)))
            try await connection.roundTrip()
            if !isStreamed { hasBegun.open() }
            try await expectEqual(connection.resetCode(of: stream), .cancel)
            try await connection.send(.data(stream, Array("rest".utf8), end: true))
            try await connection.servePaths()
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            try await api.get("first")
            await cancelled(isStreamed ? .read : nil, when: hasBegun) {
                guard isStreamed else {
                    try await api.get("row")
                    return
                }
                try await api.withResponse(to: .get("row")) { response in
                    for try await chunk in response.body {
                        expectEqual(String(buffer: chunk), "half")
                        hasBegun.open()
                    }
                }
            }
            try await expectEqual(api.get("next").text(), "/next")
            expectEqual(peer.connectionCount, 1)
        }
    }

    @Test("Cancelling after the end has no effect")
    func after() async throws {
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            for _ in 0..<50 { try await connection.respond(try await connection.request().stream, text: "in") }
            try await connection.roundTrip()
            #expect(connection.resets.isEmpty)
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            for _ in 0..<50 {
                let task = Task { try await api.get("row").text() }
                try await expectEqual(task.value, "in")
                task.cancel()
            }
            expectEqual(peer.connectionCount, 1)
            try await peer.waitForScripts()
        }
    }

    @Test("After 500 cancellations in a row, each in progress, the connection still works", arguments: [1, 10])
    func row(atOnce: Int) async throws {
        try await FramePeer.withPeer { connection in
            try await connection.greet()
            try await connection.serve { request in
                if request.path == "/last" { try await connection.respond(request.stream, text: "last") }
            }
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            try await api.get("first")
            let connection = try await peer.connection(0)
            for round in 1...500 / atOnce {
                let tasks = (0..<atOnce).map { _ in Task { try await api.get("row") } }
                try await connection.waitForRequests(1 + round * atOnce)
                for task in tasks { task.cancel() }
                for task in tasks {
                    let result = await task.result
                    #expect(throws: SternaError.self) { try result.get() }
                }
            }
            try await expectEqual(api.get("last").text(), "last")
            expectEqual(peer.connectionCount, 1)
            try await connection.roundTrip()
            expectEqual(connection.resets.count, 500)
            #expect(connection.resets.values.allSatisfy { $0 == .cancel })
        }
    }

    @Test("After 200 cancellations at random moments the connection still works", arguments: [2, 100])
    func storm(limit: Int) async throws {
        let content = Wire.pattern(100_000)
        try await FramePeer.withPeer { connection in
            try await connection.greet(settings: [(WireFrame.Setting.maxConcurrentStreams, UInt32(limit))])
            try await connection.send(.windowUpdate(0, 1 << 30))
            try await connection.serve { request in
                // Uploads end in the window of 65,535 bytes; what is cancelled by then is answered all the same.
                try await connection.respond(request.stream, text: request.path ?? "")
            }
        } body: { peer in
            let engine = PoolSupport.engine { $0.maximumConnectionsPerOrigin = 1 }
            let api = try HTTP2Scene.session(peer, engine)
            try await api.get("first")
            let ended = Counter()
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        let task = Task {
                            if number % 5 == 0 {
                                try await api.post("row", body: .bytes(content))
                            } else {
                                try await api.get("row")
                            }
                        }
                        try? await Task.sleep(for: .microseconds(.random(in: 0...30_000)))
                        task.cancel()
                        switch await task.result {
                        case .success: ended.add()
                        case .failure(let error as SternaError) where error.kind == .cancelled: ended.add()
                        case .failure(let error): Issue.record("\(error)")
                        }
                    }
                }
            }
            expectEqual(ended.value, 200)
            for number in 0..<5 { try await expectEqual(api.get("\(number)").text(), "/\(number)") }
            expectEqual(peer.connectionCount, 1)
            await PoolSupport.expect(engine, "nothing is under way") { $0.activeRequests == 0 && $0.idle == 1 }
        }
    }
}
