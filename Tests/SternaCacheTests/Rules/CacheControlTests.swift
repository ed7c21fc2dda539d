import HTTPTypes
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Cache-Control (RFC 9111, 5.2)")
struct CacheControlTests {
    /// Lines, max-age.
    static let ages: [([String], Int64?)] = [
        ([], nil), (["max-age=0"], 0), (["max-age=60"], 60), (["MAX-AGE=60"], 60), (["max-age=\"60\""], 60),
        (["max-age=060"], 60), (["public,max-age=60"], 60), ([" , max-age=60 ,, "], 60), (["a", "max-age=60"], 60),
        (["x-max-age=60"], nil), (["max-age"], 0), (["max-age="], 0), (["max-age=a"], 0), (["max-age=-1"], 0),
        (["max-age=+1"], 0), (["max-age=1.5"], 0), (["max-age=1e3"], 0), (["max-age=1 2"], 0), (["max-age =60"], 0),
        (["max-age= 60"], 0), (["max-age='60'"], 0), (["max-age=60s"], 0), (["max-age=60; public"], 0),
        (["max-age=\"60"], 0), (["max-age=\"\""], 0), (["max-age=\u{661}"], 0),
        (["max-age=2147483647"], 2_147_483_647), (["max-age=2147483648"], 2_147_483_648),
        (["max-age=2147483649"], 2_147_483_648), (["max-age=99999999999999999999999999"], 2_147_483_648),
        (["max-age=60, max-age=60"], 60), (["max-age=60, max-age=50"], 0), (["max-age=60", "max-age=90"], 0),
        (["max-age=60, max-age=x"], 0), (["foo=\"max-age=5\", max-age=60"], 60),
        (["foo=\", max-age=5\", max-age=60"], 60), (["foo=\"\\\",max-age=5\", max-age=60"], 60),
    ]

    @Test("Seconds are read if they are quoted, repeated, invalid or too large", arguments: ages)
    func maxAge(lines: [String], seconds: Int64?) {
        expectEqual(CacheControl.Response(lines).maxAge, seconds)
        let shared = lines.map { $0.replacing("max-age", with: "s-maxage").replacing("MAX-AGE", with: "S-MAXAGE") }
        expectEqual(CacheControl.Response(shared).sharedMaxAge, seconds)
    }

    /// A directive with field names, what it concerns.
    static let extents: [(String, CacheControl.Extent)] = [
        ("", .absent), ("no-cache", .everything), ("No-Cache", .everything), ("no-cache=\"\"", .everything),
        ("no-cache=\"Set-Cookie\"", .fields(["set-cookie"])), ("no-cache=Set-Cookie", .fields(["set-cookie"])),
        ("no-cache=\" a ,, B \"", .fields(["a", "b"])), ("no-cache=\"a b\"", .everything), ("no-cache=", .everything),
        ("no-cache=\"a\", no-cache=\"b\"", .fields(["a", "b"])), ("no-cache=\"a\", no-cache", .everything),
        ("no-cache, no-cache=\"a\"", .everything), ("no-cache=\"a", .everything), ("no-cache=(a)", .everything),
    ]

    @Test("no-cache and private are limited to their field names", arguments: extents)
    func extent(line: String, extent: CacheControl.Extent) {
        expectEqual(CacheControl.Response([line]).noCache, extent)
        expectEqual(CacheControl.Response([line.lowercased().replacing("no-cache", with: "private")]).isPrivate, extent)
    }

    @Test(
        "A restriction in an unreadable field holds",
        arguments: [
            "no-store=\"x", "x=\"y, no-store", "foo; no-store", "max-age=5; no-store", "=no-store", "no-store;",
            "no-store max-age=5", "\"no-store\"", "max-age=\"5, no-store", "@, No-Store", "no-store=a b",
        ])
    func malformedNoStore(line: String) {
        for lines in [[line], ["max-age=60", line], [line, "public, max-age=60"]] {
            let control = CacheControl.Response(lines)
            #expect(control.noStore)
            #expect(control.isMalformed)
            #expect(control.forbidsStale(isShared: false))
            #expect(!control.isPublic)
            expectEqual((control.maxAge ?? 0), 0)
        }
        expectEqual(
            CacheControl.Response([line.lowercased().replacing("no-store", with: "private")]).isPrivate, .everything)
        expectEqual(
            CacheControl.Response([line.lowercased().replacing("no-store", with: "no-cache")]).noCache, .everything)
    }

    @Test("An argument voids a permission, but not a restriction")
    func arguments() {
        let control = CacheControl.Response([
            "no-store=1, must-revalidate=0, proxy-revalidate=x, public=1, immutable=\"a\", must-understand=y"
        ])
        #expect(control.noStore && control.mustRevalidate && control.proxyRevalidate && control.mustUnderstand)
        #expect(!control.isPublic && !control.immutable && !control.isMalformed)
    }

    @Test("A field beyond the limits applies all restrictions")
    func limits() {
        let long = CacheControl.Response([String(repeating: "a, ", count: 9_000)])
        #expect(long.noStore && long.isPrivate == .everything && long.noCache == .everything)
        let many = CacheControl.Response([Array(repeating: "a", count: 65).joined(separator: ",") + ", no-store"])
        #expect(many.noStore && many.isMalformed)
        #expect(!CacheControl.Response([Array(repeating: "a", count: 64).joined(separator: ",")]).isMalformed)
    }

    @Test("Directives of requests are read, and unreadable ones restrict")
    func requests() {
        func read(_ line: String) -> CacheControl.Request { CacheControl.Request([line]) }
        expectEqual(read("max-age=5, max-age=3").maxAge, 3)
        expectEqual(read("max-age=x").maxAge, 0)
        expectEqual(read("max-stale").maxStale, CacheControl.longest)
        expectEqual(read("max-stale=5").maxStale, 5)
        expectEqual(read("max-stale=x").maxStale, 0)
        expectEqual(read("max-stale, max-stale=5").maxStale, 5)
        expectEqual(read("min-fresh=5, min-fresh=7").minFresh, 7)
        expectEqual(read("min-fresh").minFresh, CacheControl.longest)
        expectEqual(read("stale-if-error=5").staleIfError, 5)
        #expect(read("No-Cache=x").noCache)
        #expect(read("no-store, no-transform, only-if-cached").noStore)
        #expect(read("no-store, no-transform, only-if-cached").noTransform)
        #expect(read("no-store, no-transform, only-if-cached").onlyIfCached)
        let malformed = read("max-stale=10; no-store")
        #expect(malformed.noCache && malformed.noStore && malformed.maxStale == nil)
    }

    @Test("Pragma counts without Cache-Control (RFC 9111, 5.4)")
    func pragma() {
        #expect(CacheControl.Request(CacheRuleScene.fields(["Pragma: no-cache"])).noCache)
        #expect(CacheControl.Request(CacheRuleScene.fields(["Pragma: x, No-Cache"])).noCache)
        #expect(!CacheControl.Request(CacheRuleScene.fields(["Pragma: x"])).noCache)
        #expect(!CacheControl.Request(CacheRuleScene.fields(["Pragma: no-cache", "Cache-Control: max-age=5"])).noCache)
    }
}
