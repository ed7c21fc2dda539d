import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Fault routes", .timeLimit(.minutes(5)))
struct FaultRouteTests {
    @Test(
        "responses that end early or wrongly",
        arguments: [
            ("close", "", 0), ("close-half", "Content-Length: 1000\r\n\r\nxxx", 500),
            ("garbage", "no HTTP at all", 20),
            ("both-lengths", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", 0),
            ("bad-chunk", "\r\n5\r\nhello\r\nzz\r\n", 0),
        ])
    func ended(fault: String, contains: String, atLeast: Int) async throws {
        try await TestServer.withServer { server in
            let text = try await RawClient.with(port: server.port) { client in
                try await client.send("GET /fault/\(fault) HTTP/1.1\r\nHost: a\r\n\r\n")
                return try await client.rest()
            }
            #expect(text.utf8.count >= atLeast)
            #expect(contains.isEmpty ? text.isEmpty : text.contains(contains))
            try await server.waitForOpenConnections(0)
        }
    }

    @Test("resets reach the client", arguments: ["reset", "reset-half"])
    func reset(fault: String) async throws {
        try await TestServer.withServer { server in
            await #expect(throws: (any Error).self) {
                try await RawClient.with(port: server.port) { client in
                    try await client.send("GET /fault/\(fault) HTTP/1.1\r\nHost: a\r\n\r\n")
                    _ = try await client.rest()
                }
            }
            try await server.waitForOpenConnections(0)
        }
    }

    @Test("a stalled body stays open")
    func stall() async throws {
        try await TestServer.withServer { server in
            try await RawClient.with(port: server.port) { client in
                try await client.send("GET /fault/stall HTTP/1.1\r\nHost: a\r\n\r\n")
                try await expectEqual(client.head().headers["Content-Length"], "1000")
                try await expectEqual(client.bytes(100).count, 100)
                expectEqual(server.openConnections, 1)
            }
            try await server.waitForOpenConnections(0)
        }
    }

    @Test("an endless head continues until the client closes")
    func endlessHead() async throws {
        try await TestServer.withServer { server in
            try await RawClient.with(port: server.port) { client in
                try await client.send("GET /fault/endless-head HTTP/1.1\r\nHost: a\r\n\r\n")
                let start = try await client.bytes(1 << 20)
                #expect(!String(decoding: start, as: UTF8.self).contains("\r\n\r\n"))
            }
            try await server.waitForOpenConnections(0)
        }
    }
}
