import ArgumentParser
import Sterna
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import TernCLI

@Suite("tern: credentials", .timeLimit(.minutes(5)))
struct CredentialOptionTests {
    private func options(_ arguments: [String]) throws -> CredentialOptions { try CredentialOptions.parse(arguments) }

    @Test(
        "The options choose the credentials and the scheme",
        arguments: [
            (["-u", "ada:pw"], "Basic ***", "ada:***", nil), (["-a", "ada:p:w"], "Basic ***", "ada:***", nil),
            (["-uada:pw"], "Basic ***", "ada:***", nil), (["-aada:p w"], "Basic ***", "ada:***", nil),
            (["--user", "ada:"], "Basic ***", "ada:***", nil), (["--bearer", "t"], "Bearer ***", nil, nil),
            (["--auth", "ada:pw", "--auth-type", "basic"], "Basic ***", nil, nil),
            (["--auth", "ada:pw", "--auth-type", "digest"], nil, "ada:***", "digest"),
            (["-u", "ada:pw", "--basic"], "Basic ***", nil, nil),
            (["-u", "ada:pw", "--digest"], nil, "ada:***", "digest"),
            (["-u", "ada:pw", "--anyauth"], nil, "ada:***", nil), (["--oauth2-bearer", "t"], "Bearer ***", nil, nil),
            (["--auth", "t:1", "--auth-type", "bearer"], "Bearer ***", nil, nil), ([], nil, nil, nil),
        ] as [([String], String?, String?, String?)])
    func given(arguments: [String], authorization: String?, credential: String?, scheme: String?) throws {
        let given = try options(arguments).given()
        expectEqual(given.authorization.map { "\($0)" }, authorization)
        expectEqual(given.credential.map { "\($0)" }, credential)
        expectEqual(given.policy?.schemes.map(\.rawValue), scheme.map { [$0] })
    }

    @Test(
        "Contradictory, incomplete and unknown options are refused",
        arguments: [
            ["-u", "a:b", "--bearer", "t"], ["--auth-type", "digest"], ["--auth-type", "ntlm", "-u", "a:b"],
            ["--basic"], ["--anyauth"], ["-u", "a:b", "--digest", "--auth-type", "digest"],
            ["-u", "a:b", "--basic", "--anyauth"],
            ["--netrc-file", ""], ["-u", "", "--auth-type", "bearer"],
        ])
    func refused(arguments: [String]) {
        #expect(throws: (any Error).self) { try options(arguments) }
    }

    @Test("The user of --proxy-user goes to the proxy of --proxy, and to the environment's") func proxyUser() throws {
        var options = try RoutingOptions.parse([])
        options.proxyUser = "ada:p:w"
        options.noproxy = "b.test"
        for proxy in ["http://x:y@p.test:3128", nil] {
            options.proxy = proxy
            let settings = try options.proxies { ["http_proxy": "http://p.test:3128"] }
            let found = try #require(try settings.proxy(for: HTTPURL("http://a.test/")))
            expectEqual(found.username, "ada")
            expectEqual(found.password, "p:w")
            #expect("\(found)" == "http://p.test:3128")
            #expect(try settings.proxy(for: HTTPURL("http://b.test/")) == nil)
        }
        options.proxy = "none"
        #expect(try options.proxies { [:] }.proxy(for: HTTPURL("http://a.test/")) == nil)
        options.proxyUser = "a\u{0}:b"
        options.proxy = nil
        #expect(throws: SternaError.self) { try options.proxies { [:] } }
    }

    @Test("Values may follow their letters, so that no error takes a password for an option") func joined() throws {
        let options = try RoutingOptions.parse(["-xhttp://u:p@p.test:3128", "-Uada:pw"])
        #expect(options.proxy == "http://u:p@p.test:3128")
        expectEqual(options.proxyUser, "ada:pw")
        #expect(throws: Never.self) {
            try Tern.command(of: ["request", "-uada:pw", "-xhttp://u:p@p.test:3128", "-sv", "http://a.test/"])
        }
    }

    // MARK: By the program

    @Test("--digest sends the body with the answer to the challenge only", arguments: [true, false])
    func digestBody(asks: Bool) async throws {
        try await TestServer.withServer { server in
            let bodies = Mutex<[String]>([])
            server.route("POST", "/form") { request in
                let body = String(decoding: try await request.body.collect(), as: UTF8.self)
                bodies.withLock { $0.append(body) }
                guard asks, request.headers["Authorization"] == nil else { return .text("done") }
                return ServerResponse(
                    status: 401, headers: ["WWW-Authenticate": "Digest realm=\"r\", nonce=\"n\", qop=\"auth\""])
            }
            let outcome = try await TernProcess.run("-u", "ada:pw", "--digest", "-d", "a=1", server.url("/form"))
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            expectEqual(outcome.text, "done")
            expectEqual(bodies.withLock { $0 }, ["", "a=1"])
            let types = server.requests().map { $0.headers["Content-Type"] }
            expectEqual(types, Array(repeating: "application/x-www-form-urlencoded", count: 2))
            expectEqual(server.requests().last?.headers["Authorization"]?.hasPrefix("Digest "), asks ? true : nil)
        }
    }

    @Test("-u sends Basic; --netrc-file answers the challenge, and warns if others can read the file") func program()
        async throws
    {
        let folder = FileManager.default.temporaryDirectory.path + "/tern-netrc-\(UInt64.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await TestServer.withServer { server in
            let url = server.url("/basic-auth/ada/s3cret")
            let sent = try await TernProcess.run("--fail", "-u", "ada:s3cret", url)
            expectEqual(sent.status, 0, "\(sent.errors)")
            expectEqual(server.requests().count, 1)
            let path = folder + "/netrc"
            try Data("machine 127.0.0.1 login ada password s3cret\nmachine localhost login ada password s3cret".utf8)
                .write(to: URL(fileURLWithPath: path))
            for (mode, warns) in [(0o600, false), (0o644, true)] as [(mode_t, Bool)] {
                expectEqual(chmod(path, mode), 0)
                let answered = try await TernProcess.run("--fail", "-v", "--netrc-file", path, url)
                expectEqual(answered.status, 0, "\(answered.errors)")
                expectEqual(answered.errors.contains("chmod 600"), warns)
                #expect(!(answered.text + answered.errors).contains("s3cret\n"))
                #expect(!answered.text.contains("YWRh"))
            }
            let home = try await TernProcess.run("--netrc", url, environment: ["HOME": folder])
            expectEqual(home.status, 0)
            #expect(home.text.contains("Unauthorized") || home.text.contains("message"))
            expectEqual(rename(path, folder + "/.netrc"), 0)
            let refused = try await TernProcess.run("-n", url, environment: ["HOME": folder])
            expectEqual(refused.status, 26)
            #expect(refused.errors.contains("chmod 600"))
            #expect(!refused.errors.contains("s3cret"))
            expectEqual(chmod(folder + "/.netrc", 0o600), 0)
            let own = try await TernProcess.run("--fail", "-n", url, environment: ["HOME": folder])
            expectEqual(own.status, 0, "\(own.errors)")
            let missing = try await TernProcess.run("--netrc-file", folder + "/none", url)
            expectEqual(missing.status, 26)
        }
    }

    @Test("A warning says why a 401 was not answered, also without --fail") func unanswered() async throws {
        try await TestServer.withServer { server in
            let url = server.url("/basic-auth/ada/s3cret")
            let refused = try await TernProcess.run("-u", "ada:wrong", url)
            expectEqual(refused.status, 0)
            #expect(refused.errors.contains("Warning: The server refused the credentials"), "\(refused.errors)")
            let plain = try await TernProcess.run(url)
            expectEqual(plain.status, 0)
            #expect(plain.errors.isEmpty, "\(plain.errors)")
        }
    }

    @Test("A server that accepts only NTLM is an error") func unsupported() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/ntlm") { _ in ServerResponse(status: 401, headers: ["WWW-Authenticate": "NTLM"]) }
            let outcome = try await TernProcess.run("-u", "ada:s3cret", server.url("/ntlm"))
            expectEqual(outcome.status, 94)
            #expect(outcome.errors.contains("not supported"))
            #expect(!outcome.errors.contains("s3cret"))
        }
    }
}
