import NIOCore
import SternaCore

/// Errors for connections that end before the response does.
enum LostConnection {
    static func error(_ cause: (any Error)?, hasHead: Bool, hasReceived: Bool, isWriting: Bool) -> SternaError {
        if hasHead {
            return SternaError(
                .truncated, phase: .read, "The server closed the connection before the end of its response.",
                underlying: cause)
        }
        if hasReceived {
            return SternaError(
                .truncated, phase: .read, "The server closed the connection in the middle of its response's head.",
                underlying: cause)
        }
        if isWriting {
            return SternaError(
                .writeFailed, phase: .write, "The server closed the connection while the request was being sent.",
                underlying: cause
            ).advised(.bodyRefused)
        }
        return SternaError(
            .connectionClosed, phase: .wait, "The server closed the connection without a response.", underlying: cause)
    }
}
