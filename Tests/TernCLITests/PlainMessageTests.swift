import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// Errors in the words of the command line.
@Suite("tern: plain messages", .timeLimit(.minutes(5)))
struct PlainMessageTests {
    private func failure(
        _ arguments: [String], _ status: Int32, input: TernProcess.Input = .null,
        location: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let outcome = try await TernProcess(arguments, input: input).outcome()
        expectEqual(outcome.status, status, "\(arguments): \(outcome.errors)", sourceLocation: location)
        #expect(outcome.errors.hasPrefix("tern: "), sourceLocation: location)
        expectEqual(outcome.errors.split(separator: "\n").count, 1, "\(outcome.errors)", sourceLocation: location)
        return outcome.errors
    }

    @Test(
        "The error for an expired limit names --max-time or --timeout, whichever has expired",
        arguments: [
            "/delay/30", "/fault/stall", "/fault/never",
        ])
    func limits(path: String) async throws {
        try await TestServer.withServer { server in
            let all = try await failure(["--max-time", "0.3", server.url(path)], 28)
            #expect(all.contains("within the 0.3 s of --max-time"))
            #expect(!all.contains("--timeout"))
            let step = try await failure(["--timeout", "0.3", "--max-time", "100", server.url(path)], 28)
            #expect(step.contains("--timeout"))
            #expect(!step.contains("--max-time"))
        }
    }

    @Test("Schemes but http and https have one error", arguments: ["htp", "ws", "wss", "ftp", "file", "localhost.x"])
    func schemes(scheme: String) {
        let error = #expect(throws: SternaError.self) { try Target.url("\(scheme)://x/") }
        expectEqual(error?.kind, .invalidURL)
        #expect(
            error?.detail == "The scheme “\(scheme)” is not supported; requests go to http:// and https:// URLs.")
    }

    @Test("All commands have the same error for another scheme", arguments: [[], ["bench"], ["cert"]])
    func schemes(of command: [String]) async throws {
        #expect(try await failure(command + ["ws://x/"], 3).contains("The scheme “ws” is not supported"))
    }

    @Test("The error for a missing socket, or for another file in its place, names --unix-socket")
    func sockets() async throws {
        let folder = try TemporaryFolder()
        try folder.write("x", to: "file")
        let none = try await failure(["--unix-socket", "/nope", "http://x/"], 7)
        expectEqual(
            none, "tern: There is no socket at “/nope”: No such file or directory. Check the path of --unix-socket.\n")
        let file = try await failure(["--unix-socket", folder.path("file"), "http://x/"], 7)
        #expect(file.contains("is not a socket. Check the path of --unix-socket."))
        #expect(try await failure(["bench", "-n", "1", "--unix-socket", "/nope", "http://x/"], 7) == none)
    }

    @Test("The error of serve names a port in use, or a wrong address") func ports() async throws {
        try await TestServer.withServer { server in
            let taken = try await failure(["serve", "--port", "\(server.port)"], 1)
            expectEqual(
                taken,
                "tern: Another program listens on 127.0.0.1:\(server.port) already; choose another port with "
                    + "--port, or any free one with --port 0.\n")
        }
        let foreign = try await failure(["serve", "--port", "0", "--host", "192.0.2.1"], 1)
        #expect(foreign.contains("192.0.2.1 is not an address of this machine"))
        let name = try await failure(["serve", "--port", "0", "--host", "nowhere.invalid"], 1)
        #expect(name.contains("“nowhere.invalid” is not an address"))
    }

    @Test(
        "A second URL is not taken for a header field",
        arguments: [
            "http://127.0.0.1:1/b", "https://b", "HTTP://b", "http: //b", "ws://b", "htp://b", "localhost:8080/x",
            "b.example:80", "http://b/?api_key=s3cret", "http:// ",
            "b.example/c?d=e", "b.example/c?d==e", "localhost/?d:=1", "b.example/c?d@e",
        ])
    func secondURL(argument: String) {
        let error = #expect(throws: UsageError.self) { try ItemParser.parse(argument) }
        expectEqual(error?.message.contains("looks like another URL"), true)
        expectEqual(error?.message.contains("s3cret"), false)
    }

    @Test("With a URL after an item no request is sent") func twoURLs() async throws {
        try await TestServer.withServer { server in
            let words = try await failure([server.url("/get"), "a==1", server.url("/get")], 2)
            #expect(words.contains("looks like another URL"))
            #expect(server.requests().isEmpty)
        }
    }

    @Test("Header fields that look a little like URLs are sent as fields") func fields() async throws {
        try await TestServer.withServer { server in
            let url = server.url("/headers")
            let fields = ["Referer:http://b/c", "X-Port:8080", "a.b: 80", "-HX-A://b"]
            let echo = try JSON(parsing: await TernProcess([url] + fields).outcome().text)["headers"]
            #expect(echo["Referer"] == "http://b/c")
            expectEqual(echo["X-Port"], "8080")
            expectEqual(echo["a.b"], "80")
            #expect(echo["X-A"] == "//b")
        }
    }

    @Test("A body on standard input together with fields is refused without --ignore-stdin") func input() async throws {
        let body = TernProcess.Input.bytes(Array("{}".utf8))
        try await TestServer.withServer { server in
            let url = server.url("/anything")
            for arguments in [
                [url, "a=1"], ["-d", "x", url], ["GET", url, "a=1"], ["-f", url, "a@/etc/hostname"],
            ] {
                #expect(try await failure(arguments, 2, input: body).contains("--ignore-stdin"), "\(arguments)")
            }
            #expect(server.requests().isEmpty)
            let silent = try await failure([url, "a=1"], 2, input: .silence)
            #expect(silent.contains("--ignore-stdin"))
            let ignored = try await TernProcess.run("--ignore-stdin", url, "a=1", input: body)
            try expectEqual(JSON(parsing: ignored.text)["json"], ["a": "1"])
            let empty = try await TernProcess.run(url, "a=1", input: .bytes([]))
            try expectEqual(JSON(parsing: empty.text)["json"], ["a": "1"])
            let query = try await TernProcess.run(url, "a==1", input: body)
            try expectEqual(JSON(parsing: query.text)["json"], [:])
        }
    }
}
