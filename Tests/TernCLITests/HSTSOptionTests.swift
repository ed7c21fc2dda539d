import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport

/// `--hsts`.
@Suite("tern: HSTS", .timeLimit(.minutes(5)))
struct HSTSOptionTests {
    private static let title = "# Your HSTS cache. https://curl.se/docs/hsts.html\n"

    /// Calls a closure with a server of `a.test`, and the options with which `tern` and curl reach and trust it.
    private func withServer(_ work: (TestServer, TemporaryFolder, [String]) async throws -> Void) async throws {
        let authority = try CertificateAuthority()
        let folder = try TemporaryFolder()
        try authority.writePEM(toPath: folder.path("ca.pem"))
        let bundle = try authority.issue(hosts: ["a.test", "b.a.test"])
        try await TestServer.withServer(.init(tls: bundle)) { server in
            server.route("GET", "/learn") { _ in
                ServerResponse(headers: ["Strict-Transport-Security": "max-age=3600; includeSubDomains"])
            }
            server.route("GET", "/forget") { _ in ServerResponse(headers: ["Strict-Transport-Security": "max-age=0"]) }
            let names = ["a.test", "b.a.test"].flatMap { ["--resolve", "\($0):\(server.port):127.0.0.1"] }
            try await work(
                server, folder, names + ["--cacert", folder.path("ca.pem"), "--hsts", folder.path("hsts")])
        }
    }

    @Test("A host that asks for it is reached by https, also by later commands, until it says otherwise")
    func remembered() async throws {
        try await withServer { server, folder, options in
            let host = "a.test:\(server.port)"
            try await expectEqual(TernProcess.run(options + ["https://\(host)/learn"]).status, 0)
            let saved = String(decoding: folder.content("hsts") ?? [], as: UTF8.self)
            #expect(saved.hasPrefix(Self.title) && saved.contains("\n.a.test \"20"), "\(saved)")
            for name in [host, "b.\(host)"] {
                let later = try await TernProcess.run(
                    options + ["-o", "-", "-w", "%{url_effective}", "http://\(name)/status/204"])
                expectEqual(later.status, 0, "\(later.errors)")
                expectEqual(later.text, "https://\(name)/status/204")
            }
            let download = try await TernProcess.run(
                ["download", "-s", "-o", folder.path("file")] + options + ["http://\(host)/1k"])
            expectEqual(download.status, 0, "\(download.errors)")
            try await expectEqual(TernProcess.run(options + ["http://\(host)/forget"]).status, 0)
            try await #expect(TernProcess.run(options + ["http://\(host)/status/204"]).status != 0)
            #expect(!String(decoding: folder.content("hsts") ?? [], as: UTF8.self).contains("a.test"))
        }
    }

    @Test("Without a verified certificate nothing is learnt") func unverified() async throws {
        try await withServer { server, folder, options in
            let index = try #require(options.firstIndex(of: "--cacert"))
            let unverified = options[..<index] + ["-k"] + options[(index + 2)...]
            let outcome = try await TernProcess.run(unverified + ["https://a.test:\(server.port)/learn"])
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            #expect(!String(decoding: folder.content("hsts") ?? [], as: UTF8.self).contains("a.test"))
        }
    }

    @Test(
        "Hosts that cannot be saved are an error, and the cookies are saved all the same",
        arguments: [("-c", "jar"), ("--session", "session.json")])
    func unsaved(option: String, file: String) async throws {
        try await withServer { server, folder, options in
            server.route("GET", "/cookie") { _ in
                ServerResponse(headers: ["Set-Cookie": "tern=1; Path=/", "Strict-Transport-Security": "max-age=3600"])
            }
            // Nothing can be locked here.
            try FileManager.default.createDirectory(atPath: folder.path("hsts.lock"), withIntermediateDirectories: true)
            let outcome = try await TernProcess.run(
                options + [option, folder.path(file), "https://a.test:\(server.port)/cookie"])
            expectEqual(outcome.status, 23, "\(outcome.errors)")
            #expect(outcome.errors.contains("hsts.lock"), "\(outcome.errors)")
            let saved = String(decoding: folder.content(file) ?? [], as: UTF8.self)
            #expect(saved.contains("tern"), "\(saved)")
            // A command that learns nothing has nothing to save.
            let other = try await TernProcess.run(options + ["https://a.test:\(server.port)/get"])
            expectEqual(other.status, 0, "\(other.errors)")
        }
    }

    private static let curl = "/usr/bin/curl"

    @Test("curl and tern share a file", .enabled(if: access(HSTSOptionTests.curl, X_OK) == 0))
    func shared() async throws {
        try await withServer { server, folder, options in
            let host = "a.test:\(server.port)"
            try await expectEqual(TernProcess.run(options + ["https://\(host)/learn"]).status, 0)
            let words = ["-s", "-o", "/dev/null", "-w", "%{url_effective}"] + options + ["http://\(host)/learn"]
            let curl = try await TernProcess(words, program: Self.curl).outcome()
            expectEqual(curl.text, "https://\(host)/learn")
            try await expectEqual(TernProcess.run(options + ["http://b.\(host)/status/204"]).status, 0)
        }
    }

    @Test("A file that is none of curl's is an error before anything is sent, and left as it is")
    func refused() async throws {
        try await withServer { server, folder, options in
            try folder.write("A note of mine\n", to: "hsts")
            let outcome = try await TernProcess.run(options + ["https://a.test:\(server.port)/learn"])
            #expect(outcome.status != 0 && outcome.errors.contains("--hsts"), "\(outcome.errors)")
            expectEqual(folder.content("hsts"), Array("A note of mine\n".utf8))
            expectEqual(server.requestCount, 0)
            let none = try await TernProcess.run("--hsts", folder.path("none/hsts"), "http://127.0.0.1:1/")
            expectEqual(none.status, 23, "\(none.errors)")
            for path in ["", "-"] {
                let wrong = try await TernProcess.run("--hsts", path, "http://127.0.0.1:1/")
                expectEqual(wrong.status, 2, "\(wrong.errors)")
            }
        }
    }
}
