import SternaCore
import Synchronization

/// A user name and password for a proxy that asks for Digest (RFC 7616), with the nonce that all connections to it share.
final class ProxyDigest: Sendable {
    private struct State {
        var digest: DigestState
        /// Whether the proxy has accepted an answer to the last challenge.
        var isAccepted = false
    }

    private let user: String
    private let password: String
    private let state: Mutex<State>

    init(_ user: String, _ password: String, _ challenge: DigestChallenge) {
        self.user = user
        self.password = password
        state = Mutex(State(digest: DigestState(challenge)))
    }

    /// The algorithm by which a request's body has to be hashed; nil if it need not be.
    var algorithmOfBody: DigestHash? {
        state.withLock { $0.digest.needsBodyHash ? $0.digest.challenge.algorithm : nil }
    }

    /// Returns the credentials of a request, counted.
    ///
    /// - Parameter bodyHash: see ``DigestState``.
    func answer(
        method: String, uri: String, bodyHash: (DigestHash) throws(SternaError) -> [UInt8]?
    ) throws(SternaError) -> DigestAuthorization {
        try state.withLock { (state) throws(SternaError) in
            try state.digest.authorization(
                user: user, password: password, method: method, uri: uri, bodyHash: bodyHash)
        }
    }

    /// Takes the proxy's next challenge. Returns whether to answer it: whether the refused answer had an old nonce, and not a wrong
    /// password.
    func renew(by challenge: DigestChallenge, after used: DigestAuthorization) -> Bool {
        state.withLock { state in
            // Another connection has obtained a nonce meanwhile.
            if state.digest.nonce != used.nonce { return true }
            // A proxy that has forgotten its nonces, for example after a restart, may not call them stale.
            let isOld = challenge.isStale || state.isAccepted && challenge.nonce != used.nonce
            state.digest = DigestState(challenge)
            state.isAccepted = false
            return isOld
        }
    }

    /// Notes that the proxy has accepted an answer, and reads its Proxy-Authentication-Info. Throws `unacceptableResponse` for a
    /// wrong proof that the proxy knows the password.
    func accepted(
        _ used: DigestAuthorization, info: String?, bodyHash: (DigestHash) throws(SternaError) -> [UInt8]?
    ) throws(SternaError) {
        try state.withLock { (state) throws(SternaError) in
            if state.digest.nonce == used.nonce { state.isAccepted = true }
            try state.digest.note(info: info, answer: used, bodyHash: bodyHash)
        }
    }
}

extension ProxyDigest: CustomReflectable {
    /// Leaves out user name and password.
    var customMirror: Mirror { Mirror(self, children: ["algorithm": "Digest"]) }
}
