import NIOCore
import SternaCore
import SternaPlatform
import SternaRecorder
import SternaTesting
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// Secrets are in no document and no folder unless asked.
@Suite("Recorder: secrets", .timeLimit(.minutes(5)))
struct RecorderSecretsTests {
    /// Returns the n-th planted secret.
    private static func secret(_ number: Int) -> String { "planted-\(number)-x" }

    /// The secrets that no connection sees: fragments.
    private static let unsent: Set<Int> = [12, 20]

    /// Records calls with 21 secrets, each in a place of its own.
    private func record(to recorder: Recorder) async throws {
        try await TestServer.withServer { server in
            let options = TestProxy.Options(
                username: "ada", password: Self.secret(21), routes: ["origin.test:80": server.port])
            try await TestProxy.withProxy(options) { proxy in
                server.route("POST", "/login") { _ in
                    let body: JSON = [
                        "access_token": .string(Self.secret(1)), "user": ["password": .string(Self.secret(2))],
                        "name": "Ada",
                    ]
                    return ServerResponse(
                        headers: [
                            "Content-Type": "application/json", "Set-Cookie": "session=\(Self.secret(3))",
                            "X-Auth-Token": Self.secret(4), "X-Internal": Self.secret(5),
                            "Link": "</next?sig=\(Self.secret(6))>; rel=next",
                            "Content-Location": "/me?token=\(Self.secret(7))",
                        ], body: .stream(length: nil) { try await $0.write(body.description) },
                        trailers: ["X-Api-Key": Self.secret(8)])
                }
                server.route("GET", "/old") { _ in
                    .redirect(to: "/new?code=\(Self.secret(19))#id_token=\(Self.secret(20))")
                }
                server.route("GET", "/new") { _ in .json(["name": "Ada"]) }
                server.route("GET", "/away") { _ in .redirect(to: "ftp://ada:\(Self.secret(18))@b.test/") }
                let upstream = try Proxy(proxy.urlWithCredentials)
                let api = try RecorderScene(recorder).session("http://origin.test/") {
                    $0.network.proxies = .proxy(upstream)
                    $0.auth.secretHeaders = ["X-Internal"]
                    $0.headers["X-Api-Key"] = Self.secret(9)
                    $0.headers["X-Internal"] = Self.secret(10)
                    $0.auth.header = .bearer(Self.secret(11))
                }
                let body: JSON = [
                    "client_secret": .string(Self.secret(14)), "list": [["pin": .string(Self.secret(15))]],
                ]
                let headers: Headers = ["Referer": "https://b.test/?access_token=\(Self.secret(16))"]
                try await api.post(
                    "login?token=\(Self.secret(13))&page=2#access_token=\(Self.secret(12))", json: body,
                    headers: headers)
                // The cookie that the server has set is sent back.
                try await api.post("login", form: ["password": Self.secret(17), "name": "Ada"])
                try await api.get("old")
                _ = try? await api.get("away")
                try await recorder.flush()
            }
        }
    }

    /// Returns a text, and what its words in base64 hold.
    private func decoded(_ bytes: [UInt8]) -> String {
        var text = String(decoding: bytes, as: UTF8.self)
        for word in text.split(separator: "\"") where word.utf8.count > 20 {
            if let data = Data(base64Encoded: String(word)) { text += String(decoding: data, as: UTF8.self) }
        }
        return text
    }

    @Test("A document has secrets only if asked")
    func document() async throws {
        let recorder = Recorder()
        try await record(to: recorder)
        // Not even before it is written.
        let hidden = decoded(try await recorder.har().serialized(showsSecrets: true))
        #expect(!hidden.contains("planted"))
        for piece in ["page=2", "Ada", "***"] { #expect(hidden.contains(piece), "\(piece)") }
        #expect(!dumped(await recorder.exchanges()).contains("planted"))
        let shown = decoded(try await recorder.har(includingSecrets: true).serialized(showsSecrets: true))
        // The proxy's password is in no message of the origin.
        for number in 1...19 where !Self.unsent.contains(number) {
            #expect(shown.contains(Self.secret(number)), "secret \(number)")
        }
    }

    @Test("Fields that the session or an interceptor marks are hidden, also in the requests of an exchange")
    func marked() async throws {
        let scene = RecorderScene()
        var options = TokenAuthentication.Options()
        options.location = .header("X-Own")
        let tokens = try TokenAuthentication(
            AccessToken("planted-token"), for: ["https://api.example.com"], options: options)
        let api = try scene.mocked({
            $0.auth.tokens = tokens
            $0.auth.secretHeaders = ["X-Internal"]
            $0.headers["X-Internal"] = "planted-internal"
        }) { _ in .text("a") }
        try await api.get("a")
        let exchange = try #require(await scene.recorder.exchanges().first)
        let attempt = try #require(exchange.attempts.first)
        expectEqual(attempt.request.headers["X-Own"], "planted-token")
        let hidden = decoded(try await scene.recorder.har().serialized(showsSecrets: true))
        #expect(hidden.contains("X-Own") && hidden.contains("X-Internal") && !hidden.contains("planted"))
        for request in [exchange.request, attempt.request] {
            #expect(request.headers["X-Internal"] != nil && !dumped(request).contains("planted"))
        }
    }

    @Test("A folder has secrets only if asked; only its owner can read it")
    func folder() async throws {
        try await Downloading.withFolder { parent in
            for keeps in [false, true] {
                let folder = "\(parent)/a/\(keeps)"
                try await record(to: Recorder(folder: folder, keepsSecrets: keeps))
                let file = try #require(try PrivateFile(path: folder + "/exchanges-1").read(upTo: 1 << 20))
                let text = decoded(file)
                #expect(text.contains("page=2") && text.contains("Ada"))
                expectEqual(text.contains("planted"), keeps)
                expectEqual(FileStatus(path: folder)?.permissions, 0o700)
                for name in FolderNames.all(in: folder) {
                    expectEqual(FileStatus(path: "\(folder)/\(name)")?.permissions, 0o600, "\(name)")
                }
            }
        }
    }
}
