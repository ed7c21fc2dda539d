import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// One table says what is a secret, wherever a request is shown.
@Suite("tern: secrets are hidden", .timeLimit(.minutes(5)))
struct ShownSecretsTests {
    static let items = [
        "X-Api-Key:s3cret1", "X-Auth-Token:s3cret2", "Private-Token:s3cret3", "api_key==s3cret4",
        "Authorization:Bearer s3cret5", "Cookie:id=s3cret6", "Proxy-Authorization:Basic s3cret7",
        "access_token==s3cret8",
        "Referer:http://a/?token=s3cret9", "X-Amz-Security-Token:s3cret10", "password=s3cret11",
    ]

    @Test(
        "-v, --print H, --print m and --curl hide the same secrets",
        arguments: [
            ["-v"], ["-pHBhm"], ["--curl"], ["-v", "--form", "--pretty", "all"],
        ])
    func hides(options: [String]) async throws {
        try await TestServer.withServer { server in
            let url = server.url("/status/204")
            let hidden = try await TernProcess(options + [url, "X-Plain:shown", "q==shown"] + Self.items).outcome()
            expectEqual(hidden.status, 0, "\(hidden.errors)")
            #expect(!(hidden.text + hidden.errors).contains("s3cret"), "\(hidden.text)")
            for text in ["X-Plain", "shown", "q=shown", "api_key=***"] {
                #expect(hidden.text.contains(text), "\(text)")
            }
            let open = try await TernProcess(options + ["--show-secrets", url] + Self.items).outcome()
            for number in [1, 2, 3, 4, 8] { #expect(open.text.contains("s3cret\(number)"), "\(open.text)") }
        }
    }

    @Test("-v hides the secrets of redirects and responses, too") func answers() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/start") { _ in
                ServerResponse(
                    status: 302,
                    headers: ["Location": "/status/204?token=s3cret", "Set-Cookie": "id=s3cret", "X-Api-Key": "s3cret"])
            }
            let shown = try await TernProcess.run("-v", server.url("/start"), "X-Api-Key:s3cret")
            expectEqual(shown.status, 0)
            #expect(!(shown.text + shown.errors).contains("s3cret"), "\(shown.text)\(shown.errors)")
            #expect(shown.errors.contains("/status/204?token=*** (redirect)"), "\(shown.errors)")
            #expect(shown.text.contains("GET /status/204?token=*** HTTP/1.1\n"))
            #expect(shown.text.contains("Location: /status/204?token=***\n"))
        }
    }

    @Test(
        "Only secrets in the query of a request target are hidden",
        arguments: [
            ("/", "/"), ("/a?b=c", "/a?b=c"), ("/a?token=x&b=c", "/a?token=***&b=c"), ("*", "*"), ("/a?", "/a?"),
        ])
    func targets(target: String, shown: String) { expectEqual(Redaction.show(target: target), shown) }
}
