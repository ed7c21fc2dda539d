import HTTPTypes
import NIOCore
import Sterna
import SternaPlatform
import SternaS3
import SternaTesting
import SternaTransfers
import Testing

@testable import SternaTestSupport

/// The example of docs/Transfers.md about S3.
@Suite("Examples: uploads to S3", .timeLimit(.minutes(5)))
struct S3UploadExamplesTests {
    /// Puts a mock in the place of the network.
    private struct SessionMaker {
        let mock: MockTransport

        func callAsFunction(_ configure: (inout SessionSettings) -> Void) throws -> Session {
            try Session {
                $0.network.transport = mock
                configure(&$0)
            }
        }
    }

    /// Responds like S3, without storing anything.
    private static func answer(_ request: Request) -> ServerResponse {
        guard request.method == .post else { return .init(headers: ["ETag": "\"part\""]) }
        return request.url.query == "uploads="
            ? .text(
                "<InitiateMultipartUploadResult><UploadId>id</UploadId></InitiateMultipartUploadResult>",
                mediaType: "application/xml")
            : .text("<CompleteMultipartUploadResult/>", mediaType: "application/xml")
    }

    @Test("A store, its method and its options")
    func upload() async throws {
        let test = FileManager.default.temporaryDirectory.path + "/sterna-s3-\(UInt64.random(in: 0 ... .max))"
        mkdir(test, 0o700)
        defer { try? FileManager.default.removeItem(atPath: test) }
        let (folder, film) = (test + "/store", test + "/film.mov")
        try Data(repeating: 1, count: 20 << 20).write(to: URL(filePath: film))
        let credentials = AWSCredentials(accessKey: "AKID", secretKey: "hidden")
        let mock = MockTransport { Self.answer($0) }
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(mock: mock)

        let store = try TransferStore(folder: folder) { $0.uploadMethods = [S3MultipartUploads()] }
        let session = try Session { $0.auth.awsSigning = .s3(region: "eu-central-1", credentials: credentials) }

        var options = UploadOptions(.method("s3"))
        options.parts = 8  // at the same time; 4 by default
        options.checksum = .sha256  // of each part, for the server to check; also .sha1 and .md5
        let url = "https://s3.eu-central-1.amazonaws.com/photos/film.mov"
        try await store.upload(file: film, to: url, with: session, options, headers: ["x-amz-meta-owner": "ada"])

        let transfer = try #require(store.transfers.first)
        #expect(try await transfer.end() == .finished(path: film, length: 20 << 20))
        expectEqual(mock.requests.map(\.method.rawValue).sorted(), ["POST", "POST", "PUT", "PUT", "PUT"])
        #expect(mock.requests.allSatisfy { $0.headers[.authorization]?.hasPrefix("AWS4-HMAC-SHA256 ") == true })
    }
}
