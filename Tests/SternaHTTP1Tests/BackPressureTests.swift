import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

@Suite("Streaming with back-pressure", .timeLimit(.minutes(5)))
struct BackPressureTests {
    /// What sockets and the pipe may hold of a body that nobody reads: systems let buffers grow to 36 MiB.
    static let inFlight = 64 << 20
    static let total = 200 << 20

    /// A server whose `/huge` counts the bytes that it could write.
    private func withHuge(
        secure: Bool, chunked: Bool, _ body: (Session, TestServer, Counter) async throws -> Void
    ) async throws {
        let authority = try CertificateAuthority()
        let options = TestServer.Options(tls: secure ? try authority.issue(hosts: ["localhost"]) : nil)
        try await TestServer.withServer(options) { server in
            let written = Counter()
            let piece = [UInt8](repeating: 9, count: 64 << 10)
            server.route("GET", "/huge") { _ in
                ServerResponse(
                    body: .stream(length: chunked ? nil : Self.total) { writer in
                        for _ in 0..<(Self.total / piece.count) {
                            try await writer.write(piece)
                            written.add(piece.count)
                        }
                    })
            }
            try await body(try Wire.session(server.url, authority: authority), server, written)
        }
    }

    @Test(
        "A reader that pauses stops the server, and gets all when it resumes", arguments: [false, true], [false, true])
    func stops(secure: Bool, chunked: Bool) async throws {
        try await withHuge(secure: secure, chunked: chunked) { api, _, written in
            try await api.withResponse(to: .get("huge")) { response in
                var count = 0
                var hasPaused = false
                for try await chunk in response.body {
                    count += chunk.readableBytes
                    guard count > 1 << 20, !hasPaused else { continue }
                    hasPaused = true
                    // The server is through when its count stands still.
                    var last = -1
                    while last != written.value {
                        last = written.value
                        try await Task.sleep(for: .milliseconds(300))
                    }
                    #expect(written.value < count + Self.inFlight)
                }
                expectEqual(count, Self.total)
            }
        }
    }

    @Test("Leaving the closure early closes the connection", arguments: [false, true])
    func early(secure: Bool) async throws {
        try await withHuge(secure: secure, chunked: false) { api, server, written in
            try await api.withResponse(to: .get("huge")) { response in
                for try await _ in response.body { break }
            }
            try await server.waitForOpenConnections(0, within: 60)
            #expect(written.value < Self.inFlight + (1 << 20))
        }
    }

    @Test("An error in the closure, or reading nothing, closes it, too")
    func thrown() async throws {
        struct Enough: Error {}
        try await withHuge(secure: false, chunked: true) { api, server, _ in
            await #expect(throws: Enough.self) {
                try await api.withResponse(to: .get("huge")) { response in
                    for try await _ in response.body { throw Enough() }
                }
            }
            try await server.waitForOpenConnections(0, within: 60)
            let status = try await api.withResponse(to: .get("huge")) { $0.status.code }
            expectEqual(status, 200)
            try await server.waitForOpenConnections(0, within: 60)
        }
    }

    @Test("A body kept past the closure gives an error, and no bytes")
    func escaped() async throws {
        try await withHuge(secure: false, chunked: false) { api, server, _ in
            let body = try await api.withResponse(to: .get("huge")) { $0.body }
            let error = await #expect(throws: SternaError.self) { for try await _ in body {} }
            expectEqual(error?.kind, .cancelled)
            try await server.waitForOpenConnections(0, within: 60)
        }
    }

    @Test("Collecting more than is allowed fails before the memory is used", arguments: [false, true])
    func collected(chunked: Bool) async throws {
        try await withHuge(secure: false, chunked: chunked) { api, server, written in
            let small = api.with { $0.limits.collectedBytes = 2 << 20 }
            await Wire.failure(.limitExceeded, .read) { try await small.get("huge") }
            try await server.waitForOpenConnections(0, within: 60)
            #expect(written.value < Self.inFlight + (4 << 20))
        }
    }

    @Test(
        "A slow reader gets the whole body of a server that has already closed",
        arguments: [
            "Content-Length: 4000000\r\n", "", "Content-Length: 4000000\r\nConnection: close\r\n",
        ], [false, true])
    func closedServer(fields: String, secure: Bool) async throws {
        let authority = try CertificateAuthority()
        let script: [ScriptedServer.Step] = [
            .receiveHead, .send("HTTP/1.1 200 OK\r\n\(fields)\r\n"), .sendBytes(Wire.pattern(4_000_000)), .close,
        ]
        try await ScriptedServer.withServer(
            tls: secure ? try authority.issue(hosts: ["localhost"]) : nil, connections: [script]
        ) { server in
            let api = try Wire.session(server.url, authority: authority)
            try await api.withResponse(to: .get("row")) { response in
                var all = Bytes()
                for try await chunk in response.body {
                    if all.readableBytes == 0 { try await Task.sleep(for: .milliseconds(300)) }
                    all.writeImmutableBuffer(chunk)
                }
                #expect(Wire.same(all, Wire.pattern(4_000_000)))
            }
        }
    }

    @Test("The head arrives before the body, whose pieces arrive as they are sent")
    func pieces() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 6\r\n\r\n"
        try await TestServer.withServer { server in
            let (asked, ask) = AsyncStream.makeStream(of: Void.self)
            server.route("GET", "/turns") { _ in
                ServerResponse(
                    body: .raw { connection in
                        var turns = asked.makeAsyncIterator()
                        try await connection.write(head)
                        for piece in ["one", "two"] {
                            await turns.next()
                            try await connection.write(piece)
                        }
                        await connection.waitForClose()
                    })
            }
            try await Wire.session(server.url).withResponse(to: .get("turns")) { response in
                expectEqual(response.status, .ok)
                expectEqual(response.body.length, 6)
                var iterator = response.body.makeAsyncIterator()
                for piece in ["one", "two"] {
                    ask.yield()
                    let next = try await iterator.next()
                    expectEqual(next.map { String(buffer: $0) }, piece)
                }
                let end = try await iterator.next()
                expectNil(end)
            }
        }
    }
}
