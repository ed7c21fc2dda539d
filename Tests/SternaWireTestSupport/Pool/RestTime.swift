import NIOCore

@testable import SternaTransport

extension Engine {
    /// Replaces the idle connections' rest time, which is that of their dials, so that no test depends on the machine's speed.
    func setRestTime(_ time: TimeAmount) async throws {
        for pool in permits.endpoints.flatMap(\.pools) {
            try await pool.shard.loop.submit { for connection in pool.idle { connection.restTime = time } }.get()
        }
    }
}
