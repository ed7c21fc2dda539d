import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// Files that a server compresses, or labels as compressed by their names.
@Suite("tern: content codings of files", .timeLimit(.minutes(5)))
struct CodedFileTests {
    private static let content = Array("the Arctic tern flies further than any other animal".utf8)
    private static let coded = Zlib.gzip(content)

    private static let commands = [
        ["-s", "-O", "URL"], ["-s", "-o", "NAME", "URL"], ["-s", "-OJ", "URL"], ["-C", "-", "-s", "-O", "URL"],
        ["download", "-s", "URL"], ["download", "-s", "-o", "NAME", "URL"], ["download", "-s", "-O", "-J", "URL"],
        ["-s", "-O", "URL", "Accept-Encoding:identity"],
    ]

    /// Names, and whether the coding is the file's own.
    private static let names = [
        ("a.csv", false), ("a", false), ("a.tar.gz", true), ("a.tgz", true), ("a.csv.gz", true),
    ]

    @Test("Every way of saving decodes a file, unless the coding is the file's own", arguments: commands)
    func saved(command: [String]) async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/files/*") { _ in
                ServerResponse(headers: ["Content-Encoding": "x-gzip"], body: .bytes(Self.coded))
            }
            for (name, isOwn) in Self.names {
                let words = command.map { $0 == "URL" ? server.url("/files/\(name)") : $0 == "NAME" ? name : $0 }
                var runs: [(options: [String], isCoded: Bool)] = [([], isOwn)]
                // Without a coding of its own the file stays coded only by the option.
                if name == "a.csv" { runs.append((["--no-decode"], true)) }
                for (options, isCoded) in runs {
                    let folder = try TemporaryFolder()
                    let outcome = try await TernProcess(words + options, folder: folder.path).outcome()
                    expectEqual(outcome.status, 0, "\(name): \(outcome.errors)")
                    expectEqual(folder.names, [name])
                    expectEqual(folder.content(name), isCoded ? Self.coded : Self.content, "\(name)")
                }
            }
        }
    }

    @Test("Whether a file is decoded depends on the server's name for -O -J, and on the typed name for -o")
    func names() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/files/*") { _ in
                ServerResponse(
                    headers: ["Content-Encoding": "gzip", "Content-Disposition": "attachment; filename=b.tar.gz"],
                    body: .bytes(Self.coded))
            }
            let folder = try TemporaryFolder()
            let url = server.url("/files/a.csv")
            for words in [["-OJ", url], ["-O", url], ["-o", "c.gz", url], ["-o", "d", url]] {
                try await expectEqual(TernProcess(words, folder: folder.path).outcome().status, 0)
            }
            expectEqual(folder.names, ["a.csv", "b.tar.gz", "c.gz", "d"])
            for (name, content) in [
                ("a.csv", Self.content), ("b.tar.gz", Self.coded), ("c.gz", Self.coded), ("d", Self.content),
            ] {
                expectEqual(folder.content(name), content, "\(name)")
            }
        }
    }

    @Test("Standard output is decoded, whatever Accept-Encoding says, except with --no-decode")
    func standardOutput() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/files/*") { _ in
                ServerResponse(
                    headers: ["Content-Encoding": "gzip", "Content-Type": "text/plain"], body: .bytes(Self.coded))
            }
            let url = server.url("/files/a.tar.gz")
            for words in [[url], [url, "Accept-Encoding:identity"], ["-o", "-", url, "Accept-Encoding:gzip"]] {
                try await expectEqual(TernProcess.run(words).output, Self.content)
            }
            try await expectEqual(TernProcess.run("--no-decode", url).output, Self.coded)
            let curl = try await TernProcess.run("--curl", "--no-decode", url)
            #expect(!curl.text.contains("--compressed"), "\(curl.text)")
        }
    }
}
