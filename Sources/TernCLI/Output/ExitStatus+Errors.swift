import Sterna
import SternaPlatform

extension ExitStatus {
    /// Ends the process.
    static func end(_ status: Int32) -> Never { exit(status) }

    /// Returns the status for an error of the library.
    static func code(for error: SternaError) -> Int32 {
        if error.underlying is OutputError || error.underlying is DestinationFault { return outputFailed }
        if let failure = error.underlying as? TrustFailure { return code(for: failure) }
        if error.kind == .webSocketClosed, let closure = error.underlying as? WebSocket.Closure {
            return code(forClose: closure.code.rawValue)
        }
        // A file of the program's own, not the request.
        if error.kind == .writeFailed, error.underlying is FileFault { return outputFailed }
        return code(for: error.kind)
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
