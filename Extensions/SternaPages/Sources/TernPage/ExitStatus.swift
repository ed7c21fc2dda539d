import Sterna

/// The exit statuses of `tern`; curl's numbers where curl has one.
enum ExitStatus {
    static let success: Int32 = 0
    static let failure: Int32 = 1
    static let usage: Int32 = 2
    static let interrupted: Int32 = 130

    /// Returns the status for an error of the library.
    static func code(for error: SternaError) -> Int32 {
        if let failure = error.underlying as? TrustFailure {
            return failure.check == .pin ? 90 : failure.check == .roots ? 77 : 60
        }
        return code(for: error.kind)
    }

    /// Returns the status for a kind of error.
    static func code(for kind: SternaError.Kind) -> Int32 {
        switch kind {
        case .invalidHeader, .invalidMethod: usage
        case .invalidURL: 3
        case .hostNotFound: 6
        case .connectionFailed, .addressRefused: 7
        case .truncated: 18
        case .unacceptableStatus: 22
        case .destinationUnusable: 23
        case .fileUnreadable: 26
        case .timedOut: 28
        case .tlsFailed: 35
        case .tooManyRedirects, .redirectRefused: 47
        case .writeFailed: 55
        case .connectionClosed, .malformedResponse, .limitExceeded: 56
        case .identityUnusable: 58
        case .certificateRejected: 60
        case .authenticationFailed: 94
        case .proxyFailed: 97
        case .contentCodingFailed: 61
        case .cancelled: interrupted
        case .invalidRequest, .encodingFailed, .bodyNotReplayable, .originRefused, .shutDown, .unacceptableMediaType,
            .unacceptableResponse, .decodingFailed, .digestMismatch, .trafficLimited, .interceptorFailed:
            failure
        }
    }
}
