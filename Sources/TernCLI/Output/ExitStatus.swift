import Sterna
import SternaPlatform

/// The exit statuses; curl's numbers where curl has one.
enum ExitStatus {
    static let success: Int32 = 0
    static let failure: Int32 = 1
    static let usage: Int32 = 2
    static let outputFailed: Int32 = 23
    static let interrupted: Int32 = 130

    /// Ends the process.
    static func end(_ status: Int32) -> Never { exit(status) }

    /// Returns the status for an error of the library.
    static func code(for error: SternaError) -> Int32 {
        if error.underlying is OutputError || error.underlying is DestinationFault { return outputFailed }
        if let failure = error.underlying as? TrustFailure { return code(for: failure) }
        // A file of the program's own, not the request.
        if error.kind == .writeFailed, error.underlying is FileFault { return outputFailed }
        return code(for: error.kind)
    }

    /// Returns the status for a server that is not trusted.
    static func code(for failure: TrustFailure) -> Int32 {
        switch failure.check {
        case .pin: 90
        case .roots: 77
        default: 60
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

    /// Returns the status for any error.
    static func code(for error: any Error) -> Int32 {
        switch error {
        case let error as AdvisedError: code(for: error.error)
        case let error as SternaError: code(for: error)
        case is HTTPURL.ParseError: code(for: .invalidURL)
        case is OutputError: outputFailed
        case let error as UsageError: error.status
        case is CancellationError: interrupted
        default: failure
        }
    }
}

/// A command line that requests something impossible.
struct UsageError: Error, Hashable {
    var message: String
    var status = ExitStatus.usage

    init(_ message: String, status: Int32 = ExitStatus.usage) {
        self.message = message
        self.status = status
    }
}
