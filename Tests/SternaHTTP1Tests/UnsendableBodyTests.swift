import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Bodies that cannot be sent are found out before the server sees a request.
@Suite("Bodies that cannot be sent", .timeLimit(.minutes(5)))
struct UnsendableBodyTests {
    @Test("A body that was already read sends no part of the request", arguments: [false, true])
    func readAlready(inForm: Bool) async throws {
        try await RequestBodyTests.withEcho(secure: false) { api, server in
            let stream = AsyncStream<Bytes> {
                $0.yield(Bytes(text: "once"))
                $0.finish()
            }
            var body = Body.stream(stream, length: 4)
            if inForm {
                var form = MultipartForm()
                form.append("1", name: "a")
                form.append(body, name: "f")
                body = try #require(try form.body())
            }
            let reply = try await api.post("echo", body: body)
            #expect(reply.body.text.contains("once"))
            let error = await Wire.failure(.bodyNotReplayable, .write) { try await api.post("echo", body: body) }
            expectEqual(error?.requestSent, false)
            try await api.get("1k")
            expectEqual(server.requestCount, 2)
        }
        try await ScriptedServer.withServer(connections: [[.receiveHead, .waitForClose]]) { server in
            let producer = BodyProducer(length: 4, isReplayable: false) {
                throw SternaError(.bodyNotReplayable, phase: .write, "No.")
            }
            await Wire.failure(.bodyNotReplayable, .write) {
                try await Wire.session(server.url).post("a", body: Body(segments: [.producer(producer)]))
            }
            let isClosed = try await server.waitForClose(connection: 0, within: 60)
            #expect(isClosed)
            #expect(server.received(connection: 0).isEmpty)
        }
    }

    @Test("Lengths whose sum overflows are not sent as a body without a length")
    func overflow() async throws {
        try await ScriptedServer.withServer(connections: [[.receiveHead, .answer("taken")]]) { server in
            let endless = BodyProducer(length: .max, isReplayable: true) { { nil } }
            let body = Body(segments: [.producer(endless), .producer(endless)])
            let error = await #expect(throws: SternaError.self) {
                try await Wire.session(server.url).post("a", body: body)
            }
            expectEqual(error?.kind, .invalidRequest)
            let isClosed = try await server.waitForClose(connection: 0, within: 60)
            #expect(isClosed)
            #expect(server.received(connection: 0).isEmpty)
        }
    }

    @Test("A compressed part of a form is refused")
    func codedPart() {
        var form = MultipartForm()
        form.append(Body.text("a").compressed(), name: "a")
        let error = #expect(throws: SternaError.self) { try form.body() }
        expectEqual(error?.kind, .encodingFailed)
    }
}
