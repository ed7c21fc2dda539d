import HTTPTypes
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// A reply can be read any number of times, a body inside `withResponse` once.
@Suite("Reading a body", .timeLimit(.minutes(5)))
struct BodyReadingTests {
    enum Kind: CaseIterable {
        /// Arrives together with the head.
        case whole
        case streamed
        case coded, codedStream

        var body: ResponseBody {
            switch self {
            case .whole: ResponseBody(Bytes(text: "hello"))
            case .streamed: ResponseBody(ChunkedBody(Array("hello".utf8), size: 2))
            case .coded: ResponseBody(Bytes(copying: Zlib.gzip("hello")))
            case .codedStream: ResponseBody(ChunkedBody(Zlib.gzip("hello"), size: 2))
            }
        }

        var fields: ServerHeaders {
            self == .coded || self == .codedStream ? ["Content-Encoding": "gzip"] : [:]
        }
    }

    private func session(_ kind: Kind, _ configure: (inout SessionSettings) -> Void = { _ in }) throws -> Session {
        try mocked(by: MockTransport { _ in .init(headers: kind.fields, body: kind.body) }, configure).api
    }

    private static func text(_ body: ResponseBody) async throws -> String {
        var all = ""
        for try await piece in body { all += piece.text }
        return all
    }

    private func expectRefusal(location: SourceLocation = #_sourceLocation, _ read: () async throws -> Void) async {
        let error = await #expect(throws: SternaError.self, sourceLocation: location) { try await read() }
        expectEqual(error?.kind, .invalidRequest, sourceLocation: location)
        expectEqual(error?.phase, .read, sourceLocation: location)
    }

    @Test("A reply's body is read any number of times", arguments: Kind.allCases)
    func reply(kind: Kind) async throws {
        let reply = try await session(kind).get("a")
        for _ in 0..<3 {
            try await expectEqual(Self.text(reply.response.body), "hello")
            try await expectEqual(reply.response.body.collect(upTo: 100).text, "hello")
            try await expectEqual(reply.text(), "hello")
        }
    }

    @Test("Inside withResponse a second read throws, for all kinds of reads", arguments: Kind.allCases)
    func twice(kind: Kind) async throws {
        for collectsMetrics in [false, true] {
            let api = try session(kind) { $0.events.collectsMetrics = collectsMetrics }
            try await api.withResponse(to: .get("a")) { response in
                let text = try await Self.text(response.body)
                expectEqual(text, "hello")
                await expectRefusal { _ = try await Self.text(response.body) }
                await expectRefusal { _ = try await response.body.collect(upTo: 100) }
            }
            try await api.withResponse(to: .get("a")) { response in
                let text = try await response.body.collect(upTo: 100).text
                expectEqual(text, "hello")
                let copy = response
                await expectRefusal { _ = try await copy.body.collect(upTo: 100) }
                await expectRefusal { _ = try await Self.text(copy.body) }
            }
        }
    }

    @Test("A second reader fails while the first one reads, and the first one continues", arguments: Kind.allCases)
    func interleaved(kind: Kind) async throws {
        try await session(kind).withResponse(to: .get("a")) { response in
            var first = response.body.makeAsyncIterator()
            var second = response.body.makeAsyncIterator()
            var text = try await first.next()?.text ?? ""
            await expectRefusal { _ = try await second.next() }
            while let piece = try await first.next() { text += piece.text }
            expectEqual(text, "hello")
            try await expectNil(first.next())
        }
    }

    @Test("Of many concurrent readers one reads, and the others throw", arguments: Kind.allCases)
    func concurrent(kind: Kind) async throws {
        try await session(kind).withResponse(to: .get("a")) { response in
            let body = response.body
            let results = await withTaskGroup { group in
                for _ in 0..<20 {
                    group.addTask { () -> String in
                        do {
                            return try await body.collect(upTo: 100).text
                        } catch {
                            return (error as? SternaError)?.kind == .invalidRequest ? "refused" : "\(error)"
                        }
                    }
                }
                return await group.reduce(into: [String]()) { $0.append($1) }
            }
            expectEqual(results.count { $0 == "hello" }, 1)
            expectEqual(results.count { $0 == "refused" }, 19)
        }
    }

    @Test("Inspecting the whole body does not count as reading it")
    func whole() async throws {
        try await session(.whole).withResponse(to: .get("a")) { response in
            expectEqual(response.body.whole?.text, "hello")
            expectEqual(response.body.length, 5)
            let text = try await Self.text(response.body)
            expectEqual(text, "hello")
        }
    }

    @Test("If an interceptor has read a streamed body, the caller receives an error")
    func readByInterceptor() async throws {
        struct Reader: Interceptor {
            nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
                let response = try await next(request)
                _ = try await response.body.collect(upTo: 1_000)
                return response
            }
        }
        for kind in [Kind.streamed, .codedStream] {
            let api = try session(kind) { $0.networkInterceptors = [Reader()] }
            let error = await #expect(throws: SternaError.self) { try await api.get("a") }
            expectEqual(error?.kind, .invalidRequest)
        }
    }

    @Test("Over a connection: small and large, plain and coded", arguments: ["bytes/10", "bytes/900000", "gzip"])
    func connection(path: String) async throws {
        try await TestServer.withServer { server in
            let api = try Session(baseURL: server.url) { $0.network.engine = Engine() }
            try await api.withResponse(to: .get(path)) { response in
                var count = 0
                for try await piece in response.body { count += piece.count }
                #expect(count >= 10)
                await expectRefusal { for try await _ in response.body {} }
            }
            expectEqual(server.totalConnections, 1)
            try await api.get(path)
            expectEqual(server.totalConnections, 1)
        }
    }
}
