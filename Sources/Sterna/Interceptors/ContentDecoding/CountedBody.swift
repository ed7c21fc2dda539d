import HTTPTypes
import SternaCore

/// A body that a recorder is told of as it is read, as whoever reads gets it: its coding undone.
final class CountedBody: BodyStream {
    private let source: ClaimedBody
    private let recorder: MetricsRecorder

    private init(_ source: ClaimedBody, _ recorder: MetricsRecorder) {
        self.source = source
        self.recorder = recorder
    }

    /// The same body, counted; one that is there as a whole counts at once.
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
