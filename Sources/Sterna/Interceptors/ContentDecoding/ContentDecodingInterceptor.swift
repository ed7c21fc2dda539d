import HTTPTypes
import NIOCore
import SternaCore
import SternaSerialization

/// Decodes response bodies in known content codings, whatever Accept-Encoding allowed, since servers do not always respect it.
///
/// Bodies stay encoded if the request's options say so, and in a 206, which has a part of the encoded bytes. A saved file may keep
/// its coding (``ContentDecodingRule``). A response in an unknown coding (`compress`, `none`, `utf-8`) keeps its bytes and its
/// Content-Encoding field. If the library's own Accept-Encoding was sent, serializers throw `contentCodingFailed` for such a body;
/// a caller that has set another Accept-Encoding decodes the body itself.
struct ContentDecodingInterceptor: Interceptor {
    /// The value of the default Accept-Encoding field.
    static let acceptEncoding = ContentCoding.supported.map(\.rawValue).joined(separator: ", ")

    var limits: DecodingLimits

    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        let response = try await next(request)
        // Checked first, since most responses have no coding.
        guard let field = response[.contentEncoding], request.options[ContentDecodingKey.self],
            request.method != .head, response.status.code != 204, response.status.code != 304,
            response.body.whole?.readableBytes != 0,
            // A part of encoded bytes cannot be decoded.
            response.status.code != 206 || !request.headers.contains(.range)
        else { return response }
        return try await undo(field, of: response, to: request)
    }

    // A separate function, whose locals would otherwise occupy memory in every waiting request.
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
            let name = request.state.choices.savedName.map { $0.text(for: response) }
            var decoded = try await decode(
                response, field, savedAs: name, isWhole: request.delivery == .whole, complete)
            if decoded.hasUnknownCoding, request.headers[.acceptEncoding] != Self.acceptEncoding {
                decoded.hasUnknownCoding = false
            }
            return decoded
        } catch let error as SternaError {
            response.body.cancel()
            throw complete(error)
        }
    }

    /// Returns a response with a decoded body.
    ///
    /// - Parameter name: the name of the file to which the body is saved; nil if it is not saved.
    func decode(
        _ response: Response, _ field: String, savedAs name: String? = nil, isWhole: Bool,
        _ complete: @escaping @Sendable (SternaError) -> SternaError
    ) async throws -> Response {
        guard let codings = try ContentCoding.known(field) else {
            // Serializers that read the body as text reject it; other readers receive the bytes.
            var coded = response
            coded.hasUnknownCoding = true
            return coded
        }
        let kept = ContentDecodingRule.ownCodings(codings, ofFileNamed: name)
        let undone = Array(codings.dropFirst(kept.count))
        if undone.isEmpty { return response }
        var decoded = response
        decoded.isDecoded = true
        // These fields describe the encoded bytes only.
        decoded.headers[.contentEncoding] = kept.isEmpty ? nil : kept.map(\.rawValue).joined(separator: ", ")
        decoded.headers[.contentLength] = nil
        let stream = DecodedBody(response.body, codings: undone, limits: limits, complete: complete)
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
