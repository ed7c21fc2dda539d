import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Upload server: the IETF's protocol", .timeLimit(.minutes(5)))
struct IETFUploadServerTests {
    private static func complete(_ version: Int, _ isComplete: Bool) -> (String, String) {
        version == 3 ? ("Upload-Incomplete", isComplete ? "?0" : "?1") : ("Upload-Complete", isComplete ? "?1" : "?0")
    }

    private static func same(_ response: RawClient.Response, _ field: (String, String)) -> Bool {
        response.headers[field.0] == field.1
    }

    @Test("An upload is created, continued, queried and completed", arguments: 3...8)
    func life(version: Int) async throws {
        try await UploadClient.with { client, uploads async throws in
            let (interim, created) = try await client.send(
                "POST", "/uploads/ietf",
                [("Upload-Draft-Interop-Version", "\(version)"), Self.complete(version, false)], "first ")
            expectEqual(interim.first?.status, 104)
            expectEqual(interim.first?.headers["Upload-Draft-Interop-Version"], "\(version)")
            expectEqual(interim.first?.headers["Location"], created.headers["Location"])
            expectEqual(created.status, 201)
            #expect(Self.same(created, Self.complete(version, false)))
            expectEqual(created.headers.contains("Upload-Limit"), (version >= 6))
            expectEqual(created.headers.contains("Upload-Offset"), (version <= 6))
            let path = UploadClient.path(created)

            let asked = try await client.ietf("HEAD", path, version: version)
            expectEqual(asked.status, 204)
            expectEqual(asked.headers["Upload-Offset"], "6")
            expectEqual(asked.headers["Cache-Control"], "no-store")
            #expect(Self.same(asked, Self.complete(version, false)))

            let next = try await client.ietf(
                "PATCH", path, [("Upload-Offset", "6"), Self.complete(version, false), UploadClient.ietfContent],
                "second",
                version: version)
            expectEqual(next.status, (version <= 6 ? 201 : 204))

            let wrong = try await client.ietf(
                "PATCH", path, [("Upload-Offset", "6"), Self.complete(version, true), UploadClient.ietfContent], "x",
                version: version)
            expectEqual(wrong.status, 409)
            expectEqual(wrong.headers["Upload-Offset"], "12")
            expectEqual(wrong.text.contains("mismatching-upload-offset"), (version >= 6))

            let last = try await client.ietf(
                "PATCH", path, [("Upload-Offset", "12"), Self.complete(version, true), UploadClient.ietfContent], "",
                version: version)
            expectEqual(last.status, 200)
            #expect(Self.same(last, Self.complete(version, true)))
            expectEqual(uploads.statuses.first?.isComplete, true)
            let status = try await client.server.ask("GET", path + "/status")
            #expect(status.text.contains("\"received\": 12"))
            // Of “first second”.
            #expect(status.text.contains("92088ec140fc553e4b1ede202edccb65a807bbf8a38d765a3ad38013c0f13688"))
            #expect(status.text.contains("\"complete\": true"))

            try await expectEqual(client.ietf("DELETE", path, version: version).status, 204)
            try await expectEqual(client.ietf("HEAD", path, version: version).status, 404)
        }
    }

    @Test(
        "Refusals",
        arguments: [
            ("POST", 9, [], 400), ("POST", 8, [], 400), ("POST", 8, [("Upload-Complete", "yes")], 400),
            ("POST", 8, [("Upload-Complete", "?1"), ("Upload-Length", "3")], 400),
            ("POST", 8, [("Upload-Complete", "?0"), ("Upload-Offset", "4")], 400),
            ("POST", 8, [("Upload-Complete", "?0"), ("Upload-Length", "99999999")], 413),
            ("DELETE", 8, [], 405),
        ] as [(String, Int, [(String, String)], Int)])
    func refusals(method: String, version: Int, fields: [(String, String)], status: Int) async throws {
        try await UploadClient.with { client, _ async throws in
            let response = try await client.ietf(
                method, "/uploads/ietf?max-size=1000", fields, "content", version: version)
            expectEqual(response.status, status)
        }
    }

    @Test(
        "Refused content",
        arguments: [
            ([("Upload-Offset", "0"), ("Upload-Complete", "?0")], 415),
            ([("Upload-Complete", "?0"), UploadClient.ietfContent], 400),
            ([("Upload-Offset", "0"), UploadClient.ietfContent], 400),
            ([("Upload-Offset", "-1"), ("Upload-Complete", "?0"), UploadClient.ietfContent], 400),
            ([("Upload-Offset", "0"), ("Upload-Complete", "?1"), UploadClient.ietfContent], 400),
            (
                [("Upload-Offset", "0"), ("Upload-Complete", "?0"), ("Upload-Length", "9"), UploadClient.ietfContent],
                400
            ),
        ] as [([(String, String)], Int)])
    func content(fields: [(String, String)], status: Int) async throws {
        try await UploadClient.with { client, uploads async throws in
            let created = try await client.ietf(
                "POST", "/uploads/ietf", [("Upload-Complete", "?0"), ("Upload-Length", "10")], "")
            let response = try await client.ietf("PATCH", UploadClient.path(created), fields, "content")
            expectEqual(response.status, status)
            expectEqual(uploads.statuses.first?.offset, 0)
        }
    }

    @Test("OPTIONS reports what the server supports", arguments: [(6, "expires="), (8, "max-age=")])
    func discovery(version: Int, key: String) async throws {
        try await UploadClient.with { client, _ async throws in
            let response = try await client.ietf("OPTIONS", "/uploads/ietf?max-append=70", version: version)
            expectEqual(response.status, 204)
            let limit = response.headers["Upload-Limit"] ?? ""
            #expect(limit.contains("min-size=0") && limit.contains("max-append-size=70") && limit.contains(key))
        }
    }

    @Test("The lost last response is repeated, and other content is refused")
    func repeated() async throws {
        try await UploadClient.with { client, _ async throws in
            let created = try await client.ietf("POST", "/uploads/ietf", [("Upload-Complete", "?1")], "all")
            expectEqual(created.status, 200)
            let path = UploadClient.path(created)
            let fields = [("Upload-Offset", "3"), ("Upload-Complete", "?1"), UploadClient.ietfContent]
            try await expectEqual(client.ietf("PATCH", path, fields, "").status, 200)
            let more = try await client.ietf("PATCH", path, fields, "more")
            expectEqual(more.status, 400)
            #expect(more.text.contains("completed-upload"))
        }
    }
}
