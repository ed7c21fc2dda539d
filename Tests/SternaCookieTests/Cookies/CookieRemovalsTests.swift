import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Cookies: removals")
struct CookieRemovalsTests {
    private static let now = CookieTime(seconds: Int64(1_700_000_000))

    private static func key(_ name: String) -> CookieRemovals.Key {
        .init(name: name, domain: "a.test", path: "/", isHostOnly: true)
    }

    @Test("Of two removals the later one is kept") func order() {
        var removals = CookieRemovals()
        for time in [Self.now.next, Self.now] { removals.note(Self.key("a"), at: time, now: Self.now) }
        expectEqual(removals.times, [Self.key("a"): Self.now.next])
    }

    @Test("A removal is forgotten once no older cookie can outlive a later one") func forgetting() {
        var removals = CookieRemovals()
        removals.note(Self.key("a"), at: Self.now, now: Self.now)
        removals.forget(Self.key("a"), before: Self.now.advanced(bySeconds: 399 * 86_400))
        expectEqual(removals.times.count, 1)
        removals.forget(Self.key("a"), before: Self.now.advanced(bySeconds: 400 * 86_400))
        expectEqual(removals, CookieRemovals())
    }

    @Test("The latest removals stay, within a number and a size") func limits() {
        var removals = CookieRemovals()
        for index in 0...CookieRemovals.Limits.count {
            let time = CookieTime(milliseconds: Self.now.milliseconds + Int64(index))
            removals.note(Self.key("c\(index)"), at: time, now: time)
        }
        expectEqual(removals.times.count, 9_375)
        #expect(removals.times[Self.key("c10000")] != nil && removals.times[Self.key("c0")] == nil)
        removals.prune(Self.now.advanced(bySeconds: 401 * 86_400))
        expectEqual(removals, CookieRemovals())

        let long = String(repeating: "n", count: 4_000)
        for index in 0..<2_000 { removals.note(Self.key("\(long)\(index)"), at: Self.now, now: Self.now) }
        let bytes = removals.times.keys.reduce(0) {
            $0 + $1.name.utf8.count + $1.domain.utf8.count + $1.path.utf8.count
        }
        #expect(bytes <= CookieRemovals.Limits.bytes && bytes > CookieRemovals.Limits.bytes / 2)
    }

    @Test("Changes of a clock that is far ahead do not win for years") func clocks() throws {
        var state = CookieJarState(keepsRemovals: true)
        let url = try HTTPURL("https://a.test/")
        try state.store(SetCookie(parsing: "a=1; Max-Age=9999"), from: url, now: Self.now)
        let ahead = Self.now.advanced(bySeconds: 3 * 86_400)
        var other = CookieJarState(keepsRemovals: true)
        try other.store(SetCookie(parsing: "a=2; Max-Age=9999"), from: url, now: ahead)
        try other.store(SetCookie(parsing: "b=2; Max-Age=9999"), from: url, now: ahead)
        state.merge(other.file(now: ahead), now: Self.now)
        expectEqual(Set(state.all(Self.now).map(\.value)), ["1", "2"])
        try state.store(SetCookie(parsing: "b=3; Max-Age=9999"), from: url, now: Self.now)
        other.remove(now: ahead) { _ in true }
        state.merge(other.file(now: ahead), now: Self.now)
        expectEqual(Set(state.all(Self.now).map(\.value)), ["1", "3"])
    }

    @Test("The file lists removals, without values") func file() throws {
        var state = CookieJarState(keepsRemovals: true)
        let url = try HTTPURL("https://www.a.test/")
        try state.store(SetCookie(parsing: "a=geheim; Domain=a.test; Path=/x"), from: url, now: Self.now)
        try state.store(SetCookie(parsing: "b=geheim; Max-Age=0"), from: url, now: Self.now)
        state.remove(now: Self.now) { _ in true }
        let file = state.file(now: Self.now)
        let json = file.json()
        #expect(file.cookies.isEmpty && file.removals.times.count == 2)
        try expectEqual(CookieFile(parsing: json), file)
        #expect(!String(decoding: json, as: UTF8.self).contains("geheim"))
        try expectEqual(CookieSnapshot(json), CookieSnapshot())
    }

    @Test(
        "Other removals are refused",
        arguments: [
            "1", "[1]", "[{}]", #"[{"name":"a","domain":"a.test","path":"/","updated":"1"}]"#,
            #"[{"name":"a","domain":"a.test","path":"/","updated":1,"value":"x"}]"#,
            #"[{"name":"a","domain":"a.test","path":"/","updated":1,"hostOnly":1}]"#,
        ])
    func refusals(list: String) {
        let text = #"{"version":1,"cookies":[],"removed":\#(list)}"#
        #expect(throws: CookieFault.self) { try CookieFile(parsing: Array(text.utf8)) }
    }
}
