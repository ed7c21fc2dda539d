import NIOCore

@testable import SternaTransport

extension Engine {
    /// Gives the idle connections another rest than the time of their dials, so that no test depends on how fast the machine is.
    func setRestTime(_ time: TimeAmount) async throws {
        for pool in permits.endpoints.flatMap(\.pools) {
            try await pool.shard.loop.submit { for connection in pool.idle { connection.restTime = time } }.get()
        }
    }
}
