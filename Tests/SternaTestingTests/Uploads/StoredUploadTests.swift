import SternaPlatform
import SternaTesting
import Testing

@Suite("Upload server: files", .timeLimit(.minutes(5)))
struct StoredUploadTests {
    private static func withFolder<R>(_ body: (String) async throws -> R) async throws -> R {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sterna-\(UInt64.random(in: 0 ... .max))")
            .path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try await body(folder)
    }

    @Test("A new server goes on with what is in the files")
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
                #expect(try await client.tus("HEAD", path).headers["Upload-Offset"] == "4")
                // The fault has occurred already.
                let fields = [("Upload-Offset", "4"), UploadClient.tusContent]
                #expect(try await client.tus("PATCH", path, fields, "ent").status == 204)
                let status = try await client.server.ask("GET", path + "/status")
                #expect(status.text.contains("ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73"))
                #expect(status.text.contains("\"received\": 10"))
                #expect(try await client.tus("DELETE", path).status == 204)
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
                #expect(try await client.tus("HEAD", path).headers["Upload-Offset"] == "0")
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
                #expect(try await client.tus("HEAD", "/uploads/\(id)").status == 404)
                #expect(try await client.server.ask("GET", "/uploads/\(id)/status").status == 404)
            }
        }
    }

    @Test("The number of uploads is limited")
    func limit() async throws {
        var options = UploadServer.Options()
        options.uploads = 2
        try await UploadClient.with(options) { client, _ async throws in
            for status in [201, 201, 507] {
                #expect(try await client.tus("POST", "/uploads/tus", [("Upload-Length", "7")], "").status == status)
            }
        }
    }

    @Test("A damaged record is no upload", arguments: ["", "{", "{}", "[1]"])
    func damaged(text: String) async throws {
        try await Self.withFolder { folder async throws in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let id = "0123456789abcdef0123456789abcdef"
            try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(id).json"))
            try await UploadClient.with(.init(folder: folder)) { client, _ async throws in
                #expect(try await client.tus("HEAD", "/uploads/\(id)").status == 404)
            }
        }
    }
}
