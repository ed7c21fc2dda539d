import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Responses of several parts", .timeLimit(.minutes(5)))
struct PartResponseTests {
    @Test("parts are written as given")
    func parts() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/report") { _ in
                .multipart(
                    [
                        ServerResponse(headers: ["A": "1", "B": "2"], body: .bytes(Array("one".utf8))),
                        ServerResponse(),
                    ],
                    subtype: "related", boundary: "b", status: 201, headers: ["X-Report": "7"])
            }
            server.route("GET", "/none") { _ in .multipart([], boundary: "b") }
            let report = try await server.ask("GET", "/report")
            expectEqual(report.status, 201)
            expectEqual(report.headers["Content-Type"], "multipart/related; boundary=\"b\"")
            expectEqual(report.headers["X-Report"], "7")
            expectEqual(report.text, "--b\r\nA: 1\r\nB: 2\r\n\r\none\r\n--b\r\n\r\n\r\n--b--\r\n")
            try await expectEqual(server.ask("GET", "/none").text, "--b--\r\n")
            server.route("GET", "/streamed") { _ in
                .multipart(
                    [.text("one"), ServerResponse(body: .stream(length: 3) { try await $0.write("two") })],
                    boundary: "b")
            }
            let streamed = try await server.ask("GET", "/streamed")
            expectEqual(streamed.headers["Transfer-Encoding"], "chunked")
            expectEqual(
                streamed.text,
                "--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\none\r\n--b\r\n\r\ntwo\r\n--b--\r\n")
        }
    }

    @Test(
        "a Range field decides which bytes are sent",
        arguments: [
            ("bytes=0-1", 206, "bytes 0-1/26", "ab"), ("bytes=-2", 206, "bytes 24-25/26", "yz"),
            ("bytes=24-99", 206, "bytes 24-25/26", "yz"), ("bytes=30-,0-1", 206, "bytes 0-1/26", "ab"),
            ("bytes=26-,-0", 416, "bytes */26", ""), ("bytes=5-2,0-1", 200, "", ""), ("lines=0-1,3-4", 200, "", ""),
            ("bytes=", 200, "", ""), ("bytes=,", 200, "", ""), ("bytes=0-1,x", 200, "", ""),
            ("bytes=0-,25-25", 200, "", ""), ("bytes=0-,30-", 206, "bytes 0-25/26", "abcdefghijklmnopqrstuvwxyz"),
        ])
    func ranges(asked: String, status: Int, range: String, body: String) async throws {
        try await TestServer.withServer { server in
            let response = try await server.ask("GET", "/ranges/26", headers: ["Range": asked])
            expectEqual(response.status, status)
            expectEqual(response.headers["Content-Range"] ?? "", range)
            if status == 206 { expectEqual(response.text, body) }
            if status == 200 { expectEqual(response.text, "abcdefghijklmnopqrstuvwxyz") }
        }
    }

    @Test("several ranges are parts, as requested and in that order; 100 of them at most")
    func several() async throws {
        try await TestServer.withServer { server in
            let response = try await server.ask("GET", "/ranges/26", headers: ["Range": "bytes=4-5, ,0-1 ,-1,90-"])
            expectEqual(response.status, 206)
            expectNil(response.headers["Content-Range"])
            expectEqual(
                response.headers["Content-Type"], "multipart/byteranges; boundary=\"sterna-testing-part\"")
            let parts = [("4-5", "ef"), ("0-1", "ab"), ("25-25", "z")].map { range, text in
                "--sterna-testing-part\r\nContent-Type: application/octet-stream\r\n"
                    + "Content-Range: bytes \(range)/26\r\n\r\n\(text)\r\n"
            }
            expectEqual(response.text, parts.joined() + "--sterna-testing-part--\r\n")
            for (count, status) in [(100, 206), (101, 200)] {
                let asked = "bytes=" + (0..<count).map { "\(2 * $0)-\(2 * $0)" }.joined(separator: ",")
                try await expectEqual(server.ask("GET", "/ranges/1000", headers: ["Range": asked]).status, status)
            }
        }
    }

    @Test("ranges hold only for their entity tag", arguments: [("\"range9\"", 206), ("\"range8\"", 200)])
    func ifRange(tag: String, status: Int) async throws {
        try await TestServer.withServer { server in
            let headers: ServerHeaders = ["Range": "bytes=1-2,4-5", "If-Range": tag]
            try await expectEqual(server.ask("GET", "/ranges/9", headers: headers).status, status)
        }
    }

    @Test("frames have their length, and an end if their count is given")
    func frames() async throws {
        try await TestServer.withServer { server in
            let response = try await server.ask("GET", "/frames?count=2&rate=1000")
            expectEqual(response.headers["Content-Type"], "multipart/x-mixed-replace; boundary=sterna-testing-part")
            let frames = (0..<2).map { number in
                "--sterna-testing-part\r\nContent-Type: text/plain\r\nContent-Length: 7\r\n\r\nframe \(number)\r\n"
            }
            expectEqual(response.text, frames.joined() + "--sterna-testing-part--\r\n")
            try await expectEqual(server.ask("GET", "/frames?count=0").text, "--sterna-testing-part--\r\n")
        }
    }
}
