import ArgumentParser
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// `--limit-rate`.
@Suite("tern: limited rate", .timeLimit(.minutes(5)))
struct LimitRateTests {
    @Test(
        "Rates are read in curl's form",
        arguments: [
            ("1", 1), ("5000", 5_000), ("100k", 102_400), ("100K", 102_400), ("2M", 2 << 20), ("2m", 2 << 20),
            ("1G", 1 << 30), ("1g", 1 << 30), ("007", 7), ("8589934591G", 8_589_934_591 << 30), ("0", nil),
            ("0M", nil), ("", nil), ("M", nil), ("-1", nil), ("+1", nil), ("1.5M", nil), ("2MB", nil), ("2 M", nil),
            ("8589934592G", nil), ("99999999999999999999", nil), ("٣", nil), ("fast", nil),
        ] as [(String, Int?)])
    func values(text: String, rate: Int?) {
        expectEqual(LimitRate.parse(text), rate)
    }

    @Test("A wrong rate is wrong usage", arguments: ["fast", "0", "2MB"])
    func refused(value: String) async throws {
        let outcome = try await TernProcess.run("--limit-rate", value, "http://127.0.0.1:1/")
        expectEqual(outcome.status, 2)
        #expect(outcome.errors.contains("--limit-rate"), "\(outcome.errors)")
        #expect(outcome.errors.contains("2M"), "\(outcome.errors)")
    }

    @Test("A download is no faster than the limit")
    func download() async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            let file = folder.path("a")
            let start = ContinuousClock.now
            let outcome = try await TernProcess.run(
                "--limit-rate", "200k", "-s", "-o", file, server.url("/bytes/150000?seed=1"))
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            // Less the burst of a sixteenth of a second.
            #expect(ContinuousClock.now - start >= .seconds(150_000.0 / 204_800 - 0.07))
            expectEqual(folder.content("a")?.count, 150_000)
        }
    }

    @Test("An upload is no faster than the limit", arguments: [false, true])
    func upload(isCommand: Bool) async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            try folder.write(String(repeating: "0123456789", count: 15_000), to: "a.txt")
            let file = folder.path("a.txt")
            let arguments =
                isCommand
                ? ["upload", "--limit-rate", "200k", file, server.url("/upload")]
                : ["--limit-rate", "200k", server.url("/upload"), "@" + file]
            let start = ContinuousClock.now
            let outcome = try await TernProcess(arguments).outcome()
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            #expect(ContinuousClock.now - start >= .seconds(150_000.0 / 204_800 - 0.07))
            #expect(outcome.text.contains("150000"), "\(outcome.text)")
        }
    }
}
