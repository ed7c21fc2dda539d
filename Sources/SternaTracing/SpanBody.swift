import HTTPTypes
import Sterna
import SternaCore
import Tracing

/// A body whose end is the end of a span.
final class SpanBody: BodyStream {
    private let base: ClaimedBody
    private let span: RequestSpan

    init(_ body: ResponseBody, of span: RequestSpan) { (base, self.span) = (ClaimedBody(body), span) }

    deinit { span.giveUp() }

    func next() async throws -> Bytes? {
        do {
            guard let piece = try await base.next() else {
                span.end()
                return nil
            }
            span.progressed()
            return piece
        } catch {
            span.readFailed(error)
            throw error
        }
    }

    func cancel() {
        base.cancel()
        span.giveUp()
    }

    var length: Int64? { base.length }
    var trailers: HTTPFields? { base.trailers }
}
