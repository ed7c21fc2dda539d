import HTTPTypes
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Fields behind a response's body.
@Suite("Trailers of responses", .timeLimit(.minutes(5)))
struct ResponseTrailerTests {
    private static let digest = HTTPField.Name("X-Digest") ?? .eTag

    private static func chunks(_ length: Int, _ trailers: String) -> [ScriptedServer.Step] {
        let text = String(repeating: "t", count: length)
        return [
            .receiveHead,
            .send(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(String(length, radix: 16))\r\n\(text)\r\n0\r\n"
                    + "\(trailers)\r\n"),
            .receiveHead, .answer("next"),
        ]
    }

    @Test("A collected body, short or long, has its trailers", arguments: [5, 900_000])
    func collected(length: Int) async throws {
        try await ScriptedServer.withServer(connections: [Self.chunks(length, "X-Digest: abc\r\n")]) { server in
            let api = try DialScene.session(server.url)
            let reply = try await api.get("a")
            expectEqual(reply.body.count, length)
            expectEqual(reply.response.body.trailers?[Self.digest], "abc")
            expectNil(reply.headers[Self.digest])
            let next = try await api.get("b")
            expectNil(next.response.body.trailers)
            expectEqual(server.acceptedConnections, 1)
        }
    }

    @Test("A streamed body has its trailers at its end, not before")
    func streamed() async throws {
        try await TestServer.withServer { server in
            let gate = Counter()
            server.route("GET", "/gate") { _ in
                ServerResponse(
                    body: .stream(length: nil) { writer in
                        try await writer.write("first")
                        _ = await eventually { gate.value > 0 }
                        try await writer.write("last")
                    }, trailers: ["X-Digest": "abc"])
            }
            try await DialScene.session(server.url).withResponse(to: .get("gate")) { response in
                var iterator = response.body.makeAsyncIterator()
                let first = try await iterator.next()
                expectEqual(first?.text, "first")
                expectNil(response.body.trailers)
                gate.add()
                while try await iterator.next() != nil {}
                expectEqual(response.body.trailers?[Self.digest], "abc")
            }
        }
    }

    @Test("Without trailer fields the trailers are nil")
    func none() async throws {
        try await ScriptedServer.withServer(connections: [Self.chunks(5, "")]) { server in
            let reply = try await DialScene.session(server.url).get("a")
            expectNil(reply.response.body.trailers)
        }
    }

    @Test(
        "Trailers are as strict as header fields", arguments: ["X Digest: a\r\n", "X: \u{1}\r\n", ": a\r\n", "a\r\n"])
    func strict(trailers: String) async throws {
        try await Wire.refusal(.malformedResponse, .read, script: Array(Self.chunks(5, trailers)[1...1]))
    }
}
