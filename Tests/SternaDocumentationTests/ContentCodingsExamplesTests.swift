import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The examples of docs/ContentCodings.md, so that they compile and do what it says.
@Suite("Examples: content codings")
struct ContentCodingsExamplesTests {
    private let text = String(repeating: "the Arctic tern flies further; ", count: 100)

    private func answer(_ request: ServerRequest) async throws -> ServerResponse {
        guard request.method == "GET" else { return .text("\(try await request.body.collect().count)") }
        var response = ServerResponse(body: .bytes(Zlib.gzip(text)))
        response.headers["Content-Encoding"] = "gzip"
        response.headers["Content-Type"] = "text/plain"
        return response
    }

    @Test("Decoded, left as it came, and compressed")
    func codings() async throws {
        try await TestServer.withServer { server in
            for path in ["/page", "/rows"] { server.route(nil, path) { try await answer($0) } }
            let api = try Session(baseURL: server.url) { $0.responseSerializer = .text }
            let rows = Body.text(text)

            let page = try await api.get("page").text()  // decoded, whatever the coding
            let coded = try await api.get("page", headers: ["Accept-Encoding": "gzip"]) { $0.decodesContent = false }
            print(coded.headers["Content-Encoding"] ?? "none", try coded.data().count)  // the bytes as they came

            try await api.post("rows", body: rows.compressed())  // gzip, in chunks
            try await api.post("rows", body: rows.compressed(.deflate, level: 9).collected())  // with a length

            #expect(page == text)
            #expect(coded.headers["Content-Encoding"] == "gzip")
            #expect(try coded.data().count < text.utf8.count / 2)
            let posted = server.requests().filter { $0.method == "POST" }
            #expect(posted.map { $0.headers["Content-Encoding"] } == ["gzip", "deflate"])
            #expect(posted.map { $0.headers["Content-Length"] == nil } == [true, false])
            #expect(posted.allSatisfy { $0.bodySize < text.utf8.count / 2 })
        }
    }

    #if Brotli && Zstd
    @Test("With the traits")
    func traits() async throws {
        try await TestServer.withServer { server in
            server.route(nil, "/rows") { try await answer($0) }
            let api = try Session(baseURL: server.url) { $0.responseSerializer = .text }
            let rows = Body.text(text)

            try await api.post("rows", body: rows.compressed(.zstd))
            try await api.post("rows", body: rows.compressed(.brotli, level: 9))

            #expect(server.requests().map { $0.headers["Content-Encoding"] } == ["zstd", "br"])
        }
    }
    #endif
}
