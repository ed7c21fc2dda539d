import Foundation
import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// Limits over real sockets and the system's clock. They are never faster than allowed; how much slower, the machine decides.
@Suite("Bandwidth: sockets", .serialized, .timeLimit(.minutes(5)))
struct BandwidthSocketTests {
    private func session(
        _ server: TestServer, _ limit: BandwidthLimit, _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> Session {
        try Session(baseURL: server.url) {
            $0.limits.bandwidth = limit
            $0.responseSerializer = .data
            configure(&$0)
        }
    }

    /// Measures work that transfers a number of bytes, and expects it to keep to a rate, less the burst.
    private func expectLimit(
        _ rate: Int, bytes: Int, location: SourceLocation = #_sourceLocation, _ work: () async throws -> Void
    ) async throws {
        let start = ContinuousClock.now
        try await work()
        let least = Double(bytes - rate / 16) / Double(rate)
        #expect(ContinuousClock.now - start >= .seconds(least * 0.99), sourceLocation: location)
    }

    @Test("A hundred downloads at once keep to one limit together, and are whole")
    func downloads() async throws {
        try await TestServer.withServer { server in
            let limit = BandwidthLimit(download: 4_000_000)
            let api = try session(server, limit)
            try await expectLimit(4_000_000, bytes: 4_000_000) {
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for seed in 0..<100 {
                        group.addTask { try await api.get("bytes/40000?seed=\(seed)").data().count }
                    }
                    for try await count in group { expectEqual(count, 40_000) }
                }
            }
            expectEqual(limit.downloads.waiterCount, 0)
        }
    }

    @Test("One large download, streamed")
    func large() async throws {
        try await TestServer.withServer { server in
            let api = try session(server, BandwidthLimit(download: 8_000_000))
            let whole = try await api.with { $0.limits.bandwidth = nil }.get("bytes/4000000?seed=7").data()
            var all = Bytes()
            try await expectLimit(8_000_000, bytes: 4_000_000) {
                try await api.withResponse(to: .get("bytes/4000000?seed=7")) { response in
                    for try await chunk in response.body { all.writeImmutableBuffer(chunk) }
                }
            }
            expectEqual(all.array, Array(whole))
        }
    }

    @Test("Uploads of bytes, a file and a stream")
    func uploads() async throws {
        try await TestServer.withServer { server in
            let api = try session(server, BandwidthLimit(upload: 4_000_000))
            let content = Bytes(repeating: 0x61, count: 400_000)
            let photo = try TemporaryPhoto()
            try Data(content.array).write(to: URL(fileURLWithPath: photo.path))
            try await expectLimit(4_000_000, bytes: 1_200_000) {
                for body in [Body.bytes(content), try .file(photo.path)] {
                    try await expectEqual(api.post("upload", body: body).json()["bytes"], 400_000)
                }
                let (stream, continuation) = AsyncStream<Bytes>.makeStream()
                for _ in 0..<4 { continuation.yield(Bytes(repeating: 0x62, count: 100_000)) }
                continuation.finish()
                try await expectEqual(api.post("upload", body: .stream(stream)).json()["bytes"], 400_000)
            }
        }
    }

    @Test("No time-out of the engine strikes while bodies wait", arguments: [false, true])
    func timeouts(isHTTP2: Bool) async throws {
        try await TestServer.withServer(.init(http2: isHTTP2 ? [.byPriorKnowledge] : [])) { server in
            let limit = BandwidthLimit(download: 1, upload: 1)
            let api = try session(server, limit) {
                if isHTTP2 { $0.network.http2 = .priorKnowledge }
                $0.timeouts.betweenBytes = .milliseconds(2500)
                $0.timeouts.write = .milliseconds(2500)
                $0.timeouts.minimumThroughput = .init(bytesPerSecond: 100, over: .seconds(1))
            }
            let pause = Duration.seconds(4)
            // More than all buffers hold, so that the server has to wait.
            let download = Task { try await api.get("bytes/30000000?seed=1").data().count }
            try await BandwidthScene.wait(for: 1, limit.downloads)
            try await Task.sleep(for: pause)
            limit.download = nil
            try await expectEqual(download.value, 30_000_000)
            let upload = Task { try await api.post("upload", body: .bytes(Bytes(repeating: 1, count: 100_000))).json() }
            try await BandwidthScene.wait(for: 1, limit.uploads)
            try await Task.sleep(for: pause)
            limit.upload = nil
            try await expectEqual(upload.value["bytes"], 100_000)
        }
    }
}
