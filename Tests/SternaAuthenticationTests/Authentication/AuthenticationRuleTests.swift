import Sterna
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Authentication: the decision")
struct AuthenticationRuleTests {
    private static let origin = HTTPURL.testOrigin
    private static let ada = Credential(user: "ada", password: "s3cret")
    private static let bob = Credential(user: "bob", password: "s3cret")
    private static let token = Credential.bearer("s3cret")

    private static let md5 = #"Digest realm="x", nonce="n", qop="auth""#
    private static let sha256 = #"Digest realm="x", nonce="n", qop="auth", algorithm=SHA-256"#
    private static let sha512 = #"Digest realm="x", nonce="n", qop="auth", algorithm=SHA-512-256"#

    /// A situation in which all sources have answered.
    private static func situation(
        _ lines: [String], _ credentials: [(CredentialSource, Credential?)],
        _ change: (inout AuthenticationRule.Situation) -> Void = { _ in }
    ) -> AuthenticationRule.Situation {
        var situation = AuthenticationRule.Situation(
            origin: origin, challenges: SternaCore.AuthenticationChallenge.parse(lines))
        situation.sources = credentials.map(\.0)
        for challenge in situation.challenges {
            for (source, credential) in credentials {
                let question = AuthenticationRule.Question(
                    source: source, space: ProtectionSpace(origin: origin, realm: challenge.realm))
                situation.answers[question] = .some(credential)
            }
        }
        change(&situation)
        return situation
    }

    private static func text(_ situation: AuthenticationRule.Situation) -> String {
        switch AuthenticationRule.decide(situation) {
        case .answer(let candidate, let credential, let source, let isRenewal):
            var scheme = candidate.scheme.name.rawValue
            if case .digest(let digest) = candidate.scheme { scheme = digest.algorithm.rawValue }
            return "\(scheme) \(credential.user ?? "token") \(source)\(isRenewal ? " again" : "")"
        case .ask(let question, _): return "ask \(question.source) \(question.space.realm ?? "-")"
        case .deliver(nil): return "deliver"
        case .deliver(let note?): return "deliver: \(note.prefix(30))"
        case .fail(let error): return "fail \(error.kind)"
        }
    }

    private static let unanswered = "deliver: No credentials were sent: noth"

    static let schemes: [([String], String, String)] = [
        (["Basic realm=x"], "basic ada session", "deliver"),
        ([md5], "MD5 ada session", "deliver"),
        (["Basic realm=x", md5], "MD5 ada session", "deliver"),
        (["Basic realm=x", md5, sha256], "SHA-256 ada session", "deliver"),
        ([sha512, sha256, md5], "SHA-512-256 ada session", "deliver"),
        (["Basic realm=x, \(md5), \(sha512)"], "SHA-512-256 ada session", "deliver"),
        (["Bearer", "Basic realm=x"], "basic ada session", "bearer token session"),
        (["Bearer realm=x"], "deliver", "bearer token session"),
        (
            [#"Digest realm="x", nonce="n", qop="auth", algorithm=FOO"#, "Basic realm=x"], "basic ada session",
            "deliver"
        ),
        (["NTLM", "Basic realm=x"], "basic ada session", "deliver"),
        (["NTLM"], "fail authenticationFailed", "fail authenticationFailed"),
        (["Negotiate", "NTLM"], "fail authenticationFailed", "fail authenticationFailed"),
        (["negotiate YII="], "fail authenticationFailed", "fail authenticationFailed"),
        (["Hawk", "NTLM"], unanswered, unanswered), (["Hawk"], unanswered, unanswered), ([], "deliver", "deliver"),
        ([#"Digest realm="x", nonce="n", qop="auth", algorithm=FOO"#], unanswered, unanswered),
        (["Basic"], "basic ada session", "deliver"),
    ]

    @Test("The strongest scheme that fits the credential is used", arguments: schemes)
    func strongest(lines: [String], password: String, token: String) {
        expectEqual(Self.text(Self.situation(lines, [(.session, Self.ada)])), password)
        expectEqual(Self.text(Self.situation(lines, [(.session, Self.token)])), token)
    }

    @Test("Only allowed schemes") func allowed() {
        let lines = [Self.md5, "Basic realm=x", "Bearer"]
        for (schemes, expected) in [
            ([.basic], "basic ada session"), ([.digest], "MD5 ada session"), ([.bearer], "deliver"), ([], "deliver"),
        ] as [(Set<AuthenticationScheme>, String)] {
            let situation = Self.situation(lines, [(.session, Self.ada)]) { $0.policy.schemes = schemes }
            expectEqual(Self.text(situation), expected)
        }
    }

    @Test("Sources are tried in their order; after a refusal the next one is used") func sources() {
        let all = CredentialSource.allCases.map { ($0, Optional(Credential(user: "\($0)", password: "p"))) }
        var sent: [AuthenticationRule.Sent] = []
        for source in CredentialSource.allCases {
            let situation = Self.situation(["Basic realm=x"], all.shuffled()) {
                $0.sent = sent
                $0.carriedLast = !sent.isEmpty
            }
            expectEqual(Self.text(situation), "basic \(source) \(source)")
            sent.append(
                .init(
                    space: ProtectionSpace(origin: Self.origin, realm: "x"),
                    credential: Credential(user: "\(source)", password: "p"), source: source))
        }
        let end = Self.situation(["Basic realm=x"], all) {
            $0.sent = sent
            $0.carriedLast = true
        }
        #expect(Self.text(end).hasPrefix("deliver: The server refused"))
    }

    @Test("A source is asked once for each realm, the strongest challenge first") func asks() {
        var situation = Self.situation(["Basic realm=x", #"Digest realm="y", nonce="n""#], [])
        situation.sources = [.handler, .store]
        expectEqual(Self.text(situation), "ask store y")
        let space = { ProtectionSpace(origin: Self.origin, realm: $0) }
        situation.answers[.init(source: .store, space: space("y"))] = .some(nil)
        expectEqual(Self.text(situation), "ask store x")
        situation.answers[.init(source: .store, space: space("x"))] = .some(nil)
        expectEqual(Self.text(situation), "ask handler y")
        situation.answers[.init(source: .handler, space: space("y"))] = Self.bob
        expectEqual(Self.text(situation), "MD5 bob handler")
    }

    @Test("A credential is tried once in each realm, whatever the scheme") func once() {
        let sent = AuthenticationRule.Sent(
            space: ProtectionSpace(origin: Self.origin, realm: "x"), credential: Self.ada, source: .session, nonce: "o")
        func text(_ lines: [String], _ change: (inout AuthenticationRule.Sent) -> Void = { _ in }) -> String {
            var sent = sent
            change(&sent)
            return Self.text(
                Self.situation(lines, [(.session, Self.ada)]) {
                    $0.sent = [sent]
                    $0.carriedLast = true
                })
        }
        #expect(text([Self.sha256]).hasPrefix("deliver: The server refused"))
        #expect(text(["Basic realm=x", Self.md5]).hasPrefix("deliver: The server refused"))
        expectEqual(text(["Basic realm=y"]), "basic ada session")
        // Without a challenge nobody knows whether the nonce was still good.
        expectEqual(text([Self.sha256]) { $0.isPreemptive = true }, "SHA-256 ada session")
        #expect(
            text(["Basic realm=x"]) {
                $0.isPreemptive = true
                $0.nonce = nil
            }.hasPrefix("deliver: The server refused"))
        expectEqual(
            text([Self.sha256]) {
                $0.isPreemptive = true
                $0.nonce = nil
            }, "SHA-256 ada session")
    }

    @Test("A stale nonce is renewed, but not for ever") func stale() {
        let line = #"Digest realm="x", nonce="new", qop="auth", stale=true"#
        func text(_ line: String, renewals: Int) -> String {
            Self.text(
                Self.situation([line], [(.session, Self.ada)]) {
                    $0.sent = [
                        .init(
                            space: ProtectionSpace(origin: Self.origin, realm: "x"), credential: Self.ada,
                            source: .session, nonce: "old")
                    ]
                    $0.carriedLast = true
                    $0.renewals = renewals
                })
        }
        expectEqual(text(line, renewals: 0), "MD5 ada session again")
        expectEqual(text(line, renewals: 1), "MD5 ada session again")
        #expect(text(line, renewals: 2).hasPrefix("deliver: The server asked"))
        // The same nonce cannot be stale and new.
        #expect(text(line.replacing("new", with: "old"), renewals: 0).hasPrefix("deliver: The server refused"))
        expectEqual(text(line.replacing("\"x\"", with: "\"y\""), renewals: 0), "MD5 ada session")
    }

    @Test("Endless challenges end") func endless() {
        let sent = (0..<AuthenticationRule.Limits.answers).map { number in
            AuthenticationRule.Sent(
                space: ProtectionSpace(origin: Self.origin, realm: "r\(number)"), credential: Self.ada, source: .session
            )
        }
        let situation = Self.situation(["Basic realm=new"], [(.session, Self.ada)]) { $0.sent = sent }
        #expect(Self.text(situation).hasPrefix("deliver: The server asked"))
    }

    static let exposures: [(CredentialSource, Bool)] = [
        (.url, true), (.request, true), (.session, true), (.store, false), (.netrc, false), (.handler, false),
    ]

    @Test("Over http to another machine, Basic and Bearer send only credentials the caller set", arguments: exposures)
    func exposed(source: CredentialSource, isSent: Bool) {
        for (lines, credential) in [(["Basic realm=x"], Self.ada), (["Bearer"], Self.token)] {
            let situation = Self.situation(lines, [(source, credential)]) { $0.isExposed = true }
            let text = Self.text(situation)
            #expect(isSent ? text.hasSuffix("\(source)") : text.hasPrefix("deliver: No password"), "\(text)")
            var allowed = situation
            allowed.policy.allowsInsecurePasswords = true
            #expect(Self.text(allowed).hasSuffix("\(source)"))
        }
        let digest = Self.situation(["Basic realm=x", Self.md5], [(source, Self.ada)]) { $0.isExposed = true }
        expectEqual(Self.text(digest), "MD5 ada \(source)")
    }

    @Test("A refused credential is sent again only from URL, request or handler", arguments: CredentialSource.allCases)
    func refusedBefore(source: CredentialSource) {
        let space = ProtectionSpace(origin: Self.origin, realm: "x")
        let situation = Self.situation(["Basic realm=x"], [(source, Self.ada)]) {
            $0.refusedBefore = [.init(space: space, credential: Self.ada)]
        }
        let isSent = [.url, .request, .handler].contains(source)
        expectEqual(Self.text(situation), (isSent ? "basic ada \(source)" : "deliver: The server refused the credent"))
    }

    @Test("A refused field of the caller is not sent again, but its credential may be sent by Digest") func ownField() {
        let field = Authorization.basic("ada", "s3cret").fieldValue
        let basic = Self.situation(["Basic realm=x"], [(.url, Self.ada), (.session, Self.bob)]) { $0.field = field }
        expectEqual(Self.text(basic), "basic bob session")
        let digest = Self.situation([Self.md5], [(.url, Self.ada)]) { $0.field = field }
        expectEqual(Self.text(digest), "MD5 ada url")
    }

    @Test("A body that cannot be sent again") func body() {
        let situation = Self.situation(["Basic realm=x"], [(.session, Self.ada)]) { $0.isReplayable = false }
        #expect(Self.text(situation).hasPrefix("deliver: The server asks for credential"))
        let hash = Self.situation([#"Digest realm="x", nonce="n", qop="auth-int""#], [(.session, Self.ada)]) {
            $0.isReplayable = false
        }
        #expect(Self.text(hash).hasPrefix("deliver: The server asks for credential"))
    }

    @Test("A bearer token's error is readable") func bearer() throws {
        let line = #"Bearer realm="x", error="invalid_token", error_description="The token expired", scope="a b""#
        let challenge = try #require(SternaCore.AuthenticationChallenge.parse([line]).first)
        let error = try #require(challenge.bearerError)
        expectEqual(error.code, "invalid_token")
        expectEqual(error.explanation, "The token expired")
        expectEqual(error.scope, "a b")
        expectEqual("\(error)", "invalid_token (The token expired)")
        let situation = Self.situation([line], [(.session, Self.token)]) { $0.field = "Bearer s3cret" }
        guard case .deliver(let note?) = AuthenticationRule.decide(situation) else {
            Issue.record("The 401 must be delivered.")
            return
        }
        expectEqual(note, "The server refused the credentials: invalid_token (The token expired).")
        expectNil(SternaCore.AuthenticationChallenge("Basic").bearerError)
    }
}

extension HTTPURL {
    /// An origin for tables.
    static var testOrigin: Origin {
        guard let origin = try? Origin(scheme: .https, host: "a.test") else { preconditionFailure("It is a host.") }
        return origin
    }
}
