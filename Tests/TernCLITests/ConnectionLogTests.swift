import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// What `-v` says of connections, and `--timeline`.
@Suite("tern: connections with -v, and --timeline", .timeLimit(.minutes(5)))
struct ConnectionLogTests {
    private func lines(_ outcome: TernProcess.Outcome) -> [String] {
        outcome.errors.split(separator: "\n").map(String.init)
    }

    @Test("-v prints the address, whether the connection is new, and the protocol") func plain() async throws {
        try await TestServer.withServer { server in
            let outcome = try await TernProcess.run("-v", server.url("/redirect-to?url=/get"))
            expectEqual(
                lines(outcome),
                [
                    "* Address: 127.0.0.1:\(server.port)", "* Connection: new", "* Protocol: HTTP/1.1",
                    "* Attempt 2: GET \(server.url("/get")) (redirect)", "* Connection: reused", "* Protocol: HTTP/1.1",
                ])
        }
    }

    @Test("With TLS -v prints its version, the certificate and ALPN, too", arguments: [true, false])
    func tls(http2: Bool) async throws {
        let authority = try CertificateAuthority()
        let folder = try TemporaryFolder()
        try authority.writePEM(toPath: folder.path("ca.pem"))
        let bundle = try authority.issue(hosts: ["localhost", "127.0.0.1"])
        try await TestServer.withServer(.init(tls: bundle, http2: [.byALPN])) { server in
            let version = http2 ? "--http2" : "--http1.1"
            let outcome = try await TernProcess.run(
                "-v", version, "--cacert", folder.path("ca.pem"), server.url("/get"))
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            let lines = lines(outcome)
            try #require(lines.count == 6, "\(outcome.errors)")
            expectEqual(lines[0].hasPrefix("* Address: "), true)
            expectEqual(lines[1], "* TLS: TLS 1.3")
            #expect(lines[2].hasPrefix("* Certificate: CN=localhost, issued by ") && lines[2].hasSuffix("; trusted"))
            expectEqual(lines[3], "* Connection: new")
            expectEqual(lines[4], http2 ? "* ALPN: h2" : "* ALPN: the server did not choose h2")
            expectEqual(lines[5], http2 ? "* Protocol: HTTP/2" : "* Protocol: HTTP/1.1")
            let insecure = try await TernProcess.run("-v", "--insecure", server.url("/get"))
            expectEqual(insecure.status, 0)
            #expect(insecure.errors.contains("; not checked"), "\(insecure.errors)")
            // The certificates are checked as without -v.
            try await expectEqual(TernProcess.run("-v", server.url("/get")).status, 60)
        }
    }

    @Test("With -v a connection is kept for the next URL, as without it", arguments: [false, true])
    func kept(isTLS: Bool) async throws {
        let authority = try CertificateAuthority()
        let folder = try TemporaryFolder()
        try authority.writePEM(toPath: folder.path("ca.pem"))
        let bundle = isTLS ? try authority.issue(hosts: ["localhost", "127.0.0.1"]) : nil
        try await TestServer.withServer(.init(tls: bundle)) { server in
            let options = isTLS ? ["--cacert", folder.path("ca.pem")] : []
            for verbose in [["-v"], []] {
                let before = server.totalConnections
                let urls = [server.url("/get"), server.url("/headers")]
                let outcome = try await TernProcess(verbose + options + urls, folder: folder.path).outcome()
                expectEqual(outcome.status, 0, "\(outcome.errors)")
                expectEqual(server.totalConnections - before, 1)
                guard !verbose.isEmpty else { continue }
                let lines = lines(outcome)
                expectEqual(
                    lines.filter { $0.hasPrefix("* Connection: ") }, ["* Connection: new", "* Connection: reused"])
                expectEqual(lines.count { $0.hasPrefix("* Certificate: CN=localhost") }, isTLS ? 1 : 0)
            }
        }
    }

    @Test("--timeline draws the call, its attempts and their phases on standard error") func timeline() async throws {
        try await TestServer.withServer { server in
            let url = server.url("/redirect/1")
            let outcome = try await TernProcess.run("--timeline", "--body", url)
            let plain = try await TernProcess.run("--body", url)
            expectEqual(outcome.text, plain.text)
            let lines = lines(outcome)
            #expect(lines.first?.hasPrefix("Call: GET \(url) · 200 · ") == true, "\(outcome.errors)")
            #expect(lines.first?.hasSuffix(" · 2 attempts") == true, "\(outcome.errors)")
            expectEqual(lines.count { $0.hasPrefix("GET ") }, 2)
            #expect(lines.contains { $0.hasPrefix("  connect ") && $0.contains("█") })
            let missing = try await TernProcess.run("--timeline", "--fail-with-body", server.url("/status/404"))
            expectEqual(missing.status, 22)
            expectEqual(missing.errors.ranges(of: "Call: ").count, 1, "\(missing.errors)")
        }
    }

    @Test("--timeline fits a terminal of 40 columns, and has no colour if --no-color forbids it") func narrow()
        async throws
    {
        try await TestServer.withServer { server in
            let arguments = ["--timeline", "-o", "/dev/null", server.url("/get")]
            let process = try TernProcess(arguments, window: .init(rows: 24, columns: 40))
            let coloured = try await process.outcome()
            #expect(coloured.errors.contains("\u{1B}[1mCall: "), "\(coloured.errors)")
            let grey = try await TernProcess(["--no-color"] + arguments, window: .init(rows: 24, columns: 40)).outcome()
            #expect(!grey.errors.contains("\u{1B}[1m"), "\(grey.errors)")
            let bars = grey.errors.split { $0.isNewline }.filter { $0.contains("█") }
            #expect(!bars.isEmpty && bars.allSatisfy { $0.count < 40 }, "\(grey.errors)")
        }
    }
}
