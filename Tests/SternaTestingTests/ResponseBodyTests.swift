import NIOCore
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Response bodies", .timeLimit(.minutes(5)))
struct ResponseBodyTests {
    @Test("HEAD has GET's fields and no body", arguments: ["/bytes/100?seed=1", "/json", "/range/5000", "/stream/3"])
    func head(target: String) async throws {
        try await TestServer.withServer { server in
            try await RawClient.with(port: server.port) { client in
                var head = try await client.request("HEAD", target)
                var get = try await client.request("GET", target)
                head.headers["Date"] = nil
                get.headers["Date"] = nil
                expectEqual(head.headers, get.headers)
                #expect(!get.body.isEmpty)
                try await expectEqual(client.request("GET", "/1k").status, 200)
            }
        }
    }

    @Test(
        "ranges",
        arguments: [
            ("bytes=0-4", 206, "bytes 0-4/100", "abcde"), ("bytes=98-", 206, "bytes 98-99/100", "uv"),
            ("bytes=-3", 206, "bytes 97-99/100", "tuv"), ("bytes=99-1000", 206, "bytes 99-99/100", "v"),
            ("bytes=27-28", 206, "bytes 27-28/100", "bc"), ("bytes=100-", 416, "bytes */100", ""),
            ("bytes=-0", 416, "bytes */100", ""), ("bytes=5-2", 200, "", ""), ("bytes=0-1,3-4", 200, "", ""),
            ("lines=0-1", 200, "", ""), ("bytes=-", 200, "", ""), ("bytes=0-99999999999999999999", 200, "", ""),
        ])
    func ranges(asked: String, status: Int, range: String, body: String) async throws {
        try await TestServer.withServer { server in
            let response = try await server.ask("GET", "/range/100", headers: ["Range": asked])
            expectEqual(response.status, status)
            expectEqual((response.headers["Content-Range"] ?? ""), range)
            if status == 206 { expectEqual(response.text, body) }
            if status == 200 { expectEqual(response.body.count, 100) }
        }
    }

    @Test("a range holds only for its entity tag", arguments: [("\"range9\"", 206), ("\"range8\"", 200)])
    func ifRange(tag: String, status: Int) async throws {
        try await TestServer.withServer { server in
            let response = try await server.ask("GET", "/range/9", headers: ["Range": "bytes=1-2", "If-Range": tag])
            expectEqual(response.status, status)
        }
    }

    @Test("a seed determines the bytes, however they are split")
    func seed() async throws {
        try await TestServer.withServer { server in
            let whole = try await server.ask("GET", "/bytes/200000?seed=7").body
            let pieces = try await server.ask("GET", "/stream-bytes/200000?seed=7&chunk_size=3001").body
            let short = try await server.ask("GET", "/bytes/1000?seed=7").body
            let other = try await server.ask("GET", "/bytes/1000?seed=8").body
            expectEqual(whole.count, 200_000)
            expectEqual(whole, pieces)
            expectEqual(Array(whole.prefix(1000)), short)
            #expect(short != other)
        }
    }

    @Test("trailers follow the body")
    func trailers() async throws {
        try await TestServer.withServer { server in
            let response = try await server.ask("GET", "/trailers")
            expectEqual(response.text, "body with trailers\n")
            expectEqual(response.trailers, ["X-Checksum": "8d5f", "X-Count": "2"])
        }
    }

    @Test(
        "stored deflate blocks in their three frames",
        arguments: [
            ("/gzip", "gzip", 10, 8, "\"gzipped\": true"), ("/deflate", "deflate", 2, 4, "\"deflated\": true"),
            ("/deflate?raw=1", "deflate", 0, 0, "\"deflated\": true"),
        ])
    func compressed(target: String, coding: String, before: Int, after: Int, contains: String) async throws {
        try await TestServer.withServer { server in
            let response = try await server.ask("GET", target)
            expectEqual(response.headers["Content-Encoding"], coding)
            let block = Array(response.body.dropFirst(before).dropLast(after))
            expectEqual(block.first, 1)
            let count = Int(block[1]) | Int(block[2]) << 8
            expectEqual(count ^ (Int(block[3]) | Int(block[4]) << 8), 0xFFFF)
            let content = block.dropFirst(5)
            expectEqual(content.count, count)
            #expect(String(decoding: content, as: UTF8.self).contains(contains))
            let trailer = response.body.suffix(after)
            if before == 10 {
                let crc = trailer.prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                expectEqual(crc, Self.crc(content))
                expectEqual(trailer.dropFirst(4).reversed().reduce(0) { $0 << 8 | Int($1) }, count)
            } else if before == 2 {
                let sums = content.reduce((1, 0)) { sums, byte in
                    let low = (sums.0 + Int(byte)) % 65_521
                    return (low, (sums.1 + low) % 65_521)
                }
                expectEqual(trailer.reduce(0) { $0 << 8 | Int($1) }, sums.1 << 16 | sums.0)
            }
        }
    }

    /// Bit by bit, unlike the table under test.
    static func crc(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var crc = UInt32.max
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }

    @Test("a client that does not read stops the writer")
    func backPressure() async throws {
        let total = 256 << 20
        try await TestServer.withServer { server in
            let written = Counter()
            server.route("GET", "/big") { _ in
                ServerResponse(
                    body: .stream(length: total) { writer in
                        let piece = [UInt8](repeating: 0x62, count: 64 << 10)
                        for _ in 0..<(total / piece.count) {
                            try await writer.write(piece)
                            written.add(piece.count)
                        }
                    })
            }
            try await RawClient.with(port: server.port) { client in
                try await client.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n")
                try await expectEqual(client.head().status, 200)
                try await settled(written, on: server)
                #expect(written.value < 16 << 20)
                _ = try await client.bytes(32 << 20)
                let least: Int = 32 << 20 - 64 << 10
                #expect(written.value >= least)
            }
            try await server.waitForOpenConnections(0)
            #expect(written.value < total)
        }
    }

    @Test("an incomplete streamed body ends the connection")
    func shortBody() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/short") { _ in
                ServerResponse(body: .stream(length: 10) { try await $0.write("12345") })
            }
            server.route("GET", "/long") { _ in
                ServerResponse(body: .stream(length: 3) { try await $0.write("12345") })
            }
            for (target, sent) in [("/short", "12345"), ("/long", "")] {
                let rest = try await RawClient.with(port: server.port) { client in
                    try await client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
                    _ = try await client.head()
                    return try await client.rest()
                }
                expectEqual(rest, sent)
            }
        }
    }
}
