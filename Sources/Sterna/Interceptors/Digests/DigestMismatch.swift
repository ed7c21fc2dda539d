import SternaCore

/// Details of a wrong digest of a file or a part: the `underlying` error of a `digestMismatch`.
package struct DigestMismatch: Error, Sendable, Hashable {
    /// Whether only the caller's digest does not match, so that the server sent what it meant to send.
    package var isCallersAlone: Bool

    /// Whether the file has bytes of several responses, which may be of different files.
    package var isJoined: Bool

    package init(isCallersAlone: Bool, isJoined: Bool) {
        (self.isCallersAlone, self.isJoined) = (isCallersAlone, isJoined)
    }
}

extension SternaError {
    /// Returns the error of a wrong digest, with whether the file consists of several responses.
    func joined(_ isJoined: Bool) -> SternaError {
        guard var mismatch = underlying as? DigestMismatch else { return self }
        mismatch.isJoined = isJoined
        var copy = self
        copy.underlying = mismatch
        return copy
    }
}
