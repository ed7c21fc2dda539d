import HTTPTypes
import NIOCore
import SternaPlatform
import SternaTesting
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// What the library says of the mistakes that its users make most: what happened, where, and what to do.
@Suite("Typical mistakes", .timeLimit(.minutes(5)))
struct TypicalMistakesTests {
    @Test("What is wrong with a request", arguments: requests)
    func request(_ mistake: Mistake) async throws { try await check(mistake) }

    @Test("A server that is not reached", arguments: connections)
    func connection(_ mistake: Mistake) async throws { try await check(mistake) }

    @Test("A server that is not trusted, or speaks another protocol", arguments: security)
    func untrusted(_ mistake: Mistake) async throws { try await check(mistake) }

    @Test("An exchange that breaks off", arguments: exchanges)
    func exchange(_ mistake: Mistake) async throws { try await check(mistake) }

    @Test("A response that is not the expected one", arguments: responses)
    func response(_ mistake: Mistake) async throws { try await check(mistake) }

    @Test("A file that cannot be written", arguments: files)
    func file(_ mistake: Mistake) async throws { try await check(mistake) }

    private func check(_ mistake: Mistake) async throws {
        let outcome = try await mistake.make()
        let error = outcome.error
        let text = error.description
        #expect(mistake.kinds.contains(error.kind), "\(error.kind): \(text)")
        for words in mistake.what + outcome.place + mistake.remedy {
            #expect(text.contains(words), "“\(words)” is missing: \(text)")
        }
        #expect(!text.contains { $0.isNewline }, "\(text)")
        #expect(text.count < 1_000, "\(text)")
        #expect(!(text + String(reflecting: error) + (error.advice ?? "")).contains("s3cret"), "\(text)")
        // Advice stands once in the description, and is the localized suggestion.
        expectEqual(error.recoverySuggestion, error.advice)
        if let advice = error.advice { expectEqual(text.ranges(of: advice).count, 1, "\(text)") }
    }

    // MARK: Requests

    private struct Point: Codable, Sendable { var x: Double }

    static let requests: [Mistake] = [
        Mistake("a URL without scheme", .invalidURL, what: "no scheme", remedy: "https://", "base URL") {
            try await Mistake.failure(at: "The URL") { try await Mistake.session().get("relative/path") }
        },
        Mistake("another scheme", .invalidURL, what: "not supported", remedy: "http", "https") {
            try await Mistake.failure(at: "\"ftp\"") { try await Mistake.session().get("ftp://example.com/") }
        },
        Mistake("a host with a blank", .invalidURL, what: "not allowed in a host", remedy: "remove it") {
            try await Mistake.failure(at: "The host") { try await Mistake.session().get("http://exa mple.com/") }
        },
        Mistake("a port that is too large", .invalidURL, what: "out of range", remedy: "0 to 65535") {
            try await Mistake.failure(at: "The port") { try await Mistake.session().get("http://example.com:99999/") }
        },
        Mistake(
            "a URL of another origin", .originRefused, what: "not the session's own origin",
            remedy: "network.allowsOtherOrigins"
        ) {
            let api = try Mistake.mocked(.json([:]))
            return try await Mistake.failure(at: "https://other.example", "https://api.example.com") {
                try await api.get("https://other.example/a?token=s3cret")
            }
        },
        Mistake("a line break in a field", .invalidHeader, what: "control character", remedy: "removed") {
            let api = try Mistake.mocked(.json([:]))
            return try await Mistake.failure(at: "X-Note", "GET https://api.example.com/v1/a") {
                try await api.get("a", headers: ["X-Note": "s3cret\r\nX: y"])
            }
        },
        Mistake(
            "a field whose name has a blank", .invalidHeader, what: "not a valid header name",
            remedy: "use only letters"
        ) {
            let api = try Mistake.mocked(.json([:]))
            return try await Mistake.failure(at: "“My Field”", "GET https://api.example.com/v1/a") {
                try await api.get("a", headers: ["My Field": "s3cret"])
            }
        },
        Mistake("a body for GET", .invalidRequest, what: "has no body", remedy: "such as POST", "query") {
            let api = try Mistake.mocked(.json([:]))
            return try await Mistake.failure(at: "a GET request") {
                try await api.upload(Body.text("x"), to: "a", method: .get)
            }
        },
        Mistake("a number that JSON does not have", .encodingFailed, what: "cannot be encoded", remedy: "another value")
        {
            let api = try Mistake.mocked(.json([:]))
            return try await Mistake.failure(at: "POST https://api.example.com/v1/a") {
                try await api.post("a", json: Point(x: .nan))
            }
        },
        Mistake(
            "a file that is not there", .fileUnreadable, what: "cannot be sent", "No such file",
            remedy: "Check the path"
        ) {
            try await Mistake.failure(at: "/nonexistent/photo.jpg") { _ = try Body.file("/nonexistent/photo.jpg") }
        },
        Mistake("a folder in place of a file", .fileUnreadable, what: "directory", remedy: "Name a regular file") {
            try await Mistake.failure(at: "“/”") { _ = try Body.file("/") }
        },
        Mistake(
            "a stream that a redirect needs again", .bodyNotReplayable, what: "only once", remedy: "as bytes or a file"
        ) {
            let api = try Mistake.mocked(.redirect(to: "/b", status: 307))
            let lines = AsyncStream<String> { continuation in
                continuation.yield("x")
                continuation.finish()
            }
            return try await Mistake.failure(at: "POST https://api.example.com/v1/a") {
                try await api.post("a", body: .stream(lines))
            }
        },
        Mistake("no time at all", .timedOut, what: "not above zero", "nothing was sent", remedy: "raise timeouts.total")
        {
            let api = try Mistake.mocked(.json([:]))
            return try await Mistake.failure(at: "GET https://api.example.com/v1/a") {
                try await api.get("a") { $0.timeouts.total = .zero }
            }
        },
        Mistake("a session that was invalidated", .shutDown, what: "was invalidated", remedy: "Make another one") {
            let api = try Mistake.mocked(.json([:]))
            api.finishTasksAndInvalidate()
            return try await Mistake.failure(at: "The session") { try await api.get("a") }
        },
        Mistake("a pin that is none", .invalidRequest, what: "is not a pin", remedy: "32 bytes", "tern cert URL") {
            // A literal would not be parsed while the program runs.
            let text = "sha256/xyz"
            return try await Mistake.failure(at: "“sha256/xyz”") { _ = try Pin(text) }
        },
        Mistake("pins where nothing is encrypted", .invalidRequest, what: "pinned", remedy: "Use https") {
            let pin = try Pin("sha256/\(Data(repeating: 1, count: 32).base64EncodedString())")
            return try await Mistake.failure(at: "the base URL") {
                _ = try Mistake.session("http://example.com") { $0.trust.policy = .pinned([pin]) }
            }
        },
        Mistake(
            "a key file that has none", .identityUnusable, what: "no private key", remedy: "Check the files"
        ) {
            try await Mistake.failure(at: "in PEM") {
                _ = try ClientIdentity(certificates: Array("s3cret".utf8), privateKey: Array("s3cret".utf8))
            }
        },
    ]

    // MARK: Connections

    static let connections: [Mistake] = [
        Mistake("a host that does not exist", .hostNotFound, what: "host", remedy: "spelling", "network") {
            let api = try Mistake.session()
            return try await Mistake.failure(at: "GET http://no-such-host.invalid/?token=***") {
                try await api.get("http://no-such-host.invalid/?token=s3cret")
            }
        },
        Mistake(
            "a port that is closed", .connectionFailed, what: "connection refused", remedy: "the port", "server runs"
        ) {
            let closed = try ClosedPort()
            let api = try Mistake.session()
            return try await Mistake.failure(
                at: "127.0.0.1 on port \(closed.port)", "GET http://127.0.0.1:\(closed.port)/"
            ) {
                try await api.get("http://127.0.0.1:\(closed.port)/")
            }
        },
        Mistake(
            "a proxy that does not run", .connectionFailed, what: "connection refused", remedy: "of the proxy", "runs"
        ) {
            let closed = try ClosedPort()
            let proxy = try Proxy("http://ada:s3cret@127.0.0.1:\(closed.port)")
            let api = try Mistake.session { $0.network.proxies = .proxy(proxy) }
            return try await Mistake.failure(
                at: "the proxy 127.0.0.1 on port \(closed.port)", "GET http://origin.test/"
            ) {
                try await api.get("http://origin.test/")
            }
        },
        Mistake(
            "a proxy that wants credentials", .proxyFailed, what: "407", "requires a user name", remedy: "credentials"
        ) {
            try await throughProxy(.init(.http, username: "ada", password: "s3cret")) { $0.url }
        },
        Mistake(
            "a proxy's wrong password", .proxyFailed, what: "does not accept", remedy: "Check the proxy's user name"
        ) {
            try await throughProxy(.init(.http, username: "ada", password: "s3cret")) {
                $0.url(username: "ada", password: "s3cret2")
            }
        },
        Mistake("an HTTP proxy as a SOCKS proxy", .proxyFailed, what: "violates SOCKS5", remedy: "try http://") {
            let answer = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"
            return try await ScriptedServer.withServer(connections: [[.receive(atLeast: 3), .send(answer), .hang]]) {
                server in
                let proxy = try Proxy("socks5://127.0.0.1:\(server.port)")
                let api = try Mistake.session { $0.network.proxies = .proxy(proxy) }
                return try await Mistake.failure(at: "The proxy", "GET https://origin.test/") {
                    try await api.get("https://origin.test/")
                }
            }
        },
        Mistake(
            "a socket that is not there", .connectionFailed, what: "Cannot connect", remedy: "Check the path", "server"
        ) {
            let api = try Mistake.session { $0.network.unixSocket = "/nonexistent/s.sock" }
            return try await Mistake.failure(at: "“/nonexistent/s.sock”", "GET http://localhost/") {
                try await api.get("http://localhost/")
            }
        },
        Mistake(
            "an address that the dial policy refuses", .addressRefused, what: "Not connected", remedy: "set another"
        ) {
            let api = try Mistake.session { $0.network.dialPolicy = .publicOnly }
            return try await Mistake.failure(at: "127.0.0.1", "port 9", "GET http://127.0.0.1:9/") {
                try await api.get("http://127.0.0.1:9/")
            }
        },
    ]

    /// Sends a request for an https URL through a proxy that refuses it.
    private static func throughProxy(
        _ options: TestProxy.Options, _ url: @Sendable (TestProxy) -> String
    ) async throws -> Mistake.Outcome {
        try await TestProxy.withProxy(options) { proxy in
            let address = try Proxy(url(proxy))
            let api = try Mistake.session { $0.network.proxies = .proxy(address) }
            return try await Mistake.failure(at: "127.0.0.1:\(proxy.port)", "GET https://origin.test/?token=***") {
                try await api.get("https://origin.test/?token=s3cret")
            }
        }
    }

    // MARK: Security

    private static func withCertificate(
        _ certificate: CertificateOptions, isSelfSigned: Bool = false, isTrusted: Bool = true
    ) async throws -> Mistake.Outcome {
        let authority = try CertificateAuthority(notBefore: Date(timeIntervalSinceNow: -40 * 86_400))
        let bundle = isSelfSigned ? try CertificateBundle.selfSigned() : try authority.issue(certificate)
        let pem = try isTrusted ? authority.pem : CertificateAuthority().pem
        return try await Mistake.getting("/get", from: .init(tls: bundle)) { $0.trust.policy = .authority(pem: pem) }
    }

    private static func expired() -> CertificateOptions {
        let day = 86_400.0
        return CertificateOptions(
            notBefore: Date(timeIntervalSinceNow: -20 * day), notAfter: Date(timeIntervalSinceNow: -10 * day))
    }

    static let security: [Mistake] = [
        Mistake("an authority that is not trusted", .certificateRejected, what: "not trusted", remedy: "to the roots") {
            try await withCertificate(CertificateOptions(), isTrusted: false)
        },
        Mistake("a certificate that signs itself", .certificateRejected, what: "self-signed", remedy: "as a root") {
            try await withCertificate(CertificateOptions(), isSelfSigned: true)
        },
        Mistake("a certificate that has expired", .certificateRejected, what: "expired", remedy: "renew") {
            try await withCertificate(expired())
        },
        Mistake(
            "a certificate of another host", .certificateRejected, what: "www.example.test", remedy: "Check the host"
        ) {
            try await withCertificate(CertificateOptions(hosts: ["www.example.test"]))
        },
        Mistake("https to a port without TLS", .tlsFailed, what: "does not speak TLS", remedy: "http://") {
            try await TestServer.withServer { server in
                let api = try Mistake.session()
                let url = "https://127.0.0.1:\(server.port)/get"
                return try await Mistake.failure(at: "GET \(url)?token=***") {
                    try await api.get("\(url)?token=s3cret")
                }
            }
        },
        Mistake(
            "http to a port with TLS", .connectionClosed, .malformedResponse, remedy: "whether it requires https://"
        ) {
            try await TestServer.withServer(.init(tls: CertificateAuthority().issue())) { server in
                let api = try Mistake.session()
                let url = "http://127.0.0.1:\(server.port)/get"
                return try await Mistake.failure(at: "GET \(url)?token=***") {
                    try await api.get("\(url)?token=s3cret")
                }
            }
        },
        Mistake("http to a port with TLS, which says so", .malformedResponse, what: "TLS", remedy: "requires https://")
        {
            let alert: [UInt8] = [0x15, 0x03, 0x01, 0, 2, 2, 70]
            return try await ScriptedServer.withServer(connections: [[.receiveHead, .sendBytes(alert), .close]]) {
                server in
                let api = try Mistake.session()
                return try await Mistake.failure(at: "GET \(server.url("/"))") { try await api.get(server.url("/")) }
            }
        },
        Mistake("no client certificate", .tlsFailed, what: "client certificate", remedy: "identity") {
            let authority = try CertificateAuthority()
            var options = TestServer.Options(tls: try authority.issue())
            options.tlsSettings.clientAuthorities = [authority.pem]
            return try await Mistake.getting("/get", from: options) {
                $0.trust.policy = .authority(pem: authority.pem)
            }
        },
    ]

    // MARK: Exchanges

    static let exchanges: [Mistake] = [
        Mistake(
            "a server that does not answer", .timedOut, what: "did not begin to answer", remedy: "timeouts.firstByte"
        ) {
            try await Mistake.getting("/fault/never") { $0.timeouts.firstByte = .milliseconds(200) }
        },
        Mistake("a server that pauses", .timedOut, what: "sent nothing for", remedy: "timeouts.betweenBytes") {
            try await Mistake.getting("/fault/stall") { $0.timeouts.betweenBytes = .milliseconds(200) }
        },
        Mistake("a total that is too short", .timedOut, what: "total time-out", remedy: "raise timeouts.total") {
            try await Mistake.getting("/delay/30") { $0.timeouts.total = .milliseconds(300) }
        },
        Mistake("a deadline that is too early", .timedOut, what: "deadline has passed", remedy: "a later deadline") {
            try await TestServer.withServer { server in
                let api = try Mistake.session(server.url)
                return try await Mistake.failure(at: "GET \(server.url("/delay/30"))") {
                    try await api.get("delay/30") { $0.deadline = .now + .milliseconds(300) }
                }
            }
        },
        Mistake("a server that hangs up", .connectionClosed, what: "without a response", remedy: "https://", "again") {
            try await Mistake.getting("/fault/close")
        },
        Mistake(
            "a response that is cut off", .truncated, what: "before the end of its response",
            remedy: "send the request again"
        ) {
            try await Mistake.getting("/fault/close-half") { $0.responseSerializer = .data }
        },
        Mistake(
            "a port of another protocol", .malformedResponse, what: "not valid HTTP", remedy: "port speaks HTTP/1.1"
        ) {
            try await Mistake.getting("/fault/garbage")
        },
        Mistake(
            "a body that is too long for memory", .limitExceeded, what: "longer than the limit", remedy: "withResponse"
        ) {
            try await Mistake.getting("/bytes/1000") {
                $0.limits.collectedBytes = 10
                $0.responseSerializer = .data
            }
        },
        Mistake("redirects in a loop", .tooManyRedirects, what: "more than 20 times", remedy: "limit of redirects") {
            let api = try Mistake.mocked(.redirect(to: "/loop?token=s3cret"))
            return try await Mistake.failure(at: "GET https://api.example.com/loop?token=***") {
                try await api.get("a")
            }
        },
        Mistake("a redirect from https to http", .redirectRefused, what: "from https to http", remedy: ".doNotFollow") {
            let api = try Mistake.mocked(.redirect(to: "http://api.example.com/b?token=s3cret"))
            return try await Mistake.failure(
                at: "GET https://api.example.com/v1/a", "http://api.example.com/b?token=***"
            ) {
                try await api.get("a")
            }
        },
    ]

    // MARK: Responses

    private struct User: Codable, Sendable { var name: String }

    static let responses: [Mistake] = [
        Mistake("a path that does not exist", .unacceptableStatus, what: "404 Not Found", remedy: "base URL's path") {
            try await Mistake.answered(Mistake.page(404))
        },
        Mistake("something that does not exist", .unacceptableStatus, what: "404 Not Found", remedy: "no such bird") {
            try await Mistake.answered(.json(["message": "no such bird"], status: 404))
        },
        Mistake("a value that the server refuses", .unacceptableStatus, what: "422", remedy: "The name is empty.") {
            try await Mistake.answered(.json(["message": "The name is empty."], status: 422))
        },
        Mistake("no credentials", .unacceptableStatus, what: "401 Unauthorized", remedy: "auth.header") {
            try await Mistake.answered(.json(["message": "No."], status: 401))
        },
        Mistake("credentials that permit less", .unacceptableStatus, what: "403 Forbidden", remedy: "credentials") {
            try await Mistake.answered(Mistake.page(403))
        },
        Mistake("another method", .unacceptableStatus, what: "405 Method Not Allowed", remedy: "Check the method") {
            try await Mistake.answered(Mistake.page(405))
        },
        Mistake("a body in another format", .unacceptableStatus, what: "415", remedy: "json:") {
            try await Mistake.answered(Mistake.page(415))
        },
        Mistake("a server that is busy", .unacceptableStatus, what: "503 Service Unavailable", remedy: "again later") {
            try await Mistake.answered(Mistake.page(503))
        },
        Mistake("HTML in place of JSON", .unacceptableMediaType, what: "text/html", "application/json", remedy: ".text")
        {
            try await Mistake.answered(Mistake.page(), reading: { _ = try await $0.json() })
        },
        Mistake("JSON that is cut off", .decodingFailed, what: "not valid JSON", remedy: "error's body") {
            let answer = ServerResponse.text("{\"name\": \"s3cret", mediaType: "application/json")
            return try await Mistake.answered(answer, reading: { _ = try await $0.json() })
        },
        Mistake(
            "JSON of another shape", .decodingFailed, what: "cannot be decoded as User", "name", remedy: "error's body"
        ) {
            try await Mistake.answered(.json(["id": 1]), reading: { _ = try await $0.decode(User.self) })
        },
        Mistake("nothing in place of a value", .decodingFailed, what: "is empty", remedy: "Ask for User?") {
            let answer = ServerResponse.text("", mediaType: "application/json")
            return try await Mistake.answered(answer, reading: { _ = try await $0.decode(User.self) })
        },
        Mistake("an unknown character set", .decodingFailed, what: "“klingon” is not known", remedy: "data()") {
            let answer = ServerResponse.text("x", mediaType: "text/plain; charset=klingon")
            return try await Mistake.answered(answer, reading: { _ = try await $0.text() })
        },
        Mistake(
            "a body that is not compressed as it says", .contentCodingFailed, what: "damaged", remedy: "decodesContent"
        ) {
            var answer = ServerResponse.text("nope")
            answer.headers["Content-Encoding"] = "gzip"
            return try await Mistake.answered(answer, { $0.responseSerializer = .data })
        },
        Mistake(
            "content that was damaged on its way", .digestMismatch, what: "Content-Digest",
            remedy: "send the request again"
        ) {
            let digest = "sha-256=:\(Samples.sha256):"
            return try await Mistake.answered(
                .text("damaged", headers: ["Content-Digest": digest]), { $0.digests = .verify })
        },
        Mistake(
            "a server without digests, where they are required", .unacceptableResponse, what: "no digest",
            remedy: "Have the server send"
        ) {
            try await Mistake.answered(.text("x"), { $0.digests = .require })
        },
    ]

    // MARK: Files

    /// Downloads to a destination that cannot be used.
    private static func downloading(
        _ path: String, options: DownloadOptions = DownloadOptions(), to name: String, at place: String? = nil,
        _ prepare: (String) throws -> Void = { _ in }
    ) async throws -> Mistake.Outcome {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let destination = name.isEmpty ? folder : "\(folder)/\(name)"
                try prepare(destination)
                let api = try Mistake.session(server.url)
                return try await Mistake.failure(at: place ?? name) {
                    _ = try await api.download(path, to: .file(destination), options: options).value
                }
            }
        }
    }

    static let files: [Mistake] = [
        Mistake("a file that exists", .destinationUnusable, what: "exists", remedy: "“.replace” or “.addNumber”") {
            try await downloading("range/10", to: "photo.jpg") { path in
                try Data("mine".utf8).write(to: URL(filePath: path))
            }
        },
        Mistake("a folder as the file", .destinationUnusable, what: "is a folder", remedy: "Name a file in it") {
            try await downloading("range/10", to: "photos") { path in
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            }
        },
        Mistake("a file as the folder", .destinationUnusable, what: "is not a folder", remedy: "another destination") {
            try await downloading("range/10", to: "photos/one.jpg", at: "/photos”") { path in
                let folder = URL(filePath: path).deletingLastPathComponent()
                try Data("mine".utf8).write(to: folder)
            }
        },
        Mistake("a device as the file", .destinationUnusable, what: "not a regular file", remedy: "another destination")
        {
            try await TestServer.withServer { server in
                let api = try Mistake.session(server.url)
                return try await Mistake.failure(at: "/dev/null") {
                    _ = try await api.download("range/10", to: .file("/dev/null", existing: .replace)).value
                }
            }
        },
        Mistake("a full disk", .writeFailed, what: "No space left", remedy: "Free some space") {
            try await Downloading.withFolder { folder in
                let file = try #require(try PartialFile.open("\(folder)/photo.jpg", permissions: 0o600))
                // From here on the file's descriptor is a device on which every write fails as on a full disk.
                let full = open("/dev/full", O_WRONLY)
                guard full >= 0 else {
                    let fault = DestinationFault(code: ENOSPC, path: "\(folder)/photo.jpg")
                    return Mistake.Outcome(error: fault.error(phase: .read), place: ["photo.jpg"])
                }
                dup2(full, file.descriptor)
                close(full)
                return try await Mistake.failure(at: "photo.jpg") {
                    var writer = PartialWriter(file, at: 0)
                    for _ in 0..<3 { try await writer.add(Bytes(repeating: 2, count: PartialWriter.portion)) }
                    try await writer.finish()
                }
            }
        },
        Mistake("a file of another SHA-256", .digestMismatch, what: "0000", remedy: "download the file again") {
            var options = DownloadOptions()
            options.sha256 = String(repeating: "0", count: 64)
            return try await downloading("range/10", options: options, to: "photo.jpg", at: "/range/10")
        },
    ]
}
