import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Each time-out on a stream: its phase, not before its time and soon after it; the stream is reset, and the connection kept.
@Suite("HTTP/2: time-outs", .serialized, .timeLimit(.minutes(5)))
struct HTTP2TimeoutTests {
    private static let window = WireFrame.Setting.initialWindowSize

    enum Row: CaseIterable {
        case firstByte, betweenBytes, betweenBytesOfNothing, write, writeByTheConnection, totalWaiting, totalReading,
            totalWriting

        var phase: SternaError.Phase {
            switch self {
            case .firstByte, .totalWaiting: .wait
            case .betweenBytes, .betweenBytesOfNothing, .totalReading: .read
            case .write, .writeByTheConnection, .totalWriting: .write
            }
        }

        var method: Request.Method { phase == .write ? .post : .get }

        func set(_ timeouts: inout Timeouts) {
            switch self {
            case .firstByte: timeouts.firstByte = Wire.short
            case .betweenBytes, .betweenBytesOfNothing: timeouts.betweenBytes = Wire.short
            case .write, .writeByTheConnection: timeouts.write = Wire.short
            case .totalWaiting, .totalReading, .totalWriting: timeouts.total = limit
            }
        }

        var limit: Duration {
            [.totalWaiting, .totalReading, .totalWriting].contains(self) ? .milliseconds(600) : Wire.short
        }
    }

    private func engine(_ time: TestClock) -> Engine { PoolSupport.engine { $0.clock = time.clock } }

    @Test("Each time-out fails in its phase", arguments: Row.allCases)
    func each(row: Row) async throws {
        let time = TestClock()
        try await FramePeer.withPeer { connection in
            // The stream's window is closed for uploads, or the connection's is too small.
            let size: UInt32 = row == .writeByTheConnection ? 1 << 20 : 0
            try await connection.greet(settings: [(Self.window, size)])
            let stream = try await connection.request().stream
            if row.phase == .read { try await connection.respondHead(stream) }
            if row == .betweenBytes || row == .totalReading { try await connection.send(.data(stream, [0x61])) }
            // What can leave has left before time passes.
            if row == .writeByTheConnection { _ = try await connection.settledData(stream, atLeast: 65_535) }
            try await connection.roundTrip()
            for _ in 0..<9 {
                await time.advance(by: row.limit / 10)
                // In time for the others.
                if row == .totalReading { try await connection.send(.data(stream, [0x62])) }
                try await connection.roundTrip()
                #expect(connection.resets.isEmpty)
            }
            // Bytes that have left count from the look that sees them, which may be an eighth of the limit later.
            await time.advance(by: row.limit / 2)
            try await expectEqual(connection.resetCode(of: stream), .cancel)
            expectEqual(connection.resets.count, 1)
            expectEqual(connection.dataCount(), (row == .writeByTheConnection ? 65_535 : 0))
            try await connection.send(.data(stream, [1, 2, 3]))
            try await connection.servePaths()
        } body: { peer in
            let patient = try HTTP2Scene.session(peer, engine(time)) { $0.events.collectsMetrics = true }
            try await patient.get("first")
            let api = patient.with { row.set(&$0.timeouts) }
            let error = await Wire.failure(.timedOut, row.phase) {
                let body: Body? = row.method == .post ? .bytes(Wire.pattern(100_000)) : nil
                _ = try await api.request(row.method, "row", body: body)
            }
            #expect(try #require(error?.metrics).duration >= row.limit)
            expectEqual(error?.requestSent, true)
            expectEqual(error?.metrics?.attempts.map(\.failure), [.timedOut])
            try await expectEqual(patient.get("next").text(), "/next")
            expectEqual(peer.connectionCount, 1)
        }
    }

    @Test("A time-out while waiting for a stream sends nothing", arguments: [false, true])
    func queued(isTotal: Bool) async throws {
        let (time, isOver) = (TestClock(), Gate())
        try await FramePeer.withPeer { connection in
            try await connection.greet(settings: [(WireFrame.Setting.maxConcurrentStreams, 1)])
            let held = try await connection.request()
            await isOver.pass()
            try await connection.roundTrip()
            expectEqual(connection.requestCount, 2)
            #expect(connection.resets.isEmpty)
            try await connection.respond(held.stream, text: "held")
            try await connection.servePaths()
        } body: { peer in
            let engine = PoolSupport.engine {
                $0.maximumConnectionsPerOrigin = 1
                $0.clock = time.clock
            }
            let patient = try HTTP2Scene.session(peer, engine)
            try await patient.get("first")
            let held = Task { try await patient.get("held").text() }
            try await peer.connection(0).waitForRequests(2)
            let api = patient.with {
                if isTotal { $0.timeouts.total = Wire.short } else { $0.timeouts.queue = Wire.short }
            }
            let error = await Wire.failure(.timedOut, .queue) {
                try await Wire.pass(Wire.short, on: time) { try await api.get("row") }
            }
            expectEqual(error?.requestSent, false)
            isOver.open()
            try await expectEqual(held.value, "held")
            try await expectEqual(patient.get("next").text(), "/next")
            expectEqual(peer.connectionCount, 1)
        }
    }

    @Test("Frames of other streams, and PING, do not count as a response", arguments: [false, true])
    func others(hasHead: Bool) async throws {
        let time = TestClock()
        try await FramePeer.withPeer { connection in
            try await connection.greet()
            let requests = try await connection.requests(2)
            let mute = try #require(requests.first { $0.path == "/mute" }).stream
            let other = try #require(requests.first { $0.path == "/other" }).stream
            try await connection.respondHead(other)
            if hasHead { try await connection.respondHead(mute) }
            while connection.resets.isEmpty {
                try await connection.sendBody(other, [0x61], end: false)
                try await connection.roundTrip()
                await time.advance(by: .milliseconds(20))
            }
            expectEqual(connection.resets, [mute: .cancel])
            try await connection.sendBody(other, [0x62])
        } body: { peer in
            let patient = try HTTP2Scene.session(peer, engine(time))
            try await patient.get("first")
            let other = Task { try await patient.get("other").text() }
            let api = patient.with {
                if hasHead { $0.timeouts.betweenBytes = Wire.short } else { $0.timeouts.firstByte = Wire.short }
            }
            await Wire.failure(.timedOut, hasHead ? .read : .wait) { try await api.get("mute") }
            try await expectEqual(other.value.last, "b")
            expectEqual(peer.connectionCount, 1)
            try await peer.waitForScripts()
        }
    }

    @Test("A slow reader does not time out the server")
    func slowReader() async throws {
        let content = Wire.pattern(3 << 20)
        let (time, isFull) = (TestClock(), Gate())
        try await FramePeer.withPeer { connection in
            defer { isFull.open() }
            try await connection.greet()
            let request = try await connection.request()
            try await connection.respondHead(request.stream)
            let sent = try await connection.fill(request.stream, content)
            isFull.open()
            try await connection.sendBody(request.stream, Array(content[sent...]))
        } body: { peer in
            let api = try HTTP2Scene.session(peer, engine(time)) { $0.timeouts.betweenBytes = .seconds(4) }
            try await api.get("first")
            try await api.withResponse(to: .get("row")) { response in
                await isFull.pass()
                // Time has to pass, more than the server would have.
                await time.advance(by: .seconds(9))
                let body = try await response.body.collect(upTo: 8 << 20)
                #expect(Wire.same(body, content))
            }
            try await peer.waitForScripts()
        }
    }

    @Test("A window that opens little by little does not time out")
    func drip() async throws {
        let content = Wire.pattern(12)
        let time = TestClock()
        try await FramePeer.withPeer { connection in
            try await connection.greet(settings: [(Self.window, 1)])
            let stream = try await connection.request().stream
            for count in 1...content.count {
                _ = try await connection.settledData(stream, atLeast: count)
                // Less than the time-out each, and more in all.
                await time.advance(by: .seconds(4))
                try await connection.send(.windowUpdate(stream, 1))
            }
            _ = try await connection.trailers(of: stream)
            try await connection.respond(stream, text: "all")
        } body: { peer in
            let api = try HTTP2Scene.session(peer, engine(time)) { $0.timeouts.write = .seconds(5) }
            try await api.get("first")
            let start = time.now
            try await expectEqual(api.post("row", body: .bytes(content)).text(), "all")
            expectEqual(time.now - start, .seconds(4 * 12))
            try await peer.waitForScripts()
        }
    }

    @Test("A silent server times out even after the reader was slow")
    func silentAfterPause() async throws {
        let piece = [UInt8](repeating: 1, count: 16_000)
        let time = TestClock()
        let (isFull, hasRoom, isMore) = (Gate(), Gate(), Gate())
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            let stream = try await connection.request().stream
            try await connection.respondHead(stream)
            for _ in 0..<17 { try await connection.send(.data(stream, piece)) }
            try await connection.roundTrip()
            isFull.open()
            await hasRoom.pass()
            try await connection.send(.data(stream, piece))
            try await connection.roundTrip()
            isMore.open()
            try await expectEqual(connection.resetCode(of: stream), .cancel)
        } body: { peer in
            let engine = engine(time)
            let api = try HTTP2Scene.session(peer, engine) { $0.timeouts.betweenBytes = Wire.short }
            let error = await #expect(throws: SternaError.self) {
                try await api.withResponse(to: .get("row")) { response in
                    await isFull.pass()
                    var body = response.body.makeAsyncIterator()
                    var count = 0
                    // A frame may come in parts.
                    while count < 3 * piece.count, let bytes = try await body.next() { count += bytes.count }
                    hasRoom.open()
                    await isMore.pass()
                    // All of it is there.
                    while count < 18 * piece.count, let bytes = try await body.next() { count += bytes.count }
                    // The event loop knows that its reader has caught up.
                    await engine.settle()
                    await time.advance(by: Wire.short)
                    let more = try await body.next()
                    expectNil(more)
                }
            }
            expectEqual(error?.kind, .timedOut)
            expectEqual(error?.phase, .read)
            try await peer.waitForScripts()
        }
    }
}
