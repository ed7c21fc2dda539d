extension Body {
    /// Returns the body in packets, with a pause before each packet except the first, for networks with little bandwidth. The
    /// counterpart of AFNetworking's `throttleBandwidthWithPacketSize:delay:`.
    ///
    /// The length and the replayability stay unchanged. The pause blocks no thread.
    ///
    /// - Parameters:
    ///   - size: the packet size in bytes; 16 KiB by default, at least 1.
    ///   - delay: the pause; 0.2 s by default, at most a year.
    ///   - clock: the clock that measures the pause.
    public func throttled(
        packets size: Int = 16 << 10, delay: Duration = .milliseconds(200),
        clock: any Clock<Duration> = ContinuousClock()
    ) -> Body {
        // The system clock traps on instants beyond its range.
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

/// A body reader shared by closures.
// Invariant: one task at a time calls a producer's reader, and each call begins after the previous one has returned.
package final class SharedBodyReader: @unchecked Sendable {
    private var reader: BodyReader

    /// Whether any bytes were requested.
    package private(set) var hasBegun = false

    package init(_ body: Body) { reader = BodyReader(body) }

    package func next() async throws -> Bytes? {
        hasBegun = true
        return try await reader.next()
    }

    package func next(filling count: Int) async throws -> Bytes? {
        hasBegun = true
        return try await reader.next(filling: count)
    }
}
