import Sterna
import SternaPlatform
import SternaS3
import SternaTransfers
import Testing

@testable import SternaTestSupport

/// Multipart uploads of a store against moto, which computes signatures, digests and entity tags itself.
@Suite(
    "Interop: uploads to S3 of moto",
    .enabled(if: InteropPython.isThere, "moto is not there: .ci/interop-servers installs it"), .moto,
    .timeLimit(.minutes(5)))
struct S3UploadInteropTests {
    /// A bucket and a folder of its own for a test.
    private final class Scene: Sendable {
        let bucket: S3Bucket
        let folder = FileManager.default.temporaryDirectory.path + "/sterna-s3-\(UInt64.random(in: 0 ... .max))"
        let content: Data

        var path: String { folder + "/film.mov" }
        var session: Session { bucket.client.session }
        var url: String { get throws { try bucket.url(of: "film.mov").href } }

        init(count: Int) async throws {
            let moto = try #require(Moto.current)
            let s3 = try S3(region: "us-east-1", credentials: moto.credentials, endpoint: moto.url) {
                $0.network.engine = Engine()
            }
            let name = "uploads-\(UInt32.random(in: 0 ... .max))"
            try await s3.session.put("\(moto.url)/\(name)")
            bucket = s3.bucket(name)
            var content = Data(capacity: count)
            while content.count < count {
                // No block is like another one.
                content.append(UInt8(truncatingIfNeeded: content.count >> 20))
                content.append(contentsOf: ServerProgram.noise.prefix(min(count - content.count, (1 << 20) - 1)))
            }
            self.content = content
            mkdir(folder, 0o700)
            try content.write(to: URL(filePath: path))
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }

        func store(_ method: S3MultipartUploads) throws -> TransferStore {
            try TransferStore(folder: folder + "/store") { $0.uploadMethods = [method] }
        }

        /// The answer to ListMultipartUploads.
        func uploads() async throws -> String {
            try await session.get("\(try #require(Moto.current).url)/\(bucket.name)?uploads=").body.text
        }
    }

    private static let method = S3MultipartUploads(partBytes: 5 << 20)

    @Test(
        "A file arrives whole", arguments: [0, 1 << 20, 5 << 20, (12 << 20) + 1],
        [nil, .md5, .sha256] as [UploadOptions.Checksum?])
    func uploads(count: Int, checksum: UploadOptions.Checksum?) async throws {
        let scene = try await Scene(count: count)
        var options = UploadOptions(.method("s3"))
        options.checksum = checksum
        let transfer = try await scene.store(Self.method).upload(
            file: scene.path, to: try scene.url, with: scene.session, options,
            headers: ["x-amz-meta-owner": "ada"])
        try await expectEqual(transfer.end(), .finished(path: scene.path, length: Int64(count)), "\(transfer.status)")
        try await expectEqual(scene.bucket.get("film.mov").body.array, Array(scene.content))
        let head = try await scene.bucket.head("film.mov")
        #expect(head.metadata["owner"] == "ada" && head.contentType == "video/quicktime")
        expectEqual(head.entityTag?.hasSuffix("-3\""), (count > 5 << 20))
        #expect(transfer.response?["ETag"] == nil || transfer.response?["ETag"] == head.entityTag)
        #expect(try await !scene.uploads().contains("<UploadId>"))
    }

    @Test(
        "Another process goes on behind the parts that moto has; a cancelled upload is aborted there",
        arguments: [false, true])
    func interrupted(isCancelled: Bool) async throws {
        let scene = try await Scene(count: 40 << 20)
        let first = try scene.store(S3MultipartUploads(partBytes: 5 << 20, concurrency: 1))
        let begun = try await first.upload(
            file: scene.path, to: try scene.url, with: scene.session, UploadOptions(.method("s3")))
        for await status in begun.updates where status.progress.completed > 12 << 20 { break }
        await first.interrupt()
        #expect(!begun.status.state.isOver)
        #expect(try await scene.uploads().contains("<UploadId>"))
        let second = try scene.store(Self.method)
        if isCancelled {
            let transfer = try #require(try await second.take(begun.id, with: scene.session))
            try await transfer.cancel()
        } else {
            let transfer = try #require(try await second.resumeAll(with: scene.session).first)
            try await expectEqual(transfer.end(), .finished(path: scene.path, length: 40 << 20), "\(transfer.status)")
            #expect(transfer.attempts.count == 2 && transfer.attempts.last.map { $0.keptBytes >= 5 << 20 } == true)
            try await expectEqual(scene.bucket.get("film.mov").body.array, Array(scene.content))
        }
        #expect(try await !scene.uploads().contains("<UploadId>"))
    }
}
