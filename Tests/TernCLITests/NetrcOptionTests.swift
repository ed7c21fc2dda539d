import ArgumentParser
import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// When `--netrc` sends credentials, and to which host.
@Suite("tern: --netrc", .timeLimit(.minutes(5)))
struct NetrcOptionTests {
    /// Runs `tern` with a `.netrc`; returns the Authorization fields of the requests, nil for none.
    private func sent(
        _ netrc: String, _ arguments: [String] = [], at path: String = "/get", by user: String = "",
        command: [String] = []
    ) async throws -> [String?] {
        let folder = try TemporaryFolder()
        try folder.write(netrc, to: "netrc")
        expectEqual(chmod(folder.path("netrc"), 0o600), 0)
        return try await TestServer.withServer { server in
            server.route("GET", "/to-other") { _ in
                ServerResponse(
                    status: 302, headers: ["Location": server.url("/get").replacing("127.0.0.1", with: "localhost")])
            }
            server.route("GET", "/asks") { request in
                request.headers["Authorization"] == nil
                    ? .text("no", status: 401, headers: ["WWW-Authenticate": "Basic realm=x"]) : .text("yes")
            }
            server.route("GET", "/refuses") { _ in
                .text("no", status: 401, headers: ["WWW-Authenticate": "Basic realm=x"])
            }
            server.route("GET", "/asks-digest") { request in
                request.headers["Authorization"] == nil
                    ? .text(
                        "no", status: 401, headers: ["WWW-Authenticate": #"Digest realm="x", nonce="n", qop="auth""#])
                    : .text("yes")
            }
            let words =
                command + ["--netrc-file", folder.path("netrc")] + arguments
                + [server.url(path).replacing("://", with: "://\(user)")]
            let outcome = try await TernProcess(words, folder: folder.path).outcome()
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            #expect(!(outcome.text + outcome.errors).contains("s3cret\n"))
            return server.requests().map { $0.headers["Authorization"] }
        }
    }

    private static let basic = "Basic YWRhOnMzY3JldA=="
    private static let own = "machine 127.0.0.1 login ada password s3cret\n"

    @Test("The URL's own host gets its credentials at once") func atOnce() async throws {
        try await expectEqual(sent(Self.own), [Self.basic])
        try await expectEqual(sent(Self.own + "default login x password y", at: "/asks"), [Self.basic])
        try await expectEqual(sent(Self.own, ["-s"], command: ["download"]), [Self.basic])
    }

    @Test("default waits until the server asks") func byDefault() async throws {
        let netrc = "default login ada password s3cret\n"
        try await expectEqual(sent(netrc), [nil])
        try await expectEqual(sent(netrc, at: "/asks"), [nil, Self.basic])
    }

    @Test("A user in the URL gets the password of the entry with that login, and of no other") func userOfURL()
        async throws
    {
        let two = "machine 127.0.0.1 login eve password other\n" + Self.own
        try await expectEqual(sent(two, by: "ada@"), [Self.basic])
        try await expectEqual(sent(two, at: "/asks", by: "ada@"), [Self.basic])
        try await expectEqual(sent(two, ["-s"], by: "ada@", command: ["download"]), [Self.basic])
        try await expectEqual(sent("machine 127.0.0.1 password s3cret", by: "ada@"), [Self.basic])
        // One of “default” waits, and no empty password is sent before it.
        let anyHost = "default login ada password s3cret\n"
        try await expectEqual(sent(anyHost, by: "ada@"), [nil])
        try await expectEqual(sent(anyHost, at: "/asks", by: "ada@"), [nil, Self.basic])
        let digest = try await sent(two, ["--auth-type", "digest"], at: "/asks-digest", by: "ada@")
        expectEqual(digest.map { $0?.contains(#"username="ada""#) }, [nil, true])
        // Without an entry of that login the user is sent alone, as without --netrc.
        try await expectEqual(sent(two, by: "bob@"), ["Basic Ym9iOg=="])
        try await expectEqual(sent(two, at: "/refuses", by: "bob@"), ["Basic Ym9iOg=="])
        // The password of the URL comes first; after it, only that of the same login.
        try await expectEqual(sent(two, by: "ada:x@"), ["Basic YWRhOng="])
        try await expectEqual(sent(two, at: "/refuses", by: "ada:x@"), ["Basic YWRhOng=", Self.basic])
        try await expectEqual(sent(two, at: "/refuses", by: "ada@"), [Self.basic])
    }

    @Test("A redirect to another host takes nothing along") func redirect() async throws {
        let netrc = Self.own + "machine localhost login l password s3cret"
        try await expectEqual(sent(netrc, at: "/to-other"), [Self.basic, nil])
    }

    @Test(
        "Other credentials come first",
        arguments: [
            ["-u", "b:c"], ["--bearer", "t"], ["-H", "Authorization: t"], ["-H", "Authorization:"],
        ])
    func others(arguments: [String]) async throws {
        let sent = try await sent(Self.own, arguments)
        expectEqual(sent.count, 1)
        #expect(sent.first != Self.basic)
    }

    @Test(
        "A loopback address that an option leads elsewhere gets none before a server asks",
        arguments: [["--connect-to", "::127.0.0.1:"], ["--resolve", "a.test:80:127.0.0.1"]])
    func routed(arguments: [String]) async throws {
        try await expectEqual(sent(Self.own, arguments), [nil])
    }

    @Test("--auth-type says how they are sent") func types() async throws {
        let anyHost = "default login ada password s3cret\n"
        try await expectEqual(sent(Self.own, ["--auth-type", "basic"]), [Self.basic])
        try await expectEqual(sent(anyHost, ["--auth-type", "basic"], at: "/asks"), [nil, Self.basic])
        for netrc in [Self.own, anyHost] {
            let digest = try await sent(netrc, ["--auth-type", "digest"], at: "/asks-digest")
            expectEqual(digest.map { $0?.prefix(7) }, [nil, "Digest "])
            // A server that asks for Basic does not get the password.
            try await expectEqual(sent(netrc, ["--auth-type", "digest"], at: "/asks"), [nil])
        }
        try await expectEqual(sent(Self.own, ["--auth-type", "bearer"]), ["Bearer s3cret"])
        try await expectEqual(sent(anyHost, ["--auth-type", "bearer"], at: "/asks"), [nil])
        try await expectEqual(
            sent(Self.own, ["--auth-type", "bearer", "-s"], command: ["download"]), ["Bearer s3cret"])
        // The type is that of --auth if it is given.
        try await expectEqual(sent(Self.own, ["--auth-type", "bearer", "-u", "token"]), ["Bearer token"])
    }

    @Test(
        "A type needs credentials that it can be of",
        arguments: [["--auth-type", "bearer"], ["--auth-type", "aws-sigv4", "-n"]])
    func incomplete(arguments: [String]) {
        #expect(throws: (any Error).self) { try CredentialOptions.parse(arguments) }
    }

    @Test("A token cannot wait for a server that asks") func tokenForUpload() throws {
        let options = try CredentialOptions.parse(["--auth-type", "bearer", "--netrc-file", "/none"])
        let error = #expect(throws: UsageError.self) { try options.netrcSetting() }
        expectEqual(error?.message.contains("--bearer TOKEN"), true)
    }

    @Test("A proxy that would read them gets none before a server asks") func proxied() async throws {
        let options = try RoutingOptions.parse(["-x", "http://127.0.0.1:3128"])
        let proxies = try options.proxies()
        #expect(options.isProxied(try HTTPURL("http://127.0.0.1/"), proxies))
        #expect(!options.isProxied(try HTTPURL("http://127.0.0.1/"), .none))
    }
}
