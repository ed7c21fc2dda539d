import Dispatch
import HTTPTypes
import InMemoryLogging
import Logging
import NIOCore
import SternaCore
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// Secrets are in no line, at any level, with bodies.
@Suite("Logs: secrets", .timeLimit(.minutes(5)))
struct LogsSecretTests {
    /// Returns the n-th planted secret.
    private func secret(_ number: Int) -> String { "planted-\(number)-x" }

    /// Returns the credentials of Basic with a secret as password.
    private func basic(_ number: Int) -> String {
        Bytes(text: "ada:\(secret(number))").withUnsafeReadableBytes { Data($0).base64EncodedString() }
    }

    private func expectNone(_ logs: LogLines, location: SourceLocation = #_sourceLocation) {
        let text = logs.text
        for number in 1...26 {
            #expect(!text.contains(secret(number)), "secret \(number)", sourceLocation: location)
            #expect(!text.contains(basic(number)), "secret \(number) as Basic", sourceLocation: location)
        }
        #expect(!text.contains("planted"), sourceLocation: location)
    }

    @Test("Fields, queries, user information, cookies, bodies, trailers")
    func messages() async throws {
        try await TestServer.withServer { server in
            let logs = LogLines()
            server.route("POST", "/login") { [self] _ in
                ServerResponse.json(
                    ["access_token": .string(secret(1)), "user": ["password": .string(secret(2)), "name": "Ada"]],
                    headers: [
                        "Set-Cookie": "session=\(secret(3))", "X-Auth-Token": secret(4), "X-Internal": secret(5),
                        "Link": "</next?sig=\(secret(6))>; rel=next", "Content-Location": "/me?token=\(secret(7))",
                    ])
            }
            // Only a body of unknown length has trailers.
            server.route("GET", "/trailers") { [self] _ in
                ServerResponse(
                    headers: ["Content-Type": "application/octet-stream"],
                    body: .stream(length: nil) { try await $0.write("a") }, trailers: ["X-Api-Key": secret(8)])
            }
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.auth.secretHeaders = ["X-Internal"]
                $0.headers["X-Api-Key"] = secret(9)
                $0.headers["X-Internal"] = secret(10)
                $0.auth.header = .bearer(secret(11))
                $0.events.log(.all, to: logs.logger, bodies: 10_000)
            }
            let body: JSON = [
                "client_secret": .string(secret(15)), "list": [["pin": .string(secret(16))]], "name": "Ada",
            ]
            let headers: Headers = ["Referer": "https://b.test/?access_token=\(secret(12))"]
            _ = try await api.post(
                "login?token=\(secret(13))&page=2#access_token=\(secret(14))",
                json: body, headers: headers)
            // The cookie that the server has set is sent back.
            _ = try await api.post("login", form: ["password": secret(17), "name": "Ada"])
            _ = try await api.dataTask(.post("login", form: ["otp": secret(18), "name": "Ada"])).value
            let trailers = try await api.get("trailers").response.body.trailers
            expectEqual(trailers?[try #require(HTTPField.Name("X-Api-Key"))], secret(8))
            await api.flushEvents()
            expectNone(logs)
            // The lines have the rest.
            for piece in ["page=2", "\"name\":\"Ada\"", "name=Ada", "cookie", "***"] {
                #expect(logs.text.contains(piece), "\(piece)")
            }
            #expect(logs.values("sterna.response.body").count == 3)
            #expect(logs.values("sterna.request.body").count == 3)
        }
    }

    @Test("Credentials: of the URL, of a netrc file, of Basic")
    func credentials() async throws {
        try await CredentialFolder.with { folder in
            let path = folder + "/netrc"
            try CredentialFolder.write("machine 127.0.0.1 login ada password \(secret(19))\n", to: path)
            try await TestServer.withServer { server in
                let logs = LogLines()
                server.route("GET", "/guarded") { request in
                    guard request.headers["Authorization"] == nil else { return .json([:]) }
                    return ServerResponse(status: 401, headers: ["WWW-Authenticate": "Basic realm=\"a\""])
                }
                let api = try Session(baseURL: server.url) {
                    $0.network.engine = Engine()
                    $0.auth.netrc = .path(path)
                    $0.events.log(.all, to: logs.logger, bodies: 10_000)
                }
                _ = try await api.dataTask(.get("guarded")).value
                let own = api.with { $0.auth.header = .basic("ada", secret(20)) }
                _ = try await own.get("guarded")
                _ = try await api.get("http://ada:\(secret(21))@127.0.0.1:\(server.port)/guarded")
                await api.flushEvents()
                expectNone(logs)
                #expect(logs.text.contains("Request ended"))
            }
        }
    }

    @Test("Tokens in redirects, and the credentials of a proxy")
    func redirectsAndProxies() async throws {
        try await TestServer.withServer { server in
            let options = TestProxy.Options(
                username: "ada", password: secret(22), routes: ["origin.test:80": server.port])
            try await TestProxy.withProxy(options) { proxy in
                let logs = LogLines()
                server.route("GET", "/old") { [self] _ in
                    .redirect(to: "/new?code=\(secret(23))#id_token=\(secret(24))")
                }
                server.route("GET", "/new") { _ in .json(["name": "Ada"]) }
                server.route("GET", "/away") { [self] _ in .redirect(to: "ftp://ada:\(secret(25))@b.test/") }
                let upstream = try Proxy(proxy.urlWithCredentials)
                let api = try Session(baseURL: "http://origin.test/") {
                    $0.network.engine = Engine()
                    $0.network.proxies = .proxy(upstream)
                    $0.retry = .none
                    $0.events.log(.all, to: logs.logger, bodies: 10_000)
                }
                _ = try await api.dataTask(.get("old")).value
                await #expect(throws: SternaError.self) { try await api.get("away") }
                await api.flushEvents()
                expectNone(logs)
                #expect(logs.values("sterna.reason").contains("redirect"))
                #expect(logs.values("url.full").contains { $0.contains("code=***") })
            }
        }
    }

    @Test("A field marked secret is hidden, too, if the event of its attempt was lost")
    func lostAttempt() async throws {
        try await TestServer.withServer { server in
            let (logs, gate, release) = (LogLines(), Gate(), DispatchSemaphore(value: 0))
            server.route("GET", "/held") { [self] _ in
                await gate.wait()
                return .text("a", headers: ["X-Internal": secret(26)])
            }
            let isFirst = Mutex(true)
            // Holds the delivery at the first event.
            let holding = EventObserver { _ in
                let holds = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                if holds { release.wait() }
            }
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.auth.secretHeaders = ["X-Internal"]
                $0.responseSerializer = .data
                $0.events.observers = [holding]
                $0.events.capacity = 8
                $0.events.log(to: logs.logger)
            }
            // Their events fill the buffer, so those of the next request so far are lost.
            for _ in 0..<10 { _ = try await api.get("get") }
            let held = Task { try await api.get("held").status }
            try await server.waitForRequests(11)
            release.signal()
            await api.flushEvents()
            gate.open()
            try await expectEqual(held.value, 200)
            await api.flushEvents()
            expectNone(logs)
            #expect(logs.values("http.response.header").contains { $0.contains("x-internal") })
        }
    }

    @Test("Nothing from outside breaks a line or reaches a terminal")
    func escapes() async throws {
        try await TestServer.withServer { server in
            let logs = LogLines()
            server.route("GET", "/odd") { _ in
                .text(
                    "a\r\nb\u{1B}]0;title\u{7}\u{202E}c\u{9B}", mediaType: "text/csv",
                    headers: ["X-Odd": "a\u{202E}b\u{2066}\tc"])
            }
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.events.log(.all, to: logs.logger, bodies: 10_000)
            }
            _ = try await api.get("odd", parameters: ["q": "\u{1B}[2J\n\u{202E}"])
            await api.flushEvents()
            for entry in logs.entries {
                for (key, value) in entry.metadata {
                    let harmful = "\(key) \(value)".unicodeScalars.filter { scalar in
                        switch scalar.properties.generalCategory {
                        case .control, .format, .lineSeparator, .paragraphSeparator: true
                        default: false
                        }
                    }
                    #expect(harmful.isEmpty, "\(entry.message) \(key)")
                }
            }
            expectEqual(
                logs.values("sterna.response.body"), ["a\\r\\nb\\u{1B}]0;title\\u{7}\\u{202E}c\\u{9B}"])
        }
    }

    @Test("A body above the limit is left out, and its size is not; none without a limit")
    func sizes() async throws {
        try await TestServer.withServer { server in
            let text = "{\"a\":\"\(String(repeating: "b", count: 100))\"}"
            server.route("POST", "/echo") { _ in .text(text, mediaType: "application/json") }
            for (limit, count) in [(0, 0), (20, 0), (1_000, 1)] {
                let logs = LogLines()
                let api = try Session(baseURL: server.url) {
                    $0.network.engine = Engine()
                    $0.events.log(to: logs.logger, bodies: limit)
                }
                let body: JSON = ["c": .string(String(repeating: "d", count: 100))]
                _ = try await api.post("echo", json: body)
                await api.flushEvents()
                expectEqual(logs.values("sterna.request.body").count, count)
                expectEqual(logs.values("sterna.response.body").count, count)
                expectEqual(logs.values("http.response.body.size"), ["\(text.utf8.count)"])
                expectEqual(logs.text.contains("bbb"), count > 0)
                expectEqual(logs.text.contains("ddd"), count > 0)
            }
        }
    }

    @Test("YAML, whose members cannot be hidden, is not logged")
    func yaml() {
        for type in ["application/yaml", "application/vnd.a+yaml", "text/yaml", "text/x-yaml"] {
            #expect(LogBody(Bytes(text: "password: \(secret(1))"), mediaType: type, limit: 100) == nil, "\(type)")
        }
        #expect(LogBody(Bytes(text: "a"), mediaType: "text/plain", limit: 100) != nil)
    }
}
