import ArgumentParser
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// Where connections begin and lead.
@Suite("tern: connections", .timeLimit(.minutes(5)))
struct DialOptionTests {
    private func status(_ arguments: [String]) async throws -> (Int32, String) {
        let outcome = try await TernProcess(arguments).outcome()
        return (outcome.status, outcome.errors)
    }

    @Test("--connect-to leads to another host") func connectTo() async throws {
        try await TestServer.withServer { server in
            for option in ["a.test:\(server.port):127.0.0.1:\(server.port)", "::127.0.0.1:", "::[127.0.0.1]:"] {
                let (code, errors) = try await status(["--connect-to", option, "http://a.test:\(server.port)/get"])
                expectEqual(code, 0, "\(option): \(errors)")
                expectEqual(server.requests().last?.headers["Host"], "a.test:\(server.port)")
            }
        }
    }

    @Test("--connect-to leads to another port; requests and credentials go by the URL's host") func connectToPort()
        async throws
    {
        let folder = try TemporaryFolder()
        try folder.write(
            "machine a.test login ada password s3cret\nmachine 127.0.0.1 login b password c\n", to: "netrc")
        try await TestServer.withServer { server in
            let port = server.port
            for options in [
                ["a.test:80:127.0.0.1:\(port)"], ["::127.0.0.1:\(port)"], [":80:127.0.0.1:\(port)"],
                ["A.test::127.0.0.1:\(port)"],
                // The first one counts.
                ["b.test:80:127.0.0.1:1", "a.test:81:127.0.0.1:1", "a.test::127.0.0.1:\(port)", "::127.0.0.1:1"],
            ] {
                let words = options.flatMap { ["--connect-to", $0] } + ["--netrc-file", folder.path("netrc")]
                let (code, errors) = try await status(words + ["http://a.test/get"])
                expectEqual(code, 0, "\(options): \(errors)")
                expectEqual(server.requests().last?.headers["Host"], "a.test")
                // Over http, names other than this machine's get no password at once.
                #expect(server.requests().last?.headers["Authorization"] == nil)
            }
            for words in [
                [
                    "--resolve", "b.test:\(port):127.0.0.1", "--connect-to", "a.test:80:b.test:\(port)",
                    "http://a.test/get",
                ],
                ["--connect-to", "127.0.0.1:1::\(port)", "http://127.0.0.1:1/get"],
            ] {
                let (code, errors) = try await status(words)
                expectEqual(code, 0, "\(words): \(errors)")
            }
            let (code, errors) = try await status(["--connect-to", "::127.0.0.1:1", "http://a.test/get"])
            expectEqual(code, 7)
            #expect(errors.contains("port 1"), "\(errors)")
        }
    }

    @Test("--connect-to that a proxy would ignore is an error") func connectToByProxy() async throws {
        let proxy = ["-x", "http://127.0.0.1:1", "--connect-to"]
        let (code, errors) = try await status(proxy + ["::127.0.0.1:2", "http://a.test/get"])
        expectEqual(code, 2)
        #expect(errors.contains("--proxy none"), "\(errors)")
        let (other, _) = try await status(proxy + ["b.test::127.0.0.1:2", "http://a.test/get"])
        expectEqual(other, 7)
    }

    @Test(
        "--path-as-is and --request-target send a path as it is",
        arguments: [
            (["--path-as-is"], "/a/../b/./%2e?x=../y#f", "/a/../b/./%2e?x=../y&q=1"),
            (["--path-as-is"], "?x", "/?x&q=1"), (["--path-as-is"], "", "/?q=1"),
            (["--path-as-is"], "/é/..", "/%C3%A9/..?q=1"), ([], "/a/../b", "/b?q=1"),
            (["--request-target", "/x/../y z"], "/a?b", "/x/../y%20z?q=1"),
        ])
    func target(options: [String], path: String, expected: String) async throws {
        try await TestServer.withServer { server in
            let url = "http://127.0.0.1:\(server.port)\(path)"
            let (code, errors) = try await status(options + [url, "q==1"])
            expectEqual(code, 0, "\(errors)")
            expectEqual(server.requests().map(\.target), [expected])
            let curl = try await TernProcess(options + ["--curl", url, "q==1"]).outcome()
            expectEqual(curl.text.hasPrefix("curl --path-as-is "), !options.isEmpty, "\(curl.text)")
            #expect(curl.text.contains("127.0.0.1:\(server.port)\(expected)"), "\(curl.text)")
        }
    }

    @Test(
        "--path-as-is finds the path where the URL's parser finds it",
        arguments: [
            ("http://host/\u{301}/../b", "/%CC%81/../b"), ("http://host\\a/../b", "/a/../b"),
            ("http:///host/a/../b", "/a/../b"), ("http://host", "/"), ("http://host#/a", "/"),
        ])
    func typedTarget(text: String, expected: String) throws {
        let url = try HTTPURL(text)
        let sent = try DialOptions.parse(["--path-as-is"]).sent(url, typed: text, addedQuery: "")
        expectEqual(sent.requestTarget, expected)
        expectEqual(sent.origin, url.origin)
    }

    @Test("A file gets the name of the URL's own path, without dots") func nameAsIs() async throws {
        let folder = try TemporaryFolder()
        try await TestServer.withServer { server in
            let words = ["--path-as-is", "-s", "-O", "http://127.0.0.1:\(server.port)/1k/x/../../1k"]
            let outcome = try await TernProcess(words, folder: folder.path).outcome()
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            expectEqual(folder.names, ["1k"])
        }
    }

    @Test("--interface names an address or an interface") func interface() async throws {
        try await TestServer.withServer { server in
            for source in ["127.0.0.2", "lo", "if!lo"] {
                let (code, errors) = try await status(["--interface", source, server.url("/get")])
                expectEqual(code, 0, "\(source): \(errors)")
            }
            expectEqual(server.requests().count, 3)
            let (code, errors) = try await status(["--interface", "no-such-0", server.url("/get")])
            expectEqual(code, 2)
            #expect(errors.contains("this machine has") && errors.contains("lo"), "\(errors)")
        }
    }

    @Test(
        "--proto allows the schemes of its list",
        arguments: [
            ("=https", false), ("https", true), ("=http,https", true), ("-http", false), ("-all,https", false),
            ("=all", true),
        ])
    func proto(list: String, allowsHTTP: Bool) throws {
        let options = try DialOptions.parse(["--proto=\(list)"])
        try options.check(HTTPURL("https://a/"))
        let isAllowed = (try? options.check(HTTPURL("http://a/"))) != nil
        expectEqual(isAllowed, allowsHTTP)
    }

    @Test(
        "What makes no sense is refused",
        arguments: [
            ["--proto==http"], ["--connect-to", "a:b"], ["--connect-to", "a:x:b:1"], ["--interface="],
            ["--ciphers", "RC4-MD5"], ["--request-target", "*"], ["--request-target", "a"],
        ])
    func refused(arguments: [String]) {
        #expect(throws: (any Error).self) { try DialOptions.parse(arguments) }
    }

    @Test("--ciphers takes OpenSSL's names") func ciphers() throws {
        let options = try DialOptions.parse(["--ciphers", "ECDHE-RSA-AES128-GCM-SHA256:ecdhe-ecdsa-aes256-gcm-sha384"])
        try expectEqual(options.suites(), [.ecdheRSAWithAES128GCM, .ecdheECDSAWithAES256GCM])
    }

    @Test("--max-filesize refuses longer bodies, and writes no file", arguments: ["/1k", "/stream-bytes/1024"])
    func size(path: String) async throws {
        let folder = try TemporaryFolder()
        try await TestServer.withServer { server in
            let words = ["--max-filesize", "1000", "-o", folder.path("x"), server.url(path)]
            let (code, errors) = try await status(words)
            expectEqual(code, 63, "\(errors)")
            expectEqual(folder.names, [])
            let (fits, other) = try await status(["--max-filesize", "1k", "-o", folder.path("x"), server.url(path)])
            expectEqual(fits, 0, "\(other)")
            expectEqual(folder.names, ["x"])
        }
    }

    @Test(
        "Dates of -z",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("1994-11-06", 784_080_000), ("19941106", 784_080_000),
            ("6 Nov 1994", 784_080_000), ("1994-11-06 08:49:37", 784_111_777), ("1994-11-06T08:49:37Z", 784_111_777),
            ("1994-02-30", nil), ("a.txt", nil), ("", nil), ("1994-11-06 25:00", nil), ("20240229", 1_709_164_800),
            ("2023-02-29", nil), ("1970-01-01", 0), ("1994-11-06 08:49:37 GMT", 784_111_777),
            ("6 Nov 1994 08:49:37 UTC", 784_111_777), ("1994-11-06 08:49:37 Z", 784_111_777), ("GMT", nil),
            ("nov 6 08:49:37 1994 GMT", 784_111_777), ("Nov 6 1994", 784_080_000), ("6 Nov 08:49:37 1994", 784_111_777),
            ("08:49:37 6 Nov 1994", nil), ("Nov Nov 1994", nil),
        ] as [(String, Int64?)])
    func dates(text: String, seconds: Int64?) {
        expectEqual(TimeText.seconds(text), seconds)
        if let seconds { expectEqual(HTTPDate.seconds(TimeText.field(seconds)), seconds) }
    }
}
