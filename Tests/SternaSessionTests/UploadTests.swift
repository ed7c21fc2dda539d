import NIOCore
import Sterna
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

#if Foundation
import Foundation

@testable import SternaTestSupport
#endif

@Suite("Uploads", .timeLimit(.minutes(5)))
struct UploadTests {
    private static func withEcho(_ work: (Session, TestServer) async throws -> Void) async throws {
        try await TestServer.withServer { server in
            try await work(try Session(baseURL: server.url) { $0.network.engine = Engine() }, server)
        }
    }

    @Test("Bytes, data, a stream and a file arrive as they are, with their type and length")
    func sources() async throws {
        try await Self.withEcho { api, server in
            let folder = try TestFolder()
            let path = try folder.write(Array("content".utf8), to: "a.csv")
            let stream = AsyncStream<Bytes> {
                $0.yield(Bytes(text: "str"))
                $0.yield(Bytes(text: "eam"))
                $0.finish()
            }
            let replies: [(Reply, String, String)] = [
                (try await api.upload(.text("text"), to: "post"), "text", "text/plain; charset=utf-8"),
                (try await api.upload(.data(Data("data".utf8)), to: "post"), "data", "application/octet-stream"),
                (try await api.upload(.stream(stream, mediaType: "a/b"), to: "post"), "stream", "a/b"),
                (try await api.upload(file: path, to: "post"), "content", "text/csv"),
                (try await api.upload(file: URL(filePath: path), to: "post", mediaType: "x/y"), "content", "x/y"),
            ]
            for (reply, text, type) in replies {
                let echo = try await reply.json()
                expectEqual(echo["data"].string, text)
                expectEqual(echo["headers"]["Content-Type"].string, type)
            }
            try await expectEqual(api.upload(file: path, to: "put", method: .put).json()["data"].string, "content")
        }
    }

    @Test("A multipart form has its parameters in front; an empty form has no body")
    func multipart() async throws {
        try await Self.withEcho { api, server in
            let folder = try TestFolder()
            let path = try folder.write(Array("content".utf8), to: "a.csv")
            let caption = "A view"
            let echo = try await api.upload(
                "post", parameters: ["first": 1],
                multipart: { form in
                    form.append(file: path, name: "image")
                    form.append(caption, name: "caption")
                }
            ).json()
            expectEqual(echo["form"], ["first": "1", "caption": "A view"])
            expectEqual(echo["files"], ["image": "content"])
            let empty = try await api.upload("post", multipart: { _ in }).json()
            expectEqual(empty["data"].string, "")
            expectEqual(empty["headers"]["Content-Length"].string, "0")
            let error = await #expect(throws: SternaError.self) {
                try await api.upload("post", multipart: { $0.append(file: "/none/at/all", name: "a") })
            }
            #expect(error?.underlying as? BodyFault == .unreachable(path: "/none/at/all", code: 2))
            expectEqual(server.requestCount, 2)
        }
    }

    @Test("A form filled in field by field; GET becomes POST")
    func form() async throws {
        try await Self.withEcho { api, server in
            var form = FormBuilder()
            form.add("1", for: "a")
            form.add("2", for: "a")
            let echo = try await api.submit(form, to: "anything", method: .get).json()
            expectEqual(echo["method"].string, "POST")
            expectEqual(echo["form"], ["a": ["1", "2"]])
            form.add(Data("d".utf8), for: "f")
            let parts = try await api.submit(form, to: "anything", method: .put).json()
            expectEqual(parts["method"].string, "PUT")
            expectEqual(parts["files"], ["f": "d"])
        }
    }

    @Test("GET and HEAD have no body: an error before anything is sent", arguments: [Request.Method.get, .head])
    func methods(method: Request.Method) async throws {
        try await Self.withEcho { api, server in
            let error = await #expect(throws: SternaError.self) {
                try await api.upload(.text("a"), to: "post", method: method)
            }
            #expect(error?.underlying as? BodyFault == .methodWithoutBody(method.rawValue))
            let url = try #require(URL(string: "https://example.com/a"))
            let notFile = await #expect(throws: SternaError.self) { try await api.upload(file: url, to: "post") }
            #expect(notFile?.underlying as? BodyFault == .notAFileURL(scheme: "https"))
            expectEqual(server.requestCount, 0)
        }
    }

    @Test("Compressed bodies have Content-Encoding, and a length if they were collected")
    func compressed() async throws {
        try await Self.withEcho { api, server in
            let body = Body.text(String(repeating: "a", count: 100_000))
            for collected in [false, true] {
                let coded = collected ? try await body.compressed().collected() : body.compressed()
                let echo = try await api.upload(coded, to: "post").json()
                expectEqual(echo["headers"]["Content-Encoding"].string, "gzip")
                expectEqual(echo["headers"]["Content-Type"].string, "text/plain; charset=utf-8")
                expectEqual((echo["headers"]["Content-Length"].string != nil), collected)
            }
            #expect((server.requests().last?.bodySize ?? .max) < 1_000)
        }
    }

    @Test("Progress has the total, ends at it, and has a rate if the upload lasts long enough")
    func progress() async throws {
        try await Self.withEcho { api, server in
            let steps = Mutex<[TransferProgress]>([])
            let body = Body.bytes([UInt8](repeating: 0x61, count: 8 << 20)).throttled(
                packets: 1 << 20, delay: .milliseconds(60))
            try await api.upload(body, to: "post") {
                $0.responseSerializer = DataResponseSerializer(validation: ResponseValidation(statuses: 100..<600))
            } progress: { step in
                steps.withLock { $0.append(step) }
            }
            let seen = steps.withLock { $0 }
            expectEqual(seen.last?.completed, 8 << 20)
            #expect(seen.allSatisfy { $0.total == 8 << 20 })
            expectEqual(seen.map(\.completed), seen.map(\.completed).sorted())
            expectEqual(seen.last?.rate.map { $0 > 0 }, true)
            #expect("\(seen.last.map { "\($0)" } ?? "")".contains("100% of"))
        }
    }

    #if Foundation
    @Test("NSNull is null, and an Encodable value is a form")
    func nulls() throws {
        let parameters = try Parameters(untyped: ["a": NSNull(), "b": [NSNull()] as [Any]])
        try expectEqual(QueryEncoder().encode(parameters), "a&b%5B%5D")
        struct Note: Encodable { var text = "a b" }
        let body = try Body.form(encoding: Note())
        guard case .bytes(let bytes)? = body.segments.first else { return }
        expectEqual(bytes.text, "text=a%20b")
        #expect(throws: SternaError.self) { try Body.form(encoding: [1, 2]) }
    }
    #endif
}
