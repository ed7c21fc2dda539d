import HTTPTypes
import SternaCore
import SternaPlatform
import SternaTesting
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Cache: identities")
struct CacheIdentityTests {
    private static func scene(_ control: String, _ more: ServerHeaders = [:]) throws -> CacheScene {
        let numbers = Numbers()
        return try CacheScene { _ in .cached("\(numbers.next)", control, more) }
    }

    static let callers: [@Sendable (inout SessionSettings) -> Void] = [
        { _ in },
        { $0.auth.header = .bearer("one") },
        { $0.auth.header = .bearer("two") },
        { $0.headers["Cookie"] = "id=1" },
        { $0.headers["Cookie"] = "id=2" },
        { $0.auth.identityLabel = "ada" },
        { $0.auth.identityLabel = "grace" },
        { settings in
            settings.headers["X-Api-Key"] = "one"
            settings.auth.secretHeaders = ["X-Api-Key"]
        },
        { settings in
            settings.headers["X-Api-Key"] = "two"
            settings.auth.secretHeaders = ["X-Api-Key"]
        },
    ]

    @Test(
        "Private or authorized responses are never served to another identity",
        arguments: ["max-age=60", "private, max-age=60"])
    func partitions(control: String) async throws {
        let scene = try Self.scene(control)
        for (index, caller) in Self.callers.enumerated() {
            try await expectEqual(scene.api.with(caller).get("a").text(), "\(index + 1)")
        }
        for (index, caller) in Self.callers.enumerated() {
            let reply = try await scene.api.with(caller).get("a")
            #expect(reply.body.text == "\(index + 1)" && reply.source == .cache)
        }
    }

    @Test("All identities share responses that are marked public")
    func everyone() async throws {
        let scene = try Self.scene("public, max-age=60")
        for caller in Self.callers { try await expectEqual(scene.api.with(caller).get("a").text(), "1") }
        expectEqual(scene.sent, 1)
    }

    @Test("A response that is both public and private is private")
    func both() async throws {
        let scene = try Self.scene("public, private, max-age=60")
        _ = try await scene.api.with(Self.callers[1]).get("a")
        try await expectEqual(scene.api.with(Self.callers[2]).get("a").text(), "2")
    }

    @Test("A response that is no longer public is not served to other identities")
    func change() async throws {
        let numbers = Numbers()
        let scene = try CacheScene { _ in
            let number = numbers.next
            return .cached("\(number)", number == 1 ? "public, max-age=60" : "private, max-age=60")
        }
        _ = try await scene.api.get("a")
        _ = try await scene.api.with(Self.callers[1]).get("a") { $0.cache.policy = .reload }
        try await expectEqual(scene.api.with(Self.callers[2]).get("a").text(), "3")
    }

    @Test("An unsafe request of one identity invalidates the responses of all")
    func invalidation() async throws {
        let scene = try Self.scene("max-age=60")
        _ = try await scene.api.with(Self.callers[1]).get("a")
        try await scene.api.with(Self.callers[2]).put("a", body: .text("x"))
        try await expectEqual(scene.api.with(Self.callers[1]).get("a").response.source, .network)
    }

    @Test("Cookies of the jar do not change the identity, but Vary: Cookie sees them")
    func jar() async throws {
        let numbers = Numbers()
        let scene = try CacheScene { request in
            let isVaried = request.url.path == "/varied"
            return .cached(
                "\(numbers.next) \(request.headers[.cookie] ?? "none")", "max-age=60",
                isVaried ? ["Vary": "Cookie"] : [:])
        }
        let jar = try #require(scene.api.settingsForTests.cookies.jar)
        try jar.set(Cookie(name: "a", value: "1", domain: "api.example.com"))
        _ = try await scene.api.get("plain")
        _ = try await scene.api.get("varied")
        try jar.set(Cookie(name: "a", value: "2", domain: "api.example.com"))
        try await expectEqual(scene.api.get("plain").text(), "1 a=1")
        try await expectEqual(scene.api.get("varied").text(), "3 a=2")
        // Another jar is another identity.
        let other = CookieJar()
        try other.set(Cookie(name: "a", value: "2", domain: "api.example.com"))
        try await expectEqual(scene.api.with { $0.cookies.jar = other }.get("plain").response.source, .network)
    }

    @Test("Set-Cookie takes effect when it arrives, not when the stored response is served")
    func setCookie() async throws {
        let scene = try Self.scene("max-age=60", ["Set-Cookie": "id=1"])
        let jar = try #require(scene.api.settingsForTests.cookies.jar)
        let first = try await scene.api.get("a")
        #expect(first.headers[.setCookie] == "id=1" && jar.cookies.count == 1)
        // A jar that has had a cookie is an identity of its own.
        _ = try await scene.api.get("a")
        jar.removeAll()
        let stored = try await scene.api.get("a")
        #expect(stored.response.source == .cache && stored.headers[.setCookie] == nil && jar.cookies.isEmpty)
    }

    @Test("No secret is written to disk")
    func secrets() async throws {
        let folder = CacheTestFolder()
        let scene = try CacheScene(folder: folder.path) { settings in
            // A jar in memory becomes an identity of its own with its first cookie.
            settings.cookies.jar = nil
            settings.auth.header = .bearer("TOKENSECRET")
            settings.headers["X-Api-Key"] = "KEYSECRET"
            settings.headers["Cookie"] = "id=COOKIESECRET"
            settings.auth.secretHeaders = ["X-Api-Key"]
        } answer: { _ in
            .cached(
                "x", "max-age=60",
                [
                    "Vary": "Authorization, Cookie, X-Api-Key, Accept", "Set-Cookie": "id=SETSECRET",
                    "Authentication-Info": "INFOSECRET",
                ])
        }
        _ = try await scene.api.get("a?access_token=URLSECRET")
        await scene.cache.sync()
        try await expectEqual(scene.api.get("a?access_token=URLSECRET").response.source, .cache)
        var files = 0
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            guard let data = FileManager.default.contents(atPath: folder.path + "/" + name) else { continue }
            files += 1
            #expect(!String(decoding: data, as: UTF8.self).contains("SECRET"), "\(name)")
        }
        #expect(files >= 3)
    }

    @Test("Another process finds stored responses with the same credentials only")
    func processes() async throws {
        let folder = CacheTestFolder()
        for (token, source) in [("one", ResponseSource.network), ("one", .cache), ("two", .network), ("two", .cache)] {
            let scene = try CacheScene(folder: folder.path, { $0.auth.header = .bearer(token) }) { _ in
                .cached("x", "max-age=60")
            }
            try await expectEqual(scene.api.get("a").response.source, source)
            await scene.cache.sync()
        }
    }

    @Test(
        "An unsafe request, and a removal by URL, reach responses of other processes' identities",
        arguments: [true, false])
    func otherProcesses(removes: Bool) async throws {
        let folder = CacheTestFolder()
        func scene(_ caller: @escaping (inout SessionSettings) -> Void) throws -> CacheScene {
            try CacheScene(folder: folder.path, caller) { _ in .cached("x", "max-age=60") }
        }
        let url = "https://api.example.com/a?token=s3cret"
        for (index, caller) in Self.callers.enumerated() {
            let scene = try scene(caller)
            try await expectEqual(scene.api.get(url).source, .network, "\(index)")
            await scene.cache.sync()
        }
        let other = try scene { $0.auth.header = .bearer("other") }
        if removes { try await other.cache.remove(url) } else { try await other.api.put(url, body: .text("x")) }
        await expectEqual(other.cache.usage().entries, 0)
        for (index, caller) in Self.callers.enumerated() {
            try await expectEqual(scene(caller).api.get(url).source, .network, "\(index)")
        }
    }

    @Test("The number of a folder's identities is limited, and a damaged list does no harm")
    func identities() async throws {
        let folder = CacheTestFolder()
        #expect(CacheFolder(path: folder.path).make())
        func partition(_ number: Int) -> CachePartition {
            CachePartition((0..<32).map { UInt8(truncatingIfNeeded: number >> (8 * ($0 % 4))) })
        }
        let list = StoredIdentities(folder: folder.path)
        for number in 0..<StoredIdentities.most + 3 { await list.add(partition(number)) }
        let other = StoredIdentities(folder: folder.path)
        for list in [list, other] {
            let known = await list.all()
            expectEqual(known.count, StoredIdentities.most)
            #expect(!known.contains(partition(2)) && known.contains(partition(3)))
            expectEqual(known.last, partition(StoredIdentities.most + 2))
        }
        let path = folder.path + "/identities-1"
        expectEqual(FileStatus(path: path)?.permissions, 0o600)
        for content in [[UInt8](repeating: 1, count: 33), [], [UInt8](repeating: 2, count: 1 << 20)] {
            try Data(content).write(to: URL(fileURLWithPath: path))
            await expectEqual(StoredIdentities(folder: folder.path).all().count, (content.count == 33 ? 1 : 0))
        }
        unlink(path)
        expectEqual(symlink("/etc/passwd", path), 0)
        let last = StoredIdentities(folder: folder.path)
        await last.add(partition(1))
        await expectEqual(last.all(), [partition(1)])
        let nowhere = StoredIdentities(folder: "/nonexistent/cache")
        await nowhere.add(partition(1))
        await expectEqual(nowhere.all(), [partition(1)])
    }
}

extension Session {
    var settingsForTests: SessionSettings { plan.settings }
}
