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
    private let isOver = Atomic(false)

    init(_ base: any BodyStream, _ watch: @escaping @Sendable (Bytes) async -> Void) {
        (self.base, self.watch) = (base, watch)
    }

    func next() async throws -> Bytes? {
        let piece = try await base.next()
        if let piece { await watch(piece) } else { isOver.store(true, ordering: .relaxed) }
        return piece
    }

    /// Whether a reader has found the end.
    var hasEnded: Bool { isOver.load(ordering: .relaxed) }

    func cancel() { base.cancel() }
    var length: Int64? { base.length }
    var trailers: HTTPFields? { base.trailers }
}
