import Testing

@testable import SternaTestSupport
@testable import TernCLI

@Suite struct TargetTests {
    @Test(arguments: [
        ("example.com", "http://example.com"),
        ("https://example.com/a", "https://example.com/a"),
        ("HTTP://example.com", "HTTP://example.com"),
        ("ftp://x", "ftp://x"),
        ("example.com/?u=http://x", "http://example.com/?u=http://x"),
        ("localhost:8080/x", "http://localhost:8080/x"),
        (":8080/x", "http://localhost:8080/x"),
        (":8080", "http://localhost:8080"),
        (":/x", "http://localhost/x"),
        (":", "http://localhost/"),
        (":?a", "http://localhost?a"),
        ("[::1]:80/", "http://[::1]:80/"),
        ("//host/x", "http://host/x"),
        ("http:/ada:pw@host/x", "http://ada:pw@host/x"),
        ("HTTPS:/host", "https://host"),
        ("", "http://"),
    ])
    func expandsURLs(_ short: String, _ long: String) {
        expectEqual(Target.expand(short), long)
    }

    @Test(
        arguments: [
            (["example.com"], nil, 0),
            (["GET"], nil, 0),
            (["POST", "example.com"], "POST", 0),
            (["post", ":80", "a=1"], "POST", 1),
            (["PURGE", "example.com"], "PURGE", 0),
            (["localhost", "a=1"], nil, 1),
            (["M-SEARCH", "host", "a=1", "b=2"], "M-SEARCH", 2),
        ] as [([String], String?, Int)])
    func sortsArguments(_ arguments: [String], _ method: String?, _ items: Int) throws {
        let target = try Target(arguments)
        expectEqual(target.method, method)
        expectEqual(target.items.count, items)
    }

    @Test func needsAURL() {
        #expect(throws: UsageError.self) { try Target([]) }
    }

    @Test(arguments: [
        (["example.com"], ["request", "example.com"]), (["serve", "--port", "0"], ["serve", "--port", "0"]),
        (["-v", "serve"], ["request", "-v", "serve"]), (["request"], ["request", "request"]),
        (["help"], ["request", "--help"]), (["help", "bench"], ["help", "bench"]), (["--version"], ["--version"]),
    ])
    func sendsWhatNamesNoSubcommandToTheRequest(_ arguments: [String], _ routed: [String]) {
        expectEqual(Tern.routed(arguments), routed)
    }
}
