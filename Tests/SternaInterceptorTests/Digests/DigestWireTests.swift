import Sterna
import SternaCore
import SternaTesting
import Testing

@testable import SternaTestSupport

/// Digests of responses that come over a network.
@Suite("Digests of responses on the wire", .timeLimit(.minutes(5)))
struct DigestWireTests {
    private static let hello = "{\"hello\": \"world\"}\n"

    private static func withServer(
        overHTTP2: Bool, _ digests: DigestOptions, _ work: (Session, TestServer) async throws -> Void
    ) async throws {
        try await TestServer.withServer(.init(http2: .byPriorKnowledge)) { server in
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.network.proxies = .none
                $0.network.http2 = overHTTP2 ? .priorKnowledge : .off
                $0.retry = .none
                $0.digests = digests
            }
            try await work(api, server)
        }
    }

    /// Sends content in pieces.
    private static func streamed(_ content: [UInt8], length: Int?, _ fields: ServerHeaders, _ trailers: ServerHeaders)
        -> ServerResponse
    {
        ServerResponse(
            headers: fields,
            body: .stream(length: length) { writer in
                var rest = content[...]
                while !rest.isEmpty {
                    try await writer.write(Array(rest.prefix(100_000)))
                    rest = rest.dropFirst(100_000)
                }
            }, trailers: trailers)
    }

    @Test("Fields and trailers of short and long bodies are verified", arguments: [false, true], [19, 900_000])
    func bodies(overHTTP2: Bool, count: Int) async throws {
        let content = Array(repeatElement(Array(Self.hello.utf8), count: count / 19).joined())
        let digests: [(String, SternaError.Kind?)] = [
            (try await DigestField.text(of: .bytes(content)), nil),
            (try await DigestField.text(of: .bytes(content + [0])), .digestMismatch),
        ]
        try await Self.withServer(overHTTP2: overHTTP2, .require) { api, server in
            for (number, (digest, kind)) in digests.enumerated() {
                server.route("GET", "/field\(number)") { _ in .bytes(content, headers: ["Repr-Digest": digest]) }
                server.route("GET", "/known\(number)") { _ in
                    Self.streamed(content, length: content.count, ["Content-Digest": digest], [:])
                }
                server.route("GET", "/trailer\(number)") { _ in
                    Self.streamed(content, length: nil, ["Trailer": "Content-Digest"], ["Content-Digest": digest])
                }
                server.route("GET", "/unannounced\(number)") { _ in
                    Self.streamed(content, length: nil, [:], ["Repr-Digest": digest])
                }
                for path in ["field", "known", "trailer", "unannounced"] {
                    let collected = await Self.failure {
                        let reply = try await api.get("\(path)\(number)")
                        #expect(reply.body.array == content, "\(path)")
                    }
                    expectEqual(collected?.kind, kind, "\(path) collected")
                    let streamed = await Self.failure {
                        try await api.withResponse(to: .get("\(path)\(number)")) { response in
                            var all: [UInt8] = []
                            for try await piece in response.body { all += piece.array }
                            #expect(all == content, "\(path)")
                        }
                    }
                    expectEqual(streamed?.kind, kind, "\(path) streamed")
                }
            }
        }
    }

    @Test("Content in a coding is verified before it is decoded", arguments: [false, true])
    func coded(overHTTP2: Bool) async throws {
        let content = noise(400_000)
        let coded = Zlib.gzip(content)
        let digest = try await DigestField.text(of: .bytes(coded))
        try await Self.withServer(overHTTP2: overHTTP2, .require) { api, server in
            server.route("GET", "/gzip") { _ in
                .bytes(coded, headers: ["Content-Encoding": "gzip", "Repr-Digest": digest])
            }
            server.route("GET", "/streamed") { _ in
                Self.streamed(coded, length: nil, ["Content-Encoding": "gzip"], ["Content-Digest": digest])
            }
            for path in ["gzip", "streamed"] {
                let reply = try await api.get(path)
                #expect(reply.body.array == content, "\(path)")
            }
        }
    }

    @Test("A part is verified by its own digest, and HEAD and 304 have nothing to verify", arguments: [false, true])
    func parts(overHTTP2: Bool) async throws {
        let (content, part) = (Array(Self.hello.utf8), Array(Self.hello.utf8.suffix(9)))
        let whole = try await DigestField.text(of: .bytes(content))
        let digests = [try await DigestField.text(of: .bytes(part)), whole]
        try await Self.withServer(overHTTP2: overHTTP2, .verify) { api, server in
            server.route("GET", "/item") { request in
                if request.headers["If-None-Match"] != nil {
                    return ServerResponse(status: 304, headers: ["ETag": "\"1\"", "Repr-Digest": whole])
                }
                guard request.headers["Range"] != nil else {
                    return .bytes(content, headers: ["Repr-Digest": whole, "Content-Digest": digests[0]])
                }
                let number = request.query("wrong") == nil ? 0 : 1
                return .bytes(
                    part, status: 206,
                    headers: [
                        "Content-Range": "bytes 10-18/19", "Repr-Digest": whole, "Content-Digest": digests[number],
                    ])
            }
            let reply = try await api.get("item", headers: ["Range": "bytes=10-18"])
            expectEqual(reply.body.array, part)
            let error = await Self.failure { try await api.get("item?wrong", headers: ["Range": "bytes=10-18"]) }
            expectEqual(error?.kind, .digestMismatch)
            try await expectEqual(api.head("item").headers["Content-Digest"], digests[0])
            let unchanged = try await api.get("item", headers: ["If-None-Match": "\"1\""]) {
                $0.acceptsAnyStatus = true
            }
            expectEqual(unchanged.status, 304)
        }
    }

    @Test("A truncated body is truncated, whatever its digest would be")
    func truncated() async throws {
        try await Self.withServer(overHTTP2: false, .verify) { api, server in
            let digest = try await DigestField.text(of: .bytes([1, 2, 3]))
            server.route("GET", "/cut") { _ in
                ServerResponse(
                    headers: ["Content-Digest": digest],
                    body: .stream(length: 200_000) { writer in
                        try await writer.write([UInt8](repeating: 1, count: 100_000))
                        throw ServerRouteError(status: 500, message: "cut")
                    })
            }
            let error = await Self.failure { try await api.get("cut") }
            #expect(error != nil && error?.kind != .digestMismatch)
        }
    }

    private static func failure(_ work: () async throws -> Void) async -> SternaError? {
        do {
            try await work()
            return nil
        } catch {
            return error as? SternaError ?? SternaError.cancelled(phase: .prepare)
        }
    }
}
