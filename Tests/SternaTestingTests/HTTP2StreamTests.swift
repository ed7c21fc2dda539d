import NIOCore
import NIOHTTP2
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

@Suite("Streams of the server over HTTP/2", .timeLimit(.minutes(5)))
struct HTTP2StreamTests {
    @Test("a large body goes both ways")
    func largeBodies() async throws {
        try await TestServer.withServer(.init(http2: .byPriorKnowledge)) { server async throws in
            try await HTTP2Client.with(port: server.port) { client async throws in
                let down = try await client.request("GET", "/bytes/3000000?seed=5")
                expectEqual(down.body.count, 3_000_000)
                try await expectEqual(server.ask("GET", "/bytes/3000000?seed=5").body, down.body)
                let head = HTTP2Client.head("POST", "/upload")
                let up = try await client.withStream(head, hasBody: true) { stream, inbound in
                    for start in stride(from: 0, to: down.body.count, by: 300_000) {
                        try await stream.send(Array(down.body[start..<start + 300_000]))
                    }
                    try await stream.send([], endStream: true)
                    return try await HTTP2Client.read(&inbound)
                }
                let other = try await server.ask("PUT", "/upload", body: String(repeating: "x", count: 10))
                #expect(up.text.contains("\"bytes\": 3000000"))
                #expect(other.text.contains("\"bytes\": 10"))
                expectEqual(server.requests().first { $0.method == "POST" }?.bodySize, 3_000_000)
            }
        }
    }

    @Test("an unread stream stops its sender, not other streams")
    func backPressure() async throws {
        let (go, start) = AsyncStream<Void>.makeStream()
        let sent = Mutex(0)
        try await TestServer.withServer(.init(http2: .byPriorKnowledge)) { server async throws in
            server.route("POST", "/slow") { request in
                for await _ in go { break }
                return .text("\(try await request.body.collect().count)")
            }
            server.route("GET", "/fast") { _ in
                ServerResponse(
                    body: .stream(length: nil) { writer in
                        for _ in 0..<100 {
                            try await writer.write(Array(repeating: 0, count: 32 << 10))
                            sent.withLock { $0 += 32 << 10 }
                        }
                    })
            }
            try await HTTP2Client.with(port: server.port) { client async throws in
                let size = 1 << 20
                try await client.withStream(HTTP2Client.head("POST", "/slow"), hasBody: true) { upload, answer in
                    let all = Mutex(false)
                    let sending = Task {
                        try await upload.send(Array(repeating: 1, count: size), endStream: true)
                        all.withLock { $0 = true }
                    }
                    try await client.withStream(HTTP2Client.head("GET", "/fast")) { _, download in
                        _ = try await download.next()
                        for _ in 0..<50 { try await expectEqual(client.request("GET", "/1k").status, 200) }
                        #expect(!all.withLock { $0 })
                        // No further than the stream's window and the piece in hand, but for what the client holds.
                        #expect(sent.withLock { $0 } < 20 * (32 << 10))
                        start.yield()
                        try await sending.value
                        try await expectEqual(HTTP2Client.read(&answer).text, "\(size)")
                        var rest = 0
                        while let payload = try await download.next() {
                            if case .data(let data) = payload { rest += data.data.readableBytes }
                        }
                        expectEqual(rest, 100 * (32 << 10))
                    }
                }
            }
        }
    }

    @Test("a reset by the client ends its handler, hundreds of times")
    func manyResets() async throws {
        try await TestServer.withServer(.init(http2: .byPriorKnowledge)) { server async throws in
            let ended = Mutex(0)
            server.route("POST", "/wait") { request in
                defer { ended.withLock { $0 += 1 } }
                _ = try await request.body.collect()
                return .text("late")
            }
            try await HTTP2Client.with(port: server.port) { client async throws in
                for _ in 0..<8 {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for _ in 0..<50 {
                            group.addTask {
                                try await client.withStream(HTTP2Client.head("POST", "/wait"), hasBody: true) {
                                    stream, _ in try await stream.reset(.cancel)
                                }
                            }
                        }
                        try await group.waitForAll()
                    }
                }
                try await server.waitForRequests(400)
                try await server.waitForOpenStreams(0)
                try await expectEqual(client.request("GET", "/1k").status, 200)
                expectNil(client.goAway)
            }
            expectEqual(server.totalConnections, 1)
            #expect(ended.withLock { $0 } > 0)
        }
    }

    @Test(
        "faults on a stream leave the connection",
        arguments: [
            ("close-half", 200, 500, 2), ("both-lengths", 0, 0, 1), ("bad-chunk", 200, 5, 1),
            ("reset-stream/7", 0, 0, 7), ("reset-stream/4294967295", 0, 0, UInt32.max),
        ] as [(String, Int, Int, UInt32)])
    func streamFaults(fault: String, status: Int, length: Int, code: UInt32) async throws {
        try await TestServer.withServer(.init(http2: .byPriorKnowledge)) { server async throws in
            try await HTTP2Client.with(port: server.port) { client async throws in
                let response = try await client.request("GET", "/fault/\(fault)")
                expectEqual(response.status, status)
                expectEqual(response.body.count, length)
                expectEqual(response.reset, code)
                try await expectEqual(client.request("GET", "/1k").status, 200)
            }
            expectEqual(server.totalConnections, 1)
        }
    }

    @Test("endless faults wait on their stream", arguments: [("never", 0), ("stall", 100)])
    func waitingFaults(fault: String, length: Int) async throws {
        try await TestServer.withServer(.init(http2: .byPriorKnowledge)) { server async throws in
            try await HTTP2Client.with(port: server.port) { client async throws in
                try await client.withStream(HTTP2Client.head("GET", "/fault/\(fault)")) { stream, inbound in
                    try await server.waitForOpenStreams(1)
                    var read = 0
                    while read < length {
                        if case .data(let data) = try #require(try await inbound.next()) {
                            read += data.data.readableBytes
                        }
                    }
                    expectEqual(read, length)
                    try await expectEqual(client.request("GET", "/1k").status, 200)
                    expectEqual(server.openStreams, 1)
                    try await stream.reset(.cancel)
                }
                try await server.waitForOpenStreams(0)
            }
        }
    }

    @Test(
        "faults of the connection end it",
        arguments: ["close", "garbage", "endless-head", "reset", "reset-half"])
    func connectionFaults(fault: String) async throws {
        try await TestServer.withServer(.init(http2: .byPriorKnowledge)) { server async throws in
            try await HTTP2Client.with(port: server.port) { client async throws in
                let response = try? await client.request("GET", "/fault/\(fault)")
                #expect(response.map { $0.body.count < 1000 } ?? true)
                #expect(fault == "reset-half" || (response?.status ?? 0) == 0)
                try await client.waitForClose()
            }
            try await server.waitForOpenConnections(0)
            expectEqual(server.openStreams, 0)
        }
    }

    @Test("a route's own errors: a short body, a thrown reset, a throw")
    func ownFaults() async throws {
        struct Failure: Error {}
        try await TestServer.withServer(.init(http2: .byPriorKnowledge)) { server async throws in
            server.route("GET", "/short") { _ in
                ServerResponse(body: .stream(length: 9) { try await $0.write("short") })
            }
            server.route("GET", "/calm") { _ in throw ServerStreamReset.enhanceYourCalm }
            server.route("GET", "/later") { _ in
                ServerResponse(
                    body: .stream(length: nil) { writer in
                        try await writer.write("some")
                        throw ServerStreamReset.refusedStream
                    })
            }
            server.route("GET", "/wrong-length") { _ in .text("abc", headers: ["Content-Length": "5"]) }
            server.route("GET", "/throws") { _ in throw Failure() }
            try await HTTP2Client.with(port: server.port) { client async throws in
                try await expectEqual(client.request("GET", "/short").reset, 2)
                try await expectEqual(client.request("GET", "/calm").reset, 11)
                try await expectEqual(client.request("GET", "/wrong-length").reset, 2)
                let later = try await client.request("GET", "/later")
                expectEqual(later.text, "some")
                expectEqual(later.reset, 7)
                try await expectEqual(client.request("GET", "/throws").status, 500)
            }
            let cut = try? await server.ask("GET", "/calm")
            expectNil(cut)
        }
    }
}
