import MutationKit
import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Transfers: broken connections and a full disk", .timeLimit(.minutes(5)))
struct TransferFaultTests {
    @Test("A download survives repeated cuts at random bytes", arguments: [1, 3])
    func cuts(segments: Int) async throws {
        let (size, folder) = (9 << 20, TransferTestFolder())
        let seed = UInt64.random(in: 1..<1 << 32)
        let random = Mutex(MutationGenerator(seed: seed))
        let sent = Mutex(0)
        let left = Mutex(40)
        let content = noise(size)
        try await TestServer.withServer { server async throws in
            server.route("GET", "/cut") { request in
                var range = 0..<size
                var headers: ServerHeaders = ["ETag": "\"v\"", "Accept-Ranges": "bytes"]
                if let asked = request.headers["Range"]?.dropFirst(6).split(separator: "-").compactMap({ Int($0) }),
                    let first = asked.first
                {
                    range = first..<(asked.count > 1 ? asked[1] + 1 : size)
                    headers["Content-Range"] = "bytes \(first)-\(range.upperBound - 1)/\(size)"
                }
                let isCut = left.withLock { left in
                    left -= 1
                    return left >= 0
                }
                let end = isCut ? random.withLock { Int.random(in: range, using: &$0) } : range.upperBound
                return ServerResponse(
                    status: range == 0..<size ? 200 : 206, headers: headers,
                    body: .stream(length: range.count) { [range] writer in
                        for start in stride(from: range.lowerBound, to: end, by: 64 << 10) {
                            let piece = content[start..<min(end, start + 64 << 10)]
                            try await writer.write(Array(piece))
                            sent.withLock { $0 += piece.count }
                        }
                        if end < range.upperBound { throw CancellationError() }
                    })
            }
            let engine = Engine()
            let session = try Session(baseURL: server.url) {
                $0.network.engine = engine
                $0.retry = .none
            }
            let store = try TransferStore(folder: folder.path + "/store")
            var options = TransferOptions()
            options.longestPause = .milliseconds(1)
            options.maxSegments = segments
            let path = folder.path + "/file"
            let transfer = try await store.download("cut", to: path, with: session, options: options)
            try await expectEqual(transfer.end(), .finished(path: path, length: Int64(size)), "seed \(seed)")
            expectEqual(FileManager.default.contents(atPath: path), Data(content), "seed \(seed)")
            // A cut loses only the bytes that were under way.
            let twice = sent.withLock { $0 } - size
            #expect(twice < 41 * (1 << 20), "\(twice) bytes, seed \(seed)")
        }
    }

    /// A process whose files may not become longer than a limit, which stands for a full disk, until an attempt has failed for it.
    /// It has a server of its own, since a parent that waits for processes responds late or never.
    struct FullDisk: Sendable, Codable {
        var folder: String

        func run() async {
            var limit = rlimit()
            #if canImport(Glibc)
            let kind = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
            #else
            let kind = RLIMIT_FSIZE
            #endif
            signal(SIGXFSZ, SIG_IGN)
            do {
                let server = try await TestServer.start()
                let session = try Session()
                let store = try TransferStore(folder: folder + "/store")
                getrlimit(kind, &limit)
                limit.rlim_cur = 1 << 20
                setrlimit(kind, &limit)
                let transfer = try await store.download(
                    server.url("/range/4000000"), to: folder + "/file", with: session)
                while !transfer.attempts.contains(where: { $0.failure?.kind == "writeFailed" }) {
                    guard !transfer.status.state.isOver else { exit(3) }
                    try await Task.sleep(for: .milliseconds(2))
                }
                limit.rlim_cur = limit.rlim_max
                setrlimit(kind, &limit)
                // At once, in place of the pause.
                try await transfer.resume()
                guard case .finished = try await transfer.end(), transfer.attempts.last?.keptBytes ?? 0 > 0 else {
                    exit(4)
                }
            } catch {
                exit(5)
            }
        }
    }

    @Test("A temporarily full disk delays a transfer, which keeps its bytes")
    func fullDisk() async throws {
        let folder = TransferTestFolder()
        let load = FullDisk(folder: folder.path)
        await #expect(processExitsWith: .success) { [load = load as FullDisk] in await load.run() }
        let file = FileManager.default.contents(atPath: folder.path + "/file")
        expectEqual(file, Data((0..<4_000_000).map { UInt8(0x61 + $0 % 26) }))
    }

    /// A process that uploads while no file may be written, the journal's included, until the transfer has said so.
    struct FullStore: Sendable, Codable {
        var folder: String

        func run() async {
            var limit = rlimit()
            #if canImport(Glibc)
            let kind = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
            #else
            let kind = RLIMIT_FSIZE
            #endif
            signal(SIGXFSZ, SIG_IGN)
            do {
                let server = try await TestServer.start()
                let session = try Session()
                let store = try TransferStore(folder: folder + "/store")
                let transfer = try await store.upload(
                    file: folder + "/source", to: server.url("/post"), with: session, .init(.off), startsAtOnce: false)
                getrlimit(kind, &limit)
                limit.rlim_cur = 0
                setrlimit(kind, &limit)
                try await transfer.begin()
                for await status in transfer.updates where status.state == .waiting {
                    if transfer.attempts.last?.failure != nil { break }
                }
                guard transfer.attempts.map({ $0.failure?.kind }) == ["writeFailed"] else { exit(3) }
                limit.rlim_cur = limit.rlim_max
                setrlimit(kind, &limit)
                // At once, in place of the pause.
                try await transfer.resume()
                guard case .finished = try await transfer.end(), transfer.attempts.last?.failure == nil else { exit(4) }
            } catch {
                exit(5)
            }
        }
    }

    @Test("While the store's disk is full, a transfer waits and reports the reason")
    func fullStore() async throws {
        let folder = TransferTestFolder()
        try Data(repeating: 0x61, count: 100_000).write(to: URL(filePath: folder.path + "/source"))
        let load = FullStore(folder: folder.path)
        await #expect(processExitsWith: .success) { [load = load as FullStore] in await load.run() }
    }
}
