import NIOCore
import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

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

    @Test("Transfers of one size get equal shares")
    func shares() async throws {
        // In full: 8 of 128 MiB.
        let (count, size, rate) = Self.isLong ? (8, 128 << 20, 100_000_000) : (8, 2 << 20, 8_000_000)
        try await QueueScene.with { scene in
            scene.server.route("GET", "/big") { _ in Self.stream(size) }
            let queue = scene.queue { options in
                options.concurrency = count
                options.bandwidth = BandwidthLimit(download: rate)
            }
            let transfers = try (0..<count).map { number in
                try queue.add { $0.download("big", to: .file("\(scene.folder.path)/\(number)")) }
            }
            queue.start()
            // Half-way, well before the first is over.
            try await scene.until { queue.progress.current.bytes.completed >= Int64(count * size / 2) }
            let bytes = transfers.map(\.progress.completed)
            queue.bandwidth.download = nil
            let (least, most) = (bytes.min() ?? 0, bytes.max() ?? 0)
            #expect(Double(most - least) <= 0.1 * Double(size / 2) + 128_000, "\(bytes)")
            print("shares of \(count) transfers half-way: \(least) to \(most) bytes")
            try await queue.finish()
            #expect(queue.progress.current.finished == count)
        }
    }

    @Test("A transfer in the background yields to one in the foreground, and takes the rest of the time")
    func background() async throws {
        let size = 12 << 20
        let pace = BandwidthLimit(download: 6_000_000)
        try await QueueScene.with { scene in
            scene.server.route("GET", "/big") { _ in Self.stream(size) }
            // What limits them is not the queue's: a narrow line, in effect.
            let session = scene.session.with { $0.bandwidth = pace }
            let queue = TransferQueue(with: session)
            let slow = try queue.add(isBackground: true) { $0.download("big", to: .file(scene.folder.path + "/slow")) }
            queue.start()
            // Alone it has all that there is.
            try await scene.until { slow.progress.completed > 2 << 20 }
            let before = slow.progress.completed
            // Not of the queue, but of its engine.
            let fast = session.download("big", to: .file(scene.folder.path + "/fast"))
            _ = try await fast.value
            let meanwhile = slow.progress.completed - before
            // A tenth, and what came before the rates had settled.
            #expect(meanwhile <= Int64(size) / 4, "\(meanwhile) bytes beside \(size)")
            #expect(meanwhile >= Int64(YieldRule.least) / 2, "\(meanwhile)")
            print("in the background \(meanwhile) bytes beside \(size)")
            try await scene.until { scene.session.traffic.background.download == nil }
            try await slow.end()
            #expect(
                slow.error == nil && scene.session.traffic.foregroundCount == 0 && !scene.session.traffic.isMeasured)
        }
    }

    @Test("Many small downloads keep to a limit; the memory and the processor that they take")
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
            #expect(queue.progress.current.finished == count)
            // The burst comes before the time begins.
            let expected = Double(count * size - rate / 16) / Double(rate)
            print("\(count) downloads took \(taken) s of \(expected) s")
            #expect(taken >= expected * 0.95)
            if Self.isLong { #expect(taken <= expected * 1.05) }
        }
    }
}
