import Testing

@testable import SternaTestSupport

/// `--curl` prints the request instead of sending it.
@Suite(.timeLimit(.minutes(5))) struct CurlOptionTests {
    @Test(arguments: [
        (
            ["--curl", "http://127.0.0.1:1/a", "q==b c"],
            ["curl --http1.1 --compressed 'http://127.0.0.1:1/a?q=b%20c' -H "]
        ),
        (
            ["--curl", "http://127.0.0.1:1/", "a=1", "--form", "User-Agent:"],
            [" -H User-Agent: ", "-H 'Content-Type: application/x-www-form-urlencoded'", " --data-raw 'a=1'"]
        ),
        (["--curl", "HEAD", "http://127.0.0.1:1/"], [" -I "]),
        (["--curl", "--bearer", "s3cret", "http://127.0.0.1:1/"], ["-H 'Authorization: ***'"]),
        (
            ["--curl", "--show-secrets", "--bearer", "s3cret", "http://127.0.0.1:1/"],
            ["'Authorization: Bearer s3cret'"]
        ),
    ])
    func prints(_ arguments: [String], _ parts: [String]) async throws {
        let outcome = try await TernProcess(arguments).outcome()
        expectEqual(outcome.status, 0)
        #expect(outcome.errors.isEmpty)
        expectEqual(outcome.text.split(separator: "\n").count, 1)
        for part in parts { #expect(outcome.text.contains(part), "\(outcome.text)") }
        if !arguments.contains("--show-secrets") { #expect(!outcome.text.contains("s3cret")) }
    }
}
