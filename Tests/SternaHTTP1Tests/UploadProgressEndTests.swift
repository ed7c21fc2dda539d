import NIOCore
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

@Suite("How the progress of uploads ends", .timeLimit(.minutes(5)))
struct UploadProgressEndTests {
    @Test("An empty body is reported as sent")
    func empty() async throws {
        try await RequestBodyTests.withEcho(secure: false) { api, _ in
            let steps = Mutex<[TransferProgress]>([])
            try await api.upload(.bytes([]), to: "echo", progress: { step in steps.withLock { $0.append(step) } })
            let last = steps.withLock { $0.last }
            expectEqual(last?.completed, 0)
            expectEqual(last?.total, 0)
        }
    }

    @Test("A form that is sent again restarts every part, and its progress")
    func again() async throws {
        let content = Wire.pattern(300_000)
        let file = try TestFile(content)
        var form = MultipartForm(boundary: "BOUND")
        form.append("1", name: "a")
        form.append(file: file.path, name: "f")
        let body = try #require(try form.body())
        let first: [ScriptedServer.Step] = [
            .receiveHead, .receive(atLeast: 200_000),
            .send("HTTP/1.1 307 Elsewhere\r\nLocation: /b\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"),
            .waitForClose,
        ]
        let second: [ScriptedServer.Step] = [
            .receiveHead, .receive(atLeast: Int(body.length ?? .max)), .answer("there"),
        ]
        try await ScriptedServer.withServer(connections: [first, second]) { server in
            let steps = Mutex<[TransferProgress]>([])
            let reply = try await Wire.session(server.url).upload(
                body, to: "a", progress: { step in steps.withLock { $0.append(step) } })
            try await expectEqual(reply.text(), "there")
            let last = server.acceptedConnections - 1
            let received = server.received(connection: last)
            #expect(received.suffix(12).elementsEqual("\r\n--BOUND--\r\n".utf8.suffix(12)))
            let seen = steps.withLock { $0 }
            #expect(seen.allSatisfy { $0.completed <= body.length ?? 0 && $0.total == body.length })
            expectEqual(seen.last?.completed, body.length)
        }
    }
}
