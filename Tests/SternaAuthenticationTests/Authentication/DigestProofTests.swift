import HTTPTypes
import Sterna
import SternaCore
import SternaTesting
import SternaTransport
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// Servers that prove by Authentication-Info that they know the password (RFC 7616, 3.5).
@Suite("Authentication: the server's proof", .timeLimit(.minutes(5)))
struct DigestProofTests {
    /// A server of Digest with auth-int, whose proof covers some bytes.
    private static func server(_ body: [UInt8], coding: String?, proves: [UInt8]) -> MockTransport {
        MockTransport { request in
            guard let field = request.headers[.authorization],
                let given = AuthenticationChallenge.parse([field]).first, given.hasScheme("Digest")
            else {
                return GuardedMock.refusal(["Digest realm=\"r\", qop=\"auth-int\", nonce=\"n\", algorithm=SHA-256"])
            }
            let (count, client) = (given["nc"] ?? "", given["cnonce"] ?? "")
            let hash = DigestHash.sha256
            let target = hash.hex(":\(request.url.requestTarget):\(DigestHash.hex(hash.hash(proves)))")
            let proof = hash.hex("\(hash.hex("ada:r:s3cret")):n:\(count):\(client):auth-int:\(target)")
            var answer = ServerResponse.bytes(Bytes(copying: body), mediaType: "text/plain; charset=utf-8")
            if let coding { answer.headers[.contentEncoding] = coding }
            answer.headers["Authentication-Info"] =
                "qop=auth-int, rspauth=\"\(proof)\", cnonce=\"\(client)\", nc=\(count)"
            return answer
        }
    }

    @Test("With auth-int it covers the body as it was sent", arguments: [nil, "gzip"] as [String?])
    func body(coding: String?) async throws {
        let text = "the content of the body"
        let sent = coding == nil ? Array(text.utf8) : Zlib.gzip(text)
        let (api, _) = try mocked("https://a.test/", by: Self.server(sent, coding: coding, proves: sent)) {
            $0.auth.credential = AuthenticationSessionTests.ada
        }
        try await expectEqual(api.get("a").text(), text)
        for wrong in [Array("another body".utf8), coding == nil ? [] : Array(text.utf8)] {
            let (other, _) = try mocked("https://a.test/", by: Self.server(sent, coding: coding, proves: wrong)) {
                $0.auth.credential = AuthenticationSessionTests.ada
            }
            let error = await #expect(throws: SternaError.self) { try await other.get("a") }
            expectEqual(error?.kind, .unacceptableResponse)
        }
    }
}
