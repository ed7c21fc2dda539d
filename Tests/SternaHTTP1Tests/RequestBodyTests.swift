import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Bodies of requests, as they come back from a server that echoes them.
@Suite("Bodies of requests", .timeLimit(.minutes(5)))
struct RequestBodyTests {
    static let sizes = [0, 1, (64 << 10) - 1, 64 << 10, (64 << 10) + 1, 5_000_000]

    /// A server whose `/echo` sends back what it gets, and `/framing` tells how that was framed.
    static func withEcho(secure: Bool, _ body: (Session, TestServer) async throws -> Void) async throws {
        let authority = try CertificateAuthority()
        let options = TestServer.Options(tls: secure ? try authority.issue(hosts: ["localhost"]) : nil)
        try await TestServer.withServer(options) { server in
            server.route(nil, "/echo") { .bytes(try await $0.body.collect()) }
            try await body(try Wire.session(server.url, authority: authority), server)
        }
    }

    private func stream(_ bytes: [UInt8], piece: Int) -> AsyncStream<Bytes> {
        AsyncStream { continuation in
            for start in stride(from: 0, to: bytes.count, by: piece) {
                continuation.yield(Bytes(bytes: bytes[start..<min(start + piece, bytes.count)]))
                continuation.yield(Bytes())
            }
            continuation.finish()
        }
    }

    @Test("Bytes are sent with their length", arguments: sizes, [false, true])
    func bytes(size: Int, secure: Bool) async throws {
        let content = Wire.pattern(size)
        try await Self.withEcho(secure: secure) { api, server in
            let reply = try await api.post("echo", body: .bytes(content))
            #expect(Wire.same(reply.body, content))
            expectEqual(server.requests().last?.headers["Content-Length"], "\(size)")
            expectNil(server.requests().last?.headers["Transfer-Encoding"])
            // The connection is good for another.
            try await api.get("1k")
            expectEqual(server.totalConnections, 1)
        }
    }

    @Test("A stream of a known length is sent with it", arguments: sizes, [false, true])
    func streamWithLength(size: Int, secure: Bool) async throws {
        let content = Wire.pattern(size, seed: 1)
        try await Self.withEcho(secure: secure) { api, server in
            let body = Body.stream(stream(content, piece: 10_007), length: Int64(size))
            let reply = try await api.put("echo", body: body)
            #expect(Wire.same(reply.body, content))
            expectEqual(server.requests().last?.headers["Content-Length"], "\(size)")
            try await api.get("1k")
            expectEqual(server.totalConnections, 1)
        }
    }

    @Test("A stream of an unknown length is chunked", arguments: sizes, [false, true])
    func streamChunked(size: Int, secure: Bool) async throws {
        let content = Wire.pattern(size, seed: 2)
        try await Self.withEcho(secure: secure) { api, server in
            let reply = try await api.put("echo", body: .stream(stream(content, piece: 70_001)))
            #expect(Wire.same(reply.body, content))
            expectNil(server.requests().last?.headers["Content-Length"])
            expectEqual(server.requests().last?.headers["Transfer-Encoding"], "chunked")
            try await api.get("1k")
            expectEqual(server.totalConnections, 1)
        }
    }

    @Test("Segments of all kinds in one body", arguments: [false, true], [false, true])
    func segments(secure: Bool, hasLength: Bool) async throws {
        let content = Wire.pattern(300_000, seed: 3)
        let file = try TestFile(content)
        try await Self.withEcho(secure: secure) { api, _ in
            let producer = BodyProducer(length: hasLength ? 100_000 : nil, isReplayable: true) {
                let left = Counter()
                return { left.add() == 1 ? Bytes(bytes: content[100_000..<200_000]) : nil }
            }
            let body = Body(segments: [
                .bytes(Bytes(bytes: content[..<50_000])), .bytes(Bytes()),
                .file(FileRange(path: file.path, offset: 50_000, length: 50_000)),
                .producer(producer), .file(FileRange(path: file.path, offset: 200_000, length: 0)),
                .file(FileRange(path: file.path, offset: 200_000, length: 99_999)),
                .bytes(Bytes(bytes: content[299_999...])),
            ])
            for _ in 0..<2 {
                let reply = try await api.post("echo", body: body)
                #expect(Wire.same(reply.body, content))
            }
        }
    }

    @Test("Without a body, POST, PUT and PATCH send a length of zero, other methods none")
    func none() async throws {
        try await Self.withEcho(secure: false) { api, server in
            for (method, length) in [
                (Request.Method.post, "0"), (.put, "0"), (.patch, "0"), (.get, nil), (.delete, nil), (.options, nil),
            ] {
                try await api.request(method, "echo")
                expectEqual(server.requests().last?.headers["Content-Length"], length, "\(method)")
                expectNil(server.requests().last?.headers["Transfer-Encoding"], "\(method)")
            }
        }
    }

    @Test(
        "A stream that is shorter or longer than declared fails",
        arguments: [(5, 10), (10, 5), (0, 1), (200_000, 100_000)], [false, true])
    func wrongLength(row: (actual: Int, declared: Int), secure: Bool) async throws {
        try await Self.withEcho(secure: secure) { api, server in
            let body = Body.stream(stream(Wire.pattern(row.actual), piece: 4_096), length: Int64(row.declared))
            await Wire.failure(.invalidRequest, .write) { try await api.post("echo", body: body) }
            // What came after it on the same connection would be taken for the rest of the body.
            try await server.waitForOpenConnections(0, within: 60)
        }
    }

    @Test("A negative declared length is never sent")
    func negativeLength() async throws {
        try await ScriptedServer.withServer(connections: [[.receiveHead, .answer("in")]]) { server in
            let body = Body.stream(stream([1, 2, 3], piece: 3), length: -3)
            _ = try? await Wire.session(server.url).post("row", body: body)
            let sent = String(decoding: server.received(connection: 0), as: UTF8.self)
            #expect(!sent.contains("-3"))
        }
    }

    @Test("A source's failure fails the request at once", arguments: [false, true])
    func failing(hasLength: Bool) async throws {
        struct Broken: Error {}
        try await Self.withEcho(secure: false) { api, server in
            let count = Counter()
            let producer = BodyProducer(length: hasLength ? 1 << 20 : nil, isReplayable: false) {
                {
                    if count.add() > 3 { throw Broken() }
                    return Bytes(repeating: 1, count: 1_000)
                }
            }
            let error = await Wire.failure(.writeFailed, .write) {
                try await api.post("echo", body: Body(segments: [.producer(producer)]))
            }
            #expect(error?.underlying is Broken)
            try await server.waitForOpenConnections(0, within: 60)
        }
    }

    @Test("A source is not read faster than the network accepts")
    func demand() async throws {
        let listener = try RawListener(isFull: false)
        let api = try Wire.session("http://127.0.0.1:\(listener.port)") {
            $0.timeouts.write = .milliseconds(500)
        }
        let made = Counter()
        let producer = BodyProducer(length: nil, isReplayable: false) {
            {
                made.add(64 << 10)
                return Bytes(repeating: 1, count: 64 << 10)
            }
        }
        await Wire.failure(.timedOut, .write) {
            try await api.post("row", body: Body(segments: [.producer(producer)]))
        }
        #expect(made.value > 64 << 10)
        #expect(made.value < 16 << 20)
        withExtendedLifetime(listener) {}
    }
}
