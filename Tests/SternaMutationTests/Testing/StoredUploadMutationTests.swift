import MutationKit
import NIOCore
import NIOPosix
import SternaPlatform
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaTesting
@testable import SternaWireTestSupport

/// Files of an upload: the record, a line with the number of bytes received, and one with the size of the content.
@Suite("Mutations: files of uploads")
struct StoredUploadMutationTests {
    private static let id = "0123456789abcdef0123456789abcdef"
    private static let most: Int64 = 999_999_999_999_999

    static let files = MutatedReader(
        "StoredUpload",
        seeds: [
            #"{"dialect":"tus","faults":{"cut":1},"isComplete":false,"length":7,"metadata":"a YQ==","query":"cut=4"}"#
                + "\n00000000000000000010\n4",
            #"{"concatenation":"partial","dialect":"tus","expires":9000000000,"faults":{},"isComplete":true,"length":7,"#
                + #""query":"offset=beyond&times=9"}"# + "\n00000000000000000007\n7",
            #"{"dialect":"ietf","faults":{},"isComplete":false,"query":"offset=beyond","unverified":2}"#
                + "\n00000000000000000000\n5",
            #"{"dialect":"ietf","faults":{"lost":0},"isComplete":false,"length":9,"query":"lost&interim=2"}"#
                + "\n00000000000000000003\n0",
        ].map { Array($0.utf8) },
        tokens: [
            "\"length\":", "\"unverified\":", "\"expires\":", "\"isComplete\":true", "\"offset\":", "\"metadata\":",
            "\"concatenation\":", "\"final;", "null", "-1", "9223372036854775807", "-9223372036854775808", "1e18",
            "\\r\\n",
            "{", "}", ",", "\n",
        ].map { Array($0.utf8) },
        asynchronously: { bytes in try await read(bytes) })

    private static func read(_ bytes: [UInt8]) async throws -> MutationOutcome {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sterna-stored-\(getpid())").path
        let server = try UploadServer(.init(folder: folder))
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var parts = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)[...]
        let size = parts.count > 2 ? parts.popLast().flatMap { Int64(String(decoding: $0, as: UTF8.self)) } : nil
        let received = parts.count > 1 ? parts.popLast() : nil
        try Data(parts.joined(separator: [0x0A])).write(to: URL(filePath: "\(folder)/\(id).json"))
        if let received { try Data(received).write(to: URL(filePath: "\(folder)/\(id).received")) }
        if let size {
            let content = open("\(folder)/\(id).content", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            // Sizes that no file can have leave an empty one.
            ftruncate(content, off_t(size))
            close(content)
        }
        guard let upload = try server.upload(id) else { return .refused }
        try check(upload.status)
        // An upload that is read twice is the same.
        guard try StoredUpload(id: id, reading: folder)?.status == upload.status else {
            throw MutationFailure("\(upload.status) changes.")
        }
        let offset = upload.status.offset
        for (method, field) in [("HEAD", nil), ("PATCH", "\(offset)"), ("HEAD", nil)] as [(String, String?)] {
            let response = try await answer(server, upload, method, field)
            guard (200...599).contains(response.status) else { throw MutationFailure("Status \(response.status).") }
            for name in ["Upload-Offset", "Upload-Length"] {
                guard let text = response.headers[name] else { continue }
                // The fault reports one byte more than there can be.
                guard let number = Int64(text), (0...most + 1).contains(number) else {
                    throw MutationFailure("\(name) is \(text).")
                }
            }
            for line in response.headers where ResponseHead.cleaned(line.value) != line.value {
                throw MutationFailure("\(line.name) has a line break.")
            }
            try check(upload.status)
        }
        return .accepted
    }

    private static func check(_ status: UploadStatus) throws {
        let length = status.length ?? most
        guard (0...most).contains(length), (0...length).contains(status.offset), status.received >= 0,
            !status.isComplete || status.offset == status.length
        else { throw MutationFailure("\(status) cannot be.") }
    }

    /// Answers a request of one upload, with three bytes of content if there is an offset.
    private static func answer(
        _ server: UploadServer, _ upload: StoredUpload, _ method: String, _ offset: String?
    ) async throws -> ServerResponse {
        var headers: ServerHeaders = ["Tus-Resumable": "1.0.0", "Upload-Draft-Interop-Version": "8"]
        let isTus = upload.record.dialect == .tus
        var pipe: ServerBodyPipe?
        if let offset {
            headers.add("Content-Type", "application/\(isTus ? "offset+octet-stream" : "partial-upload")")
            headers.add("Content-Length", "3")
            headers.add("Upload-Offset", offset)
            headers.add("Upload-Complete", "?0")
            pipe = ServerBodyPipe(declaredLength: 3, onDemand: {})
            _ = pipe?.offer(ByteBuffer(string: "abc"))
            pipe?.finish()
        }
        // Those without end find the connection closed.
        let count = Mutex(0)
        let interim = ServerInterim(MultiThreadedEventLoopGroup.singleton.any()) { _, _, promise in
            let isLast = count.withLock { count in
                count += 1
                return count > 3
            }
            if isLast { promise.fail(ChannelError.ioOnClosedChannel) } else { promise.succeed() }
        }
        let request = ServerRequest(
            method: method, target: "/uploads/\(id)", path: "/uploads/\(id)", query: nil, headers: headers,
            body: ServerRequestBody(pipe: pipe), remoteAddress: "127.0.0.1", connection: 0, origin: "http://127.0.0.1",
            version: .http11, interim: interim)
        do {
            if isTus { return try await TusUploads(server: server).answer(request, upload) }
            return try await IETFUploads(server: server).answer(request, upload)
        } catch let error as ServerRouteError {
            return .message(error.message, status: error.status)
        } catch is UploadStorageError {
            return .message("storage", status: 507)
        } catch is ChannelError {
            return .cut
        }
    }

    @Test("No damaged file ends the process, or makes an upload that cannot be") func survives() async {
        let report = await Self.files.supervise {
            await #expect(processExitsWith: .success) { await StoredUploadMutationTests.files.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
