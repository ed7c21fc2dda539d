import HTTPTypes
import NIOCore
import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

/// Digests that follow or precede bodies, as a server reads them.
@Suite("Digests of uploads", .timeLimit(.minutes(5)))
struct SentDigestTests {
    private static let hello = "{\"hello\": \"world\"}\n"
    private static let sha256 = "sha-256=:\(Samples.sha256):"
    private static let sha512 = "sha-512=:\(Samples.sha512):"

    /// What the server received of one request.
    private struct Received: Sendable, Equatable {
        var content: [UInt8]
        var field: String?
        var trailer: String?
        var announced: String?
        var length: String?
    }

    private static func received(
        overHTTP2: Bool = false, _ digests: DigestOptions = .send, _ send: (Session) async throws -> Void
    ) async throws -> [Received] {
        let all = Mutex<[Received]>([])
        try await TestServer.withServer(.init(http2: .byPriorKnowledge)) { server in
            server.route(nil, "/in") { request in
                let content = try await request.body.collect()
                let (fields, trailers) = (request.headers, request.body.trailers)
                let announced = fields.all("Trailer")
                all.withLock {
                    $0.append(
                        Received(
                            content: content, field: fields["Content-Digest"], trailer: trailers["Content-Digest"],
                            announced: announced.isEmpty ? nil : announced.joined(separator: ", "),
                            length: fields["Content-Length"]))
                }
                return ServerResponse(status: 204)
            }
            server.route(nil, "/moved") { request in
                _ = try await request.body.collect()
                return .redirect(to: "/in", status: request.query("status").flatMap { Int($0) } ?? 307)
            }
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.network.proxies = .none
                $0.network.http2 = overHTTP2 ? .priorKnowledge : .off
                $0.retry = .none
                $0.digests = digests
            }
            try await send(api)
        }
        return all.withLock { $0 }
    }

    private static func stream(_ text: String, length: Int64? = nil) -> Body {
        let (pieces, writer) = AsyncStream<Bytes>.makeStream()
        for letter in text { writer.yield(Bytes(text: String(letter))) }
        writer.finish()
        return .stream(pieces, length: length)
    }

    @Test("Bytes and files have their digest in the header, with their length", arguments: [false, true])
    func replayable(overHTTP2: Bool) async throws {
        let folder = try TestFolder()
        let path = try folder.write(Array(Self.hello.utf8), to: "a.json")
        let all = try await Self.received(overHTTP2: overHTTP2) { api in
            try await api.put("in", body: .text(Self.hello))
            try await api.upload(file: path, to: "in")
            try await api.put("in", body: .text(Self.hello)) { $0.digests = [.send, .sha512] }
            try await api.put("in", body: .text(Self.hello)) { $0.digests = [.send, .sha256, .sha512] }
        }
        expectEqual(all.map(\.field), [Self.sha256, Self.sha256, Self.sha512, "\(Self.sha256), \(Self.sha512)"])
        for one in all {
            expectEqual(one.content, Array(Self.hello.utf8))
            expectNil(one.trailer)
            expectNil(one.announced)
            expectEqual(one.length, "19")
        }
    }

    @Test("Streams have it in a trailer, which is announced, of known length or not", arguments: [false, true])
    func streamed(overHTTP2: Bool) async throws {
        let all = try await Self.received(overHTTP2: overHTTP2, [.send, .sha256, .sha512]) { api in
            try await api.post("in", body: Self.stream(Self.hello))
            try await api.post("in", body: Self.stream(Self.hello, length: 19))
            try await api.post("in", body: Self.stream(""))
        }
        expectEqual(all.count, 3)
        for one in all.prefix(2) {
            expectEqual(one.content, Array(Self.hello.utf8))
            expectEqual(one.trailer, "\(Self.sha256), \(Self.sha512)")
        }
        expectEqual(
            all.last?.trailer?.hasPrefix("sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:, sha-512="), true)
        for one in all {
            expectNil(one.field)
            expectNil(one.length)
            expectEqual(one.announced, "Content-Digest")
        }
    }

    @Test("A stream is sent as it comes, and not held back for its digest")
    func prompt() async throws {
        let (pieces, writer) = AsyncStream<Bytes>.makeStream()
        let (seen, report) = AsyncStream<[UInt8]>.makeStream()
        try await TestServer.withServer { server in
            server.route("POST", "/in") { request in
                for try await piece in request.body { report.yield(piece) }
                report.finish()
                return .text(request.body.trailers["Content-Digest"] ?? "")
            }
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.network.proxies = .none
                $0.digests = .send
                $0.limits.continueThreshold = nil
            }
            async let answer = api.post("in", body: .stream(pieces)).text()
            var received = seen.makeAsyncIterator()
            // Each piece waits until the server has the one before.
            for text in ["{\"hello\": ", "\"world\"}\n"] {
                writer.yield(Bytes(text: text))
                var all: [UInt8] = []
                while all.count < text.utf8.count, let piece = await received.next() { all += piece }
                expectEqual(all, Array(text.utf8))
            }
            writer.finish()
            try await expectEqual(answer, Self.sha256)
        }
    }

    @Test("The caller's own trailers and fields stay")
    func own() async throws {
        let all = try await Self.received { api in
            try await api.post(
                "in", body: Self.stream(Self.hello).withTrailers { [DigestField.content: "md5=:AAAA:"] },
                headers: ["Trailer": "Content-Digest"])
            try await api.post(
                "in", body: Self.stream(Self.hello).withTrailers { [.eTag: "\"1\""] }, headers: ["Trailer": "ETag"])
            try await api.post("in", body: .text("x"), headers: ["Content-Digest": "md5=:AAAA:"])
            try await api.get("in")
        }
        expectEqual(all.map(\.trailer), ["md5=:AAAA:", Self.sha256, nil, nil])
        expectEqual(all.map(\.field), [nil, nil, "md5=:AAAA:", nil])
        expectEqual(all[0].announced, "Content-Digest")
        expectEqual(all[1].announced, "ETag, Content-Digest")
    }

    @Test("A redirect sends a body with its digest again, and one without its body without it")
    func redirected() async throws {
        let all = try await Self.received { api in
            try await api.post("moved", body: .text(Self.hello))
            try await api.post("moved?status=303", body: .text(Self.hello))
        }
        expectEqual(all.map(\.field), [Self.sha256, nil])
        expectEqual(all.map(\.content), [Array(Self.hello.utf8), []])
    }

    @Test("A file that cannot be read fails the request before anything is sent")
    func unreadable() async throws {
        let folder = try TestFolder()
        let path = try folder.write(Array(Self.hello.utf8), to: "a.json")
        let body = try Body.file(path)
        try Data("short".utf8).write(to: URL(filePath: path))
        let (api, mock) = try mocked { $0.digests = .send }
        let error = await #expect(throws: SternaError.self) { try await api.put("a", body: body) }
        expectEqual(error?.kind, .fileUnreadable)
        expectEqual(error?.requestSent, false)
        #expect(mock.requests.isEmpty)
    }

    @Test("A body that is compressed when it is sent has the digest of the compressed content")
    func compressed() async throws {
        let all = try await Self.received { api in
            try await api.put("in", body: Body.text(Self.hello).compressed())
        }
        let received = try #require(all.first)
        #expect(received.content != Array(Self.hello.utf8) && !received.content.isEmpty)
        try await expectEqual(received.field, DigestField.text(of: .bytes(received.content)))
    }
}
