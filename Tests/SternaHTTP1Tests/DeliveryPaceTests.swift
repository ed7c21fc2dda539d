import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// When a reader that waits is woken for what has come.
@Suite("Waking the readers of bodies", .timeLimit(.minutes(5)))
struct DeliveryPaceTests {
    private static let interval = DeliveryPace.interval
    private static let batch = DeliveryPace.batch

    struct Row: Sendable, CustomTestStringConvertible {
        /// What the reader was woken for last; nil for never.
        let count: Int?
        /// How long that is past.
        let past: TimeAmount
        let least: Int
        var testDescription: String { "\(count.map { "\($0) bytes" } ?? "nothing"), \(past.nanoseconds) ns" }
    }

    static let rows = [
        // The first bytes, those after a while, and what follows little.
        Row(count: nil, past: .zero, least: 1),
        Row(count: 1 << 20, past: interval, least: 1),
        Row(count: 1 << 20, past: .seconds(3_600), least: 1),
        Row(count: 1, past: .zero, least: 1),
        Row(count: DeliveryPace.large - 1, past: .nanoseconds(1), least: 1),
        // What follows much at once.
        Row(count: DeliveryPace.large, past: .zero, least: batch),
        Row(count: 1 << 20, past: interval - .nanoseconds(1), least: batch),
    ]

    @Test("Only bytes that closely follow a large piece may be held", arguments: rows)
    func least(row: Row) {
        let moment = NIODeadline.uptimeNanoseconds(1_000_000)
        var pace = DeliveryPace()
        if let count = row.count { pace.delivered(count, at: moment) }
        expectEqual(pace.least(at: moment + row.past), row.least)
    }

    @Test("After fruitless holding, bytes are held ever less often, until a batch arrives")
    func fruitless() {
        let moment = NIODeadline.uptimeNanoseconds(1)
        var pace = DeliveryPace()
        pace.delivered(1 << 15, at: moment)
        for pause in [4, 16, 64, 256, 256] {
            expectEqual(pace.least(at: moment), Self.batch)
            pace.wasFruitless()
            for _ in 0..<pause {
                expectEqual(pace.least(at: moment), 1)
                pace.delivered(1 << 15, at: moment)
            }
        }
        pace.wasFruitless()
        pace.delivered(Self.batch, at: moment)
        expectEqual(pace.least(at: moment), Self.batch)
        pace.wasFruitless()
        for _ in 0..<4 { pace.delivered(1 << 15, at: moment) }
        expectEqual(pace.least(at: moment), Self.batch)
    }

    @Test("Held bytes are delivered soon, even if no more arrive", arguments: [true, false])
    func held(http2: Bool) async throws {
        let piece = Wire.pattern(16_000)
        let (rounds, each) = (100, 3)
        let (counts, count) = AsyncStream<Int>.makeStream()
        try await TestServer.withServer(TestServer.Options(http2: .byPriorKnowledge)) { server in
            server.route("GET", "/rounds") { _ in
                ServerResponse(
                    body: .stream(length: rounds * each * piece.count) { writer in
                        var received = counts.makeAsyncIterator()
                        for round in 1...rounds {
                            for _ in 0..<each { try await writer.write(piece) }
                            // Nothing follows until the reader has had all of it.
                            while let count = await received.next(), count < round * each * piece.count {}
                        }
                    })
            }
            let api = try Wire.session(server.url) { $0.network.http2 = http2 ? .priorKnowledge : .off }
            try await api.withResponse(to: .get("rounds")) { response in
                var received = 0
                for try await bytes in response.body {
                    received += bytes.count
                    count.yield(received)
                }
                expectEqual(received, rounds * each * piece.count)
            }
        }
    }

    @Test("Over HTTP/2, held bytes of single frames are delivered soon")
    func frames() async throws {
        let piece = Wire.pattern(16_000)
        let (rounds, each) = (100, 3)
        let (counts, count) = AsyncStream<Int>.makeStream()
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            let stream = try await connection.request().stream
            try await connection.respondHead(stream)
            var received = counts.makeAsyncIterator()
            for round in 1...rounds {
                for _ in 0..<each { try await connection.send(.data(stream, piece)) }
                while let count = await received.next(), count < round * each * piece.count {}
            }
            try await connection.send(.data(stream, [], end: true))
        } body: { peer in
            try await HTTP2Scene.session(peer).withResponse(to: .get("row")) { response in
                var received = 0
                for try await bytes in response.body {
                    received += bytes.count
                    count.yield(received)
                }
                expectEqual(received, rounds * each * piece.count)
            }
            try await peer.waitForScripts()
        }
    }
}
