import HTTPTypes
import SternaCore
import SternaTesting
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Cache: a 304 with another Vary")
struct CacheVaryUpdateTests {
    /// A server whose pages vary on `Accept-Language`, and whose 304s state another Vary.
    private func scene(_ vary: String?, folder: CacheTestFolder? = nil) throws -> CacheScene {
        try CacheScene(folder: folder?.path) { request in
            guard request.headers[.ifNoneMatch] == "\"1\"" else {
                return .cached("body", "max-age=10", ["ETag": "\"1\"", "Vary": "Accept-Language"])
            }
            var fields: ServerHeaders = ["ETag": "\"1\"", "Cache-Control": "max-age=60"]
            fields[.vary] = vary
            return .init(status: 304, headers: fields)
        }
    }

    private static let german: Headers = ["Accept-Language": "de", "X-A": "1"]

    @Test(
        "The next request is served from the cache, and one with other values is not",
        arguments: [nil, "X-A", "Accept-Language, X-A", "accept-language", "X-B"], [true, false])
    func union(vary: String?, isOnDisk: Bool) async throws {
        let folder = CacheTestFolder()
        let scene = try scene(vary, folder: isOnDisk ? folder : nil)
        _ = try await scene.api.get("a", headers: Self.german)
        scene.advance(11)
        try await expectEqual(scene.api.get("a", headers: Self.german).source, .revalidated)
        for _ in 0..<2 { try await expectEqual(scene.api.get("a", headers: Self.german).source, .cache) }
        expectEqual(scene.sent, 2)
        // A start of another process.
        if isOnDisk {
            await scene.cache.sync()
            let second = try self.scene(vary, folder: folder)
            second.advance(11)
            try await expectEqual(second.api.get("a", headers: Self.german).source, .cache)
        }
        let other = vary?.lowercased().contains("x-a") == true
        let different: Headers = ["Accept-Language": "de", "X-A": "2"]
        try await expectEqual(scene.api.get("a", headers: different).source, other ? .network : .cache)
        let french: Headers = ["Accept-Language": "fr", "X-A": "1"]
        try await expectEqual(scene.api.get("a", headers: french).source, .network)
    }

    @Test("With Vary: *, each request is validated, and the body is sent once", arguments: [true, false])
    func anything(isOnDisk: Bool) async throws {
        let folder = CacheTestFolder()
        let scene = try scene("*", folder: isOnDisk ? folder : nil)
        _ = try await scene.api.get("a", headers: Self.german)
        for _ in 0..<3 {
            scene.advance(11)
            let reply = try await scene.api.get("a", headers: Self.german)
            #expect(reply.source == .revalidated && reply.body.text == "body")
        }
        let reply = try await scene.api.get("a", headers: Self.german)
        expectEqual(reply.headers["Cache-Status"]?.contains("fwd=vary-miss; fwd-status=304"), true)
        expectEqual(scene.sent, 5)
        let offline = scene.api.with { $0.cache.isOffline = true }
        let error = await #expect(throws: SternaError.self) { try await offline.get("a", headers: Self.german) }
        expectEqual(error?.status, 504)
    }

    @Test("A response to HEAD with another Vary updates the stored one")
    func head() async throws {
        let scene = try CacheScene { request in
            guard request.method == .head else {
                return .cached("body", "max-age=10", ["ETag": "\"1\"", "Vary": "Accept-Language"])
            }
            return .init(status: 200, headers: ["ETag": "\"1\"", "Vary": "X-A", "Cache-Control": "max-age=60"])
        }
        _ = try await scene.api.get("a", headers: Self.german)
        scene.advance(11)
        _ = try await scene.api.head("a", headers: Self.german)
        try await expectEqual(scene.api.get("a", headers: Self.german).source, .cache)
        expectEqual(scene.sent, 2)
    }

    @Test("A new response replaces one that varies on further fields since a 304")
    func replaced() async throws {
        let numbers = Numbers()
        let scene = try CacheScene { _ in
            switch numbers.next {
            case 1: .cached("old", "max-age=10", ["ETag": "\"1\"", "Vary": "Accept-Language"])
            case 2: .init(status: 304, headers: ["ETag": "\"1\"", "Vary": "X-A"])
            default: .cached("new", "max-age=10", ["ETag": "\"2\"", "Vary": "X-A, Accept-Language"])
            }
        }
        for text in ["old", "old", "new"] {
            try await expectEqual(scene.api.get("a", headers: Self.german).text(), text)
            scene.advance(11)
        }
        await expectEqual(scene.cache.usage().entries, 1)
    }
}
