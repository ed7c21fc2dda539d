import HTTPTypes
import NIOCore
import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaS3
@testable import SternaTestSupport

@Suite("S3: buckets")
struct S3BucketTests {
    static let keys = AWSCredentials(accessKey: "AKID", secretKey: "hidden")

    static func bucket(_ mock: MockTransport) throws -> S3Bucket {
        try S3(region: "eu-central-1", credentials: keys) { $0.network.transport = mock }.bucket("photos")
    }

    private static func xml(_ text: String, status: Int = 200) -> ServerResponse {
        .text(text, mediaType: "application/xml", status: status)
    }

    private static func error(_ code: String, status: Int) -> ServerResponse {
        xml("<Error><Code>\(code)</Code><Message>It is so.</Message></Error>", status: status)
    }

    @Test("An object, a range of it or a version is fetched")
    func get() async throws {
        let mock = MockTransport { _ in .text("content") }
        let bucket = try Self.bucket(mock)
        try await expectEqual(bucket.get("a b").body.text, "content")
        try await expectEqual(bucket.get("a", range: 5..<10, version: "v/1").body.text, "content")
        let request = try #require(mock.requests.last)
        #expect(request.url.href == "https://photos.s3.eu-central-1.amazonaws.com/a?versionId=v%2F1")
        expectEqual(request.headers[.range], "bytes=5-9")
        expectEqual(request.headers[.authorization]?.contains("/eu-central-1/s3/aws4_request"), true)
        await #expect(throws: SternaError.self) { try await bucket.get("a", range: 5..<5) }
    }

    @Test("An object that is itself an error document is content")
    func errorAsContent() async throws {
        let text = "<Error><Code>NoSuchKey</Code></Error>"
        let mock = MockTransport { _ in
            ServerResponse(
                headers: ["Content-Type": "application/xml", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"],
                body: ResponseBody(Bytes(text: text)))
        }
        try await expectEqual(Self.bucket(mock).get("a").body.text, text)
    }

    @Test("The server's error has code and message, and no secret")
    func errors() async throws {
        let bucket = try Self.bucket(MockTransport { _ in Self.error("NoSuchKey", status: 404) })
        let error = await #expect(throws: SternaError.self) { try await bucket.get("a") }
        expectEqual(error?.kind, .unacceptableStatus)
        expectEqual(error?.status, 404)
        expectEqual(error?.s3Error?.code, "NoSuchKey")
        expectEqual(error?.message, "It is so.")
        expectEqual(error.map { "\($0)".contains("NoSuchKey") }, true)
        var text = ""
        dump(error, to: &text)
        dump(bucket, to: &text)
        #expect(!text.contains("hidden"))
        let streamed = await #expect(throws: SternaError.self) { try await bucket.withObject("a") { _ in } }
        expectEqual(streamed?.s3Error?.code, "NoSuchKey")
    }

    @Test("An error without a body gets a code by its status")
    func noBody() async throws {
        let bucket = try Self.bucket(MockTransport { _ in ServerResponse(status: 404) })
        let error = await #expect(throws: SternaError.self) { try await bucket.head("a") }
        expectEqual(error?.s3Error?.code, "NotFound")
    }

    @Test("An object is stored with its media type, metadata and fields")
    func put() async throws {
        let mock = MockTransport { _ in ServerResponse(headers: ["ETag": "\"e\""]) }
        let info = try await Self.bucket(mock).put(
            "a", .text("abc"), contentType: "text/csv", metadata: ["Owner": "ada"],
            headers: ["Cache-Control": "no-store"])
        expectEqual(info.entityTag, "\"e\"")
        expectNil(info.size)
        let request = try #require(mock.requests.last)
        expectEqual(request.method, .put)
        expectEqual(request.headers[.contentType], "text/csv")
        expectEqual(request.headers["x-amz-meta-owner"], "ada")
        expectEqual(request.headers[.cacheControl], "no-store")
        expectEqual(
            request.headers["x-amz-content-sha256"], "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        expectEqual(request.headers[.authorization]?.contains("x-amz-meta-owner"), true)
    }

    @Test("A stream is stored in signed chunks")
    func stream() async throws {
        let mock = MockTransport { _ in ServerResponse() }
        let chunks = AsyncStream<Bytes> { next in
            next.yield(Bytes(text: "abc"))
            next.finish()
        }
        try await Self.bucket(mock).put("a", stream: chunks, length: 3)
        expectEqual(mock.requests.last?.headers["x-amz-content-sha256"], "STREAMING-AWS4-HMAC-SHA256-PAYLOAD")
        expectEqual(mock.requests.last?.headers["x-amz-decoded-content-length"], "3")
    }

    @Test("The properties of an object are read")
    func head() async throws {
        let mock = MockTransport { _ in
            ServerResponse(headers: [
                "Content-Length": "12", "Content-Type": "text/csv", "ETag": "\"e\"",
                "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "x-amz-meta-owner": "ada",
                "x-amz-version-id": "v",
            ])
        }
        let info = try await Self.bucket(mock).head("a")
        expectEqual(info.size, 12)
        expectEqual(info.contentType, "text/csv")
        expectEqual(info.lastModified?.timeIntervalSince1970, 784_111_777)
        expectEqual(info.metadata, ["owner": "ada"])
        expectEqual(info.version, "v")
    }

    @Test("An object is copied on the server, and an error after a 200 is thrown")
    func copy() async throws {
        let mock = MockTransport(responses: [
            Self.xml("<CopyObjectResult><ETag>e</ETag></CopyObjectResult>"), Self.error("InternalError", status: 200),
            Self.xml("<Other/>"),
        ])
        let bucket = try Self.bucket(mock)
        try await bucket.copy("a b+", to: "c")
        let request = try #require(mock.requests.last)
        expectEqual(request.headers["x-amz-copy-source"], "/photos/a%20b%2B")
        expectEqual(request.url.path, "/c")
        let error = await #expect(throws: SternaError.self) { try await bucket.copy("a", to: "c") }
        expectEqual(error?.kind, .unacceptableResponse)
        expectEqual(error?.s3Error?.code, "InternalError")
        let other = await #expect(throws: SternaError.self) { try await bucket.copy("a", to: "c") }
        expectEqual(other?.kind, .decodingFailed)
    }

    @Test("An object is deleted")
    func delete() async throws {
        let mock = MockTransport { _ in ServerResponse(status: 204) }
        try await Self.bucket(mock).delete("a")
        expectEqual(mock.requests.last?.method, .delete)
    }

    private static func page(_ keys: [String], next: String?) -> ServerResponse {
        xml(
            "<ListBucketResult><IsTruncated>\(next != nil)</IsTruncated>"
                + (next.map { "<NextContinuationToken>\($0)</NextContinuationToken>" } ?? "")
                + keys.map { "<Contents><Key>\($0)</Key><Size>1</Size></Contents>" }.joined() + "</ListBucketResult>")
    }

    @Test("A listing goes through all pages, empty ones too")
    func list() async throws {
        let mock = MockTransport(responses: [
            Self.page(["a", "b"], next: "t/1"), Self.page([], next: "t2"), Self.page(["c"], next: nil),
        ])
        var keys: [String] = []
        for try await object in try Self.bucket(mock).list(prefix: "p/", pageSize: 2) { keys.append(object.key) }
        expectEqual(keys, ["a", "b", "c"])
        expectEqual(
            mock.requests.map(\.url.query),
            [
                "list-type=2&encoding-type=url&prefix=p%2F&max-keys=2",
                "list-type=2&encoding-type=url&prefix=p%2F&max-keys=2&continuation-token=t%2F1",
                "list-type=2&encoding-type=url&prefix=p%2F&max-keys=2&continuation-token=t2",
            ])
    }

    @Test("A listing requests pages as it is read")
    func lazyList() async throws {
        let mock = MockTransport { _ in Self.page(["a"], next: "\(UInt64.random(in: 0 ... .max))") }
        for try await _ in try Self.bucket(mock).list() { break }
        expectEqual(mock.requests.count, 1)
    }

    @Test("A listing that repeats its token, or continues without objects, ends with an error")
    func endlessList() async throws {
        let repeating = MockTransport { _ in Self.page(["a"], next: "same") }
        let error = await #expect(throws: SternaError.self) {
            for try await _ in try Self.bucket(repeating).list() {}
        }
        expectEqual(error?.kind, .decodingFailed)
        expectEqual(repeating.requests.count, 2)
        let empty = MockTransport { _ in Self.page([], next: "\(UInt64.random(in: 0 ... .max))") }
        await #expect(throws: SternaError.self) { for try await _ in try Self.bucket(empty).list() {} }
        expectEqual(empty.requests.count, 100)
    }

    @Test("A presigned URL needs credentials, and shows no secret key")
    func presign() async throws {
        let bucket = try Self.bucket(MockTransport { _ in .json([:]) })
        let url = try await bucket.presign("a", method: .put, expires: .seconds(60))
        #expect(url.href.hasPrefix("https://photos.s3.eu-central-1.amazonaws.com/a?X-Amz-Algorithm=AWS4-HMAC-SHA256&"))
        expectEqual(url.query?.contains("X-Amz-Expires=60&X-Amz-SignedHeaders=host&"), true)
        let anonymous = try S3(region: "r", credentials: nil).bucket("photos")
        await #expect(throws: SternaError.self) { try await anonymous.presign("a") }
    }

    @Test("A client without credentials sends unsigned requests")
    func anonymous() async throws {
        let mock = MockTransport { _ in .text("x") }
        let s3 = try S3(region: "r", credentials: nil) { $0.network.transport = mock }
        _ = try await s3.bucket("photos").get("a")
        expectNil(mock.requests.last?.headers[.authorization])
    }
}
