import HTTPTypes
import SternaCore

/// A body in a coding that is not known: its first byte is an error.
final class UndecodableBody: BodyStream {
    private let source: ResponseBody
    private let failure: SternaError

    init(_ source: ResponseBody, _ failure: SternaError) {
        self.source = source
        self.failure = failure
    }

    func next() async throws -> Bytes? {
        var iterator = source.makeAsyncIterator()
        guard try await iterator.next() != nil else { return nil }
        source.cancel()
        throw failure
    }

    func cancel() { source.cancel() }

    var length: Int64? { nil }

    var trailers: HTTPFields? { source.trailers }
}
