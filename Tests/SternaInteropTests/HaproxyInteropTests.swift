import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport

/// A front server that others wrote, between this library's client and its test server: it rewrites the framing of both.
@Suite(
    "Interop: haproxy", .enabled(if: Haproxy.program.mayRun, "haproxy is not installed"), .serialized,
    .timeLimit(.minutes(5)))
struct HaproxyInteropTests {
    private func with(
        secure: Bool, _ work: (_ api: Session, _ origin: TestServer) async throws -> Void
    ) async throws {
        try await TestServer.withServer { origin in
            let front = try await Haproxy(before: origin.port)
            let api = try Session(baseURL: secure ? front.secureURL : front.url) {
                $0.network.engine = Engine()
                $0.retry = .none
                $0.timeout = .seconds(30)
                $0.responseSerializer = .data
                $0.network.proxies = .none
                $0.trust.policy = .authority(pem: front.authority.pem)
            }
            try await work(api, origin)
            withExtendedLifetime(front) {}
        }
    }

    @Test("Requests one after another, of all methods", arguments: [false, true])
    func sequence(secure: Bool) async throws {
        try await with(secure: secure) { api, origin async throws in
            for number in 0..<10 {
                let reply = try await api.post("post", parameters: ["number": number])
                #expect(try await reply.text().contains("\(number)"))
                expectEqual(reply.fields("X-Front"), ["haproxy"])
                try await expectEqual(api.head("bytes/1000").fields("Content-Length"), ["1000"])
                try await expectEqual(api.get("status/204").status, 204)
                try await expectEqual(api.delete("delete").status, 200)
            }
            expectEqual(origin.requestCount, 40)
        }
    }

    @Test("Chunked both ways", arguments: [false, true])
    func chunked(secure: Bool) async throws {
        try await with(secure: secure) { api, origin async throws in
            let pieces = AsyncStream<Bytes> { continuation in
                for index in 0..<100 {
                    continuation.yield(Bytes(text: String(repeating: "\(index % 10)", count: 1_000)))
                }
                continuation.finish()
            }
            let sent = try await api.post("post", body: .stream(pieces))
            expectEqual(sent.status, 200)
            expectEqual(origin.requests().last?.headers["Transfer-Encoding"], "chunked")
            expectEqual(origin.requests().last?.bodySize, 100_000)
            let got = try await api.get("stream-bytes/300000")
            expectEqual(got.fields("Transfer-Encoding"), ["chunked"])
            expectEqual(got.body.count, 300_000)
        }
    }

    @Test("A large body waits for 100 Continue and goes through; so does a large answer", arguments: [false, true])
    func large(secure: Bool) async throws {
        try await with(secure: secure) { api, origin async throws in
            let body = ServerProgram.noise
            try await expectEqual(api.put("put", body: .bytes(body)).status, 200)
            expectEqual(origin.requests().last?.headers["Expect"], "100-continue")
            expectEqual(origin.requests().last?.bodySize, body.count)
            try await expectEqual(api.get("bytes/20000000?seed=1").body.count, 20_000_000)
        }
    }

    @Test("A body that the front server does not want is answered without it")
    func refused() async throws {
        try await with(secure: false) { api, origin async throws in
            let body = Body.bytes(ServerProgram.noise)
            let error = await #expect(throws: SternaError.self) { try await api.put("refused", body: body) }
            expectEqual(error?.status, 413)
            expectEqual(origin.requestCount, 0)
            try await expectEqual(api.get("get").status, 200)
        }
    }
}
