import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// A head that comes byte by byte: the time to the first byte is the time to the complete head.
@Suite("HTTP/2: heads that drip", .serialized, .timeLimit(.minutes(5)))
struct HTTP2SlowHeadTests {
    enum Part: CaseIterable { case headers, continuation, trailers }

    @Test("Single bytes of a head do not restart its time limit", arguments: Part.allCases)
    func drips(part: Part) async throws {
        let time = TestClock()
        let long = HeaderBlock.encode([("x-a", String(repeating: "v", count: 5_000))])
        try await FramePeer.withPeer { connection in
            try await connection.greet()
            let stream = try await connection.request().stream
            let ok = HeaderBlock.encode([(":status", "200")])
            let bytes: [UInt8]
            switch part {
            case .headers: bytes = WireFrame.headers(stream, ok + long, end: true).bytes
            case .continuation:
                try await connection.send(.headers(stream, ok, end: true, endHeaders: false))
                bytes = WireFrame.continuation(stream, long).bytes
            case .trailers:
                try await connection.send(.headers(stream, ok), .data(stream, [1]))
                try await connection.roundTrip()
                bytes = WireFrame.headers(stream, long, end: true).bytes
            }
            var sent = 0
            // As many as come in the time that is given, and no more than there are.
            while connection.resets.isEmpty, sent + 1 < bytes.count {
                try await connection.send(bytes: [bytes[sent]])
                sent += 1
                await time.advance(by: .milliseconds(10))
                // The client reads meanwhile; it cannot be asked within a frame whether it has.
                try await Task.sleep(for: .milliseconds(1))
            }
            expectEqual(connection.resets, [stream: .cancel])
            // More than one, of which each might have begun the time anew; how many depends on the machine.
            #expect(sent > 1)
            // The connection is as good as before.
            try await connection.send(bytes: Array(bytes[sent...]))
            try await connection.servePaths()
        } body: { peer in
            let patient = try HTTP2Scene.session(peer, PoolSupport.engine { $0.clock = time.clock })
            try await patient.get("first")
            let api = patient.with {
                if part == .trailers {
                    $0.timeouts.betweenBytes = .seconds(1)
                } else {
                    $0.timeouts.firstByte = .seconds(1)
                }
            }
            let start = time.now
            await Wire.failure(.timedOut, part == .trailers ? .read : .wait) { try await api.get("row") }
            #expect(time.now - start >= .seconds(1))
            try await expectEqual(patient.get("next").text(), "/next")
            expectEqual(peer.connectionCount, 1)
        }
    }
}
