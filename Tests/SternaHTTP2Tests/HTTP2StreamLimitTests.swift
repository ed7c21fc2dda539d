import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// MAX_CONCURRENT_STREAMS (RFC 9113 §5.1.2).
@Suite("HTTP/2: the server's limit of streams", .timeLimit(.minutes(5)))
struct HTTP2StreamLimitTests {
    private static let limit = WireFrame.Setting.maxConcurrentStreams

    /// How many streams a client had open at a time, as far as it could know.
    private struct Crowd {
        /// How many frames had come when an answer was sent.
        private var answers: [Int] = []

        mutating func answer(_ request: PeerRequest, _ connection: PeerConnection) async throws {
            answers.append(connection.look { $0.log.count })
            try await connection.respond(request.stream, text: request.path ?? "")
        }

        /// The most at the begin of any stream that the client opened when it had acknowledged SETTINGS.
        func most(_ connection: PeerConnection) -> Int {
            var begun = 0
            var isAcknowledged = false
            var most = 0
            for (index, frame) in connection.log.enumerated() {
                if frame.kind == .settings, frame.isAck { isAcknowledged = true }
                guard frame.kind == .headers else { continue }
                begun += 1
                if isAcknowledged { most = max(most, begun - answers.count { $0 <= index }) }
            }
            return most
        }
    }

    private func engine(_ connections: Int) -> Engine {
        PoolSupport.engine { $0.maximumConnectionsPerOrigin = connections }
    }

    @Test("A connection uses the whole limit, and never exceeds it", arguments: [1, 3, 10], [1, 4])
    func never(limit: Int, connections: Int) async throws {
        try await FramePeer.withPeer { connection in
            var crowd = Crowd()
            try await connection.handshake(settings: [(Self.limit, UInt32(limit))])
            while let request = try await connection.requestOrClosed() {
                // What the client sends at once comes before the answer that makes room.
                try await connection.roundTrip()
                try await crowd.answer(request, connection)
            }
            #expect(crowd.most(connection) <= limit)
            if connections == 1 { expectEqual(crowd.most(connection), limit) }
        } body: { peer in
            let engine = engine(connections)
            let api = try HTTP2Scene.session(peer, engine)
            try await expectEqual(api.get("first").text(), "/first")
            let texts = try await HTTP2Scene.texts(40) { try await api.get("\($0)").text() }
            expectEqual(texts, (0..<40).map { "/\($0)" })
            #expect(peer.connectionCount <= connections)
            await PoolSupport.expectNothing(engine)
            try await peer.waitForScripts()
        }
    }

    @Test(
        "With a limit of zero requests wait without new connections, and are served when it is raised",
        arguments: [1, 128])
    func none(connections: Int) async throws {
        let isClosed = Gate()
        let isRaised = Gate()
        try await FramePeer.withPeer { connection in
            if connection.number == 0 {
                try await connection.greet()
                try await connection.set(Self.limit, 0)
                isClosed.open()
            } else {
                try await connection.handshake(settings: [(Self.limit, 0)])
            }
            await isRaised.pass()
            if connection.number == 0, connections == 1 { expectEqual(connection.requestCount, 1) }
            try await connection.set(Self.limit, 1)
            try await connection.serve { request in
                try await connection.roundTrip()
                if connection.number == 0 { expectEqual(connection.requestCount, Int(request.stream / 2) + 1) }
                try await connection.respond(request.stream, text: request.path ?? "")
            }
        } body: { peer in
            let engine = engine(connections)
            let api = try HTTP2Scene.session(peer, engine)
            try await api.get("first")
            await isClosed.pass()
            let tasks = (0..<5).map { number in Task { try await api.get("\(number)").text() } }
            await PoolSupport.expect(engine, "five are under way") { $0.activeRequests == 5 }
            let first = try await peer.connection(0)
            for _ in 0..<10 { try await first.roundTrip() }
            expectEqual(first.requestCount, 1)
            let most = connections == 1 ? 1 : 2
            #expect(peer.connectionCount <= most)
            isRaised.open()
            for (number, task) in tasks.enumerated() { try await expectEqual(task.value, "/\(number)") }
            // With one stream on each, more connections are opened.
            #expect(peer.connectionCount <= (connections == 1 ? 1 : 6))
            expectEqual(peer.totalRequests, 6)
        }
    }

    @Test("Under a lowered limit open streams continue, and the next one waits for room")
    func lowered() async throws {
        let isLowered = Gate()
        let mayGoOn = Gate()
        try await FramePeer.withPeer { connection in
            try await connection.greet()
            let open = try await connection.requests(5)
            try await connection.set(Self.limit, 1)
            isLowered.open()
            await mayGoOn.pass()
            for request in open {
                try await connection.roundTrip()
                expectEqual(connection.requestCount, 6)
                try await connection.respond(request.stream, text: request.path ?? "")
            }
            for number in 0..<3 {
                let request = try await connection.request()
                try await connection.roundTrip()
                expectEqual(connection.requestCount, 7 + number)
                try await connection.respond(request.stream, text: request.path ?? "")
            }
            #expect(connection.resets.isEmpty)
        } body: { peer in
            let engine = engine(1)
            let api = try HTTP2Scene.session(peer, engine)
            try await api.get("first")
            let early = (0..<5).map { number in Task { try await api.get("\(number)").text() } }
            await isLowered.pass()
            let late = (5..<8).map { number in Task { try await api.get("\(number)").text() } }
            await PoolSupport.expect(engine, "eight are under way") { $0.activeRequests == 8 }
            mayGoOn.open()
            for (number, task) in (early + late).enumerated() { try await expectEqual(task.value, "/\(number)") }
            expectEqual(peer.connectionCount, 1)
            try await peer.waitForScripts()
        }
    }

    @Test("A stream counts until it is over, not until its head has come")
    func counts() async throws {
        let hasHead = Gate()
        try await FramePeer.withPeer { connection in
            try await connection.greet(settings: [(Self.limit, 1)])
            let first = try await connection.request()
            try await connection.respondHead(first.stream)
            try await connection.send(.data(first.stream, [0x61]))
            await hasHead.pass()
            for _ in 0..<5 { try await connection.roundTrip() }
            expectEqual(connection.requestCount, 2)
            try await connection.sendBody(first.stream, [0x62])
            let second = try await connection.request()
            try await connection.respond(second.stream, text: "second")
        } body: { peer in
            let engine = engine(1)
            let api = try HTTP2Scene.session(peer, engine)
            try await api.get("first")
            try await api.withResponse(to: .get("held")) { response in
                let second = Task { try await api.get("second").text() }
                await PoolSupport.expect(engine, "two are under way") { $0.activeRequests == 2 }
                hasHead.open()
                var text = ""
                for try await chunk in response.body { text += String(buffer: chunk) }
                expectEqual(text, "ab")
                try await expectEqual(second.value, "second")
            }
            expectEqual(peer.connectionCount, 1)
            try await peer.waitForScripts()
        }
    }

    @Test("Requests refused because the limit was not known yet are resent")
    func optimistic() async throws {
        try await FramePeer.withPeer { connection in
            try await connection.handshake(settings: [(Self.limit, 5)])
            guard connection.number == 0 else { return try await connection.servePaths() }
            let taken = try await connection.requests(5)
            try await connection.roundTrip()
            for _ in taken.count..<connection.requestCount {
                let request = try await connection.request()
                try await connection.send(.reset(request.stream, .refusedStream))
            }
            for request in taken { try await connection.respond(request.stream, text: request.path ?? "") }
            try await connection.servePaths()
        } body: { peer in
            let engine = engine(4)
            let api = try HTTP2Scene.session(peer, engine)
            let texts = try await HTTP2Scene.texts(30) { try await api.get("\($0)").text() }
            expectEqual(texts, (0..<30).map { "/\($0)" })
            // Four at a time; an idle one is closed for those that need one nobody has used.
            #expect(peer.connectionCount <= 8)
        }
    }
}
