import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Cookies: the state of a jar")
struct CookieJarStateTests {
    @Test("Cookies with longer paths come first, then those that were set first")
    func order() throws {
        var scene = CookieScene()
        try scene.set("a=1; Path=/", from: "http://www.a.test/x/y")
        try scene.set("b=1; Domain=a.test; Path=/x", from: "http://www.a.test/x/y")
        try scene.set("c=1; Path=/x", from: "http://www.a.test/x/y")
        scene.wait(1)
        try scene.set("d=1; Domain=a.test; Path=/", from: "http://www.a.test/x/y")
        scene.wait(1)
        // A new value keeps the cookie's place.
        try scene.set("b=2; Domain=a.test; Path=/x", from: "http://www.a.test/x/y")
        #expect(try scene.field("http://www.a.test/x") == "b=2; c=1; a=1; d=1")
        #expect(try scene.field("http://a.test/x") == "b=2; d=1")
        #expect(try scene.field("http://b.test/x") == nil)
    }

    @Test("Cookies of one name are distinguished by domain, path and whether they are host-only")
    func identity() throws {
        var scene = CookieScene()
        for attributes in ["", "; Domain=a.test", "; Path=/x", "; Domain=www.a.test"] {
            try scene.set("a=1\(attributes)", from: "http://www.a.test/")
        }
        expectEqual(scene.state.count, 4)
        for attributes in ["", "; Domain=a.test", "; Path=/x", "; Domain=www.a.test"] {
            try scene.set("a=2\(attributes); Max-Age=0", from: "http://www.a.test/")
        }
        expectEqual(scene.state.count, 0)
        #expect(scene.state.entriesByDomain.isEmpty)
    }

    @Test("Expired cookies are neither sent nor listed, and can be set again")
    func expiry() throws {
        var scene = CookieScene()
        try scene.set("a=1; Max-Age=10", from: "http://a.test/")
        try scene.set("b=1", from: "http://a.test/")
        scene.wait(9)
        #expect(try scene.field("http://a.test/") == "a=1; b=1")
        scene.wait(1)
        #expect(try scene.field("http://a.test/") == "b=1")
        expectEqual(scene.state.all(scene.now).map(\.name), ["b"])
        try scene.set("a=2", from: "http://a.test/")
        #expect(try scene.field("http://a.test/") == "b=1; a=2")
    }

    @Test("The Cookie field has a limit in cookies")
    func requestLimit() throws {
        var scene = CookieScene(CookieLimits(perDomain: 200))
        for number in 0..<160 { try scene.set("c\(number)=1", from: "http://a.test/") }
        let field = try #require(try scene.field("http://a.test/"))
        let names = field.split(separator: "; ")
        expectEqual(names.count, 150)
        #expect(names.first == "c0=1" && names.last == "c149=1")
    }

    @Test("The Cookie field has a limit in bytes")
    func fieldLimit() throws {
        var scene = CookieScene()
        let value = String(repeating: "v", count: 4_000)
        for name in ["a", "b", "c"] { try scene.set("\(name)=\(value)", from: "http://a.test/") }
        #expect(try scene.field("http://a.test/") == "a=\(value); b=\(value)")
        var small = CookieScene(CookieLimits(fieldLength: 8))
        for name in ["a", "b", "c"] { try small.set("\(name)=1", from: "http://a.test/") }
        #expect(try small.field("http://a.test/") == "a=1; b=1")
    }

    @Test("Of a full domain expired cookies go first, then insecure ones, then those that were used longest ago")
    func domainEviction() throws {
        var scene = CookieScene(CookieLimits(perDomain: 3))
        try scene.set("s=1; Secure", from: "https://a.test/")
        scene.wait(1)
        try scene.set("i=1; Path=/i", from: "https://a.test/")
        scene.wait(1)
        try scene.set("e=1; Max-Age=5", from: "https://a.test/")
        scene.wait(5)
        try scene.set("t=1; Secure", from: "https://a.test/")
        expectEqual(scene.state.all(scene.now).map(\.name), ["s", "i", "t"])
        try scene.set("u=1; Secure", from: "https://a.test/")
        expectEqual(scene.state.all(scene.now).map(\.name), ["s", "t", "u"])
        scene.wait(1)
        _ = try scene.field("https://a.test/")
        scene.wait(1)
        try scene.set("v=1; Secure", from: "https://a.test/")
        expectEqual(scene.state.all(scene.now).map(\.name), ["t", "u", "v"])
        // An insecure one has no place among secure ones.
        try scene.set("w=1", from: "https://a.test/")
        expectEqual(scene.state.all(scene.now).map(\.name), ["t", "u", "v"])
    }

    @Test("A domain has 50 cookies, a jar 3,000")
    func standardLimits() throws {
        var scene = CookieScene()
        for number in 0..<60 { try scene.set("c\(number)=1", from: "http://a.test/") }
        expectEqual(scene.state.all(scene.now).map(\.name), (10..<60).map { "c\($0)" })
        for number in 0..<3_000 { try scene.set("c=1", from: "http://h\(number).test/") }
        expectEqual(scene.state.count, 3_000)
        #expect(try scene.field("http://a.test/") == nil)
        scene.wait(1)
        #expect(try scene.field("http://h0.test/") == "c=1")
        try scene.set("c=1", from: "http://new.test/")
        // Used cookies stay.
        #expect(try scene.field("http://h1.test/") == nil)
    }

    @Test("Limits of zero keep nothing")
    func noLimits() throws {
        for limits in [CookieLimits(perDomain: 0), CookieLimits(total: 0), CookieLimits(perDomain: -1, total: -1)] {
            var scene = CookieScene(limits)
            try scene.set("a=1", from: "http://a.test/")
            #expect(scene.state.count == 0 && scene.state.entriesByDomain.isEmpty)
        }
        var scene = CookieScene(CookieLimits(perRequest: 0))
        try scene.set("a=1", from: "http://a.test/")
        #expect(try scene.field("http://a.test/") == nil)
    }

    @Test("A snapshot restored within smaller limits keeps the cookies that were used last")
    func smallerLimits() throws {
        var scene = CookieScene()
        for number in 0..<40 {
            try scene.set("c=\(number)", from: "http://h\(number).test/")
            scene.wait(1)
        }
        var small = CookieJarState(limits: CookieLimits(total: 10))
        small.restore(scene.state.all(scene.now), now: scene.now)
        expectEqual(small.all(scene.now).map(\.value), (30..<40).map { "\($0)" })
        small.merge(scene.state.all(scene.now), now: scene.now)
        expectEqual(small.all(scene.now).map(\.value), (30..<40).map { "\($0)" })
    }

    @Test("Merging keeps the cookies that were set last")
    func merging() throws {
        var scene = CookieScene()
        try scene.set("a=old", from: "http://a.test/")
        let old = scene.state.all(scene.now)
        scene.wait(1)
        try scene.set("a=new", from: "http://a.test/")
        scene.state.merge(old, now: scene.now)
        #expect(try scene.field("http://a.test/") == "a=new")
        let new = scene.state.all(scene.now)
        scene.state.restore(old, now: scene.now)
        scene.state.merge(new, now: scene.now)
        #expect(try scene.field("http://a.test/") == "a=new")
    }

    @Test("Cookies that a newer list makes supercookies are not restored")
    func newerList() throws {
        var scene = CookieScene()
        try scene.set("a=1; Domain=shared.test", from: "http://x.shared.test/")
        try scene.set("b=1", from: "http://x.shared.test/")
        let list = try PublicSuffixList(parsing: Array("shared.test\n".utf8))
        var state = CookieJarState(suffixes: list)
        state.restore(scene.state.all(scene.now), now: scene.now)
        expectEqual(state.all(scene.now).map(\.name), ["b"])
    }

    @Test(
        "Random operations have the same results as in a model",
        arguments: [
            CookieLimits(), CookieLimits(perDomain: 4, total: 12, perRequest: 3, fieldLength: 20),
            CookieLimits(perDomain: 3, total: 5),
        ])
    func model(limits: CookieLimits) throws {
        for seed in 0..<8 {
            var operations = CookieOperations(seed: UInt64(seed))
            let difference = try operations.run(300, limits: limits)
            expectNil(difference, "seed \(seed)")
        }
    }
}
