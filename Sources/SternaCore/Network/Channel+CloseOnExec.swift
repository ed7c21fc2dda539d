package import NIOCore
import SternaPlatform

extension Channel {
    /// Prevents child processes of the program from inheriting the socket; called on the event loop when the channel is made.
    ///
    /// SwiftNIO does not do this. A child that inherits a socket can read and write it, and keeps the connection open, or the port
    /// occupied, after this process has closed it. Has no effect on channels without a socket.
    // Not by `withUnsafeTransportIfAvailable(of:)`: its cast to a type with a fixed transport makes the runtime search all conformances
    // of the program three times for the first connection. This cast needs one search.
    package func setCloseOnExec() { try? (self as? any NIOTransportAccessibleChannelCore)?.setCloseOnExec() }
}

extension NIOTransportAccessibleChannelCore {
    fileprivate func setCloseOnExec() throws {
        // The descriptor belongs to the channel, and is open during the call.
        try withUnsafeTransport { transport in
            if let descriptor = transport as? NIOBSDSocket.Handle { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        }
    }
}
