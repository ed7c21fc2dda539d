public import NIOCore
public import Sterna

/// An error that S3 reports in XML, kept as the `value` of the `SternaError`.
public struct S3Error: Sendable, Hashable {
    /// The code for programs, such as `NoSuchKey`; for a response without an error body, a code derived from its status.
    public let code: String

    /// The explanation for users, which may be empty.
    public let message: String

    /// The identifier of the request, for the provider's support; nil if the server sent none.
    public let requestID: String?

    /// The bucket or object; nil if the server named none.
    public let resource: String?

    /// The maximum size of an error body that is read, in bytes.
    static let longest = 64 << 10

    /// Returns the code for a status without a body, as in the response to a HEAD request.
    static func code(status: Int) -> String {
        switch status {
        case 304: "NotModified"
        case 400: "BadRequest"
        case 403: "Forbidden"
        case 404: "NotFound"
        case 409: "Conflict"
        case 412: "PreconditionFailed"
        case 416: "InvalidRange"
        case 503: "SlowDown"
        default: "HTTP\(status)"
        }
    }
}

extension SternaError {
    /// The error that S3 reported; nil for other errors.
    public var s3Error: S3Error? { value as? S3Error }
}

/// Accepts successful responses of S3 as bytes, and throws the errors of others.
public struct S3ResponseSerializer: ResponseSerializer {
    /// Every status and media type, since ``validate(_:body:)`` checks them.
    public var validation = ResponseValidation(statuses: 100..<600, mediaTypes: nil)

    /// True: a body with an unknown Content-Encoding is returned as received.
    public var takesUnknownCodings: Bool { true }

    /// Creates a serializer.
    public init() {}

    /// Returns the unchanged bytes.
    public func value(of response: Response, body: Bytes) throws -> Bytes { body }

    /// Throws `unacceptableStatus` with the server's code, or `unacceptableResponse` for an error within a successful response.
    public func validate(_ response: Response, body: Bytes) throws {
        guard response.status.isSuccess else { throw Self.failure(response, body) }
        // S3 begins some responses, such as the one to a copy, before it knows the outcome.
        guard body.count <= S3Error.longest, Self.mayBeError(response, body),
            let error = S3XML.error(body)
        else { return }
        throw Self.failure(.unacceptableResponse, error, response, body)
    }

    // An object may itself be such a document; its response has Last-Modified.
    private static func mayBeError(_ response: Response, _ body: Bytes) -> Bool {
        guard body.count > 0, response[.lastModified] == nil, let type = response[.contentType]?.lowercased() else {
            return false
        }
        return type.hasPrefix("application/xml") || type.hasPrefix("text/xml")
    }

    /// Returns the error of a response whose status is not successful.
    static func failure(_ response: Response, _ body: Bytes) -> SternaError {
        let status = response.status.code
        let found = body.count <= S3Error.longest ? S3XML.error(body) : nil
        let error =
            found
            ?? S3Error(
                code: S3Error.code(status: status), message: "", requestID: response["x-amz-request-id"], resource: nil)
        return failure(.unacceptableStatus, error, response, body)
    }

    private static func failure(
        _ kind: SternaError.Kind, _ error: S3Error, _ response: Response, _ body: Bytes
    ) -> SternaError {
        var failure = SternaError(
            kind, phase: .decode, "S3 responded with \(response.status.code) and the code \(error.code).")
        failure.serverMessage = error.message
        failure.value = error
        failure.response = response
        failure.body = body
        failure.requestSent = true
        return failure
    }
}
