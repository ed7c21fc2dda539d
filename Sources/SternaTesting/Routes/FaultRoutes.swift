extension BuiltInRoutes {
    /// Responses that break the protocol, under `/fault/`. Those over HTTP/1 end the connection; over HTTP/2:
    ///
    /// | route | over HTTP/2 |
    /// |---|---|
    /// | `close` | closes the connection, as over HTTP/1 |
    /// | `close-half` | a head for 1000 bytes, 500 bytes, then `RST_STREAM` with `INTERNAL_ERROR` |
    /// | `never` | leaves the stream without an answer |
    /// | `garbage` | the same bytes as over HTTP/1, where a frame should begin |
    /// | `endless-head` | a `HEADERS` frame and `CONTINUATION` frames without end; no other stream is served any more |
    /// | `stall` | a head for 1000 bytes and 100 of them, then nothing more on the stream |
    /// | `reset` | resets the TCP connection, as over HTTP/1 |
    /// | `reset-half` | a head for 1000 bytes and 500 of them, then resets the TCP connection |
    /// | `both-lengths` | `RST_STREAM` with `PROTOCOL_ERROR`, as HTTP/2 has no such thing |
    /// | `bad-chunk` | a head, `hello`, then `RST_STREAM` with `PROTOCOL_ERROR` |
    /// | `reset-stream/{code}` | `RST_STREAM` with that code at once; over HTTP/1 it closes the connection |
    static let faults: [ServerRoute] = [
        fault("close") { _ in },
        fault("close-half", http2: cut(after: 500) { _ in throw ServerStreamReset.internalError }) { connection in
            try await connection.write(head("Content-Length: 1000") + String(repeating: "x", count: 500))
        },
        later(nil, "/fault/never") { request in
            if request.version == .http2 { try await untilCancelled() }
            return ServerResponse(body: .raw { await $0.waitForClose() })
        },
        fault("garbage") { connection in
            try await connection.write([0x00, 0xFF, 0x16, 0x03] + Array("no HTTP at all\r\n\r\n".utf8))
        },
        fault("endless-head") { connection in
            if let stream = connection.stream { return try await endlessBlock(connection, stream: stream) }
            try await connection.write("HTTP/1.1 200 OK\r\n")
            var number = 0
            while true {
                var lines = ""
                for _ in 0..<128 {
                    lines += "X-Endless-\(number): \(String(repeating: "a", count: 64))\r\n"
                    number &+= 1
                }
                try await connection.write(lines)
            }
        },
        fault("stall", http2: cut(after: 100) { _ in try await untilCancelled() }) { connection in
            try await connection.write(head("Content-Length: 1000") + String(repeating: "x", count: 100))
            await connection.waitForClose()
        },
        fault("reset") { await $0.reset() },
        fault("reset-half", http2: cut(after: 500) { await $0.anchor?.reset() }) { connection in
            try await connection.write(head("Content-Length: 1000") + String(repeating: "x", count: 500))
            await connection.reset()
        },
        fault("both-lengths", http2: ServerResponse(reset: .protocolError)) { connection in
            try await connection.write(
                head("Content-Length: 5\r\nTransfer-Encoding: chunked") + "5\r\nhello\r\n0\r\n\r\n")
        },
        fault("bad-chunk", http2: badChunk) { connection in
            try await connection.write(head("Transfer-Encoding: chunked") + "5\r\nhello\r\nzz\r\n")
        },
        now(nil, "/fault/reset-stream/{code}") { request in
            let code = try number("code", of: request, in: 0...Int(UInt32.max))
            throw ServerStreamReset(code: UInt32(code))
        },
    ]

    /// Makes a fault's route; without a response for HTTP/2 the fault does the same there.
    private static func fault(
        _ name: String, http2: ServerResponse? = nil,
        _ play: @escaping @Sendable (ServerRawConnection) async throws -> Void
    ) -> ServerRoute {
        now(nil, "/fault/\(name)") { request in
            if request.version == .http2, let http2 { return http2 }
            return ServerResponse(body: .raw(play))
        }
    }

    private static func head(_ fields: String) -> String {
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\(fields)\r\n\r\n"
    }

    // MARK: Over HTTP/2

    /// Returns a body of 1000 bytes that runs a closure after `count` of them.
    private static func cut(
        after count: Int, _ then: @escaping @Sendable (ServerBodyWriter) async throws -> Void
    ) -> ServerResponse {
        ServerResponse(
            headers: ["Content-Type": "text/plain"],
            body: .stream(length: 1000) { writer in
                try await writer.write(String(repeating: "x", count: count))
                try await then(writer)
            })
    }

    private static let badChunk = ServerResponse(
        headers: ["Content-Type": "text/plain"],
        body: .stream(length: nil) { writer in
            try await writer.write("hello")
            throw ServerStreamReset.protocolError
        })

    private static func untilCancelled() async throws {
        while true { try await Task.sleep(for: .seconds(3600)) }
    }

    /// `HEADERS` and `CONTINUATION` frames (RFC 9113 §6.2, §6.10) none of which has `END_HEADERS`.
    private static func endlessBlock(_ connection: ServerRawConnection, stream: UInt32) async throws {
        // `:status: 200` of HPACK's static table (RFC 7541 Appendix A).
        var block: [UInt8] = [0x88]
        var type: UInt8 = 0x1
        var number = 0
        while true {
            while block.count < 12 << 10 {
                let name = Array("x-endless-\(number)".utf8)
                // A literal that is not indexed, name and value as plain text (RFC 7541 §6.2.2).
                block += [0x00, UInt8(name.count)] + name + [64] + Array(repeating: 0x61, count: 64)
                number &+= 1
            }
            let length = [UInt8(block.count >> 16), UInt8(block.count >> 8 & 0xFF), UInt8(block.count & 0xFF)]
            let identifier = [24, 16, 8, 0].map { UInt8(stream >> $0 & 0xFF) }
            try await connection.write(length + [type, 0] + identifier + block)
            type = 0x9
            block = []
        }
    }
}
