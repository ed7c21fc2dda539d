import Foundation
import Sterna
import SternaS3
import SternaTesting
import Testing

/// Makes clients under the name of the type on a mock, so that an example's own text runs without the network.
private struct S3Maker {
    let mock: MockTransport

    func callAsFunction(region: String, credentials: AWSCredentials) throws -> S3 {
        try S3(region: region, credentials: credentials) { $0.transport = mock }
    }
}

/// The example of docs/Authentication.md about S3, so that it compiles and does what it says.
@Suite("Examples: S3")
struct S3ExamplesTests {
    @Test("Objects of a bucket")
    func objects() async throws {
        let credentials = AWSCredentials(accessKey: "AKID", secretKey: "hidden")
        let path = NSTemporaryDirectory() + "sterna-tern-\(UUID().uuidString).jpg"
        try Data("tern".utf8).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let mock = MockTransport { request in
            guard request.method == .get else { return MockTransport.Answer() }
            return .text(
                "<ListBucketResult><IsTruncated>false</IsTruncated>"
                    + "<Contents><Key>2026/tern.jpg</Key><Size>4</Size></Contents></ListBucketResult>",
                mediaType: "application/xml")
        }
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let S3 = S3Maker(mock: mock)

        let s3 = try S3(region: "eu-central-1", credentials: credentials)
        let photos = s3.bucket("photos")
        try await photos.put("2026/tern.jpg", file: path, contentType: "image/jpeg")
        for try await object in photos.list(prefix: "2026/") { print(object.key, object.size) }
        let link = try await photos.presign("2026/tern.jpg", expires: .seconds(600))  // needs no credentials

        #expect(mock.requests.map(\.method) == [.put, .get])
        #expect(mock.requests.allSatisfy { $0.headers[.authorization]?.hasPrefix("AWS4-HMAC-SHA256 ") == true })
        #expect(link.query?.contains("X-Amz-Signature=") == true)
    }
}
