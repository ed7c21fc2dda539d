import HTTPTypes
import SternaCore
import Synchronization

/// A stream preceded by the bytes that were already read from it.
final class PrefixedBody: BodyStream {
    private let prefix: Mutex<Bytes?>
    private let rest: any BodyStream

    init(_ prefix: Bytes, then rest: any BodyStream) {
        self.prefix = Mutex(prefix)
        self.rest = rest
    }

    func next() async throws -> Bytes? {
        if let first = prefix.withLock({ $0.take() }) { return first }
        return try await rest.next()
    }

    func cancel() { rest.cancel() }

    var length: Int64? { nil }

    var trailers: HTTPFields? { rest.trailers }
}
