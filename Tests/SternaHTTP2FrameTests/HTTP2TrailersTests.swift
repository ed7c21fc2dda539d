import HTTPTypes
import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Fields behind a response's content (RFC 9113 §8.1).
@Suite("HTTP/2: trailers of responses", .timeLimit(.minutes(5)))
struct HTTP2TrailersTests {
    private static let sum = HTTPField.Name("X-Sum") ?? .eTag

    @Test("They are there with a collected body, short or long", arguments: [0, 5, 60_000], [false, true])
    func collected(count: Int, secure: Bool) async throws {
        try await FrameScene.withSession(secure: secure) { connection in
            try await connection.handshake()
            let stream = try await connection.request().stream
            try await connection.respond(stream, body: Wire.pattern(count), end: false)
            try await connection.sendTrailers(stream, [("x-sum", "abc"), ("x-more", "1"), ("x-sum", "def")])
            try await connection.respond(connection.request().stream, text: "next")
        } body: { api, peer in
            let reply = try await api.get("row")
            #expect(Wire.same(reply.body, Wire.pattern(count)))
            expectEqual(reply.response.body.trailers?[values: Self.sum], ["abc", "def"])
            expectEqual(reply.response.body.trailers?.count, 3)
            #expect(reply.headers.isEmpty)
            let next = try await api.get("next")
            try await expectEqual(next.text(), "next")
            expectNil(next.response.body.trailers)
            expectEqual(peer.connectionCount, 1)
        }
    }

    @Test("A streamed body has them at its end and not before")
    func streamed() async throws {
        let seen = Counter()
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            let stream = try await connection.request().stream
            try await connection.respond(stream, body: Array("first".utf8), end: false)
            #expect(await eventually { seen.value == 1 })
            try await connection.sendTrailers(stream, [("x-sum", "abc")])
        } body: { api, _ in
            try await api.withResponse(to: .get("row")) { response in
                var iterator = response.body.makeAsyncIterator()
                try await expectEqual(iterator.next()?.text, "first")
                expectNil(response.body.trailers)
                seen.add()
                while try await iterator.next() != nil {}
                expectEqual(response.body.trailers?[Self.sum], "abc")
            }
        }
    }

    @Test("They may follow the head at once, and go on in another frame")
    func shapes() async throws {
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            let block = HeaderBlock.encode([("x-sum", "abc"), ("x-more", "1")])
            let head = HeaderBlock.encode([(":status", "200")])
            for size in [block.count, 7] {
                let stream = try await connection.request().stream
                try await connection.send(
                    [.headers(stream, head)] + WireFrame.headerFrames(stream, block, end: true, maximum: size))
            }
        } body: { api, peer in
            for _ in 0..<2 {
                let reply = try await api.get("row")
                expectEqual(reply.body.readableBytes, 0)
                expectEqual(reply.response.body.trailers?[Self.sum], "abc")
                expectEqual(reply.response.body.trailers?.count, 2)
            }
            expectEqual(peer.connectionCount, 1)
        }
    }

    @Test("Fields that are none end the body all the same")
    func empty() async throws {
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            let stream = try await connection.request().stream
            try await connection.respond(stream, body: Array("body".utf8), end: false)
            try await connection.sendTrailers(stream, [])
        } body: { api, _ in
            let reply = try await api.get("row")
            try await expectEqual(reply.text(), "body")
            #expect(reply.response.body.trailers?.isEmpty ?? true)
        }
    }
}
