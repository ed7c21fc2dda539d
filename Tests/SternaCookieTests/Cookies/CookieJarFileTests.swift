import HTTPTypes
import SternaCore
import SternaPlatform
import SternaSigning
import SternaTesting
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Cookie jar: files")
struct CookieJarFileTests {
    /// A clock that a test sets, in milliseconds.
    final class Clock: Sendable {
        private let now = Atomic<Int64>(1_790_000_000_000)

        func read() -> CookieTime { CookieTime(milliseconds: now.load(ordering: .relaxed)) }

        func advance(_ milliseconds: Int64 = 1) { now.add(milliseconds, ordering: .relaxed) }
    }

    static func jar(
        _ path: String, _ clock: Clock, format: CookieSnapshot.FileFormat = .json, keepsSessionCookies: Bool = true,
        limits: CookieLimits = CookieLimits(),
        pauses: SavePauses = SavePauses(idle: .seconds(600), longest: .seconds(600))
    ) -> CookieJar {
        CookieJar(
            storage: CookieStorage(path: path, format: format), limits: limits,
            keepsSessionCookies: keepsSessionCookies,
            pauses: pauses, now: { clock.read() })
    }

    static func shown(_ jar: CookieJar) -> [String] { jar.cookies.map { "\($0.name)=\($0.value)" }.sorted() }

    private static func set(_ name: String, _ value: String, in jar: CookieJar, _ clock: Clock, life: Double? = 86_400)
        throws
    {
        let now = clock.read()
        let cookie = Cookie(
            name: name, value: value, domain: "a.test", isHostOnly: true, path: "/", isSecure: false, isHTTPOnly: true,
            isPartitioned: false, sameSite: .lax, expiry: life.map { CookieTime(seconds: now.seconds + $0) },
            creation: now,
            lastAccess: now, update: now)
        try jar.set(cookie)
    }

    private static func removal(_ name: String) throws -> Cookie {
        try Cookie(name: name, value: "x", domain: "a.test")
    }

    @Test("Cookies are saved for their owner only, and read by the next jar when it is first used") func file()
        async throws
    {
        try await CredentialFolder.with { folder in
            let path = folder + "/cookies.json"
            let clock = Clock()
            let (first, second) = (Self.jar(path, clock), Self.jar(path, clock))
            #expect(first.path == path && !first.isUnused && CookieJar().path == nil)
            try Self.set("a", "1", in: first, clock)
            expectNil(CredentialFolder.text(path))
            try await first.save()
            expectEqual(CredentialFolder.mode(path), 0o600)
            expectEqual(second.snapshot(), first.snapshot())
            expectEqual(CredentialFolder.text(path)?.contains("removed"), false)
            // A file that others can read is private again once it is written.
            chmod(path, 0o644)
            try Self.set("b", "2", in: second, clock)
            try await second.save()
            expectEqual(CredentialFolder.mode(path), 0o600)
            try expectEqual(
                FileManager.default.contentsOfDirectory(atPath: folder).sorted(),
                [
                    "cookies.json", "cookies.json.lock",
                ])
        }
    }

    @Test("A session's first request has the cookies of the file, and those of its response are saved") func session()
        async throws
    {
        try await CredentialFolder.with { folder in
            let path = folder + "/jar"
            try Self.cookiesText("www.example.com", ["a=1"]).write(to: URL(fileURLWithPath: path))
            for signs in [false, true] {
                let mock = MockTransport { _ in .init(headers: ["Set-Cookie": "new=2; Max-Age=86400"]) }
                let jar = CookieJar(path: path, format: .cookiesText, keepsSessionCookies: true)
                let (api, _) = try mocked("https://www.example.com/", by: mock) { settings in
                    settings.cookies.jar = jar
                    settings.responseSerializer = .data
                    if signs {
                        settings.auth.awsSigning = AWSSigning(
                            region: "eu-central-1", service: "execute-api",
                            credentials: AWSCredentials(accessKey: "AKIDEXAMPLE", secretKey: "secret"))
                    }
                }
                _ = try await api.get("x")
                expectEqual(mock.requests.map { $0.headers[.cookie] }, [signs ? "a=1; new=2" : "a=1"])
                try await jar.save()
                expectEqual(CredentialFolder.text(path)?.contains("\tnew\t2\n"), true)
            }
        }
    }

    @Test("A response's cookies and Clear-Site-Data follow the file's cookies, even if the request ignored the jar")
    func responsesAfterLoading() async throws {
        try await CredentialFolder.with { folder in
            let path = folder + "/jar"
            try Self.cookiesText("www.example.com", ["a=1"]).write(to: URL(fileURLWithPath: path))
            let mock = MockTransport { _ in .init(headers: ["Clear-Site-Data": "\"cookies\""]) }
            let jar = CookieJar(path: path, format: .cookiesText, keepsSessionCookies: true)
            let (api, _) = try mocked("https://www.example.com/", by: mock) {
                $0.cookies.jar = jar
                $0.responseSerializer = .data
            }
            _ = try await api.get("x") { $0.cookies.isOn = false }
            #expect(jar.cookies.isEmpty)
            try await jar.save()
            expectEqual(CredentialFolder.text(path)?.contains("\ta\t1"), false)
        }
    }

    /// Waits until a file has a text.
    private static func waits(for text: String, in path: String) async -> Bool {
        await eventually { CredentialFolder.text(path)?.contains(text) == true }
    }

    @Test("Changes are saved when the jar is idle, and when it is released") func automaticSaves() async throws {
        try await CredentialFolder.with { folder in
            let clock = Clock()
            let pauses = SavePauses(idle: .milliseconds(20), longest: .seconds(600))
            let idle = Self.jar(folder + "/1", clock, pauses: pauses)
            try Self.set("a", "1", in: idle, clock)
            let first = await Self.waits(for: "\"a\"", in: folder + "/1")
            try Self.set("b", "1", in: idle, clock)
            let second = await Self.waits(for: "\"b\"", in: folder + "/1")
            #expect(first && second)
            try Self.setAndRelease(folder + "/3", clock)
            let third = await Self.waits(for: "\"a\"", in: folder + "/3")
            #expect(third)
        }
    }

    private static func setAndRelease(_ path: String, _ clock: Clock) throws {
        let released = jar(path, clock)
        try set("a", "1", in: released, clock)
    }

    // MARK: Sharing

    @Test("Jars that share a file merge, and no older change undoes a later one") func sharing() async throws {
        try await CredentialFolder.with { folder in
            let clock = Clock()
            let (one, other) = (Self.jar(folder + "/c", clock), Self.jar(folder + "/c", clock))
            try Self.set("a", "1", in: one, clock)
            try Self.set("b", "1", in: other, clock)
            for jar in [one, other, one] { try await jar.save() }
            #expect(Self.shown(one) == ["a=1", "b=1"] && Self.shown(other) == Self.shown(one))
            clock.advance()
            one.remove(try Self.removal("b"))
            try await one.save()
            // The other jar still has the cookie that was removed, but an older one.
            clock.advance()
            try Self.set("c", "1", in: other, clock)
            try await other.save()
            expectEqual(Self.shown(other), ["a=1", "c=1"])
            // A cookie that is set after its removal stays.
            try Self.set("b", "2", in: other, clock)
            try await other.save()
            try await one.save()
            expectEqual(Self.shown(one), ["a=1", "b=2", "c=1"])
            let third = Self.jar(folder + "/c", clock)
            third.removeAll()
            try await third.save()
            try await other.save()
            #expect(other.cookies.isEmpty)
        }
    }

    @Test("A snapshot restores removed cookies, also in a jar with a file") func mergedSnapshot()
        async throws
    {
        try await CredentialFolder.with { folder in
            let clock = Clock()
            let jar = Self.jar(folder + "/c", clock)
            try Self.set("a", "1", in: jar, clock)
            let snapshot = jar.snapshot()
            clock.advance()
            jar.removeAll()
            jar.merge(snapshot)
            expectEqual(Self.shown(jar), ["a=1"])
            try await jar.save()
            expectEqual(Self.shown(Self.jar(folder + "/c", clock)), ["a=1"])
        }
    }

    @Test("Once a short-lived cookie has expired, the one that it replaced does not come back from another jar")
    func shortLives() async throws {
        try await CredentialFolder.with { folder in
            for isMerged in [false, true] {
                let (clock, path) = (Clock(), folder + "/\(isMerged)")
                let (one, other) = (Self.jar(path, clock), Self.jar(path, clock))
                try Self.set("a", "long", in: other, clock)
                try await other.save()
                if !isMerged { expectEqual(Self.shown(one), ["a=long"]) }
                clock.advance()
                let late = Self.jar(path, clock)
                expectEqual(Self.shown(late), ["a=long"])
                let setter = isMerged ? other : one
                try Self.set("a", "short", in: setter, clock, life: 1)
                try await setter.save()
                clock.advance(2_000)
                #expect(one.cookies.isEmpty)
                try Self.set("b", "1", in: one, clock)
                try await one.save()
                try Self.set("c", "1", in: late, clock)
                try await late.save()
                expectEqual(Self.shown(late), ["b=1", "c=1"])
            }
        }
    }

    @Test("Cookies that end with the session are saved only on demand, and still replace those in the file")
    func sessionCookies() async throws {
        try await CredentialFolder.with { folder in
            let clock = Clock()
            for keeps in [false, true] {
                for format in [CookieSnapshot.FileFormat.json, .cookiesText] {
                    let path = folder + "/\(keeps) \(format)"
                    let make = { Self.jar(path, clock, format: format, keepsSessionCookies: keeps) }
                    let (jar, older) = (make(), make())
                    try Self.set("a", "1", in: jar, clock)
                    try Self.set("s", "1", in: jar, clock, life: nil)
                    try await jar.save()
                    #expect(Self.shown(make()) == (keeps ? ["a=1", "s=1"] : ["a=1"]))
                    expectEqual(older.cookies.count, (keeps ? 2 : 1))
                    clock.advance()
                    try Self.set("a", "2", in: jar, clock, life: nil)
                    try await jar.save()
                    expectEqual(Self.shown(jar), ["a=2", "s=1"])
                    try await older.save()
                    #expect(Self.shown(make()) == (keeps ? ["a=2", "s=1"] : []))
                }
            }
        }
    }

    @Test(
        "Concurrent jars with one path in one process lose no cookie",
        arguments: [CookieSnapshot.FileFormat.json, .cookiesText])
    func concurrency(format: CookieSnapshot.FileFormat) async throws {
        try await CredentialFolder.with { folder in
            let clock = Clock()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<4 {
                    let jar = Self.jar(folder + "/c", clock, format: format)
                    group.addTask {
                        for index in 0..<5 {
                            try Self.set("n\(number)-\(index)", "\(index)", in: jar, clock)
                            try await jar.save()
                        }
                    }
                }
                try await group.waitForAll()
            }
            expectEqual(Self.jar(folder + "/c", clock, format: format).cookies.count, 20)
        }
    }

    @Test("Cookies beyond the limits leave the file, and do not return to a jar") func limits() async throws {
        try await CredentialFolder.with { folder in
            let clock = Clock()
            let limits = CookieLimits(perDomain: 3)
            let jars = [Self.jar(folder + "/c", clock, limits: limits), Self.jar(folder + "/c", clock, limits: limits)]
            for index in 0..<8 {
                clock.advance()
                try Self.set("c\(index)", "1", in: jars[index % 2], clock)
                try await jars[index % 2].save()
            }
            let expected = ["c5=1", "c6=1", "c7=1"]
            #expect(Self.shown(jars[1]) == expected && Self.shown(Self.jar(folder + "/c", clock)) == expected)
        }
    }

    // MARK: cookies.txt

    @Test("Changes of other programs to a cookies.txt stay, unless the jar has changed the cookie") func cookiesText()
        async throws
    {
        try await CredentialFolder.with { folder in
            let (path, clock) = (folder + "/cookies.txt", Clock())
            try Self.cookiesText("a.test", ["a=1", "b=1", "c=1", "d=1", "e=1"]).write(to: URL(fileURLWithPath: path))
            let jar = Self.jar(path, clock, format: .cookiesText)
            try Self.set("a", "jar", in: jar, clock, life: nil)
            try Self.set("b", "jar", in: jar, clock, life: nil)
            jar.remove(try Self.removal("c"))
            // Another program changes a and d, removes b and e, and adds f.
            let others = Self.cookiesText("a.test", ["a=2", "c=1", "d=2", "f=2"])
            try others.write(to: URL(fileURLWithPath: path))
            try await jar.save()
            expectEqual(Self.shown(jar), ["a=jar", "b=jar", "d=2", "f=2"])
            let text = try #require(CredentialFolder.text(path))
            #expect(text.hasPrefix("# Netscape HTTP Cookie File\n"))
            #expect(text.contains("\n#HttpOnly_a.test\tFALSE\t/\tFALSE\t0\ta\tjar\n"))
            expectEqual(CredentialFolder.mode(path), 0o600)
            // Now the jar has no changes of its own.
            try Self.cookiesText("a.test", ["a=3", "f=3"]).write(to: URL(fileURLWithPath: path))
            clock.advance()
            try await jar.save()
            expectEqual(Self.shown(jar), ["a=3", "f=3"])
            expectEqual(Self.shown(Self.jar(path, clock, format: .cookiesText)), ["a=3", "f=3"])
        }
    }

    @Test("A cookies.txt is not written if its cookies are the same") func unchangedText() async throws {
        try await CredentialFolder.with { folder in
            let path = folder + "/cookies.txt"
            let text = "# Netscape HTTP Cookie File\n# made by hand\r\na.test\tfalse\t/\tfalse\t0\ta\t1\r\n"
            try CredentialFolder.write(text, to: path)
            let jar = Self.jar(path, Clock(), format: .cookiesText)
            try await jar.load()
            try await jar.save()
            expectEqual(Self.shown(jar), ["a=1"])
            expectEqual(CredentialFolder.text(path), text)
        }
    }

    private static func cookiesText(_ domain: String, _ cookies: [String]) -> Data {
        let lines = cookies.map { "\(domain)\tFALSE\t/\tFALSE\t0\t\($0.replacing("=", with: "\t"))\n" }
        return Data(("# Netscape HTTP Cookie File\n" + lines.joined()).utf8)
    }

    // MARK: Unusable files

    @Test("A file with other content is left as it is, and the jar works without it")
    func otherContent() async throws {
        try await CredentialFolder.with { folder in
            let texts = [
                "{}", "{\"version\":1,\"cookies\":[", "geheim", "# A title\n\ngeheim\n",
                String(repeating: "\0", count: 99),
            ]
            for (number, text) in texts.enumerated() {
                for format in [CookieSnapshot.FileFormat.json, .cookiesText] {
                    let (path, clock) = (folder + "/\(number) \(format)", Clock())
                    try CredentialFolder.write(text, to: path)
                    try await Self.expectUnusable(path, format, clock)
                    expectEqual(CredentialFolder.text(path), text)
                    // Unsaved changes are saved once the unusable file is gone.
                    let jar = Self.jar(path, clock, format: format)
                    try Self.set("a", "1", in: jar, clock)
                    unlink(path)
                    try await jar.save()
                    expectEqual(Self.shown(Self.jar(path, clock, format: format)), ["a=1"])
                }
            }
        }
    }

    @Test("Links, folders, pipes and other users' files are left as they are") func otherFiles() async throws {
        try await CredentialFolder.with { folder in
            let clock = Clock()
            let jar = Self.jar(folder + "/target", clock)
            try Self.set("a", "1", in: jar, clock)
            try await jar.save()
            let text = CredentialFolder.text(folder + "/target")
            try #require(symlink(folder + "/target", folder + "/link") == 0)
            try #require(symlink(folder + "/nothing", folder + "/dangling") == 0)
            try #require(mkdir(folder + "/folder", 0o700) == 0)
            try #require(mkfifo(folder + "/pipe", 0o600) == 0)
            for name in ["link", "dangling", "folder", "pipe"] {
                for format in [CookieSnapshot.FileFormat.json, .cookiesText] {
                    try await Self.expectUnusable(folder + "/" + name, format, clock)
                }
            }
            expectEqual(CredentialFolder.text(folder + "/target"), text)
            expectNil(CredentialFolder.text(folder + "/nothing"))
            // Only root can change the owner of a file.
            if chown(folder + "/target", 65_534, 65_534) == 0 {
                try await Self.expectUnusable(folder + "/target", .json, clock)
                expectEqual(CredentialFolder.text(folder + "/target"), text)
            }
        }
    }

    @Test("In a folder that cannot be written, or is missing, the jar works in memory") func unwritable() async throws {
        try await CredentialFolder.with { folder in
            let clock = Clock()
            let written = Self.jar(folder + "/c", clock)
            try Self.set("a", "1", in: written, clock)
            try await written.save()
            var paths = [folder + "/missing/c", "/proc/sterna/c"]
            // Root can write everywhere.
            if geteuid() != 0 {
                paths.append(folder + "/c")
                try #require(chmod(folder, 0o500) == 0)
            }
            defer { chmod(folder, 0o700) }
            for path in paths {
                let jar = Self.jar(path, clock)
                try await jar.load()
                try Self.set("b", "2", in: jar, clock)
                expectEqual(Self.shown(jar).last, "b=2")
                let error = await #expect(throws: SternaError.self) { try await jar.save() }
                #expect(error?.kind == .writeFailed && error?.detail.contains(path) == true)
            }
        }
    }

    @Test("A file that would be too long to be read is not written") func tooLong() async throws {
        try await CredentialFolder.with { folder in
            let storage = CookieStorage(path: folder + "/c", format: .cookiesText)
            let cookie = try Cookie(name: "a", value: String(repeating: "v", count: 4_000), domain: "a.test")
            let cookies = [Cookie](repeating: cookie, count: 17_000)
            let error = #expect(throws: SternaError.self) {
                try storage.write(CookieFile(cookies: cookies), over: CookieFile(cookies: []))
            }
            expectEqual(error?.kind, .writeFailed)
            expectNil(CredentialFolder.text(folder + "/c"))
        }
    }

    /// Checks that loading and saving fail, and that the jar works in memory and a session's requests succeed.
    private static func expectUnusable(_ path: String, _ format: CookieSnapshot.FileFormat, _ clock: Clock) async throws
    {
        let jar = jar(path, clock, format: format)
        let loaded = await #expect(throws: SternaError.self, "\(path)") { try await jar.load() }
        #expect(
            loaded?.kind == .fileUnreadable && loaded?.detail.contains(path) == true
                && loaded?.detail.contains("geheim") == false)
        let (api, mock) = try mocked("https://a.test/") { $0.cookies.jar = jar }
        _ = try await api.get("x")
        try set("a", "1", in: jar, clock)
        _ = try await api.get("x")
        expectEqual(mock.requests.map { $0.headers[.cookie] }, [nil, "a=1"])
        let saved = await #expect(throws: SternaError.self, "\(path)") { try await jar.save() }
        #expect(saved?.kind == .fileUnreadable && saved?.detail.contains("geheim") == false)
    }

    // MARK: Tasks

    @Test("Cancelled tasks load and save the jar, too") func cancellation() async throws {
        try await CredentialFolder.with { folder in
            let (path, clock) = (folder + "/c", Clock())
            let first = Self.jar(path, clock)
            try Self.set("a", "1", in: first, clock)
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await first.save()
            }
            try await task.value
            let second = Self.jar(path, clock)
            let (api, mock) = try mocked("https://a.test/") { $0.cookies.jar = second }
            let cancelled = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                _ = try await api.get("x")
            }
            _ = await cancelled.result
            _ = try await api.get("x")
            expectEqual(mock.requests.last?.headers[.cookie], "a=1")
        }
    }

    // MARK: Identity

    @Test("The identity is that of the file, or of a jar in memory that had a cookie") func identity() throws {
        let path = "/tmp/sterna/jar"
        let jar = CookieJar(path: path)
        #expect(jar.identity != nil)
        for same in ["/tmp//sterna/./jar", "//tmp/sterna/jar"] {
            expectEqual(CookieJar(path: same).identity, jar.identity)
        }
        #expect(CookieJar(path: path + "2").identity != jar.identity)
        #expect(CookieStorage.absolute("./a//b", in: "/x/y") == "/x/y/a/b")
        expectEqual(CookieStorage.absolute("../a", in: "/x"), "/x/../a")
        let (one, other) = (CookieJar(), CookieJar())
        expectNil(one.identity)
        try one.set(Self.removal("a"))
        try other.set(Self.removal("a"))
        let identity = one.identity
        #expect(identity != nil && identity != other.identity)
        one.removeAll()
        expectEqual(one.identity, identity)
    }

    @Test("A mirror shows no cookies") func mirror() throws {
        let jar = CookieJar(path: "/tmp/sterna-none/jar")
        try jar.set(Cookie(name: "sid", value: "geheim", domain: "a.test"))
        #expect(!dumped(jar).contains("geheim") && !dumped(jar).contains("sid"))
    }
}
