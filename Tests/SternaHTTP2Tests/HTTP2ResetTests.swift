import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// RST_STREAM from the server (RFC 9113 §6.4): it costs one request, and never the connection.
@Suite("HTTP/2: streams that the server resets", .timeLimit(.minutes(5)))
struct HTTP2ResetTests {
    /// The codes of RFC 9113 §7 with their names, and one that nobody knows.
    static let codes: [(code: WireFrame.Code, name: String)] = [
        (.noError, "NO_ERROR"), (.protocolError, "PROTOCOL_ERROR"), (.internalError, "INTERNAL_ERROR"),
        (.flowControlError, "FLOW_CONTROL_ERROR"), (.settingsTimeout, "SETTINGS_TIMEOUT"),
        (.streamClosed, "STREAM_CLOSED"), (.frameSizeError, "FRAME_SIZE_ERROR"), (.cancel, "CANCEL"),
        (.compressionError, "COMPRESSION_ERROR"), (.connectError, "CONNECT_ERROR"),
        (.enhanceYourCalm, "ENHANCE_YOUR_CALM"), (.inadequateSecurity, "INADEQUATE_SECURITY"), (0x1234, "1234"),
    ]

    @Test("A reset before the head is an error that names the code", arguments: codes, [Request.Method.get, .post])
    func before(row: (code: WireFrame.Code, name: String), method: Request.Method) async throws {
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            let request = try await connection.request()
            try await connection.send(.reset(request.stream, row.code))
            let next = try await connection.request()
            // It is over on both sides: to answer it by a reset of one's own is forbidden.
            #expect(connection.resets.isEmpty)
            try await connection.respond(next.stream, text: "next")
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            let error = await Wire.failure(.connectionClosed, .wait) {
                try await api.request(method, "row", body: method == .post ? .text("body") : nil)
            }
            let detail = error?.detail ?? ""
            #expect(detail.contains(row.name) || row.code == 0x1234 && detail.contains("4660"), "\(detail)")
            expectEqual(error?.requestSent, true)
            expectEqual(error?.attempt, 1)
            try await expectEqual(api.get("next").text(), "next")
            expectEqual(peer.connectionCount, 1)
            expectEqual(peer.totalRequests, 2)
            try await peer.waitForScripts()
        }
    }

    @Test(
        "A reset after the head makes the content incomplete, even at its full length",
        arguments: codes.map(\.code) + [.refusedStream, .http11Required], [nil, 5, 9])
    func behind(code: WireFrame.Code, length: Int?) async throws {
        let fields = length.map { [("content-length", "\($0)")] } ?? []
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            let request = try await connection.request()
            try await connection.respondHead(request.stream, headers: fields)
            try await connection.send(.data(request.stream, Array("hello".utf8)), .reset(request.stream, code))
            let next = try await connection.request()
            #expect(connection.resets.isEmpty)
            try await connection.respond(next.stream, text: "next")
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            await Wire.failure(.truncated, .read) { try await api.get("row") }
            try await expectEqual(api.get("next").text(), "next")
            expectEqual(peer.connectionCount, 1)
            try await peer.waitForScripts()
        }
    }

    @Test("After the head, the received content is delivered before the error", arguments: [false, true])
    func handedOver(isAtOnce: Bool) async throws {
        let isRead = Gate()
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            let stream = try await connection.request().stream
            let data = WireFrame.data(stream, Array("hello".utf8))
            try await connection.respondHead(stream)
            if isAtOnce {
                try await connection.send(data, .reset(stream, .internalError))
            } else {
                try await connection.send(data)
                await isRead.pass()
                try await connection.send(.reset(stream, .internalError))
            }
            try await connection.servePaths()
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            let got = Counter()
            await Wire.failure(.truncated, .read) {
                try await api.withResponse(to: .get("row")) { response in
                    for try await chunk in response.body {
                        if got.add(chunk.readableBytes) == 5 { isRead.open() }
                    }
                }
            }
            expectEqual(got.value, 5)
            try await expectEqual(api.get("next").text(), "/next")
        }
    }

    @Test("A reset during an upload stops sending on the stream", arguments: HTTP2Scene.Upload.allCases)
    func within(kind: HTTP2Scene.Upload) async throws {
        let content = Wire.pattern(300_000)
        let file = try TestFile(content)
        try await FramePeer.withPeer { connection in
            try await connection.greet()
            let stream = try await connection.request().stream
            try await expectEqual(connection.settledData(stream, atLeast: 65_535), 65_535)
            try await connection.send(.reset(stream, .internalError))
            try await connection.send(.windowUpdate(stream, 1 << 20), .windowUpdate(0, 1 << 20))
            try await connection.roundTrip()
            let next = try await connection.request()
            expectEqual(connection.dataCount(stream), 65_535)
            #expect(connection.frames(of: stream).allSatisfy { $0.kind != .reset && !$0.endsStream })
            #expect(HTTP2Scene.same(try await connection.body(of: next.stream), content))
            try await connection.respond(next.stream, text: "all")
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            try await api.get("first")
            let body = try HTTP2Scene.body(kind, content, file)
            let error = await #expect(throws: SternaError.self) { try await api.post("row", body: body) }
            expectEqual(error?.kind, .connectionClosed)
            #expect(error?.phase == .wait || error?.phase == .write)
            expectEqual(error?.detail.contains("INTERNAL_ERROR"), true)
            try await expectEqual(api.post("next", body: .bytes(content)).text(), "all")
            expectEqual(peer.connectionCount, 1)
            try await peer.waitForScripts()
        }
    }

    @Test(
        "A reset after a response has no effect", arguments: [WireFrame.Code.noError, .cancel, .refusedStream])
    func over(code: WireFrame.Code) async throws {
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            for _ in 0..<2 {
                let stream = try await connection.request().stream
                try await connection.send(
                    .headers(stream, HeaderBlock.encode([(":status", "200")])),
                    .data(stream, Array("whole".utf8), end: true), .reset(stream, code), .reset(stream, code))
            }
            try await connection.roundTrip()
            #expect(!connection.log.contains { $0.kind == .reset || $0.kind == .goAway })
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            for _ in 0..<2 { try await expectEqual(api.get("row").text(), "whole") }
            expectEqual(peer.connectionCount, 1)
            expectEqual(peer.totalRequests, 2)
            try await peer.waitForScripts()
        }
    }

    @Test("A reset of one stream does not affect the others")
    func others() async throws {
        try await FramePeer.withPeer { connection in
            try await connection.greet()
            let requests = try await connection.requests(10)
            for request in requests where request.method == "POST" {
                try await connection.send(.reset(request.stream, .internalError))
            }
            for request in requests where request.method == "GET" {
                try await connection.respond(request.stream, text: request.path ?? "")
            }
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            try await api.get("first")
            let texts = try await HTTP2Scene.texts(10) { number in
                guard number.isMultiple(of: 2) else { return try await api.get("\(number)").text() }
                await Wire.failure(.connectionClosed, .wait) { try await api.post("\(number)") }
                return "failed"
            }
            expectEqual(texts, (0..<10).map { $0.isMultiple(of: 2) ? "failed" : "/\($0)" })
            expectEqual(peer.connectionCount, 1)
            try await peer.waitForScripts()
        }
    }
}
