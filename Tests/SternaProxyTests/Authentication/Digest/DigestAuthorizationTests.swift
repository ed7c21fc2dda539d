import SternaCore
import SternaTransport
import Testing

@testable import SternaTestSupport

/// The credentials of requests, by the examples of the standards and by the rules for their fields (RFC 7616, 3.4).
@Suite("Digest: authorizations")
struct DigestAuthorizationTests {
    static let serverNonce = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"
    static let clientNonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"

    static func challenge(_ text: String) throws -> DigestChallenge {
        try #require(AuthenticationChallenge.parse([text]).first.flatMap { DigestChallenge($0) }, "\(text)")
    }

    /// A challenge with the values of the standard's example.
    static func example(_ algorithm: String, quality: String) throws -> DigestChallenge {
        try challenge(
            "Digest realm=\"http-auth@example.org\", qop=\"\(quality)\", algorithm=\(algorithm), nonce=\"\(serverNonce)\", "
                + "opaque=\"FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS\"")
    }

    static func answer(
        _ state: inout DigestState, user: String = "Mufasa", password: String = "Circle of Life",
        method: String = "GET",
        uri: String = "/dir/index.html", body: String? = "body", clientNonce: String? = clientNonce
    ) throws(SternaError) -> DigestAuthorization {
        try state.authorization(
            user: user, password: password, method: method, uri: uri,
            bodyHash: { (algorithm) throws(SternaError) in body.map { algorithm.hash($0.utf8) } },
            clientNonce: clientNonce)
    }

    /// The parameters as they are written, by name.
    static func fields(_ answer: DigestAuthorization) -> [String: String] {
        let text = answer.authorization.fieldValue.dropFirst("Digest ".utf8.count)
        var found: [String: String] = [:]
        for part in text.split(separator: ", ") {
            let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
            found[pair[0]] = pair.count == 2 ? pair[1] : ""
        }
        return found
    }

    /// By an implementation of our own in Python, on its hashlib; the first is RFC 7616's example (3.9.1), as that of MD5 is.
    static let table: [(String, String, String, String)] = [
        (
            "MD5", "auth",
            "8ca523f5e9506fed4657c9700eebdbec",
            "9b712497bc9f91499fbcca1dfc5f09a5"
        ),
        (
            "MD5", "auth-int",
            "9aaa3cbaec2406853a7cb784c6813d11",
            "10f0f2f195620a7d563c187344195d09"
        ),
        (
            "MD5-sess", "auth",
            "e783283f46242139c486a698fec7211d",
            "b9bdf5673282d64412df46ad40660539"
        ),
        (
            "MD5-sess", "auth-int",
            "a0dd1fdc2cda57809f734f0b1f089e7b",
            "e3442c403327d40ce33925432c03159f"
        ),
        (
            "SHA-256", "auth",
            "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1",
            "86d3b25618d41854ca5039a5d7e53ff6355d5134a9b1fb088a78ac3c462195a0"
        ),
        (
            "SHA-256", "auth-int",
            "2fa9fd5a55eaefc542900085331c15a0d8dcebeb505811bdd82a5b1f49ae156e",
            "e84a3684db35aeafad0ecb6efbba6724775d30a1cc835c6961fe218a291092ef"
        ),
        (
            "SHA-256-sess", "auth",
            "2fd51b3a77ad75bad6afad6003e818d767133c46d9e2749e7f5232ae1ea3efd7",
            "d4ad609d150eafce2281da5c3179878fdb37e6a16021272f4bed1a082f5c2324"
        ),
        (
            "SHA-256-sess", "auth-int",
            "351cf1de6df8006b29344896ed8e41148d9922c94d1aedab40833924f92d49c2",
            "e186fdc4c28d6b2de6fc1930e81ef1038dd64c457a389f72fb196103348dafda"
        ),
        (
            "SHA-512-256", "auth",
            "430d05014cecc49cab6fbe03176d41a1da86cbfe24a16580e22aaad928d960d0",
            "c8f9593a4f49b95ce2c483cc3222ecd360a5c6ec52ca24a530b0aac18478de8c"
        ),
        (
            "SHA-512-256", "auth-int",
            "f4a77dcffe7f8d5d98ca279329559e1e5457b701639d422e8c29293d79fcfeb8",
            "7476d022267c3a50b073b7106bb6a51dbc136cb57420da99a6a4a0927fb64d74"
        ),
        (
            "SHA-512-256-sess", "auth",
            "3f2a34f923c38b0fb26dce2fdfc2ce326c23cecf86fbb1444f3e51fbbc2cb92e",
            "98012a4e63fae2aea13adaa3410368ef7278c87ca0acbd3c941ca5fe3dceeb86"
        ),
        (
            "SHA-512-256-sess", "auth-int",
            "d23bb350af07cb6c232f93958b43336b4cb362d2a8bd66c9c2022f022c3999b2",
            "4739ae2482881e1453cd5c188f7c901b81a7820efee30191b191746e17a4deb7"
        ),
        (
            "SHA-512", "auth",
            "27d9ebedb4e86595d8b99152ce456620c8e47c48afbd771dbc4468bb758ca66e7312383d49ad044219d4a2c5c218e66c584fa00b2728798bcff9435825eed0ad",
            "6183ab2224e73226a017bf040a7e245bd4de46736b7ada02702a0310b388c1f47f94c2ac11c864cc584bfaedbea9e2c42a2185bd09aba0487c9af928d79d437c"
        ),
        (
            "SHA-512", "auth-int",
            "3f999928f723b7fca9e41d4aeec398c864862818b5dfb0d0fa1a0363ed8296e926b0e9b4f3a42377e0e4b7f939911a9f135d0bb925954ffe8be824505b462bef",
            "3221787bd2f4e87a6f3f65a53b67fb1918d9ca0c7e3bed061703efaf3029c5eac9220046c27ebaae153466b8d55308dbb184cc571aa1e481e93cc1e431e9fa86"
        ),
    ]

    @Test("Response and server's proof of each algorithm and quality", arguments: table)
    func responses(algorithm: String, quality: String, response: String, proof: String) throws {
        var state = DigestState(try Self.example(algorithm, quality: quality))
        let answer = try Self.answer(&state)
        let fields = Self.fields(answer)
        expectEqual(fields["response"], "\"\(response)\"")
        expectEqual(fields["qop"], quality)
        let info = "rspauth=\"\(proof)\", qop=\(quality), cnonce=\"\(Self.clientNonce)\", nc=00000001"
        let body: @Sendable (DigestHash) throws(SternaError) -> [UInt8]? = { (hash) throws(SternaError) in
            hash.hash("answer".utf8)
        }
        try expectEqual(state.note(info: info, answer: answer, bodyHash: body), .verified)
    }

    @Test("The example of RFC 7616, 3.9.1, in full")
    func example() throws {
        var state = DigestState(try Self.example("SHA-256", quality: "auth, auth-int"))
        let expected =
            "Digest username=\"Mufasa\", realm=\"http-auth@example.org\", nonce=\"\(Self.serverNonce)\", "
            + "uri=\"/dir/index.html\", algorithm=SHA-256, qop=auth, nc=00000001, cnonce=\"\(Self.clientNonce)\", "
            + "response=\"753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1\", "
            + "opaque=\"FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS\""
        try expectEqual(Self.answer(&state).authorization.fieldValue, expected)
    }

    @Test("The example of RFC 7616, 3.9.2, as erratum 4897 corrects it; and the same user by username*")
    func userhash() throws {
        let text =
            "Digest realm=\"api@example.org\", qop=\"auth\", algorithm=SHA-512-256, "
            + "nonce=\"5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK\", "
            + "opaque=\"HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS\", charset=UTF-8"
        func fields(_ text: String) throws -> [String: String] {
            var state = DigestState(try Self.challenge(text))
            return Self.fields(
                try Self.answer(
                    &state, user: "J\u{E4}s\u{F8}n Doe", password: "Secret, or not?", uri: "/doe.json",
                    clientNonce: "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v"))
        }
        let hashed = try fields(text + ", userhash=true")
        let response = "\"3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5\""
        expectEqual(hashed["username"], "\"793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b\"")
        expectEqual(hashed["userhash"], "true")
        expectNil(hashed["username*"])
        expectEqual(hashed["response"], response)
        let extended = try fields(text)
        expectEqual(extended["username*"], "UTF-8''J%C3%A4s%C3%B8n%20Doe")
        expectNil(extended["username"])
        expectNil(extended["userhash"])
        expectEqual(extended["response"], response)
    }

    @Test(
        "RFC 2069 where the server names no quality: no count, no client nonce (2.4, as its errata correct the value)")
    func legacy() throws {
        var state = DigestState(
            try Self.challenge("Digest realm=\"testrealm@host.com\", nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\""))
        let answer = try Self.answer(&state, password: "CircleOfLife")
        expectEqual(
            answer.authorization.fieldValue,
            "Digest username=\"Mufasa\", realm=\"testrealm@host.com\", nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\", "
                + "uri=\"/dir/index.html\", response=\"1949323746fe6a43ef61f9606e7febea\"")
        // Its own proof is of another kind, which is not checked; the next nonce counts.
        #expect(try state.note(info: "nextnonce=\"n2\", rspauth=\"x\"", answer: answer) == .none)
        expectEqual(Self.fields(try Self.answer(&state))["nonce"], "\"n2\"")
    }

    @Test(
        "MUST: username, realm, nonce, uri, response, cnonce and opaque are quoted; algorithm, qop, nc and userhash are not"
    )
    func quotes() throws {
        var state = DigestState(
            try Self.challenge("Digest realm=r, nonce=n, opaque=o, qop=auth, algorithm=\"md5\", userhash=TRUE"))
        let fields = Self.fields(try Self.answer(&state))
        for name in ["username", "realm", "nonce", "uri", "response", "cnonce", "opaque"] {
            let value = fields[name] ?? ""
            #expect(value.hasPrefix("\"") && value.hasSuffix("\"") && value.utf8.count > 2, "\(name)")
        }
        // The server's own case of the algorithm.
        expectEqual(fields["algorithm"], "md5")
        expectEqual(fields["qop"], "auth")
        expectEqual(fields["nc"], "00000001")
        expectEqual(fields["userhash"], "true")
    }

    @Test("Quotes and backslashes: hashed without escapes, written with them")
    func escapes() throws {
        var state = DigestState(
            try Self.challenge("Digest realm=\"a \\\"b\\\" \\\\c\\d\", nonce=\"\\\"n\", qop=auth, opaque=\"\\\\\""))
        let answer = try Self.answer(&state, user: "x\"y\\", password: "p", uri: "/")
        let text = answer.authorization.fieldValue
        #expect(text.contains("username=\"x\\\"y\\\\\", realm=\"a \\\"b\\\" \\\\cd\", nonce=\"\\\"n\""))
        #expect(text.hasSuffix("opaque=\"\\\\\""))
        let hash = DigestHash.md5
        let secret = hash.hex("x\"y\\:a \"b\" \\cd:p")
        let response = hash.hex("\(secret):\"n:00000001:\(Self.clientNonce):auth:\(hash.hex("GET:/"))")
        #expect(text.contains("response=\"\(response)\""))
        // What we write is what we read.
        let read = AuthenticationChallenge.parse([text]).first
        #expect(read?["username"] == "x\"y\\" && read?.realm == "a \"b\" \\cd" && read?["opaque"] == "\\")
    }

    @Test(
        "The forms of a user name",
        arguments: [
            ("ada", false, "username=\"ada\""), ("a da", true, "username=\"a da\""), ("", true, "username=\"\""),
            ("a:b", true, "username=\"a:b\""), ("Ä", false, "username=\"Ä\""),
            ("Ä%", true, "username*=UTF-8''%C3%84%25"),
            ("a\u{1}", true, "username*=UTF-8''a%01"), ("a\tb", false, "username=\"a\tb\""),
            ("€!#$&+-.^_`|~*'()", true, "username*=UTF-8''%E2%82%AC!#$&+-.^_`|~%2A%27%28%29"),
        ])
    func names(user: String, isUTF8: Bool, expected: String) throws {
        var state = DigestState(
            try Self.challenge("Digest realm=r, nonce=n, qop=auth\(isUTF8 ? ", charset=utf-8" : "")"))
        let text = try Self.answer(&state, user: user).authorization.fieldValue
        #expect(text.hasPrefix("Digest \(expected), realm="), "\(text)")
    }

    @Test("A user name with a control character fails where no form can hold it, and only there")
    func controlCharacters() throws {
        for user in ["a\r\nX: y", "\u{0}", "a\u{7F}"] {
            var state = DigestState(try Self.challenge("Digest realm=r, nonce=n, qop=auth"))
            let error = #expect(throws: SternaError.self) { try Self.answer(&state, user: user) }
            expectEqual(error?.kind, .invalidHeader)
            var hashed = DigestState(try Self.challenge("Digest realm=r, nonce=n, qop=auth, userhash=true"))
            #expect(FieldSyntax.isValue(try Self.answer(&hashed, user: user).authorization.fieldValue))
        }
    }

    @Test(
        "MUST: the count is that of the requests with the nonce, in eight hexadecimal digits, and begins again with the next"
    )
    func counts() throws {
        var state = DigestState(try Self.challenge("Digest realm=r, nonce=n, qop=auth"))
        var nonces: Set<String> = []
        var last: DigestAuthorization?
        for number in 1...300 {
            let answer = try Self.answer(&state, clientNonce: nil)
            let fields = Self.fields(answer)
            expectEqual(
                fields["nc"],
                String(repeating: "0", count: 8 - String(number, radix: 16).count)
                    + String(number, radix: 16))
            nonces.insert(fields["cnonce"] ?? "")
            last = answer
        }
        // A client nonce of its own for each request.
        expectEqual(nonces.count, 300)
        #expect(nonces.allSatisfy { $0.utf8.count == 34 })
        let answer = try #require(last)
        #expect(try state.note(info: "nextnonce=\"n2\"", answer: answer) == .none)
        expectEqual(state.nonce, "n2")
        var fields = Self.fields(try Self.answer(&state))
        #expect(fields["nonce"] == "\"n2\"" && fields["nc"] == "00000001")
        // The same nonce again is no next one.
        try state.note(info: "nextnonce=\"n2\"", answer: answer)
        fields = Self.fields(try Self.answer(&state))
        #expect(fields["nonce"] == "\"n2\"" && fields["nc"] == "00000002")
    }

    @Test(
        "MUST: a session's key is made of its first nonces, whatever nonces follow",
        arguments: ["MD5", "SHA-256", "SHA-512-256"])
    func session(name: String) throws {
        var state = DigestState(try Self.challenge("Digest realm=r, nonce=n1, qop=auth, algorithm=\(name)-sess"))
        let first = try Self.answer(&state, user: "u", password: "p", uri: "/", clientNonce: "c1")
        try state.note(info: "nextnonce=\"n2\"", answer: first)
        let second = Self.fields(try Self.answer(&state, user: "u", password: "p", uri: "/", clientNonce: nil))
        let hash = try #require(DigestHash(token: name))
        let key = hash.hex("\(hash.hex("u:r:p")):n1:c1")
        expectEqual(second["nonce"], "\"n2\"")
        // Servers that make the key of each request's own client nonce come to the same.
        expectEqual(second["cnonce"], "\"c1\"")
        expectEqual(second["response"], "\"\(hash.hex("\(key):n2:00000001:c1:auth:\(hash.hex("GET:/"))"))\"")
    }

    @Test("MUST: the quality is one that the server offers; auth where it is, without the body")
    func qualities() throws {
        for (offered, used) in [
            ("auth", "auth"), ("auth-int", "auth-int"), ("auth-int,auth", "auth"), ("x, AUTH", "auth"),
        ] {
            var state = DigestState(try Self.challenge("Digest realm=r, nonce=n, qop=\"\(offered)\""))
            var asked = 0
            let answer = try state.authorization(
                user: "u", password: "p", method: "GET", uri: "/",
                bodyHash: { (hash) throws(SternaError) in
                    asked += 1
                    return hash.hash([])
                })
            expectEqual(Self.fields(answer)["qop"], used, "\(offered)")
            expectEqual(asked, (used == "auth" ? 0 : 1), "\(offered)")
        }
    }

    @Test("A body that cannot be hashed fails with auth-int, and says so")
    func bodyOnce() throws {
        var state = DigestState(try Self.challenge("Digest realm=r, nonce=n, qop=auth-int"))
        #expect(state.needsBodyHash)
        let error = #expect(throws: SternaError.self) { try Self.answer(&state, body: nil) }
        expectEqual(error?.kind, .bodyNotReplayable)
        // Nothing was counted.
        expectEqual(Self.fields(try Self.answer(&state))["nc"], "00000001")
    }

    @Test("No description shows user, password, nonces or hashes")
    func secrets() throws {
        var state = DigestState(try Self.challenge("Digest realm=r, nonce=hidden1, qop=auth, opaque=hidden2"))
        let answer = try Self.answer(&state, user: "hidden3", password: "hidden4", clientNonce: "hidden5")
        var text = "\(answer) \(state) \(state.challenge)"
        dump(answer, to: &text)
        dump(state, to: &text)
        #expect(!text.contains("hidden"))
        #expect(!text.contains(Self.fields(answer)["response"]?.dropFirst().dropLast() ?? ""))
    }
}
