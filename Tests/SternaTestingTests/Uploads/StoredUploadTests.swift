import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Upload server: files", .timeLimit(.minutes(5)))
struct StoredUploadTests {
    private static func withFolder<R>(_ body: (String) async throws -> R) async throws -> R {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sterna-\(UInt64.random(in: 0 ... .max))")
            .path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try await body(folder)
    }

    @Test("A new server continues with the stored files")
    func restart() async throws {
        try await Self.withFolder { folder async throws in
            let path = try await UploadClient.with(.init(folder: folder)) { client, _ async throws in
                let created = try await client.tus("POST", "/uploads/tus?cut=4", [("Upload-Length", "7")], "")
                let path = UploadClient.path(created)
                let fields = [("Upload-Offset", "0"), UploadClient.tusContent]
                await #expect(throws: (any Error).self) { try await client.tus("PATCH", path, fields, "content") }
                return path
            }
            try await UploadClient.with(.init(folder: folder)) { client, uploads async throws in
                try await expectEqual(client.tus("HEAD", path).headers["Upload-Offset"], "4")
                // The fault has occurred already.
                let fields = [("Upload-Offset", "4"), UploadClient.tusContent]
                try await expectEqual(client.tus("PATCH", path, fields, "ent").status, 204)
                let status = try await client.server.ask("GET", path + "/status")
                #expect(status.text.contains("ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73"))
                #expect(status.text.contains("\"received\": 10"))
                try await expectEqual(client.tus("DELETE", path).status, 204)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        }
    }

    @Test("Content that waited for its checksum does not count after a restart")
    func unverified() async throws {
        try await Self.withFolder { folder async throws in
            let path = try await UploadClient.with(.init(folder: folder)) { client, _ async throws in
                let created = try await client.tus("POST", "/uploads/tus", [("Upload-Length", "7")], "")
                return UploadClient.path(created)
            }
            // As a kill in the middle of such content leaves it.
            let id = path.split(separator: "/").last ?? ""
            let file = URL(filePath: "\(folder)/\(id).json")
            let record = try String(contentsOf: file, encoding: .utf8)
            let end = try #require(record.lastIndex(of: "}"))
            try Data((record[..<end] + ",\"unverified\":0}").utf8).write(to: file)
            try Data("cont".utf8).write(to: URL(filePath: "\(folder)/\(id).content"))
            try await UploadClient.with(.init(folder: folder)) { client, _ async throws in
                try await expectEqual(client.tus("HEAD", path).headers["Upload-Offset"], "0")
            }
        }
    }

    @Test(
        "No other file is reached",
        arguments: [
            "..%2Fsecret", "%2Fetc%2Fpasswd", "ABCDEF0123456789abcdef0123456789", "0123456789abcdef0123456789abcdef",
        ])
    func traversal(id: String) async throws {
        try await Self.withFolder { folder async throws in
            try await UploadClient.with(.init(folder: folder)) { client, _ async throws in
                try await expectEqual(client.tus("HEAD", "/uploads/\(id)").status, 404)
                try await expectEqual(client.server.ask("GET", "/uploads/\(id)/status").status, 404)
            }
        }
    }

    /// A record's JSON with more members.
    private static func record(_ more: String, query: String = "", dialect: String = "tus") -> String {
        let faults = more.contains("faults") ? "" : #""faults":{},"#
        return #"{"dialect":"\#(dialect)",\#(faults)"isComplete":false,"query":"\#(query)""#
            + (more.isEmpty ? "" : ",") + more + "}"
    }

    private static let id = "0123456789abcdef0123456789abcdef"

    /// Writes the files of an upload.
    private static func write(_ record: String, _ content: String?, _ received: String?, in folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(record.utf8).write(to: URL(filePath: "\(folder)/\(id).json"))
        if let content { try Data(content.utf8).write(to: URL(filePath: "\(folder)/\(id).content")) }
        if let received { try Data(received.utf8).write(to: URL(filePath: "\(folder)/\(id).received")) }
    }

    @Test("A complete upload whose content is lost can be continued")
    func lostContent() async throws {
        try await Self.withFolder { folder async throws in
            let record = Self.record(#""length":7"#).replacing("false", with: "true")
            try Self.write(record, "cont", nil, in: folder)
            try await UploadClient.with(.init(folder: folder)) { client, uploads async throws in
                try await expectEqual(client.tus("HEAD", "/uploads/\(Self.id)").headers["Upload-Offset"], "4")
                expectEqual(uploads.statuses.first?.isComplete, false)
                let fields = [("Upload-Offset", "4"), UploadClient.tusContent]
                try await expectEqual(client.tus("PATCH", "/uploads/\(Self.id)", fields, "ent").status, 204)
                expectEqual(uploads.statuses.first?.isComplete, true)
            }
        }
    }

    @Test("Content beyond the length does not count")
    func surplus() async throws {
        try await Self.withFolder { folder async throws in
            try Self.write(Self.record(#""length":4"#), "content", nil, in: folder)
            try await UploadClient.with(.init(folder: folder)) { client, _ async throws in
                try await expectEqual(client.tus("HEAD", "/uploads/\(Self.id)").headers["Upload-Offset"], "4")
            }
        }
    }

    @Test(
        "The stored number of received bytes is bounded, and zero if it is invalid",
        arguments: [
            ("09223372036854775807", "9223372036854775807"), ("-0000000000000000005", "7"),
            ("+0000000000000000005", "7"),
            ("99999999999999999999", "7"), ("5", "7"),
        ])
    func received(text: String, expected: String) async throws {
        try await Self.withFolder { folder async throws in
            try Self.write(Self.record(#""length":7"#), nil, text, in: folder)
            try await UploadClient.with(.init(folder: folder)) { client, _ async throws in
                let fields = [("Upload-Offset", "0"), UploadClient.tusContent]
                try await expectEqual(client.tus("PATCH", "/uploads/\(Self.id)", fields, "content").status, 204)
                let status = try await client.server.ask("GET", "/uploads/\(Self.id)/status")
                #expect(status.text.contains("\"received\": \(expected),"))
            }
        }
    }

    @Test("A link in place of a file leads nowhere")
    func link() async throws {
        try await Self.withFolder { folder async throws in
            try Self.write(Self.record(#""length":7"#), nil, nil, in: folder)
            let other = URL(filePath: "\(folder)/other")
            try Data("secret".utf8).write(to: other)
            try FileManager.default.createSymbolicLink(
                atPath: "\(folder)/\(Self.id).content", withDestinationPath: other.path)
            try await UploadClient.with(.init(folder: folder)) { client, _ async throws in
                try await expectEqual(client.tus("HEAD", "/uploads/\(Self.id)").headers["Upload-Offset"], "0")
                let fields = [("Upload-Offset", "0"), UploadClient.tusContent]
                try await expectEqual(client.tus("PATCH", "/uploads/\(Self.id)", fields, "content").status, 507)
            }
            try expectEqual(String(contentsOf: other, encoding: .utf8), "secret")
        }
    }

    @Test("The number of uploads is limited")
    func limit() async throws {
        var options = UploadServer.Options()
        options.uploads = 2
        try await UploadClient.with(options) { client, _ async throws in
            for status in [201, 201, 507] {
                try await expectEqual(client.tus("POST", "/uploads/tus", [("Upload-Length", "7")], "").status, status)
            }
        }
    }

    @Test(
        "A damaged record is not an upload",
        arguments: [
            "", "{", "{}", "[1]", record(#""length":-1"#), record(#""length":9223372036854775807"#),
            record(#""unverified":-1"#), record(#""faults":{"cut":-1}"#), record(#""metadata":"a YQ==\r\nb""#),
            record(#""concatenation":"final;x""#), record("", query: "cut=-1"),
            record(#""metadata":"a""#, dialect: "ietf"),
        ])
    func damaged(text: String) async throws {
        try await Self.withFolder { folder async throws in
            try Self.write(text, nil, nil, in: folder)
            try await UploadClient.with(.init(folder: folder)) { client, _ async throws in
                try await expectEqual(client.tus("HEAD", "/uploads/\(Self.id)").status, 404)
            }
        }
    }
}
