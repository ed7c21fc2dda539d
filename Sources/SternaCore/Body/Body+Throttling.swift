extension Body {
    /// The body in packets with a pause before each but the first, for networks that are worth saving: AFNetworking's
    /// `throttleBandwidthWithPacketSize:delay:`.
    ///
    /// The length, and whether it can be sent again, stay as they are. Nothing waits on a thread.
    ///
    /// - Parameters:
    ///   - size: the bytes of a packet; 16 KiB by default, at least 1.
    ///   - delay: the pause; 0.2 s by default, at most a year.
    ///   - clock: what measures the pause.
    public func throttled(
        packets size: Int = 16 << 10, delay: Duration = .milliseconds(200),
        clock: any Clock<Duration> = ContinuousClock()
    ) -> Body {
        // The system's clock stops the process at moments that its numbers do not reach.
        let delay = min(delay, .seconds(365 * 86_400))
        var producer = BodyProducer(length: length, isReplayable: isReplayable) {
            let reader = SharedBodyReader(self)
            return {
                if reader.hasBegun { try await clock.sleep(for: delay) }
                return try await reader.next(filling: size)
            }
        }
        producer.estimatedLength = estimatedLength
        var throttled = self
        throttled.segments = [.producer(producer)]
        return throttled
    }
}

/// A reader that closures share.
// Invariant: a producer's reader is called by one task at a time, each call after the last has returned.
package final class SharedBodyReader: @unchecked Sendable {
    private var reader: BodyReader

    /// Whether anything was asked for.
    package private(set) var hasBegun = false

    package init(_ body: Body) { reader = BodyReader(body) }

    package func next(filling count: Int) async throws -> Bytes? {
        hasBegun = true
        return try await reader.next(filling: count)
    }
}
