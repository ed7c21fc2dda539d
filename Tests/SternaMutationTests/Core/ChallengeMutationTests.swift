import MutationKit
import SternaCore
import Testing

@testable import SternaTestSupport

@Suite("Mutations: authentication challenges")
struct ChallengeMutationTests {
    static let reader = MutatedReader(
        "Challenges",
        seeds: [
            "Basic realm=\"simple\", charset=\"UTF-8\"", "Negotiate YIIabc==", "Basic , Bearer",
            "Digest realm=\"a\\\"b\", qop=\"auth, auth-int\", nonce=\"x==\", stale=false\nBasic realm=x",
            "Digest realm=a, qop=auth,auth-int, nonce=n, auth-int",
        ],
        tokens: [
            ",", "=", "\"", "\\", " ", "\t", "\n", "Basic", "Digest ", "realm=", "qop=", "auth", "auth-int", "=\"\"",
            "é", "\u{0}", "==", "~+/",
        ]
    ) { bytes in
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        let challenges = AuthenticationChallenge.parse(lines.map(String.init))
        var size = 0
        for challenge in challenges {
            _ = ("\(challenge)", String(reflecting: challenge), challenge.realm, challenge.hashValue)
            guard FieldSyntax.isToken(challenge.scheme), challenge.token == nil || challenge.parameters.isEmpty else {
                throw MutationFailure("It is no challenge: \(challenge).")
            }
            for parameter in challenge.parameters {
                guard FieldSyntax.isToken(parameter.name), FieldSyntax.isValue(parameter.value) else {
                    throw MutationFailure("Parameter \(parameter.name) cannot be written.")
                }
                size += parameter.name.utf8.count + parameter.value.utf8.count
            }
            size += challenge.scheme.utf8.count + (challenge.token?.utf8.count ?? 0)
        }
        // Nothing is made up: of what cannot be read as UTF-8 a byte is three.
        guard challenges.count <= 32, size <= 3 * bytes.count else {
            throw MutationFailure("\(challenges.count) challenges with \(size) bytes come out of \(bytes.count).")
        }
        return challenges.isEmpty ? .refused : .accepted
    }

    @Test("No mutated challenge ends the process")
    func survives() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await ChallengeMutationTests.reader.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
