import SternaCore
import SternaTransport
import Testing

@testable import SternaTestSupport

/// Which challenges can be answered, and which of several is (RFC 7616, 3.3 and 3.7).
@Suite("Digest: challenges")
struct DigestChallengeTests {
    private static func read(_ lines: String...) -> [DigestChallenge?] {
        AuthenticationChallenge.parse(lines).map { DigestChallenge($0) }
    }

    @Test("The parameters of a challenge are read")
    func values() throws {
        let challenge = try #require(
            Self.read(
                "Digest realm=\"a b\", domain=\"/a  https://b.test/c\", nonce=\"n=\", opaque=\"\", stale=TRUE, "
                    + "algorithm=sha-256-SESS, qop=\"auth , auth-int,x\", charset=utf-8, userhash=True, unknown=1"
            ).first ?? nil)
        expectEqual(challenge.realm, "a b")
        expectEqual(challenge.nonce, "n=")
        expectEqual(challenge.opaque, "")
        #expect(challenge.isStale && challenge.userhash && challenge.isUTF8 && !challenge.isLegacy)
        expectEqual(challenge.algorithm, .sha256Sess)
        expectEqual(challenge.algorithmName, "sha-256-SESS")
        expectEqual(challenge.qualities, [.auth, .authInt])
        #expect(challenge.domain == ["/a", "https://b.test/c"])
        #expect(!challenge.needsBodyHash)
    }

    @Test("Defaults: MD5, no quality, not stale, the whole origin")
    func defaults() throws {
        let challenge = try #require(Self.read("DIGEST nonce=n,realm=r").first ?? nil)
        #expect(challenge.algorithm == .md5 && challenge.algorithmName == nil)
        #expect(challenge.isLegacy && !challenge.isStale && !challenge.userhash && !challenge.isUTF8)
        #expect(challenge.opaque == nil && challenge.domain.isEmpty)
    }

    @Test(
        "MUST: unknown parameters and unknown qualities are ignored",
        arguments: [
            "x=y", "qop=\"auth,token\"", "qop=\"auth;auth-int, auth\"", "stale=maybe", "userhash=yes", "charset=latin1",
        ])
    func ignored(parameter: String) {
        let text = "Digest realm=r, nonce=n, \(parameter)"
        #expect(Self.read(text).first != .some(nil), "\(text)")
        expectEqual(Self.read(text).count, 1)
    }

    @Test(
        "Incomplete and unknown challenges are not answered",
        arguments: [
            "Digest", "Digest realm=r", "Digest nonce=n", "Basic realm=r, nonce=n", "Digest abc==",
            "Digest realm=r, nonce=n, algorithm=SHA-1", "Digest realm=r, nonce=n, algorithm=\"\"",
            "Digest realm=r, nonce=n, qop=token", "Digest realm=r, nonce=n, qop=\"token, x\"",
            "Digest realm=r, nonce=n, algorithm=MD5-sess, qop=\"\"",
            "Digest realm=r, nonce=n, algorithm=MD5-sess", "Digest realm=r, nonce=n, algorithm=SHA-512-sess, qop=auth",
        ])
    func unusable(text: String) {
        #expect(Self.read(text).allSatisfy { $0 == nil }, "\(text)")
    }

    @Test(
        "An empty list of qualities is none, as servers send it", arguments: ["qop=\"\"", "qop=\" \"", "qop=\", ,\""])
    func emptyQualities(parameter: String) throws {
        let challenge = try #require(Self.read("Digest realm=r, nonce=n, \(parameter)").first ?? nil)
        #expect(challenge.isLegacy && challenge.qualities.isEmpty && !challenge.needsBodyHash)
        var state = DigestState(challenge)
        let answer = try state.authorization(
            user: "ada", password: "pw", method: "GET", uri: "/", bodyHash: { (_) throws(SternaError) in nil })
        expectNil(answer.quality)
        // The answer of RFC 2069 has no count and no client nonce, which its hash leaves out.
        let field = answer.authorization.fieldValue
        for name in ["qop", "nc=", "cnonce"] { #expect(!field.contains(name), "\(field)") }
        let hash = DigestHash.md5
        let expected = hash.hex("\(hash.hex("ada:r:pw")):n:\(hash.hex("GET:/"))")
        #expect(field.contains("response=\"\(expected)\""), "\(field)")
    }

    @Test(
        "Messages say why a challenge cannot be answered",
        arguments: [
            ("Digest realm=r, nonce=n", "Digest"), ("Digest nonce=n", "Digest without realm or nonce"),
            ("digest realm=r, nonce=n, qop=\"token,x\"", "digest with the unknown qop “token,x”"),
            ("Digest realm=r, nonce=n, algorithm=SHA-1", "Digest with the unknown algorithm “SHA-1”"),
            ("Digest realm=r, nonce=n, algorithm=md5-sess", "Digest with MD5-sess but without qop"),
            ("Digest abc==", "Digest without realm or nonce"), ("NTLM", "NTLM"),
            (
                "Digest realm=r, nonce=n, qop=\"\(String(repeating: "x", count: 5_000))\"",
                "Digest with values that are too long or have control characters"
            ),
        ])
    func reasons(line: String, text: String) throws {
        let challenge = try #require(AuthenticationChallenge.parse([line]).first)
        expectEqual(DigestChallenge.shownScheme(of: challenge), text)
    }

    @Test("Control characters in realm, nonce and opaque are refused")
    func controlCharacters() {
        for name in ["realm", "nonce", "opaque"] {
            for character in ["\u{0}", "\r", "\n", "\u{1B}", "\u{7F}"] {
                var values = ["realm": "r", "nonce": "n", "opaque": "o"]
                values[name] = "a\(character)b"
                expectNil(DigestChallenge(.init("Digest", parameters: values.map { .init($0.key, $0.value) })))
            }
        }
    }

    @Test("Values beyond the limits of length are refused")
    func lengths() {
        let most = DigestChallenge.Limits.bytes
        for name in ["realm", "nonce", "opaque", "qop"] {
            for (count, isRead) in [(most, true), (most + 1, false), (1 << 20, false)] {
                var values = ["realm": "r", "nonce": "n", "opaque": "o", "qop": "auth"]
                values[name] = "auth," + String(repeating: "x", count: count - 5)
                let challenge = DigestChallenge(.init("Digest", parameters: values.map { .init($0.key, $0.value) }))
                expectEqual((challenge != nil), isRead, "\(name) of \(count)")
            }
        }
    }

    @Test("10,000 qualities, and 10,000 URIs, are read quickly")
    func many() throws {
        let clock = ContinuousClock()
        let qualities = (0..<10_000).map { "q\($0)" }.joined(separator: ",") + ",auth"
        let uris = (0..<10_000).map { "/\($0)" }.joined(separator: " ")
        let start = clock.now
        let parameters = [("realm", "r"), ("nonce", "n"), ("qop", qualities)]
        expectNil(DigestChallenge(.init("Digest", parameters: parameters.map { .init($0.0, $0.1) })))
        let wide = [("realm", "r"), ("nonce", "n"), ("domain", uris)]
        let challenge = try #require(DigestChallenge(.init("Digest", parameters: wide.map { .init($0.0, $0.1) })))
        expectEqual(challenge.domain.count, DigestChallenge.Limits.domains)
        // Below the limit of the list's length, all are read.
        let short = (0..<800).map { "q\($0 % 10)" }.joined(separator: ",") + ",auth"
        let read = Self.read("Digest realm=r, nonce=n, qop=\"\(short)\"").first ?? nil
        expectEqual(read?.qualities, [.auth])
        // Nor quotes are needed.
        let bare = Self.read("Digest realm=r, qop=auth,auth-int, nonce=n").first ?? nil
        expectEqual(bare?.qualities, [.auth, .authInt])
        #expect(clock.now - start < .seconds(5))
    }

    @Test("The strongest of several challenges, in one line or in many, whatever their order")
    func strongest() throws {
        let names = DigestHash.allCases.map(\.rawValue)
        for strongest in 1..<names.count {
            let offered = names[...strongest].map { "Digest realm=\($0), nonce=n, qop=auth, algorithm=\($0)" }
            for order in [offered, offered.reversed()] {
                for lines in [order, [order.joined(separator: ", ")], ["Basic realm=b", "Negotiate"] + order] {
                    let best = DigestChallenge.strongest(in: AuthenticationChallenge.parse(lines))
                    expectEqual(best?.realm, names[strongest], "\(lines)")
                }
            }
        }
    }

    @Test("The first of equal ones, and one with a quality, are preferred; unknown ones are skipped")
    func ties() {
        func realm(_ line: String, canHashBody: Bool = true) -> String? {
            DigestChallenge.strongest(in: AuthenticationChallenge.parse([line]), canHashBody: canHashBody)?.realm
        }
        expectEqual(realm("Digest realm=a, nonce=n, qop=auth, Digest realm=b, nonce=n, qop=auth"), "a")
        expectEqual(realm("Digest realm=a, nonce=n, Digest realm=b, nonce=n, qop=auth"), "b")
        expectEqual(realm("Digest realm=a, nonce=n, algorithm=SHA-3, Digest realm=b, nonce=n"), "b")
        expectNil(realm("Basic realm=a"))
        let mixed = "Digest realm=a, nonce=n, algorithm=SHA-256, qop=auth-int, Digest realm=b, nonce=n, qop=auth"
        expectEqual(realm(mixed), "a")
        // A body that can be read only once cannot be hashed before it is sent.
        expectEqual(realm(mixed, canHashBody: false), "b")
    }
}
