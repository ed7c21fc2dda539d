import Sterna
import SternaPlatform
import SternaTesting
import SternaTransfers
import Testing

@testable import SternaS3
@testable import SternaTestSupport

/// A folder with a file and a store, whose uploads go to a ``S3Model``.
final class S3UploadScene: Sendable {
    static let content = Data((0..<10_500).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })

    let folder = FileManager.default.temporaryDirectory.path + "/sterna-s3-\(UInt64.random(in: 0 ... .max))"
    let path: String
    let session: Session
    let url: String

    init(_ server: TestServer, content: Data = S3UploadScene.content) throws {
        mkdir(folder, 0o700)
        path = folder + "/film.mov"
        try content.write(to: URL(filePath: path))
        let engine = Engine()
        session = try Session { settings in
            settings.network.engine = engine
            settings.auth.awsSigning = .s3(
                region: "eu-central-1", credentials: AWSCredentials(accessKey: "AKID", secretKey: "hidden"))
        }
        url = server.url("/bucket/film.mov")
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// A method whose parts have 1,000 bytes, and which does not wait long.
    static func method(
        concurrency: Int = 4, firstWait: Duration = .milliseconds(1), failures: Int = 6
    ) -> S3MultipartUploads {
        var method = S3MultipartUploads(partBytes: 1_000, concurrency: concurrency)
        method.smallestPart = 1_000
        method.patience = S3UploadPatience(failures: failures, firstWait: firstWait)
        return method
    }

    func store(_ method: S3MultipartUploads = S3UploadScene.method()) throws -> TransferStore {
        try TransferStore(folder: folder + "/store") { $0.uploadMethods = [method] }
    }

    /// Uploads the file until the transfer is over.
    func upload(
        _ method: S3MultipartUploads = S3UploadScene.method(), headers: Headers = [:],
        _ configure: (inout UploadOptions) -> Void = { _ in }
    ) async throws -> Transfer {
        var options = UploadOptions(.method("s3"))
        configure(&options)
        var limits = TransferOptions()
        limits.maxAttempts = 3
        let transfer = try await store(method).upload(
            file: path, to: url, with: session, options, headers: headers, options: limits)
        _ = try await transfer.end()
        return transfer
    }
}

extension TransferState {
    /// Why the transfer has failed, or is blocked; nil otherwise.
    var failureReason: String? {
        switch self {
        case .failed(let failure), .blocked(let failure): failure.reason
        default: nil
        }
    }

    var isFinished: Bool { if case .finished = self { true } else { false } }
}
