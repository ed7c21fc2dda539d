package import SternaCore

/// The credentials of one request, and the values that check the server's proof in the response.
///
/// Descriptions and mirrors do not show secrets.
package struct DigestAuthorization: Sendable {
    /// The credentials as Authorization or Proxy-Authorization carry them.
    package let authorization: Authorization

    /// The server's nonce that was used: a challenge with another one was not caused by this authorization.
    package let nonce: String

    /// The algorithm of the hashes.
    package let algorithm: DigestHash

    /// The quality of protection (`qop`); nil under the rules of RFC 2069.
    package let quality: DigestChallenge.Quality?

    /// The `nc` value: the count of the nonce's uses in hexadecimal; empty under the rules of RFC 2069.
    let countText: String
    let clientNonce: String
    let uri: String
    /// The hash of user name, realm and password: a secret.
    let secret: String

    init(
        challenge: DigestChallenge, nonce: String, count: UInt32, clientNonce: String,
        quality: DigestChallenge.Quality?, user: DigestUser, method: String, uri: String, bodyHash: String?,
        secret: String
    ) {
        let digits = String(count, radix: 16)
        let countText = String(repeating: "0", count: max(0, 8 - digits.utf8.count)) + digits
        self.nonce = nonce
        algorithm = challenge.algorithm
        self.quality = quality
        self.countText = quality == nil ? "" : countText
        self.clientNonce = clientNonce
        self.uri = uri
        self.secret = secret
        let request = Self.request(method, uri, bodyHash: bodyHash, by: algorithm)
        let response = Self.response(
            secret, nonce, countText, clientNonce, quality, request: request, by: algorithm)
        var fields = [user.parameter, "realm=\(Self.quoted(challenge.realm))", "nonce=\(Self.quoted(nonce))"]
        fields.append("uri=\(Self.quoted(uri))")
        // A token without quotes (RFC 7616, 3.4), in the server's own case, which some compare.
        if let name = challenge.algorithmName { fields.append("algorithm=\(name)") }
        if let quality {
            fields += ["qop=\(quality.rawValue)", "nc=\(countText)", "cnonce=\(Self.quoted(clientNonce))"]
        }
        fields.append("response=\"\(response)\"")
        if let opaque = challenge.opaque { fields.append("opaque=\(Self.quoted(opaque))") }
        if challenge.userhash { fields.append("userhash=true") }
        authorization = Authorization("Digest", fields.joined(separator: ", "))
    }

    /// H(A2) (RFC 7616, 3.4.3).
    static func request(_ method: String, _ uri: String, bodyHash: String?, by algorithm: DigestHash) -> String {
        algorithm.hex(bodyHash.map { "\(method):\(uri):\($0)" } ?? "\(method):\(uri)")
    }

    /// Returns the `response` value: KD of the secret, the nonces and H(A2) (RFC 7616, 3.4.1, and RFC 2069, 2.1.2).
    static func response(
        _ secret: String, _ nonce: String, _ count: String, _ clientNonce: String, _ quality: DigestChallenge.Quality?,
        request: String, by algorithm: DigestHash
    ) -> String {
        guard let quality else { return algorithm.hex("\(secret):\(nonce):\(request)") }
        return algorithm.hex("\(secret):\(nonce):\(count):\(clientNonce):\(quality.rawValue):\(request)")
    }

    /// A quoted string (RFC 9110, 5.6.4).
    static func quoted(_ text: String) -> String {
        let (mark, escape) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
        var bytes = [mark]
        for byte in text.utf8 {
            if byte == mark || byte == escape { bytes.append(escape) }
            bytes.append(byte)
        }
        bytes.append(mark)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension DigestAuthorization: CustomStringConvertible, CustomReflectable {
    package var description: String { authorization.description }

    package var customMirror: Mirror {
        Mirror(self, children: ["authorization": authorization, "algorithm": algorithm], displayStyle: .struct)
    }
}
