import NIOCore

extension Body {
    /// Returns the body throttled by bandwidth limits. The length and the replayability stay unchanged; a body that is sent again
    /// takes permission again.
    package func limited(by limits: [BandwidthLimit], _ time: LoopClock) -> Body {
        let queues = limits.map(\.uploads)
        guard !queues.isEmpty, length != 0 else { return self }
        var producer = BodyProducer(length: length, isReplayable: isReplayable) {
            let content = LimitedUpload(self, queues, time)
            return { try await content.next() }
        }
        producer.estimatedLength = estimatedLength
        var limited = self
        limited.segments = [.producer(producer)]
        return limited
    }
}

/// A throttled request body. The exchange's limits end its wait by cancelling the reading task.
// Invariant: one task at a time calls a producer's reader, and each call begins after the previous one has returned.
private final class LimitedUpload: @unchecked Sendable {
    private var reader: BodyReader
    private var chunk = Bytes()
    private var payment: BandwidthPayment
    private let queues: [BandwidthQueue]
    private let time: LoopClock

    /// The number of bytes to read at once.
    private static let chunkBytes = 64 << 10

    init(_ body: Body, _ queues: [BandwidthQueue], _ time: LoopClock) {
        reader = BodyReader(body)
        self.queues = queues
        self.time = time
        payment = BandwidthPayment(limits: queues.count)
    }

    func next() async throws -> Bytes? {
        if chunk.readableBytes == 0 {
            guard let next = try await reader.next(upTo: Self.chunkBytes) else { return nil }
            chunk = next
        }
        while let (index, count) = payment.missing(of: chunk.readableBytes), queues.indices.contains(index) {
            let bytes = try await queues[index].take(
                upTo: count, for: self, as: BandwidthQueue.nextNumber(), by: time)
            payment.add(bytes, by: index)
        }
        return chunk.readSlice(length: payment.spend(upTo: chunk.readableBytes))
    }
}

extension LimitedUpload: LimitedContent {
    var phase: SternaError.Phase { .write }

    var deadline: NIODeadline { .distantFuture }

    func failure(at now: NIODeadline) -> SternaError? { nil }
}
