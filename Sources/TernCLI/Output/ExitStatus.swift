import Sterna

/// The exit statuses of `tern` and `tern page`, which links to this file; curl's numbers where curl has one.
enum ExitStatus {
    static let success: Int32 = 0
    static let failure: Int32 = 1
    static let usage: Int32 = 2
    static let outputFailed: Int32 = 23
    static let tooLarge: Int32 = 63
    static let interrupted: Int32 = 130

    /// Returns the status for a server that is not trusted.
    static func code(for failure: TrustFailure) -> Int32 {
        switch failure.check {
        case .pin: 90
        case .roots: 77
        default: 60
        }
    }

    /// Returns the status for the code that a server closed a WebSocket with: 102 to 129 for 1002 to 1029, else 100.
    ///
    /// 1000 and 1001 are the ends of a conversation, as is no code at all; 1006 stands for a lost connection (RFC 6455, 7.4.1).
    static func code(forClose code: UInt16) -> Int32 {
        switch code {
        case 1000, 1001, 1005: success
        case 1006: self.code(for: .connectionClosed)
        case 1002...1029: Int32(code) - 900
        default: 100
        }
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
        case .destinationUnusable: outputFailed
        case .fileUnreadable: 26
        case .timedOut: 28
        case .tlsFailed: 35
        case .tooManyRedirects, .redirectRefused: 47
        case .writeFailed: 55
        case .connectionClosed, .malformedResponse, .limitExceeded, .webSocketClosed: 56
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
