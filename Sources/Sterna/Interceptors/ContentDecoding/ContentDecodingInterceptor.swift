import HTTPTypes
import NIOCore
import SternaCore
import SternaSerialization

/// Decodes response bodies in the content codings that the library asked for.
///
/// A request that sets Accept-Encoding itself, or asks for a range, receives the encoded bytes. So does one whose response has an
/// unknown coding (`br`, `none`, `utf-8`), whether streamed or as a reply's bytes. The response then keeps its Content-Encoding
/// field, and serializers that read the body throw `contentCodingFailed`.
struct ContentDecodingInterceptor: Interceptor {
    /// The codings that requests ask for; part of the header fields that all of them share.
    static let acceptEncoding = "gzip, deflate"

    var limits: DecodingLimits

    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        let response = try await next(request)
        // Most responses have no coding, which their few fields show sooner than the request's list of fields.
        guard let field = response[.contentEncoding], request.options[ContentDecodingKey.self],
            request.headers[.acceptEncoding] == Self.acceptEncoding, request.method != .head,
            response.status.code != 204, response.status.code != 304, response.body.whole?.readableBytes != 0
        else { return response }
        return try await undo(field, of: response, to: request)
    }

    // A function of its own, since its locals would otherwise occupy memory in every waiting request.
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

    /// Disables decoding if the caller asked for a coding or a range.
    static func settle(_ request: inout Request, callerAsksForCoding: Bool) {
        if request.headers.contains(.range) {
            if !callerAsksForCoding { request.headers[.acceptEncoding] = nil }
            request.options[ContentDecodingKey.self] = false
        } else if callerAsksForCoding {
            request.options[ContentDecodingKey.self] = false
        }
    }

    /// Returns a response with the codings of its Content-Encoding undone.
    func decode(
        _ response: Response, _ field: String, isWhole: Bool,
        _ complete: @escaping @Sendable (SternaError) -> SternaError
    ) async throws -> Response {
        guard let codings = try ContentCoding.known(field) else {
            // Serializers that read the body as text reject it; other readers receive the bytes.
            var coded = response
            coded.hasUnknownCoding = true
            return coded
        }
        if codings.isEmpty { return response }
        var decoded = response
        // These fields describe the encoded bytes only.
        decoded.headers[.contentEncoding] = nil
        decoded.headers[.contentLength] = nil
        let stream = DecodedBody(response.body, codings: codings, limits: limits, complete: complete)
        decoded.body = ResponseBody(stream)
        guard response.body.whole != nil, isWhole else { return decoded }
        return try await collectSmall(decoded, stream, trailers: response.body.trailers)
    }

    // Most encoded bodies are small; the caller then receives them complete, like bodies without a coding.
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

/// Whether a response's body is decoded.
private enum ContentDecodingKey: RequestOptionKey {
    static let defaultValue = true
}
