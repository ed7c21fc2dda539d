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
            #expect(reply.response.body.trailers?[values: Self.sum] == ["abc", "def"])
            #expect(reply.response.body.trailers?.count == 3)
            #expect(reply.headers.isEmpty)
            let next = try await api.get("next")
            #expect(try await next.text() == "next")
            #expect(next.response.body.trailers == nil)
            #expect(peer.connectionCount == 1)
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
                #expect(try await iterator.next()?.text == "first")
                #expect(response.body.trailers == nil)
                seen.add()
                while try await iterator.next() != nil {}
                #expect(response.body.trailers?[Self.sum] == "abc")
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
                #expect(reply.body.readableBytes == 0)
                #expect(reply.response.body.trailers?[Self.sum] == "abc")
                #expect(reply.response.body.trailers?.count == 2)
            }
            #expect(peer.connectionCount == 1)
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
            #expect(try await reply.text() == "body")
            #expect(reply.response.body.trailers?.isEmpty ?? true)
        }
    }
}
