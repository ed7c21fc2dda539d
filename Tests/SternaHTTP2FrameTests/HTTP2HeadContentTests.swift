import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Servers that send DATA with a response to HEAD.
@Suite("HTTP/2: content of a response to HEAD", .timeLimit(.minutes(5)))
struct HTTP2HeadContentTests {
    @Test("It ends the stream, not the request", arguments: [nil, "5", "4", "0"], [false, true])
    func head(length: String?, isEnd: Bool) async throws {
        for streams in [false, true] {
            try await FrameScene.withSession { connection in
                try await connection.handshake()
                let stream = try await connection.request().stream
                let fields = length.map { [("content-length", $0)] } ?? []
                try await connection.respond(stream, headers: fields, body: Array("hello".utf8), end: isEnd)
                if !isEnd { try await expectEqual(connection.receive(.reset, stream: stream).code, .protocolError) }
                try await connection.respond(connection.request().stream, text: "next")
                try await connection.roundTrip()
                #expect(!connection.log.contains { $0.kind == .goAway })
            } body: { api, peer in
                if streams {
                    try await api.withResponse(to: RequestDraft(.head, "row")) { response in
                        expectEqual(response.status.code, 200)
                        try await expectEqual(response.body.collect(upTo: 10).readableBytes, 0)
                    }
                } else {
                    let reply = try await api.head("row")
                    expectEqual(reply.headers[.contentLength], length)
                    expectEqual(reply.body.readableBytes, 0)
                }
                try await api.expect("next", at: "next")
                expectEqual(peer.connectionCount, 1)
            }
        }
    }

    @Test("With 204 and 304 it is an error, whose message names the status", arguments: [204, 304])
    func status(code: Int) async throws {
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            let stream = try await connection.request().stream
            try await connection.respond(stream, status: code, body: Array("hello".utf8), end: false)
            try await expectEqual(connection.receive(.reset, stream: stream).code, .protocolError)
        } body: { api, _ in
            let error = await Wire.failure(.malformedResponse, .read) { try await api.get("row") }
            #expect(error?.message.contains("\(code)") == true)
            #expect(error?.message.contains("Content-Length") == false)
        }
    }
}
