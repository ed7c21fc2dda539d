import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Echoed request bodies", .timeLimit(.minutes(5)))
struct EchoBodyTests {
    @Test(
        "content by type",
        arguments: [
            ("text/plain", "hello", "\"data\": \"hello\""),
            (
                "application/json", "{\"b\":1.50,\"a\":[null,\"\\u00e9\\ud83d\\ude00\"]}",
                "\"b\": 1.5,\n    \"a\": [\n      null,\n      \"é😀\"\n    ]"
            ),
            ("application/json", "{\"b\":", "\"json\": null"),
            ("application/json", String(repeating: "[", count: 5000), "\"json\": null"),
            ("application/json", "\"\\ud800\"", "\"json\": null"),
            (
                "application/x-www-form-urlencoded", "a=1&b=x+y%21&a=2&c",
                "\"a\": [\n      \"1\",\n      \"2\"\n    ],\n    \"b\": \"x y!\",\n    \"c\": \"\""
            ),
            (
                "multipart/form-data; boundary=\"B\"",
                "--B\r\nContent-Disposition: form-data; name=\"k\"\r\n\r\nv\r\n--B\r\ncontent-disposition: form-data; name=f; filename=\"a\\\"b.txt\"\r\nContent-Type: text/plain\r\n\r\nin file\r\n\r\n--B--\r\n",
                "\"f\": \"in file\\r\\n\"\n  },\n  \"form\": {\n    \"k\": \"v\""
            ),
        ])
    func content(type: String, body: String, shown: String) async throws {
        try await TestServer.withServer { server in
            let response = try await server.ask("POST", "/post", headers: ["Content-Type": type], body: body)
            expectEqual(response.status, 200)
            #expect(response.text.contains(shown), "\(response.text)")
        }
    }

    @Test(
        "malformed multipart is refused",
        arguments: [
            ("multipart/form-data", "x"), ("multipart/form-data; boundary=B", "--B\r\nno end"),
            ("multipart/form-data; boundary=B", "--B\r\nContent-Disposition: form-data\r\n\r\nv\r\n--B--"),
            ("multipart/form-data; boundary=B", "no delimiter"), ("multipart/form-data; boundary=B", "--B"),
        ])
    func malformed(type: String, body: String) async throws {
        try await TestServer.withServer { server in
            let response = try await server.ask("POST", "/post", headers: ["Content-Type": type], body: body)
            expectEqual(response.status, 400)
        }
    }

    @Test("bytes that are not text become a data URL")
    func binary() async throws {
        try await TestServer.withServer { server in
            let text = try await RawClient.with(port: server.port) { client in
                try await client.send("PUT /put HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n")
                try await client.send([0xFF, 0xFE])
                return try await client.response().text
            }
            #expect(text.contains("\"data\": \"data:application/octet-stream;base64,//4=\""))
        }
    }

    @Test("a chunked body is joined")
    func chunked() async throws {
        try await TestServer.withServer { server in
            let text = try await RawClient.with(port: server.port) { client in
                try await client.send("POST /post HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
                for piece in ["5\r\nhel", "lo\r\n", "7;x=y\r\n, world\r\n", "0\r\nX-T: 1\r\n\r\n"] {
                    try await client.send(piece)
                }
                return try await client.response().text
            }
            #expect(text.contains("\"data\": \"hello, world\""))
            expectEqual(server.requests().first?.bodySize, 12)
        }
    }

    @Test("repeated query names become arrays, header lines are joined")
    func repeats() async throws {
        try await TestServer.withServer { server in
            let response = try await server.ask(
                "GET", "/get?z=1&a%5Bb%5D=2&z=3", headers: ["X-A": "1", "x-a": "2"])
            #expect(response.text.contains("\"z\": [\n      \"1\",\n      \"3\"\n    ],\n    \"a[b]\": \"2\""))
            #expect(response.text.contains("\"X-A\": \"1, 2\""))
            expectEqual(server.requests().first?.headers.all("X-A"), ["1", "2"])
        }
    }
}
