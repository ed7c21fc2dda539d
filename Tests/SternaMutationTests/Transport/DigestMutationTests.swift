import MutationKit
import SternaCore
import SternaTransport
import Testing

@testable import SternaTestSupport

@Suite("Mutations: Digest")
struct DigestMutationTests {
    static let challenges = MutatedReader(
        "DigestChallenges",
        seeds: [
            "Digest realm=\"r\", nonce=\"n\", qop=\"auth, auth-int\", algorithm=SHA-256, opaque=\"o\\\"p\", userhash=true",
            "Digest realm=r,nonce=n",
            "Basic realm=x, Digest nonce=\"\", realm=\"\", stale=TRUE, qop=auth-int\nDigest x",
            "Digest realm=r, nonce=n, qop=auth, algorithm=MD5-sess, domain=\"/a https://b.test\", charset=utf-8",
        ],
        tokens: [
            ",", "=", "\"", "\\", " ", "\n", "Digest ", "realm=", "nonce=", "qop=", "auth", "auth-int", "algorithm=",
            "SHA-512-256-sess", "stale=true", "charset=UTF-8", "é", "\u{0}",
        ]
    ) { bytes in
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        let read = AuthenticationChallenge.parse(lines.map(String.init))
        guard let challenge = DigestChallenge.strongest(in: read) else { return .refused }
        var state = DigestState(challenge)
        let answer = try state.authorization(
            user: "ada\"é", password: "pw", method: "GET", uri: "/",
            bodyHash: { (hash) throws(SternaError) in hash.hash([]) })
        let text = answer.authorization.fieldValue
        guard FieldSyntax.isValue(text), text.utf8.count < 32 << 10 else {
            throw MutationFailure("The answer cannot be written: \(text).")
        }
        // A server reads what it sent.
        let sent = AuthenticationChallenge.parse([text])
        guard sent.count == 1, sent[0].realm?.utf8.elementsEqual(challenge.realm.utf8) == true,
            sent[0]["nonce"]?.utf8.elementsEqual(challenge.nonce.utf8) == true, sent[0]["opaque"] == challenge.opaque
        else { throw MutationFailure("The answer repeats other values: \(text).") }
        return .accepted
    }

    static let infos = MutatedReader(
        "DigestInfos",
        seeds: [
            "rspauth=\"9b712497bc9f91499fbcca1dfc5f09a5\", qop=auth, cnonce=\"c\", nc=00000001, nextnonce=\"n2\"",
            "nextnonce=\"n\"", "qop=auth-int, rspauth=x",
        ],
        tokens: [
            ",", "=", "\"", "\\", " ", "rspauth=", "nextnonce=", "qop=", "auth-int", "nc=", "Digest ", "é", "\u{0}",
        ],
        acceptsSeeds: false
    ) { bytes in
        guard let challenge = AuthenticationChallenge.parse(["Digest realm=r, nonce=n, qop=\"auth,auth-int\""]).first,
            let read = DigestChallenge(challenge)
        else { throw MutationFailure("The challenge cannot be read.") }
        var state = DigestState(read)
        let answer = try state.authorization(
            user: "u", password: "p", method: "GET", uri: "/", bodyHash: { (_) throws(SternaError) in nil },
            clientNonce: "c")
        let proof: DigestProof
        do {
            proof = try state.note(info: String(decoding: bytes, as: UTF8.self), answer: answer)
        } catch {
            guard state.nonce == "n" else { throw MutationFailure("A wrong proof has changed the nonce.") }
            return .refused
        }
        guard proof != .verified else { throw MutationFailure("A proof was guessed.") }
        guard FieldSyntax.isValue(state.nonce), !state.nonce.isEmpty else {
            throw MutationFailure("The next nonce cannot be written.")
        }
        return state.nonce == "n" ? .refused : .accepted
    }

    @Test("No mutated challenge ends the process, or makes an answer that cannot be written")
    func survivesChallenges() async {
        let report = await Self.challenges.supervise {
            await #expect(processExitsWith: .success) { await DigestMutationTests.challenges.run() }
        }
        expectNil(report.failure, "\(report)")
    }

    @Test("No mutated Authentication-Info ends the process, or proves anything")
    func survivesInfos() async {
        let report = await Self.infos.supervise {
            await #expect(processExitsWith: .success) { await DigestMutationTests.infos.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
