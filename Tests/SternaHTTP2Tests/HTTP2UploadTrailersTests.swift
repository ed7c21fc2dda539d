import HTTPTypes
import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Fields behind the content of requests (RFC 9113 §8.1).
@Suite("HTTP/2: trailers of requests", .timeLimit(.minutes(5)))
struct HTTP2UploadTrailersTests {
    private static let digest = HTTPField.Name("X-Digest") ?? .eTag

    @Test(
        "Trailers follow the content and end streams", arguments: HTTP2Scene.Upload.allCases, [0, 1, 65_535, 300_000])
    func follow(kind: HTTP2Scene.Upload, length: Int) async throws {
        let content = Wire.pattern(length)
        let file = try TestFile(content)
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            for _ in 0..<2 {
                let request = try await connection.request()
                expectNil(request["transfer-encoding"])
                #expect(HTTP2Scene.same(try await connection.body(of: request.stream), content))
                let trailers = try await connection.trailers(of: request.stream)
                expectEqual(trailers?.map(\.0), ["x-digest", "x-digest"])
                expectEqual(trailers?.map(\.1), ["one", "two"])
                let frames = connection.frames(of: request.stream).filter { $0.kind != .windowUpdate }
                expectEqual(frames.last?.kind, .headers)
                expectEqual(frames.map(\.endsStream), frames.dropLast().map { _ in false } + [true])
                try await connection.respond(request.stream, text: "all")
            }
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            for _ in 0..<2 {
                let body = try HTTP2Scene.body(kind, content, file).withTrailers {
                    HTTPFields([HTTPField(name: Self.digest, value: "one"), HTTPField(name: Self.digest, value: "two")])
                }
                try await expectEqual(api.put("row", body: body).text(), "all")
            }
            expectEqual(peer.connectionCount, 1)
            try await peer.waitForScripts()
        }
    }

    @Test("Trailers need no window, but wait for content that does")
    func window() async throws {
        let content = Wire.pattern(65_536)
        try await FramePeer.withPeer { connection in
            var ledger = WindowLedger(connection)
            try await ledger.greet(connectionWindow: 1 << 20)
            let stream = try await connection.request().stream
            try await expectEqual(connection.settledData(stream, atLeast: 65_535), 65_535)
            expectEqual(connection.frames(of: stream).count { $0.kind == .headers }, 1)
            try await ledger.grant(stream, 1)
            try await expectEqual(connection.trailers(of: stream)?.map(\.1), ["abc"])
            #expect(HTTP2Scene.same(connection.content(of: stream), content))
            ledger.check()
            try await connection.respond(stream, text: "all")
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            try await api.get("first")
            let body = Body.bytes(content).withTrailers { [Self.digest: "abc"] }
            try await expectEqual(api.put("row", body: body).text(), "all")
            try await peer.waitForScripts()
        }
    }

    @Test("Without trailer fields the stream ends, too")
    func none() async throws {
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            let request = try await connection.request()
            try await expectEqual(connection.body(of: request.stream), Array("body".utf8))
            let trailers = try await connection.trailers(of: request.stream)
            #expect(trailers?.isEmpty ?? true)
            try await connection.respond(request.stream, text: "all")
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            let body = Body.text("body").withTrailers { [:] }
            try await expectEqual(api.put("row", body: body).text(), "all")
            try await peer.waitForScripts()
        }
    }

    @Test("An error of the trailers' closure, or a forbidden field, ends the stream, not the connection")
    func failing() async throws {
        struct Mishap: Error {}
        try await FramePeer.withPeer { connection in
            try await connection.greet()
            for _ in 0..<2 {
                let request = try await connection.request()
                try await expectEqual(connection.resetCode(of: request.stream), .cancel)
                #expect(connection.frames(of: request.stream).allSatisfy { !$0.endsStream })
            }
            try await connection.servePaths()
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            try await api.get("first")
            let error = await Wire.failure(.writeFailed, .write) {
                try await api.put("a", body: Body.text("body").withTrailers { throw Mishap() })
            }
            #expect(error?.underlying is Mishap)
            await Wire.failure(.invalidHeader, .write) {
                try await api.put("b", body: Body.text("body").withTrailers { [.contentLength: "4"] })
            }
            try await expectEqual(api.get("last").text(), "/last")
            expectEqual(peer.connectionCount, 1)
        }
    }
}
