import SternaCore
import Testing

@testable import SternaTestSupport

/// WWW-Authenticate and Proxy-Authenticate (RFC 9110, 11.6.1 and 11.7.1).
@Suite("Authentication challenges")
struct AuthenticationChallengeTests {
    private typealias Challenge = AuthenticationChallenge

    /// Scheme, token and parameters in one line.
    private static func text(_ challenge: AuthenticationChallenge) -> String {
        let parameters = challenge.parameters.map { "\($0.name)=\($0.value)" }
        return ([challenge.scheme] + (challenge.token.map { ["<\($0)>"] } ?? []) + parameters).joined(separator: "|")
    }

    @Test(
        "What a line says",
        arguments: [
            ("", []), (" , ,\t,", []), ("Basic", ["Basic"]), ("Basic , Negotiate", ["Basic", "Negotiate"]),
            ("Basic realm=\"a b\"", ["Basic|realm=a b"]),
            ("Basic realm=x", ["Basic|realm=x"]),
            ("Basic realm = \"x\" , charset\t=\tUTF-8", ["Basic|realm=x|charset=UTF-8"]),
            ("Basic   realm=\"\"", ["Basic|realm="]),
            ("Basic realm=\"a\\\"b\\\\c\\d\"", ["Basic|realm=a\"b\\cd"]),
            ("Basic realm=\"a, Digest nonce=b\"", ["Basic|realm=a, Digest nonce=b"]),
            ("Basic realm=\"Größe\"", ["Basic|realm=Größe"]),
            ("Negotiate YII=", ["Negotiate|<YII=>"]), ("Negotiate a+/-._~9==", ["Negotiate|<a+/-._~9==>"]),
            ("Scheme realm=", ["Scheme|<realm=>"]), ("Scheme realm", ["Scheme|<realm>"]),
            ("Negotiate YII= , Basic realm=\"x\"", ["Negotiate|<YII=>", "Basic|realm=x"]),
            ("Basic realm=\"x\", Negotiate YII=", ["Basic|realm=x", "Negotiate|<YII=>"]),
            ("Basic,Bearer", ["Basic", "Bearer"]), ("Basic ,, Bearer ,", ["Basic", "Bearer"]),
            (
                "Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\", Basic realm=\"simple\"",
                ["Newauth|realm=apps|type=1|title=Login to \"apps\"", "Basic|realm=simple"]
            ),
            (
                "Digest realm=\"a\",qop=\"auth, auth-int\",algorithm=SHA-256,nonce=\"x==\",stale=FALSE",
                ["Digest|realm=a|qop=auth, auth-int|algorithm=SHA-256|nonce=x==|stale=FALSE"]
            ),
            ("Scheme token= x", ["Scheme|token=x"]), ("Basic , realm=\"x\"", ["Basic|realm=x"]),
        ] as [(String, [String])])
    func lines(line: String, expected: [String]) {
        expectEqual(Challenge.parse([line]).map(Self.text), expected)
    }

    @Test(
        "A list of qualities without quotes goes on after a comma, with known names alone",
        arguments: [
            ("Digest realm=a, qop=auth,auth-int, nonce=n", ["Digest|realm=a|qop=auth,auth-int|nonce=n"]),
            ("Digest qop=auth , Auth-Int", ["Digest|qop=auth,Auth-Int"]),
            (
                "Digest qop=auth-int,auth,,auth, nonce=n, Basic realm=x",
                ["Digest|qop=auth-int,auth,auth|nonce=n", "Basic|realm=x"]
            ),
            ("Digest qop = auth,auth-int\t,Bearer", ["Digest|qop=auth,auth-int", "Bearer"]),
            ("Digest qop=auth,auth-conf, nonce=n", ["Digest|qop=auth", "auth-conf|nonce=n"]),
            ("Digest qop=\"auth\",auth-int", ["Digest|qop=auth", "auth-int"]),
            ("Digest qop=auth, nonce=n,auth-int", ["Digest|qop=auth|nonce=n", "auth-int"]),
            ("Digest qop=auth, auth realm=x", ["Digest|qop=auth", "auth|realm=x"]),
            ("Digest qop=auth, auth=x", ["Digest|qop=auth|auth=x"]),
            ("auth-int , auth", ["auth-int", "auth"]),
            ("Digest qop=auth,Basic,auth", ["Digest|qop=auth", "Basic", "auth"]),
        ] as [(String, [String])])
    func qualities(line: String, expected: [String]) {
        expectEqual(Challenge.parse([line]).map(Self.text), expected)
    }

    @Test(
        "A malformed line says nothing",
        arguments: [
            "Basic realm=\"x", "Basic realm=\"x\\", "Basic realm=\"x\" y", "Basic realm=\"x\"y",
            "Basic realm=\"x\"; a=b",
            "=x", "\"Basic\"", "Basic realm=x y=z", "Basic realm=\"x\", realm=\"y\"", "Basic realm=x, REALM=y",
            "Negotiate YII=, realm=\"x\"", "Negotiate YII= x y", "Basic\trealm=x", "Basic realm=\"a\u{0}b\"",
            "Ba(sic realm=x", "Größe realm=x",
        ])
    func malformed(line: String) {
        #expect(Challenge.parse([line]).isEmpty)
        // Nor does it spoil another one.
        expectEqual(
            Challenge.parse(["Bearer", line, "Basic realm=\"r\""]).map(Self.text), ["Bearer", "Basic|realm=r"])
    }

    @Test("Schemes and names in any case")
    func cases() throws {
        let challenge = try #require(Challenge.parse(["dIGEST Realm=\"R\", NONCE=n"]).first)
        #expect(challenge.hasScheme("Digest"))
        #expect(!challenge.hasScheme("Diges"))
        expectEqual(challenge.realm, "R")
        expectEqual(challenge["nonce"], "n")
        expectNil(challenge["opaque"])
    }

    @Test("Limits: challenges, parameters and bytes")
    func limits() {
        let many = Array(repeating: "Basic", count: 33).joined(separator: ",")
        #expect(Challenge.parse([many]).isEmpty)
        expectEqual(Challenge.parse(Array(repeating: "Basic", count: 100)).count, 32)
        let wide = { (count: Int) in "Basic " + (0..<count).map { "p\($0)=v" }.joined(separator: ", ") }
        expectEqual(Challenge.parse([wide(32)]).first?.parameters.count, 32)
        #expect(Challenge.parse([wide(33)]).isEmpty)
        let long = "Basic realm=\"\(String(repeating: "r", count: 20_000))\""
        expectEqual(Challenge.parse([long]).count, 1)
        expectEqual(Challenge.parse([long, long, "Bearer"]).count, 2)
        #expect(Challenge.parse(Array(repeating: String(repeating: ",", count: 30_000), count: 100)).isEmpty)
    }

    @Test("Challenges of a megabyte, and ten thousand of them, take no more time than a look at each")
    func hostile() {
        let megabyte = String(repeating: "x", count: 1 << 20)
        let lines = [
            "Digest realm=\"\(megabyte)\", nonce=n", megabyte, String(repeating: "Basic,", count: 200_000),
            String(repeating: "Basic realm=x, ", count: 70_000), String(repeating: "\\", count: 1 << 20),
        ]
        let start = ContinuousClock.now
        for line in lines { #expect(Challenge.parse([line]).isEmpty) }
        expectEqual(Challenge.parse(lines + ["Basic realm=x"]).map(\.realm), ["x"])
        expectEqual(Challenge.parse(Array(repeating: "Digest realm=r, nonce=n", count: 10_000)).count, 32)
        // Within the limit of bytes: the longest token, quoted string, list, and list of empty elements.
        let most = AuthenticationChallenge.Limits.bytes
        for piece in ["a", "=", ",", "\\\"", "Basic ", "a=b,", "\"", "Negotiate a=,", " "] {
            let line = "Digest x=\"" + String(repeating: piece, count: (most - 20) / piece.utf8.count)
            #expect(Challenge.parse([line]).count <= 32)
            #expect(Challenge.parse([String(line.dropFirst(10))]).count <= 32)
        }
        #expect(ContinuousClock.now - start < .seconds(10))
    }

    @Test("Descriptions and mirrors show scheme and realm only")
    func shown() {
        let challenges = Challenge.parse(["Digest realm=\"a\u{9}b\", nonce=\"hidden\"", "Negotiate hidden="])
        var dumped = ""
        dump(challenges, to: &dumped)
        let shown = "\(challenges) \(String(reflecting: challenges)) \(dumped)"
        #expect(!shown.contains("hidden"))
        #expect(shown.contains("Digest") && shown.contains("Negotiate"))
        expectEqual(challenges.count, 2)
    }
}
