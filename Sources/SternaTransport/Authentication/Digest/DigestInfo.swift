import SternaCore

/// Whether a server has proved that it knows the password (RFC 7616, 3.5).
package enum DigestProof: Sendable, Hashable {
    /// The server offers no proof.
    case none
    /// The proof is right.
    case verified
    /// The proof covers the response's body, whose hash was not known.
    case needsBody
}

/// The value of Authentication-Info (RFC 7616, 3.5; RFC 7615).
struct DigestInfo: Sendable {
    let nextNonce: String?
    private let proof: String?
    private let quality: String?
    private let clientNonce: String?
    private let count: String?

    /// Reads a value; nil if it breaks the grammar.
    init?(_ value: String) {
        // The parameters of a challenge, without a scheme.
        guard value.utf8.count < AuthenticationChallenge.Limits.bytes,
            case let all = AuthenticationChallenge.parse(["Digest \(value)"]), all.count == 1, let read = all.first,
            read.token == nil
        else { return nil }
        nextNonce = read["nextnonce"].flatMap {
            !$0.isEmpty && $0.utf8.count <= DigestChallenge.Limits.bytes && FieldSyntax.isValue($0) ? $0 : nil
        }
        proof = read["rspauth"]
        quality = read["qop"]
        clientNonce = read["cnonce"]
        count = read["nc"]
    }

    /// Checks the server's proof. Throws `unacceptableResponse` for a wrong one.
    func proof(
        of answer: DigestAuthorization, bodyHash: (DigestHash) throws(SternaError) -> [UInt8]?
    ) throws(SternaError) -> DigestProof {
        // RFC 2069 had a proof of another kind, which needs the response's date and fields.
        guard let proof, let quality = answer.quality else { return .none }
        var used = quality
        if let named = self.quality {
            guard
                let known = DigestChallenge.Quality.allCases.first(where: {
                    AuthenticationChallenge.isSame($0.rawValue, named)
                })
            else { throw Self.wrong("it names a quality that it did not offer") }
            used = known
        }
        if let clientNonce, clientNonce != answer.clientNonce { throw Self.wrong("it is for another request") }
        if let count, !AuthenticationChallenge.isSame(count, answer.countText) {
            throw Self.wrong("it is for another request")
        }
        var body: String?
        if used == .authInt {
            guard let hash = try bodyHash(answer.algorithm) else { return .needsBody }
            body = DigestHash.hex(hash)
        }
        let request = DigestAuthorization.request("", answer.uri, bodyHash: body, by: answer.algorithm)
        let expected = DigestAuthorization.response(
            answer.secret, answer.nonce, answer.countText, answer.clientNonce, used, request: request,
            by: answer.algorithm)
        guard AuthenticationChallenge.isSame(expected, proof) else { throw Self.wrong("its hash is wrong") }
        return .verified
    }

    private static func wrong(_ why: String) -> SternaError {
        SternaError(
            .unacceptableResponse, phase: .wait,
            "The response does not prove that the server knows the password (Digest, rspauth): \(why). Another server may have "
                + "answered.")
    }
}
