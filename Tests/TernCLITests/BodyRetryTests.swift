import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// `--retry` and bodies that break off.
@Suite("tern: retries of bodies", .timeLimit(.minutes(5)))
struct BodyRetryTests {
    private static let content = (0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
    private static let retrying = ["--retry", "3", "--retry-all-errors", "--retry-delay", "0.01"]

    private struct Cut: Error {}

    /// Serves a file whose first responses break off, and parts of it on request.
    private func serve(_ server: TestServer, failures: Int, tag: String? = nil) {
        let count = Mutex(0)
        server.route(nil, "/file") { request in
            let isCut = count.withLock { count in
                count += 1
                return count <= failures
            }
            let first = tag == nil ? 0 : request.headers["Range"].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
            var headers: ServerHeaders = [:]
            if let tag { headers["ETag"] = tag }
            if first > 0 { headers["Content-Range"] = "bytes \(first)-\(Self.content.count - 1)/\(Self.content.count)" }
            let rest = Array(Self.content.dropFirst(first))
            return ServerResponse(
                status: first > 0 ? 206 : 200, headers: headers,
                body: .stream(length: rest.count) { writer in
                    try await writer.write(isCut ? Array(rest.prefix(10_000)) : rest)
                    if isCut { throw Cut() }
                })
        }
    }

    @Test(
        "A retry writes the file from its beginning",
        arguments: [["-o", "file"], ["-O"], ["-OJ"], ["-i", "-o", "file"], ["-O", "-d", "a=b"]])
    func file(options: [String]) async throws {
        try await TestServer.withServer { server in
            serve(server, failures: 2)
            let folder = try TemporaryFolder()
            let outcome = try await TernProcess(
                Self.retrying + (options.first == "-i" ? [] : ["-v"]) + options + [server.url("/file")],
                folder: folder.path
            ).outcome()
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            expectEqual(server.requests().count, 3)
            expectEqual(folder.names, ["file"])
            if options.first == "-i" {
                // The file begins with the last head only.
                let text = String(decoding: folder.content("file") ?? [], as: UTF8.self)
                expectEqual(text.ranges(of: "HTTP/1.1 200").count, 1)
                #expect(text.hasPrefix("HTTP/1.1 200"))
                expectEqual(folder.content("file").map { Array($0.suffix(Self.content.count)) }, Self.content)
                expectEqual(outcome.text, "")
            } else {
                expectEqual(folder.content("file"), Self.content)
                #expect(
                    outcome.errors.contains("Retry 2 of 3 in 0.01 s, because of an error (truncated)"),
                    "\(outcome.errors)")
            }
        }
    }

    @Test("Retries of a body and retries before a response share the limit of --retry")
    func limit() async throws {
        try await TestServer.withServer { server in
            let count = Mutex(0)
            server.route("GET", "/file") { _ in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                if number == 1 { return .text("busy", status: 503) }
                return ServerResponse(
                    body: .stream(length: 9) { writer in
                        try await writer.write("abc")
                        throw Cut()
                    })
            }
            let folder = try TemporaryFolder()
            let outcome = try await TernProcess(
                Self.retrying + ["-O", server.url("/file")], folder: folder.path
            ).outcome()
            expectEqual(outcome.status, 18, "\(outcome.errors)")
            expectEqual(server.requests().count, 4)
            #expect(folder.names.isEmpty)
        }
    }

    @Test("Without --retry-all-errors a cut is final", arguments: [["-O"], ["download"]])
    func final(command: [String]) async throws {
        try await TestServer.withServer { server in
            serve(server, failures: 1)
            let folder = try TemporaryFolder()
            let outcome = try await TernProcess(
                command + ["--retry", "3", "--retry-delay", "0.01", server.url("/file")], folder: folder.path
            ).outcome()
            expectEqual(outcome.status, 18)
            expectEqual(server.requests().count, 1)
            #expect(folder.names.isEmpty)
        }
    }

    @Test(
        "A body written to standard output or to a device is not fetched again, and the error says what to do",
        arguments: [[], ["-o", "/dev/null"]])
    func standardOutput(options: [String]) async throws {
        try await TestServer.withServer { server in
            serve(server, failures: 1)
            let outcome = try await TernProcess.run(Self.retrying + options + [server.url("/file")])
            expectEqual(outcome.status, 18)
            #expect(outcome.errors.contains("-o FILE lets --retry do so"), "\(outcome.errors)")
            expectEqual(server.requests().count, 1)
            if options.isEmpty { expectEqual(outcome.output, Array(Self.content.prefix(10_000))) }
        }
    }

    @Test("tern download resumes where the body broke off, or starts over", arguments: ["\"1\"", nil])
    func download(tag: String?) async throws {
        try await TestServer.withServer { server in
            serve(server, failures: 2, tag: tag)
            let folder = try TemporaryFolder()
            let outcome = try await TernProcess(
                ["download"] + Self.retrying + [server.url("/file")], folder: folder.path
            ).outcome()
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            expectEqual(folder.names, ["file"])
            expectEqual(folder.content("file"), Self.content)
            expectEqual(
                server.requests().map { $0.headers["Range"] },
                tag == nil ? [nil, nil, nil] : [nil, "bytes=10000-", "bytes=20000-"])
        }
    }

    @Test("tern download retries no more often than --retry says, and a status from 400 on with --retry-all-errors")
    func downloadLimit() async throws {
        try await TestServer.withServer { server in
            serve(server, failures: 9)
            let folder = try TemporaryFolder()
            let cut = try await TernProcess(
                ["download"] + Self.retrying + [server.url("/file")], folder: folder.path
            ).outcome()
            expectEqual(cut.status, 18, "\(cut.errors)")
            expectEqual(server.requests().count, 4)
            let refused = try await TernProcess(
                ["download"] + Self.retrying + [server.url("/status/404")], folder: folder.path
            ).outcome()
            expectEqual(refused.status, 22)
            expectEqual(server.requests().count, 8)
        }
    }

    @Test("All attempts share --max-time")
    func maxTime() async throws {
        try await TestServer.withServer { server in
            serve(server, failures: 1_000)
            let folder = try TemporaryFolder()
            let outcome = try await TernProcess(
                [
                    "--retry", "1000", "--retry-all-errors", "--retry-delay", "0.1", "--max-time", "1", "-O",
                    server.url("/file"),
                ],
                folder: folder.path
            ).outcome()
            #expect([18, 28].contains(outcome.status), "\(outcome.errors)")
            #expect(server.requests().count < 12)
        }
    }
}
