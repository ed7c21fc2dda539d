import HTTPTypes
import NIOCore
import Sterna
import SternaPlatform
import Testing

@testable import Sterna
@testable import SternaSigning
@testable import SternaTestSupport

/// The examples of RFC 9421, appendix B, whose algorithms the library has.
@Suite("Message signatures: RFC 9421, B.2")
struct SignatureVectorTests {
    static let created: Int64 = 1_618_884_473

    static func bytes(_ text: String) throws -> [UInt8] {
        let plain = text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        return try #require(ExpectedDigest.bytes(base64: String(plain)))
    }

    /// B.1.5.
    static func sharedSecret() throws -> SignatureKey {
        .hmacSHA256(
            id: "test-shared-secret",
            secret: try bytes(
                "uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ=="))
    }

    /// B.1.4.
    static func ed25519() throws -> SignatureKey {
        try .ed25519(id: "test-key-ed25519", privateKey: try bytes("n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU"))
    }

    /// B.1.3.
    static let p256PEM = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIFKbhfNZfpDsW43+0+JjUr9K+bTeuxopu653+hBaXGA7oAoGCCqGSM49
        AwEHoUQDQgAEqIVYZVLCrPZHGHjP17CTW0/+D9Lfw0EkjqF7xB4FivAxzic30tMM
        4GF+hR6Dxh71Z50VGGdldkkDXZCnTNnoXQ==
        -----END EC PRIVATE KEY-----
        """

    static let p256PublicPEM = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEqIVYZVLCrPZHGHjP17CTW0/+D9Lf
        w0EkjqF7xB4FivAxzic30tMM4GF+hR6Dxh71Z50VGGdldkkDXZCnTNnoXQ==
        -----END PUBLIC KEY-----
        """

    /// The request of B.2.
    static func request() throws -> Request {
        var request = Request(
            .post, try HTTPURL("https://example.com/foo?param=Value&Pet=dog"), body: .text("{\"hello\": \"world\"}"))
        try Headers([
            ("Date", "Tue, 20 Apr 2021 02:07:55 GMT"), ("Content-Type", "application/json"),
            (
                "Content-Digest",
                "sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:"
            ),
        ]).merge(into: &request.headers)
        return request
    }

    /// The response of B.2, with the signature of B.2.4.
    static func response(_ changed: Headers = [:]) throws -> Response {
        var fields = HTTPFields()
        try Headers([
            ("Date", "Tue, 20 Apr 2021 02:07:56 GMT"), ("Content-Type", "application/json"),
            (
                "Content-Digest",
                "sha-512=:mEWXIS7MaLRuGgxOBdODa3xqM1XdEvxoYhvlCFJ41QJgJc4GTsPp29l5oGX69wWdXymyU0rjJuahq4l5aGgfLQ==:"
            ),
            ("Content-Length", "23"),
            (
                "Signature-Input",
                #"sig-b24=("@status" "content-type" "content-digest" "content-length");created=1618884473;keyid="test-key-ecc-p256""#
            ),
            (
                "Signature",
                "sig-b24=:wNmSUAhwb5LxtOtOpNa6W5xj067m5hFrj0XQ4fvpaCLx0NKocgPquLgyahnzDnDAUy5eCdlYUEkLIj+32oiasw==:"
            ),
        ]).merge(into: &fields)
        try changed.merge(into: &fields)
        return Response(
            status: .ok, section: FieldSection(fields), url: try HTTPURL("https://example.com/foo"))
    }

    private func signed(
        _ label: String, _ components: [SignatureComponent], _ key: SignatureKey
    ) throws -> Request {
        var signing = MessageSigning(key: key)
        signing.components = components
        signing.optionalComponents = []
        signing.digestsContent = false
        signing.label = label
        return try MessageSigner(signing: signing, seconds: Self.created).signed(try Self.request())
    }

    @Test("B.2.4: a response by ecdsa-p256-sha256", arguments: [p256PEM, p256PublicPEM])
    func response(pem: String) throws {
        let key = try SignatureKey.ecdsaP256(id: "test-key-ecc-p256", pem: pem)
        let rules = MessageVerification(keys: [key], requiring: [.status, "content-digest"])
        let verified = try rules.verify(try Self.response(), at: Self.created + 10)
        expectEqual(verified.label, "sig-b24")
        expectEqual(verified.components, [.status, "content-type", "content-digest", "content-length"])
        try verified.check(content: Bytes(text: "{\"message\": \"good dog\"}"))
        #expect(throws: SternaError.self) { try verified.check(content: Bytes(text: "{\"message\": \"bad dog\"}")) }
    }

    @Test("B.2.5: a request by hmac-sha256")
    func hmac() throws {
        let request = try signed("sig-b25", ["date", .authority, "content-type"], try Self.sharedSecret())
        expectEqual(
            request.headers["Signature-Input"],
            #"sig-b25=("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret""#)
        expectEqual(request.headers["Signature"], "sig-b25=:pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=:")
    }

    @Test("B.2.6: a request by ed25519")
    func ed25519() throws {
        let request = try signed(
            "sig-b26", ["date", .method, .path, .authority, "content-type", "content-length"], try Self.ed25519())
        expectEqual(
            request.headers["Signature"],
            "sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:")
    }

    @Test("The signature base of B.2.6")
    func base() throws {
        let components: [SignatureComponent] = ["date", .method, .path, .authority, "content-type", "content-length"]
        let text = try SignatureBase.text(
            components, parameters: "()", of: SignedMessage(try Self.request()))
        expectEqual(
            text,
            """
            "date": Tue, 20 Apr 2021 02:07:55 GMT
            "@method": POST
            "@path": /foo
            "@authority": example.com
            "content-type": application/json
            "content-length": 18
            "@signature-params": ()
            """)
    }

    @Test("The public key of each algorithm verifies its signatures")
    func roundTrips() throws {
        let p256 = try SignatureKey.ecdsaP256(id: "k", pem: Self.p256PEM)
        let point =
            try Self.bytes("qIVYZVLCrPZHGHjP17CTW0_-D9Lfw0EkjqF7xB4FivA")
            + Self.bytes("Mc4nN9LTDOBhfoUeg8Ye9WedFRhnZXZJA12Qp0zZ6F0")
        let number = try Self.bytes("UpuF81l-kOxbjf7T4mNSv0r5tN67Gim7rnf6EFpcYDs")
        let edPublic = try Self.bytes("JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs")
        for (signer, verifier) in [
            (p256, try SignatureKey.ecdsaP256(id: "k", publicKey: point)),
            (try .ecdsaP256(id: "k", privateKey: number), p256),
            (try Self.ed25519(), try .ed25519(id: "k", publicKey: edPublic)),
            (try Self.sharedSecret(), try Self.sharedSecret()),
        ] {
            let signature = try signer.sign("text")
            #expect(verifier.isValid(signature, of: "text"))
            #expect(!verifier.isValid(signature, of: "texts"))
            #expect(!verifier.isValid(Array(signature.dropLast()), of: "text"))
            #expect(!verifier.isValid([], of: "text"))
        }
    }

    @Test("Invalid keys are refused, public keys do not sign, and no key is shown")
    func keys() throws {
        #expect(throws: SternaError.self) { try SignatureKey.ed25519(id: "k", privateKey: [1, 2, 3]) }
        #expect(throws: SternaError.self) {
            try SignatureKey.ecdsaP256(id: "k", publicKey: [UInt8](repeating: 1, count: 64))
        }
        #expect(throws: SternaError.self) { try SignatureKey.ecdsaP256(id: "k", pem: "hidden") }
        let key = try SignatureKey.ecdsaP256(id: "k", pem: Self.p256PublicPEM)
        #expect(throws: SternaError.self) { try key.sign("text") }
        let secret = SignatureKey.hmacSHA256(id: "name", secret: Array("hidden".utf8))
        expectEqual(dumped(secret), dumped(SignatureKey.hmacSHA256(id: "name", secret: [])))
        expectEqual("\(secret)", "SignatureKey(name, hmac-sha256)")
    }
}
