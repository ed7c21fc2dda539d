import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// `tern --print m`.
@Suite("tern: timings of a request", .timeLimit(.minutes(5)))
struct MetricsOutputTests {
    private func lines(_ outcome: TernProcess.Outcome) -> [String] {
        outcome.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private func labels(_ lines: [String]) -> [String] {
        lines.filter { $0.hasPrefix("  ") && ($0.contains("█") || $0.contains("=")) }
            .compactMap { $0.split(separator: " ").first.map(String.init) }
    }

    @Test("--print m shows the timings of an exchange, and nothing else")
    func alone() async throws {
        try await TestServer.withServer { server in
            let outcome = try await TernProcess.run("--print", "m", server.url("/get"), environment: ["COLUMNS": "100"])
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            let lines = lines(outcome)
            expectEqual(
                lines.first, "GET \(server.url("/get")) · 200 · HTTP/1.1 · 127.0.0.1:\(server.port)")
            expectEqual(labels(lines), ["queue", "resolve", "connect", "write", "wait", "read"])
            #expect(lines.contains { $0.contains("; sent ") && $0.contains("received ") })
            #expect(!outcome.text.contains("\"args\""))
            #expect(!outcome.text.contains("\u{1B}"))
            expectEqual(labels(lines).count + 2, lines.filter { !$0.isEmpty }.count)
            #expect(lines.dropFirst().allSatisfy { $0.count < 100 })
        }
    }

    @Test("Timings follow the body, in ASCII for a dumb terminal, and in colour on demand")
    func manners() async throws {
        try await TestServer.withServer { server in
            let url = server.url("/get")
            let both = try await TernProcess.run("--print", "hbm", url, environment: ["TERM": "dumb"])
            let body = try #require(both.text.firstRange(of: "\"args\"")).lowerBound
            let drawing = try #require(both.text.firstRange(of: "GET \(url), 200, HTTP/1.1")).lowerBound
            #expect(body < drawing)
            #expect(!both.text.contains("█"))
            let coloured = try await TernProcess.run("--print", "m", "--pretty", "all", url)
            #expect(coloured.text.hasPrefix("\u{1B}[1mGET "))
            let saved = try TemporaryFolder()
            let file = try await TernProcess.run("--print", "m", "-o", saved.path("body"), url)
            #expect(file.text.hasPrefix("GET "))
            expectEqual(saved.content("body")?.isEmpty, false)
        }
    }

    @Test("Each redirect has its own timings, in order")
    func redirects() async throws {
        try await TestServer.withServer { server in
            let outcome = try await TernProcess.run("--print", "m", server.url("/redirect/1"))
            let lines = lines(outcome)
            expectEqual(lines.filter { $0.hasPrefix("GET ") }.count, 2)
            #expect(lines.contains { $0.contains("· 302 ·") })
            #expect(lines.contains { $0.contains("reused connection") })
            #expect(lines.contains { $0.hasPrefix("2 attempts, ") && $0.hasSuffix("in all: the first, a redirect") })
        }
    }

    @Test("A failed request shows the timings up to its failure")
    func failures() async throws {
        let closed = try ClosedPort()
        let refused = try await TernProcess.run("--print", "m", "http://127.0.0.1:\(closed.port)/")
        expectEqual(refused.status, 7)
        expectEqual(lines(refused).first?.contains("failed: connectionFailed"), true)
        expectEqual(labels(lines(refused)), ["queue", "resolve", "connect"])
        try await TestServer.withServer { server in
            let broken = try await TernProcess.run("--print", "m", server.url("/fault/close-half"))
            expectEqual(broken.status, 18)
            expectEqual(lines(broken).first?.contains("failed: truncated"), true)
            let missing = try await TernProcess.run("--fail", "--print", "m", server.url("/status/404"))
            expectEqual(missing.status, 22)
            expectEqual(lines(missing).first?.contains("· 404 ·"), true)
        }
        withExtendedLifetime(closed) {}
    }

    @Test("Without the option no timings are shown") func unasked() async throws {
        try await TestServer.withServer { server in
            for arguments in [["--print", "hb"], ["-v"], []] {
                let outcome = try await TernProcess.run(arguments + [server.url("/get")])
                #expect(!outcome.text.contains("; sent "))
            }
        }
    }

    @Test("The letter m of --print stands for the timings, which are not among the default parts") func letters() {
        expectEqual(OutputStyle.Parts.parse("m"), .metrics)
        expectEqual(OutputStyle.Parts.parse("HBhbcm"), OutputStyle.Parts.all.union([.cache, .metrics]))
        expectEqual(OutputStyle.Parts.parse("sM"), [.status, .timingJSON])
        #expect(!OutputStyle.Parts.all.contains(.metrics))
    }
}
