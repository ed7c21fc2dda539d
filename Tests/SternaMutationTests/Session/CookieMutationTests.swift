import MutationKit
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Mutations: cookies")
struct CookieMutationTests {
    private static let tokens = [
        ";", "=", "\t", " ", "\"", ",", "\n", "\r", "\u{0}", "é", "Domain=", "Path=/", "Max-Age=", "-", "Expires=",
        "Secure",
        "SameSite=None", "__Host-", "__secure-", "99999999999999999999", ".", "..", "example.com", "GMT", ":",
    ]

    static let fields = MutatedReader(
        "SetCookie",
        seeds: [
            "sid=31d4d96e; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Max-Age=60; Domain=.example.com; Path=/a; Secure; HttpOnly",
            "__Host-a=\"b\"; Path=/; Secure; SameSite=Strict; Partitioned",
            "nameless; Domain=example.com; SameSite=None; Secure",
        ],
        tokens: tokens
    ) { bytes in
        guard let field = try? SetCookie(parsing: bytes[...]) else { return .refused }
        let now = CookieTime(seconds: Int64(1_700_000_000))
        let url = try HTTPURL("https://www.example.com/a/b")
        var state = CookieJarState()
        guard let cookie = try? CookieRules.cookie(field, from: url, .builtIn, now: now),
            let outcome = try? state.store(cookie, from: url, now: now)
        else { return .refused }
        // What a response sets can be kept in a file.
        if let refusal = CookieRules.refusal(of: cookie) {
            throw MutationFailure("\(cookie) is not valid: \(refusal).")
        }
        let field2 = state.field(for: CookieRequest(url: url), now: now)
        guard field2.map({ FieldSyntax.isValue($0) && $0.utf8.count <= bytes.count }) ?? true else {
            throw MutationFailure("The Cookie field is \(field2 ?? "").")
        }
        guard outcome != .removed || state.count == 0,
            cookie.domain == "www.example.com" || cookie.domain == "example.com"
        else { throw MutationFailure("\(cookie) is stored.") }
        let limit = now.advanced(bySeconds: 400 * 86_400)
        guard cookie.expiry.map({ $0 <= limit }) ?? true else { throw MutationFailure("\(cookie) lives too long.") }
        return .accepted
    }

    static let json = MutatedReader(
        "CookieJSON",
        seeds: [
            """
            {"version": 1, "cookies": [{"name": "sid", "value": "v", "domain": "example.com", "hostOnly": true, "path": "/",
            "secure": true, "httpOnly": true, "sameSite": "lax", "expires": 1767225600.5, "created": 1735689600}]}
            """,
            #"{"version":1,"cookies":[{"name":"","value":"x","domain":"[::1]","path":"/a","created":-1e300,"updated":1e300}]}"#,
        ],
        tokens: tokens + ["{", "}", "[", "]", ":", "null", "true", "1e400", "-0.0005", "\"created\":"]
    ) { bytes in
        guard let snapshot = try? CookieSnapshot(parsing: bytes) else { return .refused }
        try check(snapshot)
        guard try CookieSnapshot(parsing: snapshot.bytes()) == snapshot else {
            throw MutationFailure("\(snapshot.cookies) are not read as they were written.")
        }
        return .accepted
    }

    static let text = MutatedReader(
        "CookiesText",
        seeds: [
            "# Netscape HTTP Cookie File\n#HttpOnly_.example.com\tTRUE\t/\tTRUE\t1767225600\tsid\tv\n",
            "example.org\tFALSE\t/a\tFALSE\t0\tlang\ten\r\n.a.test\tTRUE\t/\tFALSE\t0\t\tnameless\nb\tFALSE\t/\tFALSE\t-1\ta\n",
        ],
        tokens: tokens + ["#HttpOnly_", "#", "TRUE", "FALSE", "\t\t", "1e308", "nan", "\u{FEFF}"]
    ) { bytes in
        let now = CookieTime(seconds: Int64(1_700_000_000))
        guard let snapshot = try? CookieSnapshot(cookiesText: bytes, now: now), !snapshot.cookies.isEmpty else {
            return .refused
        }
        try check(snapshot)
        let written = snapshot.bytes(format: .cookiesText)
        guard let read = try? CookieSnapshot(cookiesText: written, now: now),
            read.bytes(format: .cookiesText) == written
        else {
            throw MutationFailure("\(snapshot.cookies) are not read as they were written.")
        }
        return .accepted
    }

    /// Puts the cookies into a jar, which keeps its limits.
    private static func check(_ snapshot: CookieSnapshot) throws {
        let now = CookieTime(seconds: Int64(1_700_000_000))
        var state = CookieJarState(limits: CookieLimits(perDomain: 2, total: 3))
        state.restore(snapshot.cookies, now: now)
        for cookie in snapshot.cookies {
            _ = "\(cookie)"
            let url = try HTTPURL("https://\(cookie.domain)/a")
            let field = state.field(for: CookieRequest(url: url), now: now)
            guard field.map({ FieldSyntax.isValue($0) }) ?? true else { throw MutationFailure("\(cookie) is sent.") }
        }
        guard state.count <= 3 else { throw MutationFailure("There are \(state.count) cookies.") }
    }

    @Test("No mutated Set-Cookie field ends the process")
    func fieldsSurvive() async {
        let report = await Self.fields.supervise {
            await #expect(processExitsWith: .success) { await CookieMutationTests.fields.run() }
        }
        expectNil(report.failure, "\(report)")
    }

    @Test("No mutated JSON ends the process")
    func jsonSurvives() async {
        let report = await Self.json.supervise {
            await #expect(processExitsWith: .success) { await CookieMutationTests.json.run() }
        }
        expectNil(report.failure, "\(report)")
    }

    @Test("No mutated cookies.txt ends the process")
    func textSurvives() async {
        let report = await Self.text.supervise {
            await #expect(processExitsWith: .success) { await CookieMutationTests.text.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
