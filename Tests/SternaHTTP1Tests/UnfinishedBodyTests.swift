import NIOCore
import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Bodies whose sources fail: the server must be able to see that something is missing, and gets no byte too many.
@Suite("Incomplete bodies", .timeLimit(.minutes(5)))
struct UnfinishedBodyTests {
    private struct Broken: Error, CustomStringConvertible {
        var description: String { "line one\r\nX: \u{1B}[2Jtwo" }
    }

    private static func source(_ pieces: [String], fails: Bool) -> AsyncThrowingStream<Bytes, any Error> {
        AsyncThrowingStream { continuation in
            for piece in pieces { continuation.yield(Bytes(text: piece)) }
            continuation.finish(throwing: fails ? Broken() : nil)
        }
    }

    private func sent(_ form: MultipartForm, compressed: Bool = false) async throws -> (String, SternaError?) {
        try await ScriptedServer.withServer(connections: [[.receiveHead, .waitForClose]]) { server in
            var body = try #require(try form.body())
            if compressed { body = body.compressed() }
            let error = await #expect(throws: SternaError.self) {
                try await Wire.session(server.url).post("a", body: body)
            }
            #expect(try await server.waitForClose(connection: 0, within: 60))
            return (String(decoding: server.received(connection: 0), as: UTF8.self), error)
        }
    }

    @Test("A part that fails midway ends neither the form nor the chunks", arguments: [nil, 100])
    func failing(length: Int64?) async throws {
        for compressed in [false, true] {
            var form = MultipartForm(boundary: "BOUND")
            form.append("1", name: "a")
            form.append(stream: Self.source(["some"], fails: true), length: length, name: "f", fileName: "x")
            form.append("2", name: "b")
            let (text, error) = try await sent(form, compressed: compressed)
            expectEqual(error?.kind, .writeFailed)
            #expect(!text.contains("--BOUND--"))
            #expect(!text.contains("\r\n0\r\n"))
            #expect(!text.contains("name=\"b\""))
        }
    }

    @Test("A source's error is shown in one line")
    func message() async throws {
        var form = MultipartForm()
        form.append(stream: Self.source([], fails: true), name: "f")
        let (_, error) = try await sent(form)
        let text = try #require(error).description
        #expect(text.contains("line one"))
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 })
    }

    @Test("A part that is longer than declared is cut, and the bytes after it are not sent")
    func tooLong() async throws {
        var form = MultipartForm(boundary: "BOUND")
        form.append(stream: Self.source(["1234", "5678EXTRA"], fails: false), length: 8, name: "f", fileName: "x")
        let (text, error) = try await sent(form)
        #expect(error?.underlying as? BodyFault == .tooLong(declared: 8))
        #expect(!text.contains("EXTRA"))
        #expect(!text.contains("--BOUND--"))
    }

    @Test("Empty parts do not end a chunked body")
    func empty() async throws {
        let file = try TestFile([])
        var form = MultipartForm(boundary: "BOUND")
        form.append(stream: Self.source(["", ""], fails: false), name: "s", fileName: "x")
        form.append(file: file.path, name: "f", fileName: "y")
        form.append(Bytes(), name: "b")
        form.append(Body(segments: [.bytes(Bytes()), .bytes(Bytes())]), name: "c")
        form.append("end", name: "d")
        try await RequestBodyTests.withEcho(secure: false) { api, _ in
            let text = try await api.post("echo", body: form.body()).body.text
            #expect(text.hasSuffix("name=\"d\"\r\n\r\nend\r\n--BOUND--\r\n"))
            expectEqual(text.components(of: "--BOUND\r\n"), 5)
        }
    }

    @Test("Lengths above 4 GiB are declared as they are")
    func long() async throws {
        let file = try TestFile([])
        try #require(truncate(file.path, 5 << 30) == 0)
        var form = MultipartForm(boundary: "B")
        form.append(file: file.path, name: "f", fileName: "x")
        let body = try #require(try form.body())
        try await ScriptedServer.withServer(
            connections: [[.receiveHead, .send("HTTP/1.1 413 No\r\nContent-Length: 0\r\n\r\n")]]
        ) { server in
            let error = await #expect(throws: SternaError.self) {
                try await Wire.session(server.url).post("a", body: body)
            }
            expectEqual(error?.status, 413)
            let head = String(decoding: server.received(connection: 0).prefix(2_000), as: UTF8.self)
            // 102 bytes of frame, by V4 of a form with another type and no content.
            let frame =
                "--B\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x\"\r\n"
                + "Content-Type: application/octet-stream\r\n\r\n\r\n--B--\r\n"
            #expect(head.contains("\r\nContent-Length: \((5 << 30) + frame.utf8.count)\r\n"))
        }
    }
}

extension String {
    fileprivate func components(of mark: String) -> Int { ranges(of: mark).count }
}
