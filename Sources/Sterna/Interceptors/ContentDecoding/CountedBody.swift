import HTTPTypes
import SternaCore

/// A body that reports its decoded bytes to a recorder as the caller reads them.
final class CountedBody: BodyStream {
    private let source: ClaimedBody
    private let recorder: MetricsRecorder

    private init(_ source: ClaimedBody, _ recorder: MetricsRecorder) {
        self.source = source
        self.recorder = recorder
    }

    /// Wraps a body for counting; a complete body counts at once.
    static func wrap(_ body: ResponseBody, _ recorder: MetricsRecorder) -> ResponseBody {
        if let whole = body.whole {
            recorder.decoded(whole.count)
            return body
        }
        return ResponseBody(CountedBody(ClaimedBody(body), recorder))
    }

    func next() async throws -> Bytes? {
        let piece = try await source.next()
        if let piece { recorder.decoded(piece.count) }
        return piece
    }

    func cancel() { source.cancel() }

    var length: Int64? { source.length }

    var trailers: HTTPFields? { source.trailers }
}
