import HTTPTypes
import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// What hostile and broken servers send, row by row, over real sockets.
@Suite("Hostile servers: framing", .timeLimit(.minutes(5)))
struct PeersFramingTests {
    static let ok = "HTTP/1.1 200 OK\r\n"
    static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    @Test("status 000–099", arguments: ["000", "001", "042", "099"], [false, true])
    func status(digits: String, secure: Bool) async throws {
        try await Wire.refusal(
            .malformedResponse, .read, secure: secure,
            script: [.send("HTTP/1.1 \(digits) Text\r\nContent-Length: 0\r\n\r\n")])
    }

    @Test("response with trailers, even valid ones", arguments: [false, true])
    func trailers(secure: Bool) async throws {
        let reply = try await Wire.answer(
            secure: secure, script: [.send(Self.chunked + "5\r\nhello\r\n0\r\nX-Sum: 8d\r\nX-Count: 2\r\n\r\n")])
        try await expectEqual(reply.text(), "hello")
        let trailers = reply.response.body.trailers
        expectEqual(trailers?.map { "\($0.name.rawName)=\($0.value)" }, ["X-Sum=8d", "X-Count=2"])
    }

    @Test("response with trailers, streamed")
    func streamedTrailers() async throws {
        let data = String(repeating: "t", count: 300_000)
        let script = [
            ScriptedServer.Step.receiveHead, .send(Self.chunked + String(data.utf8.count, radix: 16) + "\r\n"),
            .send(data + "\r\n0\r\nX-Sum: 8d\r\n\r\n"),
        ]
        try await ScriptedServer.withServer(connections: [script]) { server in
            let api = try Wire.session(server.url)
            try await api.withResponse(to: .get("row")) { response in
                var count = 0
                for try await chunk in response.body { count += chunk.readableBytes }
                expectEqual(count, data.utf8.count)
                expectEqual(response.body.trailers?.first?.value, "8d")
            }
        }
    }

    @Test("10 MB of trailers", arguments: [false, true])
    func manyTrailers(secure: Bool) async throws {
        let line = Array("X-Trailer: \(String(repeating: "t", count: 1_011))\r\n".utf8)
        try await Wire.refusal(
            .limitExceeded, .read, secure: secure,
            script: [.send(Self.chunked + "0\r\n"), .sendRepeating(line, count: 10_240)])
    }

    @Test("body stalls for ever", arguments: [false, true])
    func stall(secure: Bool) async throws {
        // 60 s unless set otherwise; a short one takes the same way.
        expectEqual(Timeouts().betweenBytes, .seconds(60))
        try await Wire.refusal(
            .timedOut, .read, secure: secure, script: [.send(Self.ok + "Content-Length: 9\r\n\r\nhalf")],
            settings: { $0.timeouts.betweenBytes = .milliseconds(200) })
    }

    @Test(
        "differing Content-Length lines; `5, 6`; `+5`; 2^64+5",
        arguments: [
            "Content-Length: 5\r\nContent-Length: 6", "Content-Length: 6\r\nContent-Length: 5", "Content-Length: 5, 6",
            "Content-Length: +5", "Content-Length: 18446744073709551621", "Content-Length: ", "Content-Length: -5",
        ], [false, true])
    func lengths(fields: String, secure: Bool) async throws {
        try await Wire.refusal(
            .malformedResponse, .read, secure: secure, script: [.send("\(Self.ok)\(fields)\r\n\r\nhello!")])
    }

    @Test(
        "Content-Length with chunked",
        arguments: [
            "Content-Length: 5\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 5",
        ])
    func both(fields: String) async throws {
        try await Wire.refusal(
            .malformedResponse, .read, script: [.send("\(Self.ok)\(fields)\r\n\r\n5\r\nhello\r\n0\r\n\r\n")])
    }

    @Test(
        "bare LF in chunk lines, bare CR in a value, folded framing",
        arguments: [
            chunked + "5\nhello\r\n0\r\n\r\n", chunked + "5\r\nhello\n0\r\n\r\n", chunked + "5\r\nhello\r\n0\n\n",
            chunked + "5;a\nhello\r\n0\r\n\r\n", ok + "X: a\rb\r\nContent-Length: 0\r\n\r\n",
            ok + "X: a\rContent-Length: 0\r\n\r\n", ok + "Content-Length: 0\r\n b\r\n\r\n",
            ok + "Transfer-Encoding: chunked,\r\n\tchunked\r\n\r\n0\r\n\r\n",
            ok + "X: a\0b\r\nContent-Length: 0\r\n\r\n",
            ok + "X : a\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\nX: a\rContent-Length: 0\n\n",
            "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n5\nhello\n0\n\n",
        ])
    func lineEnds(text: String) async throws {
        try await Wire.refusal(.malformedResponse, .read, script: [.send(text)])
    }

    @Test(
        "`Transfer-Encoding: xchunked`",
        arguments: ["xchunked", "chunkedx", "gzip, chunked", "chunked, chunked", "identity, chunked", "chunked;a"])
    func codings(value: String) async throws {
        try await Wire.refusal(
            .malformedResponse, .read,
            script: [.send("\(Self.ok)Transfer-Encoding: \(value)\r\n\r\n5\r\nhello\r\n0\r\n\r\n")])
    }

    @Test("folded fields are joined, and `identity` lasts until the server closes")
    func lenient() async throws {
        let reply = try await Wire.answer(
            script: [.send("\(Self.ok)X: a\r\n b\r\nTransfer-Encoding: identity\r\n\r\nall of it"), .closeOutput])
        try await expectEqual(reply.text(), "all of it")
        expectEqual(reply.headers.first?.value, "a b")
    }

    @Test("100,000 × 1xx before the answer; endless 1xx", arguments: [100_000, nil], [100, 102, 103])
    func interim(count: Int?, status: Int) async throws {
        try await Wire.refusal(
            .limitExceeded, .read,
            script: [.sendRepeating(Array("HTTP/1.1 \(status) Wait\r\n\r\n".utf8), count: count), .answer("late")])
    }

    @Test("a few 1xx before the answer", arguments: [false, true])
    func fewInterim(secure: Bool) async throws {
        let reply = try await Wire.answer(
            secure: secure,
            script: [
                .send("HTTP/1.1 100 Continue\r\n\r\n"), .send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
                .answer("final"),
            ])
        try await expectEqual(reply.text(), "final")
        expectEqual(reply.headers.count, 1)
    }

    @Test("10 MB reason phrase")
    func reason() async throws {
        try await Wire.refusal(
            .limitExceeded, .read,
            script: [
                .send("HTTP/1.1 200 "),
                .sendRepeating(Array(repeating: UInt8(ascii: "r"), count: 1 << 10), count: 10_240),
            ])
    }

    @Test("one header line of 90 KB")
    func longLine() async throws {
        let text = "\(Self.ok)X: \(String(repeating: "a", count: 90_000))\r\nContent-Length: 2\r\n\r\nok"
        try await Wire.refusal(.limitExceeded, .read, script: [.send(text)])
        var options = Wire.options
        options.limits.headBytes = 256 << 10
        let reply = try await Wire.answer(
            script: [.send(text)], settings: { $0.network.engine = Engine(options: options) })
        try await expectEqual(reply.text(), "ok")
    }

    @Test("a head without end", arguments: ["X-Endless: aaaaaaaaaaaaaaaa\r\n", "x"])
    func endlessHead(piece: String) async throws {
        try await Wire.refusal(
            .limitExceeded, .read, script: [.send(Self.ok), .sendRepeating(Array(piece.utf8), count: nil)])
    }

    @Test(
        "`HTTP/2.0 200` on HTTP/1",
        arguments: [
            "HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n", "HTTP/2 200\r\n\r\n", "HTTP/0.9 200 OK\r\n\r\n",
            "ICY 200 OK\r\n\r\n",
            "<html>no head at all</html>", "SSH-2.0-OpenSSH_9.2\r\n", "\0\0\u{6}\u{4}\0\0\0\0\0",
        ])
    func version(text: String) async throws {
        try await Wire.refusal(.malformedResponse, .read, script: [.send(text)])
    }

    @Test("a protocol switch that was not requested")
    func switching() async throws {
        try await Wire.refusal(
            .malformedResponse, .read,
            script: [.send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")])
    }

    @Test(
        "an end before the end",
        arguments: [
            (ok + "Content-Length: 9\r\n\r\nhalf", SternaError.Kind.truncated, SternaError.Phase.read),
            (chunked + "5\r\nhel", .truncated, .read), (chunked + "5\r\nhello\r\n", .truncated, .read),
            (chunked + "5\r\nhello\r\n0\r\n", .truncated, .read), (ok + "X: 1\r\n", .truncated, .read),
            ("HTTP/1.1 2", .truncated, .read), ("HTTP/1.1 100 Continue\r\n\r\n", .truncated, .read),
            ("", .connectionClosed, .wait),
        ], [ScriptedServer.Step.close, .closeAbruptly, .reset])
    func cut(row: (text: String, kind: SternaError.Kind, phase: SternaError.Phase), end: ScriptedServer.Step)
        async throws
    {
        try await Wire.refusal(row.kind, row.phase, script: [.send(row.text), .pause(milliseconds: 20), end])
    }

    @Test("a body until close that TLS did not close in order was cut, perhaps by an attacker")
    func closeNotify() async throws {
        let text = Self.ok + "Content-Type: text/plain\r\n\r\nall of it"
        let whole = try await Wire.answer(secure: true, script: [.send(text), .close])
        try await expectEqual(whole.text(), "all of it")
        try await Wire.refusal(.truncated, .read, secure: true, script: [.send(text), .closeAbruptly])
        let plain = try await Wire.answer(script: [.send(text), .closeOutput])
        try await expectEqual(plain.text(), "all of it")
    }
}
