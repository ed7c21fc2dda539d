extension BuiltInRoutes {
    /// Answers that break the protocol, each on a connection it ends.
    static let faults: [ServerRoute] = [
        fault("close") { _ in },
        fault("close-half") { connection in
            try await connection.write(head("Content-Length: 1000") + String(repeating: "x", count: 500))
        },
        fault("never") { await $0.waitForClose() },
        fault("garbage") { connection in
            try await connection.write([0x00, 0xFF, 0x16, 0x03] + Array("no HTTP at all\r\n\r\n".utf8))
        },
        fault("endless-head") { connection in
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
        fault("stall") { connection in
            try await connection.write(head("Content-Length: 1000") + String(repeating: "x", count: 100))
            await connection.waitForClose()
        },
        fault("reset") { await $0.reset() },
        fault("reset-half") { connection in
            try await connection.write(head("Content-Length: 1000") + String(repeating: "x", count: 500))
            await connection.reset()
        },
        fault("both-lengths") { connection in
            try await connection.write(
                head("Content-Length: 5\r\nTransfer-Encoding: chunked") + "5\r\nhello\r\n0\r\n\r\n")
        },
        fault("bad-chunk") { connection in
            try await connection.write(head("Transfer-Encoding: chunked") + "5\r\nhello\r\nzz\r\n")
        },
    ]

    private static func fault(
        _ name: String, _ play: @escaping @Sendable (ServerRawConnection) async throws -> Void
    ) -> ServerRoute {
        now(nil, "/fault/\(name)") { _ in ServerResponse(body: .raw(play)) }
    }

    private static func head(_ fields: String) -> String {
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\(fields)\r\n\r\n"
    }
}
