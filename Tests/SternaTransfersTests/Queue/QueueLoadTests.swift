import NIOCore
import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTransfers

/// The server and the client of `scripts/measure-transfers`, each in a process of its own.
@Suite("Queue: the load of many transfers", .timeLimit(.minutes(20)))
struct QueueLoadTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let size = 1 << 20

    @Test("The server", .enabled(if: environment["STERNA_LOAD"] == "server", "scripts/measure-transfers runs it."))
    func server() async throws {
        try await TestServer.withServer { server in
            let piece = [UInt8](repeating: 0x61, count: 256 << 10)
            server.route("GET", "/part") { _ in
                ServerResponse(
                    headers: ["ETag": "\"v\""],
                    body: .stream(length: Self.size) { writer in
                        for _ in 0..<Self.size / piece.count { try await writer.write(piece) }
                    })
            }
            print("serves at \(server.url)")
            fflush(nil)
            // The script ends this process.
            try await Task.sleep(for: .seconds(1_200))
        }
    }

    @Test(
        "The client",
        .enabled(if: ["tasks", "store"].contains(environment["STERNA_LOAD"]), "scripts/measure-transfers runs it."))
    func client() async throws {
        let (url, kind) = (Self.environment["STERNA_LOAD_URL"] ?? "", Self.environment["STERNA_LOAD"] ?? "")
        let count = min(100_000, Self.environment["STERNA_LOAD_COUNT"].flatMap { Int($0) } ?? 1_000)
        let folder = TransferTestFolder()
        let session = try Session(baseURL: url)
        let limit = BandwidthLimit(download: 50_000_000)
        let before = Self.usage()
        let start = ContinuousClock.now
        var begun = start
        if kind == "store" {
            let store = try TransferStore(folder: folder.path + "/store")
            let queue = TransferQueue(with: session) { options in
                options.concurrency = 8
                options.bandwidth = limit
            }
            for number in 0..<count {
                let path = "\(folder.path)/\(number)"
                try await queue.add(try await store.download("part", to: path, with: session, startsAtOnce: false))
            }
            begun = .now
            queue.start()
            try await queue.finish()
            #expect(queue.progress.current.finished == count)
        } else {
            // Eight at a time, without a queue.
            let limited = session.with { $0.bandwidth = limit }
            let urls = (0..<count).map { "part?\($0)" }
            let batch = limited.download(urls, into: folder.path, concurrency: 8)
            for result in try await batch.results { _ = try result.get() }
        }
        let seconds = (ContinuousClock.now - begun) / .seconds(1)
        let usage = Self.usage()
        // The burst comes before the time begins.
        let rate = Double(count * Self.size - 50_000_000 / 16) / seconds / 1e6
        print("load: \(rate) MB/s, \(usage.memory) MB, \((usage.seconds - before.seconds) / Double(count) * 1_000) ms")
    }

    /// The processor's time of this process in seconds, and the peak of its resident memory in MB.
    private static func usage() -> (seconds: Double, memory: Double) {
        var usage = rusage()
        #if canImport(Glibc)
        getrusage(CInt(RUSAGE_SELF.rawValue), &usage)
        #else
        getrusage(RUSAGE_SELF, &usage)
        #endif
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return (seconds(usage.ru_utime) + seconds(usage.ru_stime), Double(usage.ru_maxrss) * 1_024 / 1e6)
    }
}
