import HTTPTypes
import NIOCore
import SternaCore
import SternaSerialization

/// Undoes the compression of bodies that the library asked for.
///
/// A request that sets Accept-Encoding itself, or asks for a range, gets the bytes as they come. So does one whose answer is in a
/// coding that is not known (`br`, `none`, `utf-8`): streamed, and as a reply's bytes; its field stays, and serializers that read the
/// body throw `contentCodingFailed`.
struct ContentDecodingInterceptor: Interceptor {
    /// What requests ask for; it stands among the header fields that all of them share.
    static let acceptEncoding = "gzip, deflate"

    var limits: DecodingLimits

    nonisolated(nonsending) func intercept(_ request: Request, next: Next) async throws -> Response {
        let response = try await next(request)
        // Most answers are not coded, which their few bytes tell sooner than the request's list of fields.
        guard let field = response[.contentEncoding], request.options[ContentDecodingKey.self],
            request.headers[.acceptEncoding] == Self.acceptEncoding, request.method != .head,
            response.status.code != 204, response.status.code != 304, response.body.whole?.readableBytes != 0
        else { return response }
        return try await undo(field, of: response, to: request)
    }

    // By itself, since what it needs would stand in the memory of every request that waits.
    @inline(never)
    private func undo(_ field: String, of response: Response, to request: Request) async throws -> Response {
        var head = response
        head.body = ResponseBody()
        let complete = { @Sendable [head] (error: SternaError) -> SternaError in
            var error = error.at(request)
            if error.response == nil { error.response = head }
            error.requestSent = true
            return error
        }
        do {
            return try await decode(response, field, isWhole: request.delivery == .whole, complete)
        } catch let error as SternaError {
            response.body.cancel()
            throw complete(error)
        }
    }

    /// Leaves the bytes of the answer as they come where the caller asked for a coding or a range.
    static func settle(_ request: inout Request, callerAsksForCoding: Bool) {
        if request.headers.contains(.range) {
            if !callerAsksForCoding { request.headers[.acceptEncoding] = nil }
            request.options[ContentDecodingKey.self] = false
        } else if callerAsksForCoding {
            request.options[ContentDecodingKey.self] = false
        }
    }

    private func decode(
        _ response: Response, _ field: String, isWhole: Bool,
        _ complete: @escaping @Sendable (SternaError) -> SternaError
    ) async throws -> Response {
        guard let codings = try ContentCoding.known(field) else {
            // What reads the body as text refuses it; the bytes are there for everybody else.
            var coded = response
            coded.hasUnknownCoding = true
            return coded
        }
        if codings.isEmpty { return response }
        var decoded = response
        // What these fields say is true of the coded bytes only.
        decoded.headers[.contentEncoding] = nil
        decoded.headers[.contentLength] = nil
        let stream = DecodedBody(response.body, codings: codings, limits: limits, complete: complete)
        decoded.body = ResponseBody(stream)
        guard response.body.whole != nil, isWhole else { return decoded }
        return try await collectSmall(decoded, stream, trailers: response.body.trailers)
    }

    // Most coded bodies are small; then the caller gets them as a whole, as it gets those that are not coded.
    private func collectSmall(_ response: Response, _ stream: DecodedBody, trailers: HTTPFields?) async throws
        -> Response
    {
        var response = response
        var all = Bytes()
        while var piece = try await stream.next() {
            if all.readableBytes == 0 { all = piece } else { all.writeBuffer(&piece) }
            if all.readableBytes > Self.collectedBytes {
                response.body = ResponseBody(PrefixedBody(all, then: stream))
                return response
            }
        }
        response.body = ResponseBody(all, trailers: trailers)
        return response
    }

    private static let collectedBytes = 1 << 20
}

/// Whether the coding of an answer's body is undone.
private enum ContentDecodingKey: RequestOptionKey {
    static let defaultValue = true
}
