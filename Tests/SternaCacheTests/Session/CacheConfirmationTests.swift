import HTTPTypes
import NIOCore
import SternaCore
import SternaTesting
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Cache: a 304 with other validators")
struct CacheConfirmationTests {
    private static let (second, later) = ("Tue, 31 Dec 2024 23:00:00 GMT", "Tue, 31 Dec 2024 23:00:01 GMT")

    /// The validators of a page, those of its 304.
    static let validators: [(ServerHeaders, ServerHeaders)] = [
        // nginx with gzip, Apache, Django's middleware.
        (["ETag": "W/\"x\""], ["ETag": "\"x\""]), (["ETag": "\"x-gzip\""], ["ETag": "\"x\""]),
        (["ETag": "\"x\""], ["ETag": "W/\"x\""]), (["ETag": "\"x\""], ["ETag": "\"y\""]),
        (["ETag": "abc"], ["ETag": "abc"]), (["ETag": "abc"], ["ETag": "\"abc\""]), (["ETag": "abc"], [:]),
        (["ETag": "\"x\"", "Last-Modified": second], ["Last-Modified": later]),
        (["Last-Modified": second], ["Last-Modified": later]), (["Last-Modified": second], ["ETag": "\"x\""]),
    ]

    @Test("One request without a body validates the stored response, which keeps its validators", arguments: validators)
    func confirms(stored: ServerHeaders, stated: ServerHeaders) async throws {
        let scene = try CacheScene { request in
            // The condition is the server's validator, unchanged.
            guard request.headers[.ifNoneMatch] == stored[.eTag],
                request.headers[.ifModifiedSince] == stored[.lastModified]
            else { return .cached("body", "max-age=10", stored) }
            var fields = stated
            fields[.cacheControl] = "max-age=30"
            fields[.contentType] = "text/html"
            fields[.contentEncoding] = "br"
            return .init(status: 304, headers: fields)
        }
        for round in 1...3 {
            let reply = try await scene.api.get("a")
            expectEqual(reply.source, round == 1 ? .network : .revalidated)
            expectEqual(reply.body.text, "body")
            expectEqual(reply.headers[.eTag], stored[.eTag])
            expectEqual(reply.headers[.lastModified], stored[.lastModified])
            expectEqual(reply.headers[.contentType], "text/plain")
            expectNil(reply.headers[.contentEncoding])
            expectEqual(scene.sent, round)
            try await expectEqual(scene.api.get("a").source, .cache)
            scene.advance(31)
        }
    }

    @Test(
        "Bytes under the strong tag of a 304 are not joined with those stored under a weak one",
        arguments: [true, false])
    func range(isOnDisk: Bool) async throws {
        let folder = CacheTestFolder()
        let scene = try CacheScene(folder: isOnDisk ? folder.path : nil) { request in
            if let range = request.headers[.range] {
                return .init(
                    status: 206,
                    headers: [
                        "ETag": "\"x\"", "Cache-Control": "max-age=10", "Content-Type": "text/plain",
                        "Content-Range": range == "bytes=0-4" ? "bytes 0-4/10" : "bytes 5-9/10",
                    ], body: ResponseBody(Bytes(text: range == "bytes=0-4" ? "ABCDE" : "FGHIJ")))
            }
            if request.headers[.ifNoneMatch] != nil {
                return .init(status: 304, headers: ["ETag": "\"x\"", "Cache-Control": "max-age=10"])
            }
            return .cached("abcdefghij", "max-age=10", ["ETag": "W/\"x\""])
        }
        _ = try await scene.api.get("a")
        scene.advance(11)
        try await expectEqual(scene.api.get("a").source, .revalidated)
        scene.advance(11)
        for (range, text) in [("bytes=0-4", "ABCDE"), ("bytes=5-9", "FGHIJ")] {
            let part = try await scene.api.get("a", headers: ["Range": .init(stringLiteral: range)])
            expectEqual(part.body.text, text)
            expectEqual(part.source, .network)
        }
        // All bytes are those of the strong tag.
        let whole = try await scene.api.get("a")
        expectEqual(whole.body.text, "ABCDEFGHIJ")
        expectEqual(whole.headers[.eTag], "\"x\"")
    }

    @Test(
        "A range of a page that is stored compressed, without Vary, refers to the uncompressed page",
        arguments: [0, 11])
    func codedRange(age: Int64) async throws {
        let text = "abcdefghij"
        let coded = Zlib.deflate(Array(text.utf8), .gzip)
        let scene = try CacheScene { request in
            if request.headers[.range] != nil {
                return .init(
                    status: 206, headers: ["ETag": "\"x\"", "Content-Range": "bytes 0-4/10"],
                    body: ResponseBody(Bytes(text: "abcde")))
            }
            if request.headers[.ifNoneMatch] != nil {
                return .init(status: 304, headers: ["ETag": "\"x\"", "Cache-Control": "max-age=10"])
            }
            return .init(
                status: 200, headers: ["ETag": "W/\"x\"", "Cache-Control": "max-age=10", "Content-Encoding": "gzip"],
                body: ResponseBody(Bytes(bytes: coded)))
        }
        try await expectEqual(scene.api.get("a").body.text, text)
        scene.advance(11)
        let confirmed = try await scene.api.get("a")
        #expect(confirmed.source == .revalidated && confirmed.body.text == text)
        scene.advance(age)
        let part = try await scene.api.get("a", headers: ["Range": "bytes=0-4"])
        #expect(part.status == 206 && part.source == .network && part.body.text == "abcde")
    }

    @Test("After a 304 to a request without conditions, the request is sent again")
    func unknown() async throws {
        let numbers = Numbers()
        let scene = try CacheScene { _ in
            switch numbers.next {
            case 1: .cached("old", "max-age=10, stale-while-revalidate=60")
            case 2: .init(status: 304, headers: ["ETag": "\"other\""])
            default: .cached("new", "max-age=60")
            }
        }
        _ = try await scene.api.get("a")
        scene.advance(11)
        try await expectEqual(scene.api.get("a").text(), "old")
        await scene.cache.waitForRefreshes(within: .seconds(60))
        expectEqual(scene.sent, 3)
        let reply = try await scene.api.get("a")
        #expect(reply.body.text == "new" && reply.source == .cache)
    }

    @Test("The caller's own condition validates only the response that it names")
    func callers() async throws {
        let scene = try CacheScene { request in
            request.headers[.ifNoneMatch] == nil
                ? .cached("x", "max-age=10", ["ETag": "\"1\""])
                : .init(status: 304, headers: ["ETag": "\"2\"", "Cache-Control": "max-age=60"])
        }
        _ = try await scene.api.get("a")
        scene.advance(11)
        let status = try await scene.api.withResponse(to: .get("a", headers: ["If-None-Match": "\"2\""])) {
            $0.status.code
        }
        expectEqual(status, 304)
        // The stored response is as stale as before, and validated by its own tag.
        try await expectEqual(scene.api.get("a").source, .revalidated)
        expectEqual(scene.sent, 3)
    }

    @Test("A tag without quotes is sent back unchanged")
    func unquoted() async throws {
        let page: [ScriptedServer.Step] = [
            .receiveHead,
            .send("HTTP/1.1 200 OK\r\nETag: abc-gzip\r\nCache-Control: no-cache\r\nContent-Length: 4\r\n\r\nbody"),
        ]
        let confirmation: [ScriptedServer.Step] = [
            .receiveHead, .send("HTTP/1.1 304 Not Modified\r\nETag: \"abc\"\r\nContent-Length: 4\r\n\r\n"),
        ]
        try await ScriptedServer.withServer(connections: [page + confirmation + confirmation]) { server in
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.cache.store = .memory()
                $0.retry = .none
            }
            for source in [ResponseSource.network, .revalidated, .revalidated] {
                let reply = try await api.get("a")
                expectEqual(reply.source, source)
                expectEqual(reply.body.text, "body")
            }
            let sent = String(decoding: server.received(connection: 0), as: UTF8.self).lowercased()
            expectEqual(sent.ranges(of: "if-none-match: abc-gzip\r\n").count, 2)
        }
    }
}
