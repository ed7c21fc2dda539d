import HTTPTypes
import NIOCore
import SternaCore
import SternaTransport
import Synchronization

/// Sends, asks for and verifies digests of content (RFC 9530).
///
/// It is below content decoding, since digests cover the coded content, and below the cache, which stores nothing that ends with an
/// error.
struct DigestInterceptor: Interceptor {
    let time: LoopClock

    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        let options = request.options[DigestOptionsKey.self]
        guard !options.isEmpty else { return try await next(request) }
        let response = try await next(try await prepared(request, options))
        return options.contains(.verify) ? try verified(response, to: request, options) : response
    }

    // MARK: Requests

    // A separate function, whose locals would otherwise occupy memory in every waiting request; so is the next.
    @inline(never)
    nonisolated(nonsending) private func prepared(
        _ request: Request, _ options: DigestOptions
    ) async throws -> Request {
        var request = request
        if options.contains(.want) {
            let text = DigestRule.preferences(options.algorithms)
            for name in [DigestField.wantedContent, DigestField.wantedRepresentation]
            where !request.headers.contains(name) {
                request.headers[name] = text
            }
        }
        guard options.contains(.send), let body = request.body, !request.headers.contains(DigestField.content) else {
            return request
        }
        if body.isReplayable {
            request.headers[DigestField.content] = try await digest(of: body, by: options.algorithms, for: request)
        } else {
            request.body = body.withDigestTrailer(by: options.algorithms)
            let isAnnounced = request.headers[.trailer]?.lowercased().contains(DigestField.content.canonicalName)
            if isAnnounced != true {
                request.headers.append(HTTPField(name: .trailer, value: DigestField.content.rawName))
            }
        }
        return request
    }

    nonisolated(nonsending) private func digest(
        of body: Body, by algorithms: [DigestAlgorithm], for request: Request
    ) async throws -> String {
        do {
            if body.isSmallAndInMemory { return try await DigestField.text(of: body, by: algorithms) }
            // Reading a file ends when the call ends.
            let wait = UserWait<String>(
                for: request, on: time, in: .prepare,
                late: SternaError(
                    .timedOut, phase: .prepare,
                    "The request ran out of time while the digest of its body was computed."))
            return try await wait.result { try await DigestField.text(of: body, by: algorithms) }
        } catch {
            throw SternaError.wrap(
                error, as: .fileUnreadable, phase: .prepare, "The body cannot be read for its digest."
            ).at(request)
        }
    }

    // MARK: Responses

    @inline(never)
    private func verified(_ response: Response, to request: Request, _ options: DigestOptions) throws -> Response {
        let isRequired = options.contains(.require) && DigestRule.isRequired(for: response, to: request)
        guard var digests = ResponseDigests(response, to: request, isRequired: isRequired) else { return response }
        let complete = { @Sendable [head = response.withoutBody] (error: SternaError) -> SternaError in
            var error = error.at(request)
            error.response = head
            return error
        }
        do throws(SternaError) {
            if let whole = response.body.whole {
                digests.add(whole)
                try digests.check(response.body.trailers)
                return response
            }
            if let error = digests.missingInHead { throw error }
        } catch {
            response.body.cancel()
            throw complete(error)
        }
        let body = ClaimedBody(response.body)
        let state = Mutex(digests)
        let check = { @Sendable () throws -> Void in
            do throws(SternaError) {
                // On a copy, so that the lock is not held meanwhile.
                try state.withLock { $0 }.check(body.trailers)
            } catch {
                throw complete(error)
            }
        }
        var verified = response
        verified.body = ResponseBody(
            WatchedBody(body, atEnd: check) { piece in state.withLock { $0.add(piece) } })
        return verified
    }
}

extension Body {
    /// Whether hashing the body takes no longer than sending a request.
    fileprivate var isSmallAndInMemory: Bool {
        var length = 0
        for segment in segments {
            guard case .bytes(let bytes) = segment else { return false }
            length += bytes.readableBytes
        }
        return length <= 1 << 20
    }

    /// Returns the body with a Content-Digest as a trailer, which is computed while the content is sent.
    fileprivate func withDigestTrailer(by algorithms: [DigestAlgorithm]) -> Body {
        let digests = SentDigests(algorithms)
        var producer = BodyProducer(length: length, isReplayable: false) {
            let reader = SharedBodyReader(self)
            return {
                let piece = try await reader.next()
                if let piece { digests.add(piece) }
                return piece
            }
        }
        producer.estimatedLength = estimatedLength
        var body = self
        body.segments = [.producer(producer)]
        return body.withTrailers { [trailers] in
            var fields = try await trailers?() ?? HTTPFields()
            if !fields.contains(DigestField.content) { fields[DigestField.content] = digests.text }
            return fields
        }
    }
}

/// The digests of a body while it is sent.
private final class SentDigests: Sendable {
    private let hashers: Mutex<[DigestHasher]>

    init(_ algorithms: [DigestAlgorithm]) { hashers = Mutex(algorithms.map { DigestHasher($0) }) }

    func add(_ piece: Bytes) {
        hashers.withLock { hashers in
            for index in hashers.indices { hashers[index].update(piece) }
        }
    }

    /// The value of Content-Digest.
    var text: String {
        DigestField.text(hashers.withLock { $0 }.map { ($0.algorithm.rawValue, $0.digest()) })
    }
}
