import NIOCore
import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Files as bodies: by the kernel's own copying in the clear, through memory over TLS.
@Suite("Files as bodies", .timeLimit(.minutes(5)))
struct FileBodyTests {
    @Test(
        "Whole files", arguments: RequestBodyTests.sizes + [(1 << 20) - 1, 1 << 20, (1 << 20) + 1, 256 << 10],
        [false, true])
    func whole(size: Int, secure: Bool) async throws {
        let content = Wire.pattern(size, seed: 4)
        let file = try TestFile(content)
        try await RequestBodyTests.withEcho(secure: secure) { api, server in
            for _ in 0..<2 {
                let reply = try await api.post("echo", body: .file(file.path))
                #expect(Wire.same(reply.body, content))
                expectEqual(server.requests().last?.headers["Content-Length"], "\(size)")
            }
            expectEqual(server.totalConnections, 1)
        }
    }

    @Test(
        "Ranges", arguments: [(0, 1), (1, 99_999), (99_999, 1), (50_000, 0), (100_000, 0), (3, 70_000)], [false, true])
    func ranges(range: (offset: Int, length: Int), secure: Bool) async throws {
        let content = Wire.pattern(100_000, seed: 5)
        let file = try TestFile(content)
        try await RequestBodyTests.withEcho(secure: secure) { api, _ in
            let part = Int64(range.offset)..<Int64(range.offset + range.length)
            let reply = try await api.post("echo", body: .file(file.path, range: part))
            #expect(Wire.same(reply.body, Array(content[range.offset..<range.offset + range.length])))
        }
    }

    @Test(
        "Missing files, folders, devices and unreadable files fail the request",
        arguments: ["/nonexistent/file", "/", "/dev/null", "/dev/zero"])
    func unusable(path: String) async throws {
        let error = #expect(throws: SternaError.self) { try Body.file(path) }
        expectEqual(error?.kind, .fileUnreadable)
        // A range is made without a look at the file, so the transport finds out.
        try await RequestBodyTests.withEcho(secure: false) { api, server in
            let body = Body(segments: [.file(FileRange(path: path, offset: 0, length: 10))])
            await Wire.failure(.fileUnreadable, .write) { try await api.post("echo", body: body) }
            try await server.waitForOpenConnections(0, within: 60)
        }
    }

    @Test("A range beyond the end of the file", arguments: [(0, 101), (100, 1), (101, 1), (1, 100)], [false, true])
    func beyond(range: (offset: Int, length: Int), secure: Bool) async throws {
        let file = try TestFile(Wire.pattern(100))
        try await RequestBodyTests.withEcho(secure: secure) { api, server in
            let part = Int64(range.offset)..<Int64(range.offset + range.length)
            await Wire.failure(.fileUnreadable, .write) {
                try await api.post("echo", body: .file(file.path, range: part))
            }
            try await server.waitForOpenConnections(0, within: 60)
        }
    }

    @Test("A range that begins before the file is an error", arguments: [-1..<10, -5 ..< -2, Int64.min..<Int64.max])
    func negative(range: Range<Int64>) throws {
        let file = try TestFile(Wire.pattern(100))
        let error = #expect(throws: SternaError.self) { try Body.file(file.path, range: range) }
        expectEqual(error?.kind, .fileUnreadable)
        expectEqual(error?.underlying as? BodyFault, .negativeRange(lowerBound: range.lowerBound))
    }

    @Test("A range whose end overflows fails the request")
    func overflow() async throws {
        await #expect(processExitsWith: .success) {
            let body = Body(segments: [.file(FileRange(path: "/etc/passwd", offset: .max, length: 10))])
            try await TestServer.withServer { server in
                let error = await #expect(throws: SternaError.self) {
                    try await Wire.session(server.url).post("post", body: body)
                }
                #expect(error?.kind == .fileUnreadable || error?.kind == .invalidRequest)
            }
        }
    }

    @Test("A file removed after the body was made fails the request")
    func vanished() async throws {
        var file: TestFile? = try TestFile([1, 2, 3])
        let body = try Body.file(file?.path ?? "")
        file = nil
        try await RequestBodyTests.withEcho(secure: false) { api, _ in
            await Wire.failure(.fileUnreadable, .write) { try await api.post("echo", body: body) }
        }
    }

    @Test("A file truncated while it is sent fails the request soon", arguments: [false, true], [0, 5 << 20])
    func truncated(secure: Bool, left: Int) async throws {
        let file = try TestFile([UInt8](repeating: 7, count: 64 << 20))
        let authority = try CertificateAuthority()
        let options = TestServer.Options(tls: secure ? try authority.issue(hosts: ["localhost"]) : nil)
        try await TestServer.withServer(options) { server in
            let path = file.path
            let truncations = Counter()
            server.route("POST", "/slow") { request in
                var count = 0
                for try await piece in request.body {
                    count += piece.count
                    if count > 1 << 20, truncations.add() == 1 { _ = truncate(path, off_t(left)) }
                }
                return .text("\(count)")
            }
            let api = try Wire.session(server.url, authority: authority)
            let before = Self.processorSeconds()
            await Wire.failure(.fileUnreadable, .write) { try await api.post("slow", body: .file(path)) }
            try await server.waitForOpenConnections(0, within: 60)
            // An event loop that spins would burn all of the time.
            #expect(Self.processorSeconds() - before < 20)
            try await expectEqual(api.get("1k").status, 200)
        }
    }

    @Test("A file that has grown fails the request; a range of it is sent as it was", arguments: [false, true])
    func grown(secure: Bool) async throws {
        let content = Wire.pattern(3 << 20)
        let file = try TestFile(content)
        let body = try Body.file(file.path)
        _ = truncate(file.path, 6 << 20)
        try await RequestBodyTests.withEcho(secure: secure) { api, server in
            let error = await #expect(throws: SternaError.self) { try await api.post("echo", body: body) }
            expectEqual(error?.kind, .fileUnreadable)
            #expect(error?.underlying as? BodyFault == .changed(path: file.path))
            try await server.waitForOpenConnections(0, within: 60)
            let range = FileRange(path: file.path, offset: 0, length: Int64(content.count))
            let reply = try await api.post("echo", body: Body(segments: [.file(range)]))
            #expect(Wire.same(reply.body, content))
            try await api.get("1k")
            expectEqual(server.totalConnections, 2)
        }
    }

    static func processorSeconds() -> Double { seconds(CLOCK_PROCESS_CPUTIME_ID) }

    static func threadSeconds() -> Double { seconds(CLOCK_THREAD_CPUTIME_ID) }

    private static func seconds(_ clock: clockid_t) -> Double {
        var usage = timespec()
        clock_gettime(clock, &usage)
        return Double(usage.tv_sec) + Double(usage.tv_nsec) / 1e9
    }
}
