import Sterna
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// Ctrl-C on `-O` and `-o`, and `--download`.
@Suite("tern: interrupted files", .timeLimit(.minutes(5)))
struct KeptPartTests {
    private static let content = noise(3_000_000)
    private static let tag = "\"kept\""

    /// Adds `/held.bin`, of which the first request gets the first third, and later ones get what they ask for.
    private func hold(_ server: TestServer, tag: String? = KeptPartTests.tag) -> RequestedRanges {
        let ranges = RequestedRanges()
        server.route("GET", "/held.bin") { request in
            let isFirst = ranges.add(request.headers["Range"]) == 1
            var first = 0
            var headers: ServerHeaders = [:]
            if let tag { headers["ETag"] = tag }
            if let range = request.headers["Range"], let start = Int(range.dropFirst(6).dropLast()),
                request.headers["If-Range"] == tag
            {
                first = start
                headers["Content-Range"] = "bytes \(start)-\(Self.content.count - 1)/\(Self.content.count)"
            }
            let rest = Array(Self.content.dropFirst(first))
            return ServerResponse(
                status: first > 0 ? 206 : 200, headers: headers,
                body: .stream(length: rest.count) { writer in
                    try await writer.write(isFirst ? Array(rest.prefix(1_000_000)) : rest)
                    while isFirst { try await Task.sleep(for: .seconds(60)) }
                })
        }
        return ranges
    }

    /// Starts the command, and interrupts it once it has received bytes.
    private func interrupt(_ arguments: [String], in folder: TemporaryFolder) async throws -> TernProcess.Outcome {
        let process = try TernProcess(arguments, folder: folder.path)
        let end = ContinuousClock.now + .seconds(180)
        while !folder.names.contains(where: { (folder.content($0)?.count ?? 0) > 0 }) {
            try #require(ContinuousClock.now < end, "\(folder.names)")
            try await Task.sleep(for: .milliseconds(10))
        }
        process.signal(SIGINT)
        return try await process.outcome()
    }

    @Test(
        "Ctrl-C keeps the partial file and prints the command that continues",
        arguments: [["-O"], ["-o", "x.bin"]])
    func kept(options: [String]) async throws {
        try await TestServer.withServer { server in
            let ranges = hold(server)
            let folder = try TemporaryFolder()
            let name = options.first == "-o" ? "x.bin" : "held.bin"
            let outcome = try await interrupt(
                options + ["--bearer", "s3cret", server.url("/held.bin"), "X-A:b", "token==s3cret"], in: folder)
            expectEqual(outcome.status, 130)
            expectEqual(folder.names, ["\(name).sterna-part", "\(name).sterna-resume"])
            let lines = outcome.errors.split(separator: "\n").map(String.init)
            expectEqual(lines.count, 2, "\(outcome.errors)")
            #expect(
                lines.first?.hasPrefix("Interrupted; kept ") == true && lines.first?.contains("fill in ***") == true)
            #expect(!outcome.errors.contains("s3cret"))
            let kept = try #require(folder.content("\(name).sterna-part")?.count)
            var words = (lines.last ?? "").replacing("***", with: "s3cret").replacing("'", with: "")
                .replacing("X-A: b", with: "X-A:b").split(separator: " ").map(String.init)
            expectEqual(words.removeFirst(), "tern")
            let continued = try await TernProcess(words, folder: folder.path).outcome()
            expectEqual(continued.status, 0, "\(continued.errors)")
            expectEqual(folder.names, [name])
            expectEqual(folder.content(name), Self.content)
            expectEqual(ranges.values.last, "bytes=\(kept)-")
        }
    }

    @Test("With several requests at once it is printed, too, and with -s it is not", arguments: [true, false])
    func severalAtOnce(isSilent: Bool) async throws {
        try await TestServer.withServer { server in
            _ = hold(server)
            let folder = try TemporaryFolder()
            let outcome = try await interrupt(
                (isSilent ? ["-s"] : []) + ["-Z", "-O", server.url("/held.bin"), "-o", "-", server.url("/get")],
                in: folder)
            expectEqual(outcome.status, 130)
            expectEqual(folder.names, ["held.bin.sterna-part", "held.bin.sterna-resume"])
            expectEqual(outcome.errors.contains("tern download --continue"), !isSilent, "\(outcome.errors)")
        }
    }

    @Test(
        "The command that continues names the file in its folder, and the Referer",
        arguments: [["-O"], ["-o", "held.bin"]])
    func folder(options: [String]) async throws {
        try await TestServer.withServer { server in
            _ = hold(server)
            let folder = try TemporaryFolder()
            let outcome = try await interrupt(
                options + ["--output-dir", folder.path, "-e", "http://from.test/", server.url("/held.bin")], in: folder)
            expectEqual(outcome.status, 130)
            expectEqual(folder.names, ["held.bin.sterna-part", "held.bin.sterna-resume"])
            #expect(outcome.errors.contains("\(folder.path)/held.bin"), "\(outcome.errors)")
            #expect(outcome.errors.contains("Referer: http://from.test/"), "\(outcome.errors)")
        }
    }

    @Test("Without a validator nothing is kept, and a file of an earlier download stays") func notKept() async throws {
        try await TestServer.withServer { server in
            _ = hold(server, tag: nil)
            let folder = try TemporaryFolder()
            let outcome = try await interrupt(["-O", server.url("/held.bin")], in: folder)
            expectEqual(outcome.status, 130)
            expectEqual(folder.names, [])
            expectEqual(outcome.errors, "")
        }
        try await TestServer.withServer { server in
            _ = hold(server)
            let folder = try TemporaryFolder()
            try folder.write("", to: "held.bin.sterna-part")
            let outcome = try await interrupt(["-O", server.url("/held.bin")], in: folder)
            expectEqual(outcome.status, 130)
            expectEqual(folder.names, ["held.bin.sterna-part"])
            expectEqual(folder.content("held.bin.sterna-part"), [])
        }
    }

    @Test("--download saves as tern download does, and --continue resumes it") func download() async throws {
        try await TestServer.withServer { server in
            _ = hold(server)
            let folder = try TemporaryFolder()
            let url = server.url("/held.bin")
            let first = try await interrupt(["--download", url], in: folder)
            expectEqual(first.status, 130)
            expectEqual(folder.names, ["held.bin.sterna-part", "held.bin.sterna-resume"])
            let second = try await TernProcess(["--download", "--continue", url], folder: folder.path).outcome()
            expectEqual(second.status, 0, "\(second.errors)")
            #expect(second.text.contains("continued at"), "\(second.text)")
            expectEqual(folder.content("held.bin"), Self.content)
            let named = try await TernProcess(["--download", "-o", "x", url], folder: folder.path).outcome()
            expectEqual(named.status, 0, "\(named.errors)")
            expectEqual(folder.names, ["held.bin", "x"])
        }
    }
}

/// The Range fields of requests, in order.
private final class RequestedRanges: Sendable {
    private let all = Mutex<[String?]>([])

    var values: [String?] { all.withLock { $0 } }

    /// Adds one; returns their number.
    func add(_ range: String?) -> Int {
        all.withLock { all in
            all.append(range)
            return all.count
        }
    }
}
