import Sterna
import Testing

@testable import SternaS3
@testable import SternaTestSupport

@Suite("S3: addresses")
struct S3AddressTests {
    struct Case: Sendable {
        var region = "eu-central-1"
        var endpoint: String?
        var style: S3AddressStyle?
        var bucket = "photos"
        var key: String? = "a"
        var expected: String
    }

    static let cases: [Case] = [
        Case(expected: "https://photos.s3.eu-central-1.amazonaws.com/a"),
        Case(key: nil, expected: "https://photos.s3.eu-central-1.amazonaws.com/"),
        Case(style: .path, expected: "https://s3.eu-central-1.amazonaws.com/photos/a"),
        Case(region: "cn-north-1", expected: "https://photos.s3.cn-north-1.amazonaws.com.cn/a"),
        Case(bucket: "my.photos", expected: "https://s3.eu-central-1.amazonaws.com/my.photos/a"),
        Case(bucket: "My_photos", expected: "https://s3.eu-central-1.amazonaws.com/My_photos/a"),
        Case(endpoint: "http://localhost:9000", expected: "http://localhost:9000/photos/a"),
        Case(endpoint: "http://localhost:9000/", key: nil, expected: "http://localhost:9000/photos"),
        Case(endpoint: "http://s3.test:9000/base/", expected: "http://s3.test:9000/base/photos/a"),
        Case(
            endpoint: "http://s3.test", style: .virtualHost, bucket: "my.photos", expected: "http://my.photos.s3.test/a"
        ),
        Case(endpoint: "http://127.0.0.1:9000", style: .virtualHost, expected: "http://127.0.0.1:9000/photos/a"),
        Case(
            key: "a b/c+d(e)é?#%",
            expected: "https://photos.s3.eu-central-1.amazonaws.com/a%20b/c%2Bd%28e%29%C3%A9%3F%23%25"),
        Case(key: "/a//b/", expected: "https://photos.s3.eu-central-1.amazonaws.com//a//b/"),
        Case(key: "..a/.b", expected: "https://photos.s3.eu-central-1.amazonaws.com/..a/.b"),
    ]

    @Test("The URL of an object has bucket and key", arguments: cases.indices)
    func urls(index: Int) throws {
        let given = Self.cases[index]
        let address = try S3Address(region: given.region, endpoint: given.endpoint, style: given.style)
        try expectEqual(address.url(bucket: given.bucket, key: given.key).href, given.expected)
    }

    @Test(
        "Names that would lead to another resource are refused",
        arguments: ["", "a", "ab", "a/b", "a@b", "evil.example/", "a..b", "é-b-c"])
    func buckets(name: String) throws {
        let address = try S3Address(region: "r-1", endpoint: nil, style: nil)
        let error = #expect(throws: SternaError.self) { try address.url(bucket: name, key: "k") }
        expectEqual(error?.kind, .invalidRequest)
    }

    @Test("Keys that are not valid in URLs are refused", arguments: ["", ".", "..", "a/../b", "a/.", "./a"])
    func keys(key: String) throws {
        let address = try S3Address(region: "r-1", endpoint: nil, style: nil)
        #expect(throws: SternaError.self) { try address.url(bucket: "photos", key: key) }
    }

    @Test("A key has 1,024 bytes at most")
    func longKeys() throws {
        let address = try S3Address(region: "r-1", endpoint: nil, style: nil)
        #expect(throws: Never.self) { try address.url(bucket: "photos", key: String(repeating: "a", count: 1_024)) }
        #expect(throws: SternaError.self) {
            try address.url(bucket: "photos", key: String(repeating: "a", count: 1_025))
        }
    }

    @Test(
        "Regions and endpoints are checked",
        arguments: [
            ("", nil), ("a/b", nil), ("evil.example/x", nil), ("r", "ftp://x"), ("r", "http://u:p@x"),
            ("r", "nonsense"), ("r", "http://x/?a"),
        ] as [(String, String?)])
    func endpoints(region: String, endpoint: String?) {
        #expect(throws: SternaError.self) { try S3Address(region: region, endpoint: endpoint, style: nil) }
    }
}
