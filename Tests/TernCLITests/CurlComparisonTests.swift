import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

private let curlPath = "/usr/bin/curl"

/// The same command line given to `tern` and to curl sends the same request, writes the same bytes, and ends in the same way.
/// These are combinations of options; the jobs of docs/Tern.md are compared by `JobTableTests`.
@Suite(
    "tern: compared with curl", .timeLimit(.minutes(5)), .enabled(if: access(curlPath, X_OK) == 0))
struct CurlComparisonTests {
    /// What an echo says of a request, without what differs by design.
    private struct Sent: Hashable {
        var parts: [String]

        init(_ echo: JSON) {
            parts = ["method", "args", "form", "data", "files"].map { "\($0): \(echo[$0])" }
            for name in ["Range", "Referer", "If-Modified-Since", "If-Unmodified-Since", "If-None-Match", "Cookie"] {
                parts.append("\(name): \(echo["headers"][name])")
            }
            // A boundary is random.
            let type = echo["headers"]["Content-Type"].string ?? "none"
            parts.append(type.hasPrefix("multipart/") ? "multipart" : type)
        }
    }

    private func outcome(_ program: String, _ arguments: [String], in folder: TemporaryFolder) async throws
        -> TernProcess.Outcome
    {
        try await TernProcess(arguments, folder: folder.path, program: program).outcome()
    }

    private func files(in folder: TemporaryFolder) throws {
        try folder.write("l1\r\nl 2&x=ü\n", to: "f.txt")
        try folder.write("hi", to: "a.txt")
        try folder.write("\"abc\"\n", to: "tag")
        try folder.write(
            "# a comment\nheader = \"Referer: http://ref/\"\n-d a=1\ndata b=2\nget\n", to: "options")
    }

    @Test(
        "The request is the same",
        arguments: [
            ["-d", "a=1&b=x y", "-d", "c=3"], ["-da=1", "-dc=3"], ["-d", "@f.txt"],
            ["-d", "x", "-d", "@f.txt", "-d", "z"],
            ["--data-binary", "@f.txt"], ["--data-binary", "@f.txt", "-d", "b=1"], ["--data-raw", "@f.txt"],
            ["--data-raw", "a", "-d", "@a.txt", "--data-urlencode", "n=ü", "--data-raw", "z"],
            [
                "--data-urlencode", "a b&c", "--data-urlencode", "n=a b+ü~-._", "--data-urlencode", "=x=y",
                "--data-urlencode", "@f.txt", "--data-urlencode", "n2@f.txt",
            ],
            ["-G", "-d", "a=1", "--data-urlencode", "b=c d", "-d", "e=2"], ["-G", "-X", "POST", "-d", "a=1"],
            ["-F", "a=1", "-F", "f=@a.txt"], ["-F", "g=@a.txt;type=text/csv;filename=n.csv", "--form-string", "h=@;x"],
            ["-F", "h=<a.txt", "-F", "i=\"q;u\""], ["-F", "a=  <b>;type=text/html"], ["-e", "http://ref/;auto"],
            ["-e", ";auto"], ["-T", "a.txt"], ["-T", "a.txt", "-X", "POST"], ["-r", "0-3"],
            ["-e", "http://ref/"], ["-z", "Sun, 06 Nov 1994 08:49:37 GMT"], ["-z", "-20240229"],
            ["-z", "dec 12 12:00:00 1999 GMT"], ["--url-query", "a=b c", "--url-query", "+x=1", "-d", "y=2"],
            ["--etag-compare", "tag"],
            ["-K", "options"], ["-b", "none"], ["-b", "a=b"], ["-sSLfd", "x=1"],
            ["--compressed", "--location", "--show-error", "-H", "Referer: x"],
        ])
    func request(arguments: [String]) async throws {
        let folder = try TemporaryFolder()
        try files(in: folder)
        try await TestServer.withServer { server in
            let words = ["-s"] + arguments + [server.url("/anything")]
            let expected = try await outcome(curlPath, words, in: folder)
            let found = try await outcome(TernProcess.path, words, in: folder)
            expectEqual(found.status, expected.status, "\(arguments): \(found.errors)")
            try expectEqual(
                Sent(JSON(parsing: found.text)), Sent(JSON(parsing: expected.text)), "\(arguments)")
        }
    }

    /// A command line, with `URL` for the server, and the files that it writes.
    private static let written: [(arguments: [String], files: [String])] = [
        (["-f", "URL/status/404"], []), (["-f", "-o", "x", "URL/status/500"], []),
        (["-fsL", "-o", "x", "URL/hop"], ["x"]), (["-sox", "URL/one"], ["x"]),
        (["-O", "URL/one"], ["one"]),
        (["-o", "a", "-o", "b", "URL/one", "URL/two"], ["a", "b"]),
        (["-OO", "URL/one", "URL/two"], ["one", "two"]),
        (["--remote-name-all", "URL/{one,two}"], ["one", "two"]),
        (["-o", "x-#1", "URL/files/[5-5]"], ["x-5"]),
        (["-o", "#1-#2", "URL/files/{a,b}-[01-03:2]"], ["a-01", "a-03", "b-01", "b-03"]),
        (["--output-dir", "none", "-o", "x", "URL/one"], []),
        (["--output-dir", "d", "--create-dirs", "-o", "e/x", "URL/one"], ["d/e/x"]),
        (["--create-dirs", "-o", "d/e/x", "URL/one"], ["d/e/x"]),
        (["-o", "x", "URL/one", "--next", "-o", "y", "-d", "a", "URL/post-text"], ["x", "y"]),
        (["-z", "Mon, 01 Jan 2024 10:00:00 GMT", "-o", "x", "URL/unchanged"], []),
        (["--etag-save", "t", "-o", "x", "URL/tagged"], ["t", "x"]),
        (["URL/one", "URL/two"], []), (["-Z", "-OO", "URL/one", "URL/two"], ["one", "two"]),
        (["-R", "-o", "x", "URL/dated"], ["x"]),
        (["--no-clobber", "-o", "f", "URL/one", "--next", "--no-clobber", "-o", "f", "URL/two"], ["f", "f.1"]),
        (["-w", "%{filename_effective}", "--no-clobber", "-o", "a.txt", "URL/one"], ["a.txt"]),
        (["--no-clobber", "-O", "URL/one", "--next", "--clobber", "-O", "URL/one"], ["one"]),
        (["-z", "Mon, 01 Jan 2024 10:00:00 GMT", "URL/dated"], []),
        (["-z", "Mon, 01 Jan 2024 09:00:00 GMT", "URL/dated"], []),
        (["-z", "-Mon, 01 Jan 2024 10:00:00 GMT", "URL/dated"], []),
        (["-z", "Mon, 01 Jan 2024 10:00:00 GMT", "-o", "x", "URL/dated"], []),
        (["-z", "-Mon, 01 Jan 2024 09:00:00 GMT", "URL/dated"], []), (["-C", "4", "URL/end"], []),
        (["-T", "f.txt", "-C", "2", "URL/rest"], []), (["-K", "next", "URL/two"], []),
        (["-C", "2", "URL/part"], []), (["-C", "0", "URL/one"], []),
        (["-T", "{a.txt,f.txt}", "URL/put/"], []), (["-g", "-T", "{a.txt,f.txt}", "URL/put/"], []),
        (["--fail-early", "-f", "URL/status/404", "URL/one"], []), (["-f", "URL/one", "URL/status/404"], []),
    ]

    @Test("The status, the output and the files are the same", arguments: written.indices)
    func output(index: Int) async throws {
        let (arguments, names) = Self.written[index]
        try await TestServer.withServer { server in
            server.route("GET", "/one") { _ in .text("robots\n") }
            server.route("GET", "/two") { _ in .text("two") }
            server.route("GET", "/hop") { _ in ServerResponse(status: 302, headers: ["Location": "/one"]) }
            server.route("POST", "/post-text") { _ in .text("posted") }
            server.route("GET", "/unchanged") { _ in ServerResponse(status: 304) }
            server.route("GET", "/tagged") { _ in ServerResponse(headers: ["ETag": "\"t\""], body: .bytes([0x61])) }
            server.route("GET", "/end") { _ in
                ServerResponse(status: 416, headers: ["Content-Range": "bytes */4"], body: .bytes([0x61]))
            }
            server.route("PUT", "/rest") { request in
                .text("\(request.headers["Content-Range"] ?? "") \(request.headers["Content-Length"] ?? "")\n")
            }
            server.route("GET", "/part") { request in
                expectEqual(request.headers["Range"], "bytes=2-")
                return ServerResponse(
                    status: 206, headers: ["Content-Range": "bytes 2-3/4"], body: .bytes([0x63, 0x64]))
            }
            server.route("GET", "/dated") { _ in
                ServerResponse(headers: ["Last-Modified": "Mon, 01 Jan 2024 10:00:00 GMT"], body: .bytes([0x61]))
            }
            server.route("PUT", "/put/*") { request in .text("\(request.target)\n") }
            server.route("GET", "/files/*") { request in .text(request.target) }
            let words = ["-s"] + arguments.map { $0.replacing("URL", with: server.url("")) }
            let (one, two) = (try TemporaryFolder(), try TemporaryFolder())
            for folder in [one, two] where arguments.contains("-T") { try files(in: folder) }
            for folder in [one, two] { try folder.write("--next\nurl = \(server.url("/one"))\n--next\n", to: "next") }
            let expected = try await outcome(curlPath, words, in: one)
            let found = try await outcome(TernProcess.path, words, in: two)
            expectEqual(found.status, expected.status, "\(arguments): \(found.errors)")
            expectEqual(found.text, expected.text, "\(arguments): \(found.errors)")
            expectEqual(two.names, one.names, "\(arguments): \(found.errors)")
            for name in names {
                expectEqual(two.content(name), one.content(name), "\(name)")
                #expect(two.content(name) != nil, "\(name)")
                if arguments.contains("-R") { expectEqual(try time(two.path(name)), 1_704_103_200) }
            }
        }
    }

    @Test("-i and -I write the heads before the body to the file of -o", arguments: [["-i"], ["-iL"], ["-I"]])
    func headsInFile(options: [String]) async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/to") { _ in
                ServerResponse(headers: ["Set-Cookie": "a=s3cret"], body: .bytes([0x61, 0x0A]))
            }
            server.route("GET", "/from") { request in
                try await request.inform(103, ["Link": "</a>"])
                return ServerResponse(status: 302, headers: ["Location": "/to"])
            }
            let (one, two) = (try TemporaryFolder(), try TemporaryFolder())
            let words = ["-s"] + options + ["-o", "x", server.url(options == ["-iL"] ? "/from" : "/to")]
            let expected = try await outcome(curlPath, words, in: one)
            let found = try await outcome(TernProcess.path, words, in: two)
            expectEqual(found.status, expected.status, "\(found.errors)")
            expectEqual(found.text, "")
            let lines = [one, two].map { folder in
                String(decoding: folder.content("x") ?? [], as: UTF8.self).split(
                    separator: "\r\n", omittingEmptySubsequences: false
                ).map(String.init)
                    .filter { !$0.lowercased().hasPrefix("date:") }
                    // The library does not keep the phrase of an interim response.
                    .map { $0.hasPrefix("HTTP/1.1 103") ? String($0.prefix(12)) : $0 }
            }
            expectEqual(lines[1], lines[0])
            expectEqual(lines[1].contains("Set-Cookie: a=s3cret"), true)
        }
    }

    private func time(_ path: String) throws -> Int? {
        let date = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
        return date.map { Int($0.timeIntervalSince1970) }
    }

    @Test("-D writes the heads of all responses as curl does") func heads() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/to") { _ in
                ServerResponse(headers: ["Set-Cookie": "a=s3cret"], body: .bytes([0x61]))
            }
            server.route("GET", "/from") { _ in ServerResponse(status: 302, headers: ["Location": "/to"]) }
            let (one, two) = (try TemporaryFolder(), try TemporaryFolder())
            let words = ["-sL", "-D", "h", server.url("/from")]
            let expected = try await outcome(curlPath, words, in: one)
            let found = try await outcome(TernProcess.path, words, in: two)
            expectEqual(found.text, expected.text)
            let lines = [one, two].map { folder in
                String(decoding: folder.content("h") ?? [], as: UTF8.self).split(
                    separator: "\r\n", omittingEmptySubsequences: false
                ).map(String.init)
                    .filter { !$0.lowercased().hasPrefix("date:") }
            }
            expectEqual(lines[1], lines[0])
            expectEqual(lines[1].contains("Set-Cookie: a=s3cret"), true)
            // What may be a terminal shows no secret.
            let shown = try await outcome(TernProcess.path, ["-D", "-", server.url("/to")], in: two)
            #expect(shown.text.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(shown.text)")
            #expect(!shown.text.contains("s3cret"))
            // Later requests of a command line continue the file.
            let both = try await outcome(TernProcess.path, ["-D", "h", server.url("/to"), server.url("/to")], in: two)
            expectEqual(both.status, 0, "\(both.errors)")
            let heads = String(decoding: two.content("h") ?? [], as: UTF8.self)
            expectEqual(heads.ranges(of: "HTTP/1.1 200 OK").count, 2, "\(heads)")
        }
    }

    @Test("The first request empties each file of -D, also with several at once, and a new one is private")
    func dumpFiles() async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            try folder.write("old", to: "h1")
            try folder.write("old", to: "h2")
            let words = ["-s", "-D", "h1", server.url("/get"), "--next", "-D", "h2", server.url("/get")]
            expectEqual(try await outcome(TernProcess.path, words, in: folder).status, 0)
            let urls = Array(repeating: server.url("/get"), count: 20)
            let all = ["-s", "-Z", "-D", "h3"] + urls
            expectEqual(try await outcome(TernProcess.path, all, in: folder).status, 0)
            for (name, count) in [("h1", 1), ("h2", 1), ("h3", 20)] {
                let heads = String(decoding: folder.content(name) ?? [], as: UTF8.self)
                #expect(heads.hasPrefix("HTTP/1.1 200 OK"), "\(heads)")
                expectEqual(heads.ranges(of: "HTTP/1.1 200 OK").count, count, "\(name)")
            }
            let mode = try FileManager.default.attributesOfItem(atPath: folder.path("h3"))[.posixPermissions] as? Int
            expectEqual(mode, 0o600)
        }
    }
}
