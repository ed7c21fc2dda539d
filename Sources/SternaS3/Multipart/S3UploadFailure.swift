import HTTPTypes
import Sterna

/// Describes failures of an upload: what happened and what to do. Functions of values.
enum S3UploadFailure {
    /// Returns the error for the caller, without the URL of the request, which has the upload's identifier.
    static func explained(_ error: SternaError, at url: HTTPURL) -> SternaError {
        var found = error
        if let s3 = error.s3Error {
            let kind = kind(s3.code, error.kind)
            found = SternaError(kind, phase: error.phase, text(s3.code, status: error.status))
            found.value = s3
            found.serverMessage = error.serverMessage
            found.response = error.response
            found.body = error.body
            found.requestSent = true
        }
        found.url = nil
        return found.at(url.replacingQuery(nil))
    }

    /// Returns the error in the body of a successful response.
    static func carried(_ error: S3Error, by response: Response) -> SternaError {
        var response = response
        // The status that the server would have sent, had it known the error in time.
        response.status = .init(code: status(error.code))
        var failure = SternaError(.unacceptableStatus, phase: .decode, "S3 responded with the code \(error.code).")
        failure.value = error
        failure.serverMessage = error.message.isEmpty ? nil : error.message
        failure.response = response
        return failure
    }

    private static func status(_ code: String) -> Int {
        switch code {
        case "SlowDown", "ServiceUnavailable": 503
        case "InternalError": 500
        case "AccessDenied", "SignatureDoesNotMatch", "RequestTimeTooSkewed": 403
        case "NoSuchUpload", "NoSuchBucket", "NoSuchKey": 404
        case "PreconditionFailed": 412
        default: 400
        }
    }

    /// The kind that tells the store whether a later attempt may succeed.
    private static func kind(_ code: String, _ kind: SternaError.Kind) -> SternaError.Kind {
        switch code {
        case "RequestTimeout", "OperationAborted", "IncompleteBody": .timedOut
        // Servers other than Amazon's use these codes with the unspecific status 400.
        case "Throttling", "ThrottlingException", "TooManyRequests", "Busy", "ServerBusy": .timedOut
        case "ExpiredToken", "InvalidToken", "TokenRefreshRequired", "RequestExpired": .authenticationFailed
        case "BadDigest", "XAmzContentSHA256Mismatch", "XAmzContentChecksumMismatch": .digestMismatch
        default: kind
        }
    }

    private static func text(_ code: String, status: Int) -> String {
        "S3 responded to the upload with \(status) and the code \(code)." + (advice(code).map { " \($0)" } ?? "")
    }

    private static func advice(_ code: String) -> String? {
        switch code {
        case "AccessDenied":
            "The credentials need s3:PutObject, s3:AbortMultipartUpload and s3:ListMultipartUploadParts for the object, and s3:GetObject to learn whether a lost upload is complete."
        case "InvalidAccessKeyId", "SignatureDoesNotMatch":
            "Check the access key, the secret key and the region of the session's awsSigning."
        case "ExpiredToken", "RequestExpired": "Renew the credentials of the session's awsSigning."
        case "RequestTimeTooSkewed": "Set this machine's clock."
        case "NoSuchBucket": "Create the bucket, or correct its name in the URL."
        case "PermanentRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException":
            "The bucket is in another region: use that region's host in the URL, and in the session's awsSigning."
        case "PreconditionFailed", "ConditionalRequestConflict":
            "There is an object of this key, or another one than If-Match names; it stays as it is."
        case "EntityTooSmall": "The server requires larger parts: increase partBytes of S3MultipartUploads."
        case "EntityTooLarge": "The server accepts less in one request: set maxRequestBytes of UploadOptions."
        case "SlowDown", "ServiceUnavailable":
            "It is overloaded. Try again later, with fewer parts at the same time."
        case "InvalidPart", "InvalidPartOrder":
            "It does not have the parts that it has confirmed. Add the upload again."
        case "NoSuchUpload":
            "It has forgotten the upload: something aborts it, such as a rule of the bucket. Add the upload again."
        case "NotImplemented", "MethodNotAllowed":
            "It may not support multipart uploads: check that the URL is that of an object of S3."
        case "BadDigest", "XAmzContentSHA256Mismatch", "XAmzContentChecksumMismatch":
            "What arrived is not what was sent; it is sent again."
        default: nil
        }
    }

    /// Whether a failure ends an upload, so that the server's parts become useless. A failure because of credentials only blocks
    /// the transfer. For an unreadable file the store decides whether it has changed or is only missing.
    static func endsUpload(_ error: SternaError) -> Bool {
        S3UploadRule.verdict(error) != .again && error.status != 401 && error.status != 403
            && [.unacceptableStatus, .unacceptableResponse, .decodingFailed].contains(error.kind)
    }
}
