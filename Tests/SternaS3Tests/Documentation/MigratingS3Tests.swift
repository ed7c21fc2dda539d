import Foundation
import Sterna
import SternaS3
import SternaTesting
import Testing

/// The rows of docs/Migrating/ASIHTTPRequest.md about S3.
@Suite("Coming from ASIHTTPRequest: S3")
struct MigratingS3Tests {
    private static let page = """
        <ListBucketResult><IsTruncated>false</IsTruncated>\
        <Contents><Key>2026/tern.jpg</Key><Size>4</Size></Contents>\
        <CommonPrefixes><Prefix>2026/may/</Prefix></CommonPrefixes></ListBucketResult>
        """

    private func client(_ mock: MockTransport) throws -> S3 {
        try S3(
            region: "eu-central-1", credentials: AWSCredentials(accessKey: "AKID", secretKey: "secret"),
            endpoint: "http://localhost:9000"
        ) { $0.network.transport = mock }
    }

    @Test("Clients have keys and a region")
    func clients() throws {
        func made() throws -> S3 {
            let s3 = try S3(region: "eu-central-1", credentials: AWSCredentials(accessKey: "AKID", secretKey: "secret"))
            return s3
        }
        #expect(try made().bucket("photos").name == "photos")
    }

    @Test("Objects are stored, fetched, copied and deleted")
    func objects() async throws {
        let path = NSTemporaryDirectory() + "sterna-tern-\(UUID().uuidString).jpg"
        try Data("tern".utf8).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let mock = MockTransport { request in
            guard request.headers["x-amz-copy-source"] == nil else {
                return .text("<CopyObjectResult></CopyObjectResult>", mediaType: "application/xml")
            }
            return request.method == .get ? .text("tern") : ServerResponse()
        }
        let s3 = try client(mock)
        let photo = Data("tern".utf8)

        let photos = s3.bucket("photos")
        let reply = try await photos.get("tern.jpg")
        #expect(try reply.data() == photo)
        try await photos.put("tern.jpg", file: path)
        try await photos.put("tern.jpg", .data(photo), contentType: "image/jpeg")
        try await photos.put("tern.jpg", file: path, headers: ["x-amz-storage-class": "REDUCED_REDUNDANCY"])
        try await photos.put("tern.jpg", file: path, headers: ["x-amz-acl": "public-read"])
        try await photos.put("tern.jpg", file: path, headers: ["x-amz-server-side-encryption": "AES256"])
        try await photos.delete("tern.jpg")
        try await photos.copy("tern.jpg", from: s3.bucket("old"), to: "2026/tern.jpg")
        let info = try await photos.head("tern.jpg")
        #expect(info.key == "tern.jpg")
        #expect(mock.requests.map(\.method) == [.get, .put, .put, .put, .put, .put, .delete, .put, .head])
        #expect(mock.requests[2].headers["Content-Type"] == "image/jpeg")
        #expect(mock.requests[3].headers["x-amz-storage-class"] == "REDUCED_REDUNDANCY")
        #expect(mock.requests[4].headers["x-amz-acl"] == "public-read")
        #expect(mock.requests[5].headers["x-amz-server-side-encryption"] == "AES256")
    }

    @Test("Listings of buckets are read")
    func listings() async throws {
        let mock = MockTransport { _ in .text(Self.page, mediaType: "application/xml") }
        let photos = try client(mock).bucket("photos")
        for try await object in photos.list(prefix: "2026/") { print(object.key, object.size) }
        for try await object in photos.list(prefix: "2026/") {
            print(object.lastModified ?? .now, object.entityTag ?? "", object.size)
            let reply = try await photos.get(object.key)
            #expect(reply.status == 200)
        }
        let page = try await photos.page(prefix: "2026/", delimiter: "/", pageSize: 100)
        #expect(page.objects.first?.key == "2026/tern.jpg")
        #expect(page.prefixes == ["2026/may/"])
        #expect(page.next == nil)
        let further = try await photos.page(prefix: "2026/", delimiter: "/", continuing: page.next)
        #expect(further.objects.count == 1)
    }

    @Test("Errors have S3's code, and other resources have requests of their own")
    func errors() async throws {
        let text = "<Error><Code>NoSuchKey</Code><Message>It is so.</Message></Error>"
        let s3 = try client(MockTransport { _ in .text(text, mediaType: "application/xml", status: 404) })
        let error = try #require(
            await #expect(throws: SternaError.self) { try await s3.bucket("photos").get("tern.jpg") })
        #expect(error.s3Error?.code == "NoSuchKey")

        let mock = MockTransport { _ in .text("<Tagging></Tagging>", mediaType: "application/xml") }
        let photos = try client(mock).bucket("photos")
        let tags = try await photos.client.session.get(photos.url(of: "tern.jpg").appendingQuery("tagging="))
        #expect(tags.status == 200)
        #expect(mock.requests.first?.headers[.authorization]?.hasPrefix("AWS4-HMAC-SHA256 ") == true)
    }
}
