import HTTPTypes
import Sterna
import Testing

@testable import Sterna
@testable import SternaSigning
@testable import SternaTestSupport

@Suite("AWS signatures: the canonical request")
struct AWSCanonicalRequestTests {
    @Test(
        "Paths of S3 are encoded once, and each segment counts",
        arguments: [
            ("/", "/"), ("/a/b", "/a/b"), ("//a///b/", "//a///b/"), ("/a%20b", "/a%20b"),
            ("/a(b)*'!", "/a%28b%29%2A%27%21"),
            ("/a+b=c", "/a%2Bb%3Dc"), ("/%C3%A9", "/%C3%A9"), ("/%c3%a9", "/%C3%A9"), ("/100%", "/100%25"),
            ("/~-._", "/~-._"),
        ])
    func pathsOfS3(path: String, expected: String) {
        expectEqual(AWSCanonicalRequest.path(path, .asIs), expected)
    }

    @Test(
        "Paths of other services are normalised, and encoded once more",
        arguments: [
            ("/", "/"), ("//", "/"), ("/a//b/", "/a/b/"), ("/a/../b/./c", "/b/c"), ("/../..", "/"),
            ("/a%20b", "/a%2520b"), ("/a:b@c", "/a%3Ab%40c"),
        ])
    func otherPaths(path: String, expected: String) {
        expectEqual(AWSCanonicalRequest.path(path, .normalized), expected)
    }

    @Test(
        "Queries are sorted by their encoded names and values",
        arguments: [
            ("", ""), ("b=2&a=1", "a=1&b=2"), ("a=2&a=1&a", "a=&a=1&a=2"), ("a=b=c", "a=b%3Dc"),
            ("x=%7e&y=~", "x=~&y=~"),
            ("a=b+c", "a=b%20c"), ("a=b%2Bc", "a=b%2Bc"), ("list-type=2&prefix=a/b", "list-type=2&prefix=a%2Fb"),
            ("acl", "acl="), ("&&a=1&", "a=1"), ("=1", "=1"), ("%é", "%25%C3%A9="),
        ])
    func queries(query: String, expected: String) {
        expectEqual(AWSCanonicalRequest.query(query), expected)
    }

    @Test("Fields are sorted, joined and trimmed; fields that change on the way are left out")
    func fields() throws {
        var fields = HTTPFields()
        try Headers([
            ("X-B", "  two   words "), ("x-a", "1"), ("X-A", "2"), ("User-Agent", "x"), ("Authorization", "secret"),
            ("Accept-Encoding", "gzip"), ("Expect", "100-continue"), ("Content-Type", "text/plain"),
        ]).merge(into: &fields)
        let signed = AWSCanonicalRequest.signed(fields, host: "example.com:8080")
        expectEqual(signed.map(\.name), ["content-type", "host", "x-a", "x-b"])
        expectEqual(signed.map(\.value), ["text/plain", "example.com:8080", "1,2", "two words"])
    }

    @Test("A Host field of the request's own is signed in place of the URL's")
    func host() throws {
        var fields = HTTPFields()
        try Headers([("Host", "other.example")]).merge(into: &fields)
        expectEqual(AWSCanonicalRequest.signed(fields, host: "example.com").map(\.value), ["other.example"])
    }

    @Test("Names of a vendor take the place of Amazon's")
    func vendor() throws {
        let credentials = AWSCredentials(accessKey: "K", secretKey: "S", sessionToken: "T")
        var signing = AWSSigning(region: "r", service: "s", credentials: credentials)
        signing.vendor = AWSScope.Vendor(name: "OSC", fieldName: "OSC")
        let signed = try AWSRequestSigner(signing, credentials, seconds: 0).signed(
            Request(.get, try HTTPURL("https://example.com/")), payloadHash: AWSScope.emptyHash)
        expectEqual(
            signed.headers[.authorization]?.hasPrefix(
                "OSC4-HMAC-SHA256 Credential=K/19700101/r/s/osc4_request, SignedHeaders=host;x-osc-date;x-osc-security-token, "
            ), true)
        expectEqual(signed.headers["x-osc-date"], "19700101T000000Z")
    }

    @Test("Credentials and names that cannot be sent are refused without being shown", arguments: 0..<6)
    func refusals(index: Int) throws {
        let credentials = [
            AWSCredentials(accessKey: "", secretKey: "hidden"), AWSCredentials(accessKey: "a/b", secretKey: "hidden"),
            AWSCredentials(accessKey: "A", secretKey: ""),
            AWSCredentials(accessKey: "A", secretKey: "hidden", sessionToken: "hidden\r\nX: 1"),
            AWSCredentials(accessKey: "A", secretKey: "hidden"), AWSCredentials(accessKey: "A", secretKey: "hidden"),
        ][index]
        let region = index == 4 ? "a b" : index == 5 ? "" : "r"
        let signing = AWSSigning(region: region, service: "s", credentials: credentials)
        let error = #expect(throws: SternaError.self) {
            try AWSRequestSigner(signing, credentials, seconds: 0)
        }
        expectEqual(error?.kind, .invalidRequest)
        #expect(!dumped(error as Any).contains("hidden"))
    }

    @Test("A presigned URL replaces the parameters of another signature, and has to expire within seven days")
    func presigning() throws {
        let credentials = AWSCredentials(accessKey: "K", secretKey: "S")
        var signing = AWSSigning.s3(region: "r", credentials: credentials)
        signing.placement = .query(expires: 60)
        let url = try HTTPURL("https://example.com/k?X-Amz-Signature=old&a=1&X-Amz-Expires=9")
        let signed = try AWSRequestSigner(signing, credentials, seconds: 0).presigned(
            Request(.get, url), payloadHash: "UNSIGNED-PAYLOAD")
        #expect(signed.href.hasPrefix("https://example.com/k?a=1&X-Amz-Algorithm="))
        #expect(!signed.href.contains("old"))
        for expires in [0, -1, 604_801] {
            signing.placement = .query(expires: expires)
            #expect(throws: SternaError.self) {
                try AWSRequestSigner(signing, credentials, seconds: 0).presigned(
                    Request(.get, url), payloadHash: "UNSIGNED-PAYLOAD")
            }
        }
    }
}
