import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Upload server: faults", .timeLimit(.minutes(5)))
struct UploadFaultTests {
    private static func create(_ client: UploadClient, _ query: String, _ length: Int = 7) async throws -> String {
        let fields = [("Upload-Length", "\(length)"), ("Upload-Complete", "?0")]
        return UploadClient.path(try await client.ietf("POST", "/uploads/ietf?\(query)", fields, ""))
    }

    private static func patch(
        _ client: UploadClient, _ path: String, at offset: Int = 0, _ text: String = "content"
    ) async throws -> (interim: [RawClient.Response], final: RawClient.Response) {
        try await client.send(
            "PATCH", path,
            [
                ("Upload-Draft-Interop-Version", "8"), ("Upload-Offset", "\(offset)"), ("Upload-Complete", "?1"),
                UploadClient.ietfContent,
            ], text)
    }

    @Test("The connection is reset after some bytes, the requested number of times")
    func cut() async throws {
        try await UploadClient.with { client, uploads async throws in
            let path = try await Self.create(client, "cut=2&times=2")
            await #expect(throws: (any Error).self) { try await Self.patch(client, path) }
            expectEqual(uploads.statuses.first?.offset, 2)
            await #expect(throws: (any Error).self) { try await Self.patch(client, path, at: 2, "ntent") }
            try await expectEqual(Self.patch(client, path, at: 4, "ent").final.status, 200)
            expectEqual(uploads.statuses.first?.isComplete, true)
        }
    }

    @Test("The last response is lost")
    func lost() async throws {
        try await UploadClient.with { client, uploads async throws in
            let path = try await Self.create(client, "lost")
            await #expect(throws: (any Error).self) { try await Self.patch(client, path) }
            expectEqual(uploads.statuses.first?.isComplete, true)
            try await expectEqual(Self.patch(client, path, at: 7, "").final.status, 200)
        }
    }

    @Test("Statuses are returned as requested", arguments: [409, 423, 503])
    func statuses(status: Int) async throws {
        try await UploadClient.with { client, uploads async throws in
            let path = try await Self.create(client, "status=\(status)&times=2&retry-after=1")
            for _ in 0..<2 {
                let response = try await Self.patch(client, path).final
                expectEqual(response.status, status)
                expectEqual(response.headers["Retry-After"], "1")
            }
            expectEqual(uploads.statuses.first?.received, 0)
            try await expectEqual(Self.patch(client, path).final.status, 200)
            let query = "status=\(status)&on=POST"
            let fields = [("Upload-Complete", "?0")]
            try await expectEqual(client.ietf("POST", "/uploads/ietf?\(query)", fields, "").status, status)
            try await expectEqual(client.ietf("POST", "/uploads/ietf?\(query)", fields, "").status, 201)
        }
    }

    @Test("A server may support only one interop version", arguments: [true, false])
    func version(isNamed: Bool) async throws {
        try await UploadClient.with { client, _ async throws in
            let query = "interop=6" + (isNamed ? "" : "&unnamed")
            let other = try await client.ietf("OPTIONS", "/uploads/ietf?\(query)")
            expectEqual(other.status, 400)
            expectEqual(other.headers["Upload-Draft-Interop-Version"], (isNamed ? "6" : nil))
            try await expectEqual(client.ietf("OPTIONS", "/uploads/ietf?\(query)", version: 6).status, 204)
        }
    }

    @Test("Interim responses are sent, a number of them or endlessly")
    func interim() async throws {
        try await UploadClient.with { client, _ async throws in
            let some = try await Self.patch(client, try await Self.create(client, "interim=5"))
            expectEqual(some.interim.map { $0.headers["Upload-Offset"] }, Array(repeating: "7", count: 5))
            expectEqual(some.final.status, 200)
            for (query, last) in [("endless", "7"), ("growing", "106")] {
                let path = try await Self.create(client, "interim=\(query)")
                try await RawClient.with(port: client.server.port) { raw async throws in
                    try await raw.send(
                        "PATCH \(path) HTTP/1.1\r\nHost: a\r\nUpload-Draft-Interop-Version: 8\r\nUpload-Offset: 0\r\n"
                            + "Upload-Complete: ?1\r\nContent-Type: application/partial-upload\r\nContent-Length: 7\r\n\r\n"
                            + "content")
                    for _ in 0..<99 { try await expectEqual(raw.response().status, 104) }
                    try await expectEqual(raw.response().headers["Upload-Offset"], last)
                }
            }
        }
    }

    @Test("Wrong offsets are reported as requested", arguments: [("back", "3"), ("beyond", "8")])
    func offset(fault: String, told: String) async throws {
        try await UploadClient.with { client, _ async throws in
            let path = try await Self.create(client, "offset=\(fault)")
            let fields = [("Upload-Offset", "0"), ("Upload-Complete", "?0"), UploadClient.ietfContent]
            try await expectEqual(client.ietf("PATCH", path, fields, "conten").status, 204)
            try await expectEqual(client.ietf("HEAD", path).headers["Upload-Offset"], told)
            try await expectEqual(client.ietf("HEAD", path).headers["Upload-Offset"], "6")
        }
    }

    @Test("Another origin, limits, and slow reading")
    func others() async throws {
        try await UploadClient.with { client, _ async throws in
            let fields = [("Upload-Complete", "?0")]
            let elsewhere = try await client.ietf(
                "POST", "/uploads/ietf?location=http%3A%2F%2F127.0.0.2%3A9", fields, "")
            #expect(elsewhere.headers["Location"]?.hasPrefix("http://127.0.0.2:9/uploads/") == true)
            let limited = try await Self.create(client, "max-append=3")
            try await expectEqual(Self.patch(client, limited).final.status, 413)
            let slow = try await Self.create(client, "slow=10")
            let start = ContinuousClock.now
            try await expectEqual(Self.patch(client, slow).final.status, 200)
            #expect(ContinuousClock.now - start >= .milliseconds(700))
        }
    }

    @Test(
        "Unknown faults are refused",
        arguments: [
            "unknown", "cut=-1", "cut=x", "status=200", "on=BREW", "interop=9", "times=0", "location=ftp:a",
            "cut=%2B5", "location=http%3A%2F%2Fa%0D%0Ab", "location=http%3A%2F%2Fa%20b", "expires=1000000000000000",
        ])
    func unknown(query: String) async throws {
        try await UploadClient.with { client, _ async throws in
            let response = try await client.ietf("POST", "/uploads/ietf?\(query)", [("Upload-Complete", "?0")], "")
            expectEqual(response.status, 400)
        }
    }
}
