import Foundation
import Sterna
import SternaS3
import SternaTesting
import Testing

/// Makes clients under the name of the type on a mock, so that an example's own text runs without the network.
private struct S3Maker {
    let mock: MockTransport

    func callAsFunction(region: String, credentials: AWSCredentials, endpoint: String? = nil) throws -> S3 {
        try S3(region: region, credentials: credentials, endpoint: endpoint) { $0.network.transport = mock }
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
        let film = path
        let mock = MockTransport { request in
            guard request.method == .get else { return ServerResponse() }
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
        let data = try await photos.get("2026/tern.jpg").data()
        for try await object in photos.list(prefix: "2026/") { print(object.key, object.size) }  // page by page
        let link = try await photos.presign("2026/tern.jpg", expires: .seconds(600))  // needs no credentials

        try await photos.put("film.mov", file: film) { $0.uploadProgress = { print($0) } }
        let target = try await photos.presign("film.mov", method: .put, expires: .seconds(600))  // for an upload
        var page = try await photos.page(prefix: "2026/", pageSize: 100)  // page.objects
        while let next = page.next { page = try await photos.page(prefix: "2026/", pageSize: 100, continuing: next) }
        let minio = try S3(region: "us-east-1", credentials: credentials, endpoint: "http://localhost:9000")

        #expect(mock.requests.map(\.method) == [.put, .get, .get, .put, .get])
        #expect(!data.isEmpty)
        #expect(page.objects.map(\.key) == ["2026/tern.jpg"])
        #expect(target != link)
        #expect(try minio.bucket("photos").url(of: "a").description == "http://localhost:9000/photos/a")
        #expect(mock.requests.allSatisfy { $0.headers[.authorization]?.hasPrefix("AWS4-HMAC-SHA256 ") == true })
        #expect(link.query?.contains("X-Amz-Signature=") == true)
    }
}
