import ArgumentParser
import HTTPTypes
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// Options that users of curl and HTTPie type by habit.
@Suite("tern: options by habit", .timeLimit(.minutes(5)))
struct HabitOptionTests {
    private func echo(_ arguments: [String], at path: String = "/anything") async throws -> JSON {
        try await TestServer.withServer { server in
            let outcome = try await TernProcess(arguments.map { $0.replacing("URL", with: server.url(path)) }).outcome()
            expectEqual(outcome.status, 0, "\(arguments): \(outcome.errors)")
            return try JSON(parsing: outcome.text)
        }
    }

    @Test("-d sends a text unchanged, as a form unless a header field or an option names another type")
    func data() async throws {
        let form = try await echo(["-d", "a=1&b=x y", "-d", "c=3", "URL"])
        expectEqual(form["method"], "POST")
        expectEqual(form["headers"]["Content-Type"], "application/x-www-form-urlencoded")
        expectEqual(form["form"], ["a": "1", "b": "x y", "c": "3"])
        let json = try await echo(["-XPUT", "-H", "Content-Type: application/json", "-d{\"a\":1}", "URL"])
        expectEqual(json["method"], "PUT")
        expectEqual(json["headers"]["Content-Type"], "application/json")
        expectEqual(json["json"], ["a": 1])
        try await expectEqual(echo(["-j", "-d", "[1]", "URL"])["json"], [1])
        let folder = try TemporaryFolder()
        try folder.write("line\nline\n", to: "f.txt")
        let file = try await echo(["-H", "Content-Type: text/plain", "-d", "@\(folder.path("f.txt"))", "URL"])
        // As in curl.
        expectEqual(file["data"], "lineline")
        expectEqual(file["headers"]["Content-Type"], "text/plain")
        let binary = try await echo([
            "-H", "Content-Type: text/plain", "--data-binary", "@\(folder.path("f.txt"))", "URL",
        ])
        expectEqual(binary["data"], "line\nline\n")
    }

    @Test("-d @- sends standard input") func input() async throws {
        try await TestServer.withServer { server in
            let outcome = try await TernProcess.run(
                "-d", "@-", "PATCH", server.url("/anything"), input: .bytes(Array("a=1".utf8)))
            let echo = try JSON(parsing: outcome.text)
            expectEqual(echo["method"], "PATCH")
            expectEqual(echo["form"], ["a": "1"])
        }
    }

    @Test("-H @FILE has a field on each line, and --url-query adds to the query") func fieldsOfAFile() async throws {
        let folder = try TemporaryFolder()
        try folder.write("X-A: 1\r\nX-B:\nX-C: a: b\n\nUser-Agent:", to: "fields")
        let sent = try await echo([
            "-H", "@\(folder.path("fields"))", "-HX-D: 4", "--url-query", "q=a b&", "--url-query", "+r=%20", "-d",
            "x=1",
            "URL",
        ])
        expectEqual(sent["headers"]["X-A"], "1")
        expectEqual(sent["headers"]["X-C"], "a: b")
        expectEqual(sent["headers"]["X-D"], "4")
        #expect(sent["headers"]["User-Agent"].string == nil)
        expectEqual(sent["args"], ["q": "a b&", "r": " "])
        expectEqual(sent["form"], ["x": "1"])
    }

    @Test("-C NUMBER is an error if the server sends the whole body") func wholeBody() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/whole") { _ in .text("abcd") }
            let outcome = try await TernProcess.run("-C", "2", server.url("/whole"))
            expectEqual(outcome.status, 1)
            expectEqual(outcome.text, "")
            #expect(outcome.errors.contains("byte 2"), "\(outcome.errors)")
        }
    }

    @Test(
        "Another type of -H or an item is that of the form, with the form's boundary",
        arguments: [
            ["-F", "a=b", "-H", "Content-Type: application/x-parts", "URL"],
            ["-F", "a=b", "URL", "Content-Type:application/x-parts"],
            ["--multipart", "URL", "a=b", "Content-Type:application/x-parts"],
        ])
    func formType(words: [String]) async throws {
        let sent = try await echo(words)
        let type = sent["headers"]["Content-Type"].string ?? ""
        #expect(type.hasPrefix("application/x-parts; boundary="), "\(type)")
        let boundary = type.dropFirst("application/x-parts; boundary=".count)
        #expect(sent["data"].string?.contains("--\(boundary)--") == true, "\(sent)")
    }

    @Test("A multipart type of -H keeps its parameters, and -i shows the head that --fail rejects")
    func multipartType() async throws {
        let sent = try await echo(["-F", "a=b", "-H", "Content-Type: multipart/form-data; charset=utf-8", "URL"])
        expectEqual(sent["form"], ["a": "b"])
        let type = sent["headers"]["Content-Type"].string ?? ""
        #expect(type.hasPrefix("multipart/form-data; charset=utf-8; boundary="), "\(type)")
        try await TestServer.withServer { server in
            let outcome = try await TernProcess.run("-f", "-i", server.url("/status/404"))
            expectEqual(outcome.status, 22)
            #expect(outcome.text.hasPrefix("HTTP/1.1 404"), "\(outcome.text)")
        }
    }

    @Test("-X, -A, -b and -H set the method and header fields") func fields() async throws {
        let sent = try await echo([
            "-X", "delete", "-A", "agent/1", "-b", "a=b", "-b", "c=d", "-H", "X-A: 1:2", "-HX-B:3", "-H", "Accept:",
            "URL",
        ])
        expectEqual(sent["method"], "DELETE")
        expectEqual(sent["headers"]["User-Agent"], "agent/1")
        expectEqual(sent["headers"]["Cookie"], "a=b; c=d")
        expectEqual(sent["headers"]["X-A"], "1:2")
        expectEqual(sent["headers"]["X-B"], "3")
        expectEqual(sent["headers"]["Accept"], .null)
        try await expectEqual(echo(["-X", "POST", "POST", "URL"])["method"], "POST")
    }

    @Test("-I, -i, -p and -s choose the parts that are shown") func shown() async throws {
        try await TestServer.withServer { server in
            let url = server.url("/1k")
            let head = try await TernProcess.run("-I", url)
            expectEqual(head.status, 0)
            #expect(head.text.hasPrefix("HTTP/1.1 200 OK\n"))
            #expect(head.text.contains("Content-Length: 1024\n"))
            #expect(!head.text.contains("\n\n"))
            expectEqual(server.requests().last?.method, "HEAD")
            let both = try await TernProcess.run("-is", url)
            #expect(both.text.hasPrefix("HTTP/1.1 200 OK\n"))
            #expect(both.output.count > 1_024)
            for option in [["-p", "h"], ["-ph"]] {
                #expect(try await TernProcess(option + [url]).outcome().text.hasPrefix("HTTP/1.1 200 OK\n"))
            }
            #expect(
                try await TernProcess.run("-sL", server.url("/redirect/1"), "--print", "h").text.contains(" 200 OK\n"))
        }
    }

    @Test("-O and -J name the file, and never one in another folder") func names() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/files/*") { request in
                ServerResponse(
                    headers: ["Content-Disposition": "attachment; filename=\"../../etc/.given name.txt\""],
                    body: .bytes(Array("content".utf8)))
            }
            let folder = try TemporaryFolder()
            let plain = try await TernProcess(
                ["-sO", server.url("/files/a%20b.bin?x=1")], folder: folder.path
            ).outcome()
            expectEqual(plain.status, 0, "\(plain.errors)")
            #expect(plain.output.isEmpty)
            expectEqual(folder.names, ["a b.bin"])
            let named = try await TernProcess(["-OJ", server.url("/files/x")], folder: folder.path).outcome()
            expectEqual(named.status, 0, "\(named.errors)")
            expectEqual(named.errors, "Saved to given name.txt\n")
            expectEqual(folder.names, ["a b.bin", "given name.txt"])
            expectEqual(folder.content("given name.txt"), Array("content".utf8))
            let again = try await TernProcess(["-OJ", server.url("/files/x")], folder: folder.path).outcome()
            expectEqual(again.status, 23)
            #expect(again.errors.contains("given name.txt"))
            #expect(again.errors.contains("exists"))
            let cut = try await TernProcess(["-OJ", server.url("/fault/close-half")], folder: folder.path).outcome()
            expectEqual(cut.status, 18)
            expectEqual(folder.names, ["a b.bin", "given name.txt"])
        }
    }

    @Test("A server's name in Latin-1 keeps its letters", arguments: [["-sOJ"], ["download", "-s"]])
    func latin1Name(arguments: [String]) async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Disposition: attachment; filename=\"Gr"
        try await TestServer.withServer { server in
            server.route("GET", "/named") { _ in
                ServerResponse(
                    body: .raw { connection in
                        try await connection.write(Array(head.utf8) + [0xF6, 0xDF] + Array("e.pdf\"\r\n\r\nabc".utf8))
                    })
            }
            let folder = try TemporaryFolder()
            let outcome = try await TernProcess(arguments + [server.url("/named")], folder: folder.path).outcome()
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            expectEqual(folder.names, ["Größe.pdf"])
        }
    }

    @Test(
        "Content-Disposition gives a safe base name",
        arguments: [
            ("attachment; filename=a.txt", "a.txt"), ("attachment; filename=\"a; b.txt\"", "a; b.txt"),
            ("attachment; filename=x; filename*=UTF-8''na%C3%AFve.txt", "naïve.txt"),
            ("attachment; filename*=iso-8859-1'en'%A3.txt", "£.txt"), ("attachment; filename=/etc/passwd", "passwd"),
            ("attachment; filename=\"..\\\\..\\\\boot.ini\"", "boot.ini"), ("attachment; filename=.bashrc", "bashrc"),
            ("attachment; filename=\"..\"", nil), ("attachment; filename=\"a/\"", nil), ("inline", nil), ("", nil),
            ("attachment; filename*=UTF-8''%2e%2e%2Fa%00b", "ab"), ("attachment; filename=-rf", "rf"),
            ("attachment; filename*=UTF-8''%", nil),
        ] as [(String, String?)])
    func disposition(field: String, name: String?) throws {
        let fields: HTTPFields = [.contentDisposition: field]
        let response = Response(status: .ok, section: FieldSection(fields), url: try HTTPURL("http://h/"))
        expectEqual(DownloadFileName.name(suggestedBy: response), name)
    }

    @Test(
        "The last segment of a URL's path gives the name",
        arguments: [
            ("http://a/b/c.zip?x=/y", "c.zip"), ("http://a/", nil), ("http://a/b/", nil), ("http://a/%2e%2e%2fx", "x"),
            ("http://a/%ff", "%ff"), ("http://a/b%20c", "b c"),
        ] as [(String, String?)])
    func ofURL(url: String, name: String?) throws { expectEqual(DownloadFileName.name(of: try HTTPURL(url)), name) }

    @Test("A long name is shortened to fit a file system") func longName() {
        expectEqual(DownloadFileName.safe(String(repeating: "é", count: 300))?.utf8.count, 254)
    }

    @Test(
        "The error for an unknown or wrong option names what to write instead",
        arguments: [
            (["-b", "/etc/passwd", "http://a/"], "neither"), (["-b", "a.example"], "--print b"),
            (["-c", "-", "http://a/"], "tern cookies"), (["-c", "a", "--session", "b", "http://a/"], "exclude"),
            (["-c", "a", "--cookie-jar", "b", "http://a/"], "one of them"),
            (["--save-cookies", "x", "http://a/"], "--cookie-jar FILE"), (["-b", "http://a/"], "--print b"),
            (["-A", "digest", "http://a/"], "--auth-type"),
            (["--digest", "http://a/"], "needs --auth"), (["-F", "a", "http://a/"], "name=@file"),
            (["-F", "a=b;c=d", "http://a/"], ";filename="),
            (["-F", "a=\"b\"c", "http://a/"], "closing quote"),
            (["-F", "a=b", "-d", "c", "http://a/"], "whole body"),
            (["-T", "-", "http://a/", "a=b"], "-T is the whole body"),
            (["-T", "f", "-d", "c", "http://a/"], "whole body"), (["-G", "http://a/"], "-d name=value"),
            (["-r", "x", "http://a/"], "0-99"), (["-z", "yesterday-ish", "http://a/"], "1994"),
            (["--etag-save", "/none/such", "http://127.0.0.1:1/"], "/none/such"),
            (["-L", "--no-follow", "http://a/"], "exclude"),
            (["--output-document", "x", "http://a/"], "-o FILE"),
            (["--no-check-certificate", "http://a/"], "--insecure"),
            (["--pass", "x", "http://a/"], "TERN_KEY_PASSWORD"), (["--ntlm", "http://a/"], "not supported"),
            (["http://a/", "{\"k\":\"s3cret\"}"], "--json -d"), (["--json", "{\"k\":1}", "http://a/"], "--json -d"),
            (["--bearer", "", "http://a/"], "empty"), (["--connect-timeout", "0", "http://a/"], "above 0"),
            (["--download", "http://a/", "a=b"], "without a body"), (["--continue", "http://a/"], "--download"),
            (["--session", "../x y", "--session-read-only", "x", "http://a/"], "exclude"),
            (["--session", "x y", "http://a/"], "letters, digits"), (["--session", "..", "http://a/"], "dot"),
            (["--location-trusted", "--session", "./nonexistent.json", "http://a/"], "--location-trusted"),
            (["-J", "http://a/x"], "-O"),
            (["-O", "GET", "http://a/"], "-o FILE"), (["-O", "-o", "x", "http://a/x"], "exclude"),
            (["-X", "POST", "GET", "http://a/"], "two methods"), (["-I", "-d", "x", "http://a/"], "--head"),
            (["-I", "-X", "POST", "http://a/"], "exclude"), (["-d", "x", "http://a/", "a=b"], "whole body"),
            (["-H", "@none", "http://a/"], "none"), (["-H", "@-", "http://a/"], "standard input"),
            (["-C", "5", "-o", "x", "http://a/"], "standard output"), (["-C", "5", "-r", "1-", "http://a/"], "-r"),
            (["-C", "x", "http://a/"], "-C -"),
            (["-H", "s3cret", "http://a/"], "colon"), (["-y", "3", "http://a/"], "--timeout"),
            (["-sY3", "http://a/"], "write --timeout"), (["--socks4", "b:1", "http://a/"], "socks5://"),
            (["--form-escape", "http://a/"], "%22"), (["--proxytunnel", "http://a/"], "https"),
            (["--raw", "http://a/"], "--no-decode"), (["--proxy-ntlm", "http://a/"], "--proxy-user"),
            (["--request-target", "*", "http://a/"], "slash"), (["-0", "http://a/"], "--http1.1"),
            (["-m", "http://a/"], "--meta"), (["http://a/", "-m"], "--meta"),
            (["http://a/", "-b"], "--print b"), (["http://a/x", "-d"], "-O"), (["-d", "http://a/x"], "-O"),
        ])
    func advice(arguments: [String], text: String) async throws {
        let words = await refusal(arguments)
        #expect(words.contains(text), "\(words)")
        #expect(!words.contains { $0.isNewline })
        #expect(!words.contains("s3cret"))
    }

    /// The message with which the command line is refused, in this process; nothing is sent.
    private func refusal(_ arguments: [String]) async -> String {
        do {
            var command = try Tern.command(of: Tern.routed(arguments))
            if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
            Issue.record("\(arguments) must be refused.")
            return ""
        } catch {
            return ErrorLine.text(for: error) ?? Tern.usageLine(for: error)
        }
    }
}
