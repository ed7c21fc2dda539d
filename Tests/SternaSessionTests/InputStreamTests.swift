#if Foundation
import Foundation
import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Foundation's input streams as bodies", .timeLimit(.minutes(5)))
struct InputStreamTests {
    @Test("A stream is sent whole, once, with a length and without")
    func sent() async throws {
        try await TestServer.withServer { server in
            server.route("POST", "/echo") { request in
                ServerResponse(body: .bytes(try await request.body.collect()))
            }
            let api = try Session(baseURL: server.url) { $0.network.engine = Engine() }
            let data = Data(noise(300_000))
            for length in [nil, Int64(data.count)] {
                let body = Body.stream(InputStream(data: data), length: length, mediaType: "a/b")
                #expect(!body.isReplayable)
                let reply = try await api.upload(body, to: "echo") { $0.responseSerializer = DataResponseSerializer() }
                try expectEqual(reply.data(), data)
                let again = await #expect(throws: SternaError.self) { try await api.upload(body, to: "echo") }
                expectEqual(again?.kind, .bodyNotReplayable)
            }
            var form = MultipartForm()
            form.append(.stream(InputStream(data: Data("part".utf8)), length: 4), name: "f", fileName: "a.txt")
            let echo = try await api.upload(try #require(try form.body()), to: "post").json()
            expectEqual(echo["files"], ["f": "part"])
        }
    }

    @Test("An unreadable stream, and one of another length, fail the request")
    func broken() async throws {
        try await TestServer.withServer { server in
            server.route("POST", "/echo") { request in
                ServerResponse(body: .bytes(try await request.body.collect()))
            }
            let api = try Session(baseURL: server.url) { $0.network.engine = Engine() }
            let missing = try #require(InputStream(fileAtPath: "/none/at/all"))
            let unread = await #expect(throws: SternaError.self) { try await api.upload(.stream(missing), to: "echo") }
            expectEqual(unread?.kind, .writeFailed)
            let short = Body.stream(InputStream(data: Data("abc".utf8)), length: 4)
            let error = await #expect(throws: SternaError.self) { try await api.upload(short, to: "echo") }
            #expect(error?.underlying as? BodyFault == .tooShort(delivered: 3, declared: 4))
        }
    }
}
#endif
