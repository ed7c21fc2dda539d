import NIOCore
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Request bodies", .timeLimit(.minutes(5)))
struct RequestBodyTests {
    @Test("100 is sent when the route reads an expected body")
    func expectContinue() async throws {
        try await TestServer.withServer { server in
            try await RawClient.with(port: server.port) { client in
                try await client.send(
                    "POST /post HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
                try await expectEqual(client.response().status, 100)
                try await client.send("abc")
                #expect(try await client.response().text.contains("\"data\": \"abc\""))
            }
        }
    }

    @Test("an expected body is refused when the route does not read")
    func expectRefused() async throws {
        try await TestServer.withServer { server in
            try await RawClient.with(port: server.port) { client in
                try await client.send(
                    "POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
                let response = try await client.response()
                expectEqual(response.status, 404)
                expectEqual(response.headers["Connection"], "close")
                try await expectEqual(client.rest(), "")
            }
        }
    }

    @Test("a declared body over the limit gets 413 at once", arguments: ["33554433", "9223372036854775808"])
    func tooLarge(length: String) async throws {
        try await TestServer.withServer { server in
            try await RawClient.with(port: server.port) { client in
                try await client.send("POST /post HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n")
                let response = try await client.response()
                expectEqual(response.status, 413)
                #expect(response.text.contains("33554432"))
            }
        }
    }

    @Test("a chunked body over the limit gets 413 when it is over")
    func chunkedTooLarge() async throws {
        try await TestServer.withServer { server in
            server.route("POST", "/small") { .bytes(try await $0.body.collect(upTo: 8)) }
            try await RawClient.with(port: server.port) { client in
                try await client.send("POST /small HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
                try await client.send("9\r\n123456789\r\n")
                try await expectEqual(client.response().status, 413)
                try await client.send("0\r\n\r\n")
                try await expectEqual(client.request("GET", "/1k").status, 200)
            }
        }
    }

    @Test("an unread body is dropped and the connection kept")
    func unread() async throws {
        try await TestServer.withServer { server in
            try await RawClient.with(port: server.port) { client async throws in
                let body = String(repeating: "x", count: 1 << 20)
                try await expectEqual(client.request("POST", "/status/404", body: body).status, 404)
                try await expectEqual(client.request("GET", "/1k").status, 200)
            }
            expectEqual(server.totalConnections, 1)
            expectEqual(server.requests().map(\.bodySize), [1 << 20, 0])
        }
    }

    @Test("an upload is counted and hashed")
    func upload() async throws {
        try await TestServer.withServer { server in
            let empty = try await server.ask("POST", "/upload", body: "")
            #expect(empty.text.contains("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"))
            let abc = try await server.ask("PUT", "/upload", body: "abc")
            #expect(abc.text.contains("\"bytes\": 3"))
            #expect(abc.text.contains("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
        }
    }

    @Test("a handler that does not read stops the client")
    func backPressure() async throws {
        let total = 64 << 20
        let (gate, open) = AsyncStream<Void>.makeStream()
        try await TestServer.withServer { server in
            server.route("POST", "/slow") { request in
                for await _ in gate { break }
                var count = 0
                for try await piece in request.body { count += piece.count }
                return .text(String(count))
            }
            let sent = Counter()
            let text = try await RawClient.with(port: server.port) { client in
                try await client.send("POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: \(total)\r\n\r\n")
                let channel = client.channel
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        let piece = ByteBuffer(repeating: 0x61, count: 64 << 10)
                        for _ in 0..<(total / piece.readableBytes) {
                            try await channel.writeAndFlush(piece).get()
                            sent.add(piece.readableBytes)
                        }
                    }
                    try await settled(sent, on: server)
                    #expect(sent.value < 16 << 20)
                    open.finish()
                    try await group.waitForAll()
                }
                return try await client.response().text
            }
            expectEqual(text, String(total))
        }
    }
}

/// Returns when a count has not moved during many round trips on another connection.
func settled(_ counter: Counter, on server: TestServer) async throws {
    try await RawClient.with(port: server.port) { client in
        var last = -1
        while last != counter.value {
            last = counter.value
            for _ in 0..<300 { _ = try await client.request("GET", "/1k") }
        }
    }
}
