import Sterna
import SternaPlatform
import SternaS3
import SternaSigning
import Testing

@testable import SternaTestSupport

/// Against moto with authentication, which computes every signature itself, with botocore. Skipped where `.ci/interop-servers` has
/// not run; CI runs it.
@Suite(
    "Interop: S3 of moto", .enabled(if: InteropPython.isThere, "moto is not there: .ci/interop-servers installs it"),
    .moto, .timeLimit(.minutes(5)))
struct MotoInteropTests {
    /// A bucket of its own for a test.
    private static func bucket(_ name: String) async throws -> S3Bucket {
        let moto = try #require(Moto.current)
        let s3 = try S3(region: "us-east-1", credentials: moto.credentials, endpoint: moto.url) {
            $0.network.engine = Engine()
        }
        try await s3.session.put("\(moto.url)/\(name)")
        return s3.bucket(name)
    }

    @Test(
        "What is put can be got, whatever its key",
        arguments: ["a", "a b", "a+b", "é", "a(b)*'!", "a/b", "a=b&c", "x~y", "a%20b"])
    func keys(key: String) async throws {
        let bucket = try await Self.bucket("keys-\(UInt32.random(in: 0 ... .max))")
        let content = ServerProgram.noise[..<10_000]
        let info = try await bucket.put(key, .bytes(content), contentType: "image/png", metadata: ["Owner": "ada"])
        expectEqual(info.entityTag?.isEmpty, false)
        try await expectEqual(bucket.get(key).body.array, Array(content))
        try await expectEqual(bucket.get(key, range: 10..<20).body.array, Array(content[10..<20]))
        let head = try await bucket.head(key)
        expectEqual(head.size, 10_000)
        expectEqual(head.contentType, "image/png")
        expectEqual(head.metadata["owner"], "ada")
        try await bucket.copy(key, to: "copy of \(key)")
        try await expectEqual(bucket.get("copy of \(key)").body.array, Array(content))
        var found: [String] = []
        for try await object in bucket.list() { found.append(object.key) }
        expectEqual(Set(found), [key, "copy of \(key)"])
        try await bucket.delete(key)
        let error = await #expect(throws: SternaError.self) { try await bucket.get(key) }
        expectEqual(error?.s3Error?.code, "NoSuchKey")
        let missing = await #expect(throws: SternaError.self) { try await bucket.head(key) }
        expectEqual(missing?.status, 404)
    }

    @Test("A listing goes through its pages")
    func list() async throws {
        let bucket = try await Self.bucket("listing")
        let names = (0..<25).map { "p/\($0 < 10 ? "0" : "")\($0) +é" }
        for name in names { try await bucket.put(name, .text(name)) }
        try await bucket.put("q", .text("other"))
        var found: [S3Object] = []
        for try await object in bucket.list(prefix: "p/", pageSize: 10) { found.append(object) }
        expectEqual(found.map(\.key), names)
        expectEqual(found.map(\.size), names.map { Int64($0.utf8.count) })
        let page = try await bucket.page(delimiter: "/")
        expectEqual(page.prefixes, ["p/"])
        expectEqual(page.objects.map(\.key), ["q"])
        try await expectEqual(bucket.page(startAfter: "p/20").objects.count, 6)
    }

    @Test("Files, and streams in signed chunks", arguments: [0, 1, 65_536, 200_000])
    func bodies(count: Int) async throws {
        let bucket = try await Self.bucket("bodies-\(count)")
        let content = Array(ServerProgram.noise[..<count])
        let file = FileManager.default.temporaryDirectory.appending(path: "sterna-\(UInt64.random(in: 0 ... .max))")
            .path
        defer { try? FileManager.default.removeItem(atPath: file) }
        try Data(content).write(to: URL(filePath: file))
        try await bucket.put("file", file: file)
        try await expectEqual(bucket.get("file").body.array, content)
        let chunks = AsyncStream<Bytes> { next in
            for start in stride(from: 0, to: content.count, by: 7_000) {
                next.yield(Bytes(copying: content[start..<min(start + 7_000, content.count)]))
            }
            next.finish()
        }
        try await bucket.put("stream", stream: chunks, length: Int64(count))
        try await expectEqual(bucket.get("stream").body.array, content)
    }

    @Test("A wrong secret key is refused with the server's code")
    func wrongKey() async throws {
        let moto = try #require(Moto.current)
        _ = try await Self.bucket("private")
        let credentials = AWSCredentials(accessKey: moto.credentials.accessKey, secretKey: "wrong")
        let s3 = try S3(region: "us-east-1", credentials: credentials, endpoint: moto.url) {
            $0.network.engine = Engine()
        }
        let error = await #expect(throws: SternaError.self) {
            try await s3.bucket("private").put("a", .text("b"))
        }
        expectEqual(error?.status, 403)
        expectEqual(error?.s3Error?.code, "SignatureDoesNotMatch")
    }

    @Test("Another service than S3 takes the signature, too")
    func otherService() async throws {
        let moto = try #require(Moto.current)
        let sts = try Session(baseURL: moto.url) { settings in
            settings.network.engine = Engine()
            settings.auth.awsSigning = AWSSigning(region: "us-east-1", service: "sts", credentials: moto.credentials)
            settings.responseSerializer = .text
        }
        let parameters: Parameters = ["Action": "GetCallerIdentity", "Version": "2011-06-15"]
        #expect(try await sts.post("", parameters: parameters).text().contains("user/ada"))
    }
}

/// Runs a suite with a moto that is started before its first test and stopped after its last.
struct MotoTrait: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let moto = try await Moto()
        do {
            try await Moto.$current.withValue(moto) { try await function() }
        } catch {
            await moto.stop()
            throw error
        }
        await moto.stop()
    }
}

extension Trait where Self == MotoTrait {
    static var moto: Self { MotoTrait() }
}
