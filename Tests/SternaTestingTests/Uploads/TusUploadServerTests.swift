import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Upload server: tus", .timeLimit(.minutes(5)))
struct TusUploadServerTests {
    @Test("OPTIONS reports what the server supports")
    func options() async throws {
        try await UploadClient.with { client, _ async throws in
            let response = try await client.server.ask("OPTIONS", "/uploads/tus")
            expectEqual(response.status, 204)
            expectEqual(response.headers["Tus-Version"], "1.0.0")
            expectEqual(response.headers["Tus-Extension"]?.split(separator: ",").count, 8)
            expectEqual(response.headers["Tus-Checksum-Algorithm"], "md5,sha1,sha256,sha512")
            expectEqual(response.headers["Tus-Max-Size"], "67108864")
            let other = try await client.send("POST", "/uploads/tus", [("Tus-Resumable", "0.2.2")], "").final
            expectEqual(other.status, 412)
            expectEqual(other.headers["Tus-Version"], "1.0.0")
        }
    }

    @Test("An upload is created, continued, queried, completed and terminated", arguments: [false, true])
    func life(overrides: Bool) async throws {
        try await UploadClient.with { client, _ async throws in
            let created = try await client.tus(
                "POST", "/uploads/tus", [("Upload-Length", "7"), ("Upload-Metadata", "name YQ==,empty")], "")
            expectEqual(created.status, 201)
            expectEqual(created.headers["Upload-Expires"]?.hasSuffix(" GMT"), true)
            let path = UploadClient.path(created)
            func change(_ name: String, _ fields: [(String, String)], _ content: String) async throws
                -> RawClient.Response
            {
                overrides
                    ? try await client.tus("POST", path, fields + [("X-HTTP-Method-Override", name)], content)
                    : try await client.tus(name, path, fields, content)
            }
            let first = try await change("PATCH", [("Upload-Offset", "0"), UploadClient.tusContent], "cont")
            expectEqual(first.status, 204)
            expectEqual(first.headers["Upload-Offset"], "4")
            let asked = try await client.tus("HEAD", path)
            expectEqual(asked.status, 200)
            expectEqual(asked.headers["Upload-Offset"], "4")
            expectEqual(asked.headers["Upload-Length"], "7")
            expectEqual(asked.headers["Upload-Metadata"], "name YQ==,empty")
            try await expectEqual(
                change("PATCH", [("Upload-Offset", "0"), UploadClient.tusContent], "ent").status, 409)
            try await expectEqual(change("PATCH", [("Upload-Offset", "4")], "ent").status, 415)
            try await expectEqual(
                change("PATCH", [("Upload-Offset", "4"), UploadClient.tusContent], "entire").status, 413)
            try await expectEqual(
                change("PATCH", [("Upload-Offset", "4"), UploadClient.tusContent], "ent").status, 204)
            let status = try await client.server.ask("GET", path + "/status")
            #expect(status.text.contains("\"offset\": 7") && status.text.contains("\"complete\": true"))
            // The SHA-256 of “content”.
            #expect(status.text.contains("ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73"))
            try await expectEqual(change("DELETE", [], "").status, 204)
            try await expectEqual(client.tus("HEAD", path).status, 404)
        }
    }

    @Test(
        "Refused creations",
        arguments: [
            ([], 400), ([("Upload-Length", "1"), ("Upload-Defer-Length", "1")], 400),
            ([("Upload-Defer-Length", "2")], 400),
            ([("Upload-Length", "-1")], 400), ([("Upload-Length", "99999999")], 413),
            ([("Upload-Length", "1"), ("Upload-Metadata", "a b c")], 400),
            ([("Upload-Length", "1"), ("Upload-Metadata", "a !")], 400),
            ([("Upload-Length", "1"), ("Upload-Concat", "whole")], 400), ([("Upload-Concat", "final;")], 400),
            ([("Upload-Concat", "final;/uploads/../x")], 400),
        ] as [([(String, String)], Int)])
    func refusals(fields: [(String, String)], status: Int) async throws {
        try await UploadClient.with { client, uploads async throws in
            let response = try await client.tus("POST", "/uploads/tus", fields)
            expectEqual(response.status, status)
            #expect(uploads.statuses.isEmpty)
        }
    }

    @Test("A deferred length is sent once")
    func deferred() async throws {
        try await UploadClient.with { client, _ async throws in
            let created = try await client.tus("POST", "/uploads/tus", [("Upload-Defer-Length", "1")], "")
            let path = UploadClient.path(created)
            try await expectEqual(client.tus("HEAD", path).headers["Upload-Defer-Length"], "1")
            let fields = [("Upload-Offset", "0"), ("Upload-Length", "4"), UploadClient.tusContent]
            try await expectEqual(client.tus("PATCH", path, fields, "ab").status, 204)
            let other = [("Upload-Offset", "2"), ("Upload-Length", "5"), UploadClient.tusContent]
            try await expectEqual(client.tus("PATCH", path, other, "cd").status, 400)
            try await expectEqual(client.tus("HEAD", path).headers["Upload-Length"], "4")
        }
    }

    // Of “content”.
    private static let sha1 = "BA8G/XdAkkeNRQd09bowxdp4rMg="

    @Test("Content is kept if its checksum is right")
    func checksums() async throws {
        try await UploadClient.with { client, uploads async throws in
            let created = try await client.tus("POST", "/uploads/tus", [("Upload-Length", "7")], "")
            let path = UploadClient.path(created)
            func patch(_ checksum: String) async throws -> Int {
                let fields = [("Upload-Offset", "0"), UploadClient.tusContent, ("Upload-Checksum", checksum)]
                return try await client.tus("PATCH", path, fields, "content").status
            }
            try await expectEqual(patch("crc YQ=="), 400)
            try await expectEqual(patch("sha1"), 400)
            try await expectEqual(patch("sha1 YQ=="), 460)
            expectEqual(uploads.statuses.first?.offset, 0)
            expectEqual(uploads.statuses.first?.received, 7)
            let digest = try await client.server.ask("GET", path + "/status")
            #expect(digest.text.contains("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"))
            let right = try await patch("sha1 \(Self.sha1)")
            expectEqual(right, 204)
            expectEqual(uploads.statuses.first?.isComplete, true)
        }
    }

    @Test("A checksum in the trailer", arguments: [true, false])
    func trailer(isRight: Bool) async throws {
        try await UploadClient.with { client, uploads async throws in
            let created = try await client.tus("POST", "/uploads/tus", [("Upload-Length", "7")], "")
            let path = UploadClient.path(created)
            let status = try await RawClient.with(port: client.server.port) { raw async throws in
                try await raw.send(
                    "PATCH \(path) HTTP/1.1\r\nHost: a\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\n"
                        + "Content-Type: application/offset+octet-stream\r\nTransfer-Encoding: chunked\r\n"
                        + "Trailer: Upload-Checksum\r\n\r\n7\r\ncontent\r\n0\r\n"
                        + "Upload-Checksum: sha1 \(isRight ? Self.sha1 : "YQ==")\r\n\r\n")
                return try await raw.response().status
            }
            expectEqual(status, (isRight ? 204 : 460))
            expectEqual(uploads.statuses.first?.offset, (isRight ? 7 : 0))
        }
    }

    @Test("An upload whose last request is cut right after the last byte is complete")
    func cutBehindEnd() async throws {
        try await UploadClient.with { client, uploads async throws in
            let created = try await client.tus("POST", "/uploads/tus", [("Upload-Length", "7")], "")
            let path = UploadClient.path(created)
            try await RawClient.with(port: client.server.port) { raw async throws in
                // The chunk that ends the content is missing.
                try await raw.send(
                    "PATCH \(path) HTTP/1.1\r\nHost: a\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\n"
                        + "Content-Type: application/offset+octet-stream\r\nTransfer-Encoding: chunked\r\n"
                        + "\r\n7\r\ncontent\r\n")
                let limit = ContinuousClock.now + .seconds(60)
                while uploads.statuses.first?.offset != 7, ContinuousClock.now < limit {
                    try await Task.sleep(for: .milliseconds(1))
                }
                expectEqual(uploads.statuses.first?.offset, 7)
            }
            let head = try await client.tus("HEAD", path)
            #expect(head.status == 200 && head.headers["Upload-Offset"] == "7")
            expectEqual(uploads.statuses.first?.isComplete, true)
        }
    }

    @Test("Parts are joined in their order, and the whole does not change")
    func concatenation() async throws {
        try await UploadClient.with { client, _ async throws in
            var parts: [String] = []
            for text in ["con", "tent"] {
                let fields = [
                    ("Upload-Concat", "partial"), ("Upload-Length", "\(text.utf8.count)"), UploadClient.tusContent,
                ]
                let part = try await client.tus("POST", "/uploads/tus", fields, text)
                expectEqual(part.status, 201)
                expectEqual(part.headers["Upload-Offset"], "\(text.utf8.count)")
                parts.append(UploadClient.path(part))
            }
            let fields = [("Upload-Concat", "final;\(parts.joined(separator: " "))")]
            let whole = try await client.tus("POST", "/uploads/tus", fields, "")
            expectEqual(whole.status, 201)
            let path = UploadClient.path(whole)
            try await expectEqual(client.tus("HEAD", path).headers["Upload-Offset"], "7")
            let content = [("Upload-Offset", "7"), UploadClient.tusContent]
            try await expectEqual(client.tus("PATCH", path, content, "x").status, 403)
            let status = try await client.server.ask("GET", path + "/status")
            #expect(status.text.contains("ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73"))
        }
    }

    @Test("An upload expires")
    func expiry() async throws {
        try await UploadClient.with { client, _ async throws in
            let created = try await client.tus("POST", "/uploads/tus?expires=0", [("Upload-Length", "7")], "")
            try await expectEqual(client.tus("HEAD", UploadClient.path(created)).status, 410)
        }
    }
}
