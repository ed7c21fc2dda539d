import NIOCore
import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// `--limit-rate` of `tern transfers`, and the rates that its screens show.
@Suite("tern transfers: rates", .timeLimit(.minutes(5)))
struct TransferRateTests {
    /// How long a limit of 200k makes a number of bytes take, less the burst of a sixteenth of a second.
    private static func time(_ bytes: Int) -> Duration { .seconds(Double(bytes) / 204_800 - 0.07) }

    @Test("The downloads of a command share the limit") func add() async throws {
        let folder = try TemporaryFolder()
        try await TestServer.withServer { server async throws in
            let start = ContinuousClock.now
            let outcome = try await TernProcess.run(
                "transfers", "add", "--store", folder.path("store"), "--into", folder.path("files"), "--limit-rate",
                "200k", server.url("/range/150000"), server.url("/range/150001"))
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            #expect(ContinuousClock.now - start >= Self.time(300_001))
        }
    }

    @Test("Resumed transfers are no faster than the limit, and the screen has their rate and the time left")
    func resume() async throws {
        let folder = try TemporaryFolder()
        let size = 6 << 20
        try folder.write(String(repeating: "01", count: size / 2), to: "a.bin")
        try await TestServer.withServer { server async throws in
            let s3 = S3Fake(held: ["create"])
            s3.serve(on: server)
            let signing = ["--aws-sigv4", "aws:amz:eu-central-1:s3", "--auth", "AKID:hidden"]
            let store = ["--store", folder.path("store")] + signing
            let first = try TernProcess(
                [
                    "upload", folder.path("a.bin"), server.url("/bucket/a.bin"), "--resumable", "s3",
                    "--max-request-bytes", "5242880",
                ] + store)
            while s3.log.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            first.signal(SIGKILL)
            _ = try await first.outcome()
            s3.release()
            let start = ContinuousClock.now
            let second = try TernProcess(
                ["transfers", "resume", "--limit-rate", "2M"] + store, window: .init(rows: 24, columns: 80))
            let shown = await second.errors { $0.contains(" left") }
            #expect(shown.contains("a.bin  [") && shown.contains("% of 6.3 MB, "), "\(shown)")
            let outcome = try await second.outcome()
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            #expect(ContinuousClock.now - start >= .seconds(3 - 0.07))
            expectEqual(s3.objects["a.bin"]?.count, size)
        }
    }

    @Test("watch measures the rates of another command's transfers") func watch() async throws {
        let folder = try TemporaryFolder()
        try await TestServer.withServer { server async throws in
            server.route("GET", "/big.iso") { _ in
                ServerResponse(headers: ["ETag": "\"v\""], body: .bytes(Array(repeating: 0x61, count: 6 << 20)))
            }
            let store = ["--store", folder.path("store")]
            let running = try TernProcess(
                [
                    "transfers", "add", "-o", folder.path("big.iso"), "--limit-rate", "1M", server.url("/big.iso"),
                ] + store)
            try await server.waitForRequests(1, within: 60)
            let watching = try TernProcess(["transfers", "watch"] + store, window: .init(rows: 24, columns: 80))
            let shown = await watching.errors { $0.contains(" left") }
            #expect(shown.contains("big.iso  [") && shown.contains("% of 6.3 MB, "), "\(shown)")
            running.signal(SIGKILL)
            watching.signal(SIGINT)
            _ = try await running.outcome()
            try await expectEqual(watching.outcome().status, 130)
        }
    }

    private static func at(_ milliseconds: UInt64) -> NIODeadline { .uptimeNanoseconds(milliseconds * 1_000_000) }

    @Test("A rate leaves out earlier bytes, decreases while nothing arrives, and restarts with the transfer")
    func rates() {
        var rates = RunningRates<String>()
        func rate(_ completed: Int64, _ id: String, _ time: UInt64) -> Double? {
            rates.measured(TransferProgress(completed: completed, total: 1 << 40), of: id, at: Self.at(time)).rate
        }
        expectNil(rate(1 << 30, "a", 1_000))
        expectEqual(rate(1 << 30 + 500_000, "a", 1_500), 1_000_000)
        expectNil(rate(7, "b", 1_500))
        expectEqual(rate(1 << 30 + 500_000, "a", 2_000), 500_000)
        expectNil(rate(0, "a", 2_500))
        expectEqual(rate(100_000, "a", 3_500), 100_000)
        rates.keep(["b"])
        expectNil(rate(100_000, "a", 4_500))
        expectEqual(rate(1_007, "b", 2_500), 1_000)
        #expect(rate(.max, "c", 0) == nil && rate(.min, "c", 1_000) == nil && rate(.max, "c", 2_000) != .infinity)
    }
}
