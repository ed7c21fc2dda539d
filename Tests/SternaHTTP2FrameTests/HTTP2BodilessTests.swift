import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Responses that have no content, whatever their Content-Length says (RFC 9113 §8.1.1).
@Suite("HTTP/2: responses without a body", .timeLimit(.minutes(5)))
struct HTTP2BodilessTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let method: Request.Method
        let status: Int
        let length: String?

        init(_ method: Request.Method, _ status: Int, _ length: String?) {
            self.method = method
            self.status = status
            self.length = length
        }

        var testDescription: String { "\(status) to \(method.rawValue), length \(length ?? "none")" }
    }

    static let rows: [Row] = [
        Row(.head, 200, "1234"), Row(.head, 200, nil), Row(.head, 200, "0"), Row(.head, 404, "99999999999"),
        Row(.head, 206, "7"), Row(.get, 204, nil), Row(.get, 204, "5"), Row(.get, 304, "5"), Row(.get, 304, nil),
        Row(.get, 200, "0"), Row(.get, 200, nil), Row(.delete, 204, nil),
    ]

    @Test("The head ends the stream, or empty DATA does", arguments: rows, [false, true])
    func empty(row: Row, byData: Bool) async throws {
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            let stream = try await connection.request().stream
            let length = row.length.map { [("content-length", $0)] } ?? []
            try await connection.respond(
                stream, status: row.status, headers: length + [("x-a", "b")], body: byData ? [] : nil)
            try await connection.respond(connection.request().stream, text: "next")
            try await connection.roundTrip()
            #expect(!connection.log.contains { $0.kind == .reset || $0.kind == .goAway })
        } body: { api, peer in
            try await api.withResponse(to: RequestDraft(row.method, "row")) { response in
                expectEqual(response.status.code, row.status)
                expectEqual(response.version, .http2)
                expectEqual(response.headers[.contentLength], row.length)
                expectEqual(response.headers.count, (row.length == nil ? 1 : 2))
                let body = try await response.body.collect(upTo: 10)
                expectEqual(body.readableBytes, 0)
            }
            try await api.expect("next", at: "next")
            expectEqual(peer.connectionCount, 1)
        }
    }

    @Test("They are collected, too", arguments: [false, true])
    func collected(secure: Bool) async throws {
        try await FrameScene.withSession(secure: secure) { connection in
            try await connection.handshake()
            try await connection.respond(connection.request().stream, status: 204, headers: [("content-length", "5")])
            try await connection.respond(connection.request().stream, headers: [("content-length", "5000")])
        } body: { api, _ in
            let reply = try await api.get("row")
            expectEqual(reply.status, 204)
            expectEqual(reply.body.readableBytes, 0)
            let head = try await api.head("row")
            expectEqual(head.status, 200)
            expectEqual(head.headers[.contentLength], "5000")
            expectEqual(head.body.readableBytes, 0)
        }
    }
}
