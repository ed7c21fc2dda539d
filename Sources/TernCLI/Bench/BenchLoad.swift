import Sterna
import SternaPlatform

/// Drives a session with several concurrent callers.
struct BenchLoad: Sendable {
    var session: Session
    var url: HTTPURL
    var body: Body?
    var onLoop: Bool

    /// The measurements of one caller.
    struct Tally: Sendable {
        var bytes: Int64 = 0
        var errors = 0
        var firstError: String?
        var latencies: [Int64] = []
    }

    func run(requests: Int, concurrency: Int) async -> BenchResult {
        let start = Usage.now()
        let tallies = await withTaskGroup(of: Tally.self) { group in
            // Callers beyond the number of requests would have none to send.
            for caller in 0..<min(concurrency, requests) {
                let share = requests / concurrency + (caller < requests % concurrency ? 1 : 0)
                group.addTask {
                    if onLoop {
                        await session.onEventLoop { await call(share) }
                    } else {
                        await call(share)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        return BenchResult(tallies: tallies, used: Usage.now() - start)
    }

    private func call(_ times: Int) async -> Tally {
        var tally = Tally()
        // The user chooses the number; it may exceed what memory holds.
        tally.latencies.reserveCapacity(min(times, 1 << 20))
        for _ in 0..<times {
            let begin = Usage.nanoseconds()
            do {
                if let body {
                    let reply = try await session.put(url, body: body)
                    tally.bytes += body.length ?? Int64(reply.body.count)
                } else {
                    tally.bytes += try await download()
                }
            } catch {
                tally.errors += 1
                if tally.firstError == nil { tally.firstError = ErrorLine.text(for: error) ?? "\(error)" }
            }
            tally.latencies.append(Usage.nanoseconds() - begin)
        }
        return tally
    }

    // Counts the body and discards it as it arrives, whatever its size.
    private func download() async throws -> Int64 {
        try await session.withResponse(to: .get(url)) { response in
            guard (200..<300).contains(response.status.code) else {
                throw SternaError(.unacceptableStatus, phase: .read, "The server answered \(response.status.code).")
            }
            var bytes: Int64 = 0
            for try await chunk in response.body { bytes += Int64(chunk.count) }
            return bytes
        }
    }
}

/// Elapsed time and processor time of this process.
struct Usage {
    var wall: Double
    var cpu: Double

    static func now() -> Usage {
        var usage = rusage()
        #if canImport(Glibc)
        getrusage(CInt(RUSAGE_SELF.rawValue), &usage)
        #else
        getrusage(RUSAGE_SELF, &usage)
        #endif
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return Usage(wall: Double(nanoseconds()) / 1e9, cpu: seconds(usage.ru_utime) + seconds(usage.ru_stime))
    }

    static func nanoseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    static func - (later: Usage, earlier: Usage) -> Usage {
        Usage(wall: later.wall - earlier.wall, cpu: later.cpu - earlier.cpu)
    }
}
