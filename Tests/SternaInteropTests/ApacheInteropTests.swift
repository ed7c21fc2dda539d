import HTTPTypes
import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport

/// Against Apache. Skipped where it is not installed; CI installs it.
@Suite(
    "Interop: Apache", .enabled(if: Apache.program.mayRun, "apache2 is not installed"), .serialized,
    .timeLimit(.minutes(5)))
struct ApacheInteropTests {
    private func session(_ apache: Apache, secure: Bool = false) throws -> Session {
        try Session(baseURL: secure ? apache.secureURL : apache.url) {
            $0.network.engine = Engine()
            $0.retry = .none
            $0.timeout = .seconds(30)
            $0.responseSerializer = .data
            $0.network.proxies = .none
            $0.trust.policy = .authority(pem: apache.authority.pem)
        }
    }

    @Test("Compressed text in chunks, without its length, again and again", arguments: [false, true])
    func chunked(secure: Bool) async throws {
        let apache = try await Apache()
        let api = try session(apache, secure: secure)
        for _ in 0..<5 {
            let reply = try await api.get("tern.txt")
            expectEqual(reply.fields("Transfer-Encoding"), ["chunked"])
            try await expectEqual(reply.text(), Apache.text)
        }
    }

    @Test("A large file, its size by HEAD, a part of it, and 304", arguments: [false, true])
    func file(secure: Bool) async throws {
        let apache = try await Apache()
        let api = try session(apache, secure: secure)
        let expected = ServerProgram.noise
        let head = try await api.head("big.bin")
        expectEqual(head.fields("Content-Length"), ["3000000"])
        expectEqual(head.body.count, 0)
        let whole = try await api.get("big.bin")
        #expect(try whole.data().elementsEqual(expected))
        let part = try await api.get("big.bin", headers: ["Range": "bytes=1000-1999"])
        expectEqual(part.status, 206)
        #expect(try part.data().elementsEqual(expected[1000...1999]))
        let tag = try #require(head.fields("ETag").first)
        for _ in 0..<3 {
            let status = try await api.withResponse(to: .get("big.bin", headers: ["If-None-Match": tag])) { response in
                for try await _ in response.body { Issue.record("304 has no body") }
                return response.status.code
            }
            expectEqual(status, 304)
        }
    }

    @Test("A program's output, of a body of known and of unknown length", arguments: [false, true])
    func program(secure: Bool) async throws {
        let apache = try await Apache()
        let api = try session(apache, secure: secure)
        let known = ServerProgram.noise
        let echoed = try await api.post("cgi/echo", body: .bytes(known))
        #expect(try echoed.data().elementsEqual(known))
        let pieces = AsyncStream<Bytes> { continuation in
            for index in 0..<100 { continuation.yield(Bytes(text: String(repeating: "\(index % 10)", count: 1_000))) }
            continuation.finish()
        }
        let text = (0..<100).map { String(repeating: "\($0 % 10)", count: 1_000) }.joined()
        #expect(try await api.post("cgi/echo", body: .stream(pieces)).data().elementsEqual(Array(text.utf8)))
        try await expectEqual(api.post("cgi/echo", body: .text("")).body.count, 0)
    }

    @Test("A file is uploaded after 100 Continue, and removed", arguments: [false, true])
    func upload(secure: Bool) async throws {
        let apache = try await Apache()
        let api = try session(apache, secure: secure)
        try await expectEqual(api.put("dav/copy.bin", body: try .file("\(apache.documents)/big.bin")).status, 201)
        let stored = try Data(contentsOf: URL(filePath: "\(apache.documents)/dav/copy.bin"))
        #expect(stored.elementsEqual(ServerProgram.noise))
        try await expectEqual(api.delete("dav/copy.bin").status, 204)
    }

    @Test("A body that is not wanted is answered without it", arguments: ["private/copy.bin", "small/echo"])
    func unwanted(path: String) async throws {
        let apache = try await Apache()
        let api = try session(apache)
        let body = Body.bytes(ServerProgram.noise)
        for _ in 0..<3 {
            let error = await #expect(throws: SternaError.self) { try await api.put(path, body: body) }
            expectEqual(error?.status, (path.hasPrefix("private") ? 401 : 413))
        }
        try await expectEqual(api.get("tern.txt").status, 200)
    }

    @Test("Basic credentials")
    func credentials() async throws {
        let apache = try await Apache()
        let api = try session(apache)
        let good = await #expect(throws: SternaError.self) {
            try await api.get("private/x") { $0.auth.header = .basic("ada", "pw1x") }
        }
        expectEqual(good?.status, 404)
        let bad = await #expect(throws: SternaError.self) {
            try await api.get("private/x") { $0.auth.header = .basic("ada", "wrong") }
        }
        expectEqual(bad?.status, 401)
    }

    @Test("Two hundred requests at once")
    func concurrent() async throws {
        let apache = try await Apache()
        let api = try session(apache)
        let good = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let range = number * 1_000..<(number + 1) * 1_000
                    let part = try await api.get(
                        "big.bin", headers: ["Range": "bytes=\(range.lowerBound)-\(range.upperBound - 1)"])
                    return try part.data().elementsEqual(ServerProgram.noise[range])
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        expectEqual(good, 200)
    }
}
