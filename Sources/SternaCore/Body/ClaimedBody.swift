package import HTTPTypes
import NIOCore
import Synchronization

/// A response's body as a stream, streamed or whole; wrapping bodies read through it.
///
/// The first read claims the body.
package final class ClaimedBody: BodyStream {
    private let body: ResponseBody
    private let hasBegun = Atomic(false)

    package init(_ body: ResponseBody) { self.body = body }

    package func next() async throws -> Bytes? {
        let isFirst = !hasBegun.exchange(true, ordering: .relaxed)
        if isFirst { try body.claim() }
        if let stream = body.stream { return try await stream.next() }
        return body.whole.flatMap { isFirst && $0.readableBytes > 0 ? $0 : nil }
    }

    package func cancel() { body.cancel() }

    package var length: Int64? { body.length }

    package var trailers: HTTPFields? { body.trailers }
}
