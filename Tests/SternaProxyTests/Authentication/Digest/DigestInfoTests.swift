import SternaCore
import SternaTransport
import Testing

@testable import SternaTestSupport

/// What a server says of an answer, and its proof that it knows the password (RFC 7616, 3.5).
@Suite("Digest: Authentication-Info")
struct DigestInfoTests {
    private static func state(_ quality: String = "auth") throws -> (DigestState, DigestAuthorization) {
        var state = DigestState(try DigestAuthorizationTests.example("MD5", quality: quality))
        let answer = try DigestAuthorizationTests.answer(&state)
        return (state, answer)
    }

    private static let proof = "9b712497bc9f91499fbcca1dfc5f09a5"
    private static let bodyProof = "10f0f2f195620a7d563c187344195d09"

    @Test("A right proof, with and without the other parameters, in either case of its digits")
    func right() throws {
        for info in [
            "rspauth=\"\(Self.proof)\"", "rspauth=\(Self.proof), qop=auth",
            "qop=\"auth\", rspauth=\"\(Self.proof.uppercased())\"",
            "nc=00000001, cnonce=\"\(DigestAuthorizationTests.clientNonce)\", rspauth=\"\(Self.proof)\", x=y",
        ] {
            var (state, answer) = try Self.state()
            try expectEqual(state.note(info: info, answer: answer), .verified, "\(info)")
        }
    }

    @Test("Responses without a proof")
    func none() throws {
        for info in [
            nil, "", "nextnonce=\"n\"", "qop=auth, nc=00000001", "rspauth", "rspauth=\"", "abc==", "a b",
            "x=1, Foo y=2",
        ] {
            var (state, answer) = try Self.state()
            #expect(try state.note(info: info, answer: answer) == .none, "\(info ?? "nil")")
        }
    }

    @Test(
        "A wrong proof is an error, and the next nonce that comes with it is not used",
        arguments: [
            "rspauth=\"\"", "rspauth=\"9b712497bc9f91499fbcca1dfc5f09a6\"", "rspauth=\"\(bodyProof)\"",
            "rspauth=\"\(proof)\", nc=00000002", "rspauth=\"\(proof)\", cnonce=\"other\"",
            "rspauth=\"\(proof)\", qop=token",
        ])
    func wrong(info: String) throws {
        var (state, answer) = try Self.state()
        let error = #expect(throws: SternaError.self) {
            try state.note(info: "\(info), nextnonce=\"stolen\"", answer: answer)
        }
        expectEqual(error?.kind, .unacceptableResponse)
        expectEqual(state.nonce, DigestAuthorizationTests.serverNonce)
        expectEqual(error?.detail.contains("Mufasa"), false)
    }

    @Test("auth-int: the proof covers the body, and is checked once its hash is known")
    func body() throws {
        var (state, answer) = try Self.state("auth-int")
        let info = "rspauth=\"\(Self.bodyProof)\", qop=auth-int, nextnonce=\"n2\""
        try expectEqual(state.note(info: info, answer: answer), .needsBody)
        expectEqual(state.nonce, "n2")
        let verified = try state.note(info: info, answer: answer) { (hash) throws(SternaError) in
            hash.hash("answer".utf8)
        }
        expectEqual(verified, .verified)
        #expect(throws: SternaError.self) {
            try state.note(info: info, answer: answer) { (hash) throws(SternaError) in hash.hash("another".utf8) }
        }
        // A server may answer auth with auth-int.
        var (plain, plainAnswer) = try Self.state("auth, auth-int")
        try expectEqual(plain.note(info: info, answer: plainAnswer), .needsBody)
    }

    @Test("A next nonce that is empty, too long or cannot be written is not used")
    func nonces() throws {
        for nonce in ["", String(repeating: "n", count: DigestChallenge.Limits.bytes + 1), "a\u{1}b"] {
            var (state, answer) = try Self.state()
            try state.note(info: "nextnonce=\"\(nonce)\"", answer: answer)
            expectEqual(state.nonce, DigestAuthorizationTests.serverNonce)
        }
    }

    @Test("A field of a megabyte is not read")
    func large() throws {
        var (state, answer) = try Self.state()
        let info = "nextnonce=\"n2\", x=\"" + String(repeating: "x", count: 1 << 20) + "\""
        #expect(try state.note(info: info, answer: answer) == .none)
        expectEqual(state.nonce, DigestAuthorizationTests.serverNonce)
    }
}
