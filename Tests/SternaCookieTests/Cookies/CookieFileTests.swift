import SternaCore
import SternaPlatform
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Cookies: files")
struct CookieFileTests {
    private static let now = CookieTime(seconds: Int64(1_700_000_000))

    private static func snapshot() throws -> CookieSnapshot {
        var scene = CookieScene()
        scene.now = now
        for line in [
            "sid=31d4; HttpOnly; Secure; SameSite=Strict; Partitioned; Max-Age=1000", "lang=en; Domain=a.test; Path=/x",
            "nameless", "tab=a\tb", "é=\"ü\\\"",
        ] {
            #expect(try scene.set(line, from: "https://www.a.test/") == nil)
            scene.now = CookieTime(milliseconds: scene.now.milliseconds + 1_234)
        }
        _ = try scene.field("https://www.a.test/")
        return CookieSnapshot(cookies: scene.state.all(scene.now))
    }

    // MARK: JSON

    @Test("JSON is read as it was written")
    func json() throws {
        let snapshot = try Self.snapshot()
        expectEqual(snapshot.cookies.count, 5)
        try expectEqual(CookieSnapshot(snapshot.bytes()), snapshot)
        try expectEqual(CookieSnapshot(CookieSnapshot().bytes()), CookieSnapshot())
    }

    @Test("The documented form of JSON is read and written")
    func documentedForm() throws {
        let text = """
            {
              "version": 1,
              "cookies": [
                {
                  "name": "sid", "value": "v", "domain": "example.com", "hostOnly": true, "path": "/",
                  "secure": true, "httpOnly": true, "partitioned": false, "sameSite": "lax", "expires": 1767225600.5,
                  "created": 1735689600, "accessed": 1735689601.25, "updated": 1735689600
                }
              ]
            }
            """
        let cookie = try #require(try CookieSnapshot(text.utf8).cookies.first)
        #expect(cookie.isHostOnly && cookie.isSecure && cookie.isHTTPOnly && !cookie.isPartitioned)
        expectEqual(cookie.sameSite, .lax)
        expectEqual(cookie.expires, Date(timeIntervalSince1970: 1_767_225_600.5))
        expectEqual(cookie.creationDate, Date(timeIntervalSince1970: 1_735_689_600))
        expectEqual(cookie.lastAccessDate, Date(timeIntervalSince1970: 1_735_689_601.25))
    }

    @Test(
        "Other JSON is refused",
        arguments: [
            ("", "they are not JSON"), ("[]", "this is no list of cookies"),
            ("{\"version\":1}", "this is no list of cookies"),
            ("{\"version\":2,\"cookies\":[]}", "they are of another version"),
            ("{\"version\":1,\"cookies\":[],\"more\":1}", "this is no list of cookies"),
            ("{\"version\":1,\"cookies\":[{}]}", "cookie 1 is invalid"),
            ("{\"version\":1,\"cookies\":[1]}", "cookie 1 is invalid"),
            (
                "{\"version\":1,\"cookies\":[{\"name\":\"a\",\"value\":\"geheim\",\"domain\":\"a.test\",\"path\":\"/\",\"created\":0,\"x\":1}]}",
                "cookie 1 is invalid"
            ),
        ])
    func otherJSON(text: String, reason: String) {
        #expect(throws: CookieFault(reason: reason)) { try CookieSnapshot(parsing: Array(text.utf8)) }
        let error = #expect(throws: SternaError.self) { try CookieSnapshot(text.utf8) }
        expectEqual(error?.kind, .decodingFailed)
        expectEqual(error?.detail.contains("geheim"), false)
    }

    // MARK: cookies.txt

    @Test("A cookies.txt is read as curl writes it")
    func cookiesText() throws {
        let text = """
            # Netscape HTTP Cookie File
            # https://curl.se/docs/http-cookies.html

            #HttpOnly_.example.com\tTRUE\t/\tTRUE\t1767225600\tsid\tv=w x
            example.org\tFALSE\t/a/b\tFALSE\t0\tlang\ten\r
            .a.test\ttrue\t/\tfalse\t0\tempty\t
            b.test\tFALSE\t/\tFALSE\t0\tbare
            c.test\tFALSE\t/\tFALSE\t0\t\tnameless
            10.0.0.1\tFALSE\t/\tFALSE\t1767225600.5\ta\tb\tc
            # d.test\tFALSE\t/\tFALSE\t0\ta\tb
            e.test\tFALSE\t/\tFALSE\t0
            f.test\tmaybe\t/\tFALSE\t0\ta\tb
            g.test\tFALSE\tx/y\tFALSE\t0\ta\tb
            h.test\tFALSE\t/\tFALSE\tsoon\ta\tb
            i.test\tFALSE\t/\tFALSE\t0\t__Host-a\tb
            """
        let cookies = try CookieSnapshot(cookiesText: Array(text.utf8), now: Self.now).cookies
        expectEqual(
            cookies.map(\.domain), ["example.com", "example.org", "a.test", "b.test", "c.test", "10.0.0.1", "g.test"])
        expectEqual(cookies.map(\.name), ["sid", "lang", "empty", "bare", "", "a", "a"])
        expectEqual(cookies.map(\.value), ["v=w x", "en", "", "", "nameless", "b\tc", "b"])
        // wget2 leaves out the first slash.
        expectEqual(cookies.map(\.path), ["/", "/a/b", "/", "/", "/", "/", "/x/y"])
        expectEqual(cookies.map(\.isHostOnly), [false, true, false, true, true, true, true])
        expectEqual(cookies.map(\.isHTTPOnly), [true, false, false, false, false, false, false])
        expectEqual(cookies.map(\.isSecure), [true, false, false, false, false, false, false])
        expectEqual(
            cookies.map { $0.expiry?.milliseconds }, [1_767_225_600_000, nil, nil, nil, nil, 1_767_225_600_500, nil])
    }

    @Test("A cookies.txt is read as it was written")
    func cookiesTextRoundTrip() throws {
        var snapshot = try Self.snapshot()
        snapshot.cookies.removeAll { !$0.hasTextLine }
        expectEqual(snapshot.cookies.count, 4)
        let read = try CookieSnapshot(cookiesText: snapshot.bytes(format: .cookiesText), now: Self.now)
        expectEqual(read.cookies.map { "\($0) \($0.value)" }, snapshot.cookies.map { "\($0) \($0.value)" })
        expectEqual(read.cookies.map(\.isHTTPOnly), snapshot.cookies.map(\.isHTTPOnly))
        try expectEqual(CookieSnapshot(cookiesText: read.bytes(format: .cookiesText), now: Self.now), read)
    }

    @Test("A cookie with a tab in its name is left out of a cookies.txt")
    func tabs() throws {
        let cookie = try Cookie(name: "a\tb", value: "v", domain: "a.test")
        #expect(
            try CookieSnapshot(CookieSnapshot(cookies: [cookie]).bytes(format: .cookiesText), format: .cookiesText)
                .cookies.isEmpty)
    }

    // MARK: Files

    @Test(
        "Files are written for their owner only, and are read again",
        arguments: [CookieSnapshot.FileFormat.json, .cookiesText])
    func files(format: CookieSnapshot.FileFormat) throws {
        let folder = FileManager.default.temporaryDirectory.path + "/cookies-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/jar"
        try expectNil(CookieSnapshot(contentsOf: path, format: format))
        let snapshot = try Self.snapshot()
        try snapshot.write(to: path, format: format)
        let read = try #require(try CookieSnapshot(contentsOf: path, format: format))
        // A cookie with a tab in its value is left out.
        let kept = snapshot.cookies.filter { format == .json || $0.hasTextLine }
        expectEqual(read.cookies.map(\.value), kept.map(\.value))
        if format == .json { expectEqual(read, snapshot) }
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        expectEqual(mode, 0o600)
        try expectEqual(FileManager.default.contentsOfDirectory(atPath: folder), ["jar"])
    }

    @Test("The error for a file in another form does not quote it")
    func otherFile() throws {
        let path = FileManager.default.temporaryDirectory.path + "/cookies-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data("{\"geheim\"".utf8).write(to: URL(fileURLWithPath: path))
        let error = #expect(throws: SternaError.self) { try CookieSnapshot(contentsOf: path) }
        expectEqual(error?.kind, .fileUnreadable)
        expectEqual(error?.detail.contains("geheim"), false)
    }
}
