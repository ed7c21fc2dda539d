package import SternaCore

/// A server's nonce with the count of its uses, which the requests of one user to one protection space share (RFC 7616, 3.4).
///
/// A new challenge begins a new state. Protection spaces, users, and proxies each have a state of their own.
package struct DigestState: Sendable {
    /// The challenge that began the state.
    package let challenge: DigestChallenge

    /// The nonce of the next answer: the challenge's, or a later one that the server has named.
    package private(set) var nonce: String

    private var count: UInt32 = 0
    /// The nonces of a session's first answer, of which its key is made (RFC 7616, 3.4.2).
    private var session: (nonce: String, clientNonce: String)?

    /// Begins with a challenge.
    package init(_ challenge: DigestChallenge) {
        self.challenge = challenge
        nonce = challenge.nonce
    }

    /// Whether an answer needs the hash of the request's body.
    package var needsBodyHash: Bool { challenge.needsBodyHash }

    /// Returns the credentials of a request, and counts the request.
    ///
    /// - Parameters:
    ///   - method: the method as it is sent; CONNECT for a tunnel.
    ///   - uri: the request target as it is sent: path and query, the whole URL to a forwarding proxy, host and port for a
    ///     tunnel.
    ///   - bodyHash: returns the hash of the request's body by an algorithm, or nil if it cannot be hashed. It is called where
    ///     ``needsBodyHash`` is true.
    ///   - clientNonce: a value for tests; nil for a random one.
    /// - Throws: `bodyNotReplayable` if the body has to be hashed and cannot be; `invalidHeader` for a user name that cannot be
    ///   sent; `limitExceeded` after 2^32 - 1 requests with a nonce.
    package mutating func authorization(
        user: String, password: String, method: String, uri: String,
        bodyHash: (DigestHash) throws(SternaError) -> [UInt8]?, clientNonce: String? = nil
    ) throws(SternaError) -> DigestAuthorization {
        let algorithm = challenge.algorithm
        let quality: DigestChallenge.Quality? =
            challenge.isLegacy ? nil : challenge.qualities.contains(.auth) ? .auth : .authInt
        var body: String?
        if quality == .authInt {
            guard let hash = try bodyHash(algorithm) else {
                throw SternaError(
                    .bodyNotReplayable, phase: .prepare,
                    "The server asks for a hash of the body (Digest with auth-int), and this body can be read only once. "
                        + "Send bytes or a file.")
            }
            body = DigestHash.hex(hash)
        }
        let name = try DigestUser(user, for: challenge)
        guard count < .max else {
            throw SternaError(
                .limitExceeded, phase: .prepare,
                "The server's nonce has been used 4,294,967,295 times; it can count no more.")
        }
        count += 1
        let clientNonce = clientNonce ?? session?.clientNonce ?? Self.randomNonce()
        var secret = algorithm.hex("\(user):\(challenge.realm):\(password)")
        if algorithm.isSession {
            let first = session ?? (nonce, clientNonce)
            session = first
            secret = algorithm.hex("\(secret):\(first.nonce):\(first.clientNonce)")
        }
        return DigestAuthorization(
            challenge: challenge, nonce: nonce, count: count, clientNonce: clientNonce, quality: quality, user: name,
            method: method, uri: uri, bodyHash: body, secret: secret)
    }

    /// Reads the Authentication-Info, or Proxy-Authentication-Info, of a response to an answer (RFC 7616, 3.5).
    ///
    /// The next nonce is used from now on. The server's proof that it knows the password is checked where there is one, and a
    /// wrong one is an error.
    ///
    /// - Parameters:
    ///   - info: the field's value; nil without the field.
    ///   - answer: the credentials that the request was sent with.
    ///   - bodyHash: returns the hash of the response's body as it was sent, before content decoding; nil if it is not
    ///     known. It is called where the server's proof covers the body.
    /// - Returns: whether the server has proved that it knows the password.
    /// - Throws: `unacceptableResponse` for a wrong proof.
    @discardableResult
    package mutating func note(
        info: String?, answer: DigestAuthorization,
        bodyHash: (DigestHash) throws(SternaError) -> [UInt8]? = { (_) throws(SternaError) in nil }
    ) throws(SternaError) -> DigestProof {
        guard let info, let read = DigestInfo(info) else { return .none }
        let proof = try read.proof(of: answer, bodyHash: bodyHash)
        // Where the proof needs the body, it is checked by a second call; a nonce can be used before.
        if let next = read.nextNonce, next != nonce {
            nonce = next
            count = 0
        }
        return proof
    }

    private static func randomNonce() -> String {
        // Two numbers of 64 bits, since each one is a system call.
        var generator = SystemRandomNumberGenerator()
        let words: [UInt64] = [generator.next(), generator.next()]
        return DigestHash.hex(words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } })
    }
}

extension DigestState: CustomStringConvertible, CustomReflectable {
    package var description: String { challenge.description }

    package var customMirror: Mirror {
        Mirror(self, children: ["challenge": challenge, "count": count], displayStyle: .struct)
    }
}
