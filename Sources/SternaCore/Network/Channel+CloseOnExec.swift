package import NIOCore
import SternaPlatform

extension Channel {
    /// Keeps the socket from the child processes that the program starts; called on the event loop when the channel is made.
    ///
    /// SwiftNIO does not do it. A child that inherits a socket can read and write it, and keeps the connection open, or the port taken, after
    /// this process has closed it. Has no effect on channels without a socket.
    package func setCloseOnExec() {
        // The descriptor is the channel's own, and open during the call.
        _ = try? pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { descriptor in
            fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
    }
}
