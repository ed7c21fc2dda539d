import SternaPlatform
import SternaTesting
import Synchronization

/// Ports for programs, which take them a moment later: none that the system gives to connections meanwhile (it takes those from
/// 32768 or 49152 on), and none twice.
enum FreePorts {
    private static let range = 20_000..<32_000
    private static let next = Mutex(Int(getpid()) * 97 % range.count)

    static func take(_ count: Int) throws -> [Int] {
        try next.withLock { next in
            var ports: [Int] = []
            var tries = 0
            while ports.count < count {
                let port = range.lowerBound + next
                next = (next + 1) % range.count
                tries += 1
                do {
                    _ = try ClosedPort(port)
                    ports.append(port)
                } catch {
                    if tries > 1_000 { throw error }
                }
            }
            return ports
        }
    }
}
