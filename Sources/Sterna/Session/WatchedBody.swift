import HTTPTypes
import SternaCore
import Synchronization

/// A response whose body its caller reads while it arrives.
struct StreamedResponse: Sendable {
    let request: Request
    let response: Response
    /// The response's body if it is recorded; nil if not, or if it arrived together with the head.
    var watched: WatchedBody?

    var recorder: MetricsRecorder? { request.recorder }
}

/// A body that passes each piece to a closure before its reader receives it.
final class WatchedBody: BodyStream {
    private let base: any BodyStream
    private let watch: @Sendable (Bytes) async -> Void
    private let atEnd: (@Sendable () throws -> Void)?
    private let isOver = Atomic(false)

    /// - Parameter atEnd: called when a reader finds the end; the reader receives its error instead of the end.
    init(
        _ base: any BodyStream, atEnd: (@Sendable () throws -> Void)? = nil,
        _ watch: @escaping @Sendable (Bytes) async -> Void
    ) {
        (self.base, self.watch, self.atEnd) = (base, watch, atEnd)
    }

    func next() async throws -> Bytes? {
        guard let piece = try await base.next() else {
            isOver.store(true, ordering: .relaxed)
            try atEnd?()
            return nil
        }
        await watch(piece)
        return piece
    }

    /// Whether a reader has found the end.
    var hasEnded: Bool { isOver.load(ordering: .relaxed) }

    func cancel() { base.cancel() }
    var length: Int64? { base.length }
    var trailers: HTTPFields? { base.trailers }
}
