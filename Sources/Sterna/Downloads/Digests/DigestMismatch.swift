import SternaCore

/// What is known of a file, or a part of one, with a wrong digest: the cause in `underlying` of an error of kind `digestMismatch`.
package struct DigestMismatch: Error, Sendable, Hashable {
    /// Whether only the caller's digest is wrong, so that the server sent what it meant to send.
    package var isCallersAlone: Bool

    /// Whether the file has bytes of several responses, which may be of different files.
    package var isJoined: Bool

    package init(isCallersAlone: Bool, isJoined: Bool) {
        (self.isCallersAlone, self.isJoined) = (isCallersAlone, isJoined)
    }
}

extension SternaError {
    /// Returns the error of a file with a wrong digest, which says whether the file was joined of several responses.
    func joined(_ isJoined: Bool) -> SternaError {
        guard var mismatch = underlying as? DigestMismatch else { return self }
        mismatch.isJoined = isJoined
        var copy = self
        copy.underlying = mismatch
        return copy
    }
}
