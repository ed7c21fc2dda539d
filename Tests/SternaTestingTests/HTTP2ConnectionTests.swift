import NIOCore
import NIOHTTP2
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Connections of the server over HTTP/2", .timeLimit(.minutes(5)))
struct HTTP2ConnectionTests {
    @Test("settings are announced, and bodies arrive with any window", arguments: [1, 1000, 65_535, 0x7FFF_FFFF])
    func settings(window: Int) async throws {
        var options = TestServer.Options(http2: .byPriorKnowledge)
        options.http2Settings = .init(maximumConcurrentStreams: 7, initialWindowSize: window)
        try await TestServer.withServer(options) { server async throws in
            try await HTTP2Client.with(port: server.port) { client async throws in
                let size = window == 1 ? 50 : 200_000
                // The first stream begins before the settings have come.
                for _ in 0..<2 {
                    let response = try await client.request(
                        "POST", "/upload", body: String(repeating: "a", count: size))
                    #expect(response.text.contains("\"bytes\": \(size),"))
                }
                expectEqual(client.setting(.maxConcurrentStreams), 7)
                expectEqual(client.setting(.initialWindowSize), window)
            }
        }
    }

    @Test("a window of zero takes no body, and settings are clamped")
    func bounds() async throws {
        var options = TestServer.Options(http2: .byPriorKnowledge)
        options.http2Settings = .init(maximumConcurrentStreams: .max, initialWindowSize: -1, connectionWindowSize: .max)
        try await TestServer.withServer(options) { server async throws in
            try await HTTP2Client.with(port: server.port) { client async throws in
                _ = try await client.request("GET", "/1k")
                expectEqual(client.setting(.maxConcurrentStreams), 0x7FFF_FFFF)
                expectEqual(client.setting(.initialWindowSize), 0)
                try await client.withStream(HTTP2Client.head("POST", "/upload"), hasBody: true) { stream, _ in
                    let sending = Task { try await stream.send([1]) }
                    for _ in 0..<20 { _ = try await client.request("GET", "/1k") }
                    try await stream.reset(.cancel)
                    await #expect(throws: (any Error).self) { try await sending.value }
                }
                expectEqual(server.requests().first { $0.method == "POST" }?.bodySize, 0)
            }
        }
    }

    @Test("after its number of requests a connection sends GOAWAY and finishes open streams")
    func goAway() async throws {
        var options = TestServer.Options(http2: .byPriorKnowledge)
        options.http2Settings.requestsPerConnection = 2
        try await TestServer.withServer(options) { server async throws in
            let (go, start) = AsyncStream<Void>.makeStream()
            server.route("GET", "/slow") { _ in
                for await _ in go { break }
                return .text("done")
            }
            try await HTTP2Client.with(port: server.port) { client async throws in
                try await client.withStream(HTTP2Client.head("GET", "/slow")) { _, inbound in
                    try await server.waitForOpenStreams(1)
                    expectNil(client.goAway)
                    try await expectEqual(client.request("GET", "/1k").body.count, 1024)
                    expectEqual(client.goAway.map { [$0.last, $0.code] }, [3, 0])
                    // The connection is still there for the stream before.
                    expectEqual(server.openConnections, 1)
                    start.yield()
                    let response = try await HTTP2Client.read(&inbound)
                    expectEqual(response.text, "done")
                    expectNil(response.reset)
                }
                try await client.waitForClose()
            }
            try await server.waitForOpenConnections(0)
            expectEqual(server.requestCount, 2)
        }
    }

    @Test("an idle connection sends GOAWAY")
    func idle() async throws {
        let options = TestServer.Options(http2: .byPriorKnowledge, idleTimeout: .seconds(4))
        try await TestServer.withServer(options) { server async throws in
            try await HTTP2Client.with(port: server.port) { client async throws in
                try await expectEqual(client.request("GET", "/delay/4.5").status, 200)
                try await client.waitForClose()
                expectEqual(client.goAway.map { [$0.last, $0.code] }, [1, 0])
            }
        }
    }

    @Test("a connection that never selects a version is closed")
    func undecided() async throws {
        let options = TestServer.Options(http2: .byPriorKnowledge, idleTimeout: .milliseconds(300))
        try await TestServer.withServer(options) { server async throws in
            let rest = try await RawClient.with(port: server.port) { client async throws in
                try await client.send("PRI * HTTP/2.0\r\n")
                return try await client.rest()
            }
            expectEqual(rest, "")
        }
    }

    @Test("bytes that are not a frame end the connection with the reason")
    func brokenFrames() async throws {
        try await TestServer.withServer(.init(http2: .byPriorKnowledge)) { server async throws in
            let bytes = try await RawClient.with(port: server.port) { client async throws in
                try await client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\ngarbage garbage garbage")
                while try await client.fill() {}
                return client.buffer
            }
            // The last of what came is a GOAWAY whose code is FRAME_SIZE_ERROR.
            expectEqual(bytes.suffix(17).dropFirst(3).first, 7)
            expectEqual(bytes.suffix(4), [0, 0, 0, 6])
            try await server.waitForOpenConnections(0)
        }
    }

    @Test("stopping closes connections with open streams")
    func stop() async throws {
        let server = try await TestServer.start(.init(http2: .byPriorKnowledge))
        try await HTTP2Client.with(port: server.port) { client async throws in
            try await client.withStream(HTTP2Client.head("GET", "/delay/60")) { _, inbound in
                try await server.waitForOpenStreams(1)
                try await server.stop()
                expectEqual(server.openConnections, 0)
                expectEqual(server.openStreams, 0)
                let response = try? await HTTP2Client.read(&inbound)
                #expect(response?.status ?? 0 == 0)
            }
        }
    }

    @Test("a route's own bytes are sent in place of frames")
    func raw() async throws {
        try await TestServer.withServer(.init(http2: .byPriorKnowledge)) { server async throws in
            server.route("GET", "/ping") { _ in
                ServerResponse(
                    body: .raw { connection in
                        expectEqual(connection.stream, 1)
                        // PING without an acknowledgement, then an empty answer.
                        try await connection.write([0, 0, 8, 6, 0, 0, 0, 0, 0] + Array("01234567".utf8))
                        try await connection.write([0, 0, 1, 1, 5, 0, 0, 0, 1, 0x89])
                        await connection.waitForClose()
                    })
            }
            try await HTTP2Client.with(port: server.port) { client async throws in
                try await expectEqual(client.request("GET", "/ping").status, 204)
                let hasPing = client.rootFrames.contains { frame in
                    if case .ping(_, ack: false) = frame { true } else { false }
                }
                #expect(hasPing)
            }
        }
    }
}
