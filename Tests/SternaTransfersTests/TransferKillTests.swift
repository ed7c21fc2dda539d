import MutationKit
import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

/// Processes that are killed while they download. `STERNA_LONG_TESTS=1` makes these trials long: 256 MiB and 50 kills.
@Suite("Transfers: killed processes", .serialized, .timeLimit(.minutes(30)))
struct TransferKillTests {
    private static let isLong = ProcessInfo.processInfo.environment["STERNA_LONG_TESTS"] == "1"
    private static let seed = ProcessInfo.processInfo.environment["STERNA_LONG_SEED"].flatMap { UInt64($0) }

    /// A process that carries a transfer on, or adds it, and ends itself at a number of bytes. The server is a part of it and dies with it,
    /// since a parent that waits for processes responds late or never.
    struct Load: Sendable, Codable {
        var folder: String
        var host: String
        var port: Int
        var size: Int
        var segments: Int

        /// The number of bytes at which it kills itself; nil to go on to the end.
        var end: Int64?

        var path: String { folder + "/file" }
        var log: String { folder + "/log" }

        func run() async {
            do {
                try await TestServer.withServer(.init(host: host, port: port)) { server async throws in
                    try await carryOn(server)
                }
            } catch {
                exit(5)
            }
        }

        private func carryOn(_ server: TestServer) async throws {
            let session = try Session()
            let store = try TransferStore(folder: folder + "/store")
            var transfer = try await store.resumeAll(with: session).first
            if transfer == nil, await store.list().first?.state.isOver == true {
                // The previous process was killed after the end.
                if end != nil { kill(getpid(), SIGKILL) }
                return
            }
            if transfer == nil {
                var options = TransferOptions()
                options.maxSegments = segments
                transfer = try await store.download(
                    server.url("/range/\(size)"), to: path, with: session, options: options)
            }
            guard let transfer else { exit(3) }
            for await status in transfer.updates {
                guard let end, status.progress.completed >= end else { continue }
                // The bytes received so far, and the number of the attempt.
                let number = transfer.attempts.last?.number ?? 0
                try Data("\(status.progress.completed) \(number)".utf8).write(to: URL(filePath: log))
                kill(getpid(), SIGKILL)
            }
            guard case .finished = try await transfer.end() else { exit(4) }
        }
    }

    @Test("A download survives repeated kills and fetches few bytes twice", arguments: [1, 4])
    func download(segments: Int) async throws {
        let (size, kills) = Self.isLong ? (256 << 20, 50) : (24 << 20, 4)
        let seed = Self.seed ?? .random(in: 1..<1 << 32)
        var random = MutationGenerator(seed: seed)
        let folder = TransferTestFolder()
        // An address of its own. It is not tried here: a process that starts just then would keep the port.
        let numbers = (0..<3).map { _ in String(Int.random(in: 1..<255)) }
        let host = "127." + numbers.joined(separator: ".")
        let port = Int.random(in: 10_000..<30_000)
        var load = Load(folder: folder.path, host: host, port: port, size: size, segments: segments)
        let moments = (0..<kills).map { _ in Int64.random(in: 0..<Int64(size), using: &random) }.sorted()
        var read: [Int: Int64] = [:]
        for moment in moments {
            load.end = moment
            await #expect(processExitsWith: .signal(SIGKILL)) { [load = load as Load] in await load.run() }
            let log = FileManager.default.contents(atPath: load.log) ?? Data()
            let numbers = String(decoding: log, as: UTF8.self).split(separator: " ").compactMap { Int64($0) }
            try #require(numbers.count == 2, "seed \(seed)")
            read[Int(numbers[1])] = numbers[0]
        }
        load.end = nil
        await #expect(processExitsWith: .success) { [load = load as Load] in await load.run() }
        let file = try #require(FileManager.default.contents(atPath: load.path), "seed \(seed)")
        let letters = Data((0..<26).map { UInt8(0x61 + $0) })
        var expected = Data()
        while expected.count < size { expected += letters }
        expectEqual(file, expected.prefix(size), "seed \(seed)")

        // The next process requests only the bytes that were not kept.
        let store = try TransferStore(folder: folder.path + "/store")
        let done = try #require(await store.list().first)
        let history = try TransferJournal.history(folder.path + "/store/\(done.id)/journal")
        let twice = history.attempts.compactMap { next in read[next.number - 1].map { max(0, $0 - next.keptBytes) }
        }
        print(
            "download over \(segments), killed: \(kills) kills, \(twice.reduce(0, +)) bytes twice, \(twice.max() ?? 0) at most"
        )
        #expect(twice.reduce(0, +) < Int64(size / 100 + kills * (4 << 20)), "\(twice), seed \(seed)")
        #expect(history.attemptCount >= 2 && !twice.isEmpty)
    }
}
