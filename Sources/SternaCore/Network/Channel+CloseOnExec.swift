package import NIOCore
import SternaPlatform

extension Channel {
    /// Prevents child processes of the program from inheriting the socket; called on the event loop when the channel is made.
    ///
    /// SwiftNIO does not do this. A child that inherits a socket can read and write it, and keeps the connection open, or the port
    /// occupied, after this process has closed it. Has no effect on channels without a socket.
    package func setCloseOnExec() {
        // The descriptor belongs to the channel, and is open during the call.
        _ = try? pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { descriptor in
            fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
    }
}
