import NIOCore
import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Queue: shares of the bandwidth", .timeLimit(.minutes(20)))
struct QueueShareTests {
    /// Whether to run in full.
    private static let isLong = ProcessInfo.processInfo.environment["STERNA_LONG_TESTS"] == "1"

    /// Bytes that a server makes as they are asked for.
    private static func stream(_ size: Int) -> ServerResponse {
        let piece = [UInt8](repeating: 0x61, count: 64 << 10)
        return ServerResponse(
            headers: ["ETag": "\"v\""],
            body: .stream(length: size) { writer in
                var rest = size
                while rest > 0 {
                    try await writer.write(rest >= piece.count ? piece : Array(piece.prefix(rest)))
                    rest -= piece.count
                }
            })
    }

    @Test("Transfers of one size get equal shares, by a clock that advances only when all wait for their turns")
    func shares() async throws {
        // A slow limit, so that the burst at the beginning, which belongs to the first, is small.
        let (count, size) = (8, 4 << 20)
        try await QueueScene.with { scene in
            scene.server.route("GET", "/big") { _ in Self.stream(size) }
            let time = TestClock()
            var options = EngineOptions()
            options.clock = time.clock
            let engine = Engine(options: options)
            let limit = BandwidthLimit(download: 2_000_000)
            let queue = TransferQueue(with: scene.session.with { $0.network.engine = engine }) { options in
                options.concurrency = count
                options.bandwidth = limit
            }
            let transfers = try (0..<count).map { number in
                try queue.add { $0.download("big", to: .file("\(scene.folder.path)/\(number)")) }
            }
            queue.start()
            // The tasks' own figures: those of the queue follow a moment later.
            func bytes() -> [Int64] { transfers.map { $0.task?.downloadProgress.current.completed ?? 0 } }
            func advance(to sum: Int) async throws {
                while bytes().reduce(0, +) < Int64(sum) || limit.downloads.waiterCount < count {
                    if limit.downloads.waiterCount == count {
                        await time.advance(by: .milliseconds(20))
                    } else {
                        try await Task.sleep(for: .milliseconds(1))
                    }
                }
            }
            // The first to begin are some portions ahead, and stay so: shares count from when all compete, to the half, well before
            // any is over.
            try await advance(to: count * size / 8)
            let start = bytes()
            try await advance(to: count * size / 2)
            let shares = zip(bytes(), start).map { $0 - $1 }
            let (least, most) = (shares.min() ?? 0, shares.max() ?? 0)
            // A tenth, and the portion of a turn.
            #expect(Double(most - least) <= 0.1 * Double(most) + 65_536, "\(shares)")
            limit.download = nil
            try await queue.finish()
            expectEqual(queue.progress.current.finished, count)
        }
    }

    @Test("8 transfers of 128 MiB, by the system's clock", .enabled(if: isLong, "Set STERNA_LONG_TESTS=1."))
    func longShares() async throws {
        let (count, size) = (8, 128 << 20)
        try await QueueScene.with { scene in
            scene.server.route("GET", "/big") { _ in Self.stream(size) }
            let queue = scene.queue { options in
                options.concurrency = count
                options.bandwidth = BandwidthLimit(download: 100_000_000)
            }
            let transfers = try (0..<count).map { number in
                try queue.add { $0.download("big", to: .file("\(scene.folder.path)/\(number)")) }
            }
            queue.start()
            try await scene.until { queue.progress.current.bytes.completed >= Int64(count * size / 2) }
            let bytes = transfers.map(\.progress.completed)
            let (least, most) = (bytes.min() ?? 0, bytes.max() ?? 0)
            print("shares of \(count) transfers half-way: \(least) to \(most) bytes")
            #expect(Double(most - least) <= 0.1 * Double(size / 2), "\(bytes)")
            try await queue.finish()
            expectEqual(queue.progress.current.finished, count)
        }
    }

    @Test("A background transfer yields to a foreground one, and uses the remaining time")
    func background() async throws {
        let size = 12 << 20
        let pace = BandwidthLimit(download: 6_000_000)
        try await QueueScene.with { scene in
            scene.server.route("GET", "/big") { _ in Self.stream(size) }
            // The limit is not the queue's: it stands for a slow network.
            let session = scene.session.with { $0.limits.bandwidth = pace }
            let queue = TransferQueue(with: session)
            let slow = try queue.add(isBackground: true) { $0.download("big", to: .file(scene.folder.path + "/slow")) }
            queue.start()
            // Without competition it has the whole rate.
            try await scene.until { slow.progress.completed > 2 << 20 }
            let before = slow.progress.completed
            // The limit is not the queue's, but its engine's.
            let fast = session.download("big", to: .file(scene.folder.path + "/fast"))
            _ = try await fast.value
            let meanwhile = slow.progress.completed - before
            // A tenth, and the bytes before the rates had settled.
            #expect(meanwhile <= Int64(size) / 4, "\(meanwhile) bytes beside \(size)")
            #expect(meanwhile >= Int64(YieldRule.least) / 2, "\(meanwhile)")
            print("in the background \(meanwhile) bytes beside \(size)")
            try await scene.until { scene.session.traffic.background.download == nil }
            try await slow.end()
            #expect(
                slow.error == nil && scene.session.traffic.foregroundCount == 0 && !scene.session.traffic.isMeasured)
        }
    }

    @Test("Many small downloads keep a limit; their memory and processor use")
    func many() async throws {
        let (count, rate) = Self.isLong ? (1_000, 50_000_000) : (40, 20_000_000)
        let size = 1 << 20
        try await QueueScene.with { scene in
            scene.server.route("GET", "/part") { _ in Self.stream(size) }
            let queue = scene.queue { options in
                options.concurrency = 8
                options.bandwidth = BandwidthLimit(download: rate)
            }
            for number in 0..<count {
                try queue.add { $0.download("part", to: .file("\(scene.folder.path)/\(number)")) }
            }
            let start = ContinuousClock.now
            queue.start()
            try await queue.finish()
            let taken = (ContinuousClock.now - start) / .seconds(1)
            expectEqual(queue.progress.current.finished, count)
            // The burst comes before the time begins.
            let expected = Double(count * size - rate / 16) / Double(rate)
            print("\(count) downloads took \(taken) s of \(expected) s")
            #expect(taken >= expected * 0.95)
            if Self.isLong { #expect(taken <= expected * 1.05) }
        }
    }
}
