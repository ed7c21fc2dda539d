import HTTPTypes
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Freshness and age (RFC 9111, 4.2, 5.1, 5.3)")
struct FreshnessTests {
    private typealias Scene = CacheRuleScene

    private static func freshness(
        _ lines: [String], status: Int = 200, sent: Int64 = Scene.made, arrived: Int64 = Scene.made,
        settings: CacheRuleSettings = CacheRuleSettings()
    ) -> Freshness {
        let fields = Scene.fields(lines)
        return Freshness(
            status: status, fields, CacheControl.Response(fields[values: .cacheControl]), requestTime: sent,
            responseTime: arrived, settings: settings)
    }

    /// Fields, lifetime in a private and in a shared cache.
    static let lifetimes: [([String], Int64, Int64)] = [
        ([], 0, 0), (["Cache-Control: max-age=60"], 60, 60), (["Cache-Control: s-maxage=90"], 0, 90),
        (["Cache-Control: max-age=60, s-maxage=90"], 60, 90), (["Cache-Control: max-age=60, s-maxage=x"], 60, 0),
        (["Expires: \(CacheRuleScene.hourLater)"], 3_600, 3_600),
        (["Cache-Control: max-age=60", "Expires: \(CacheRuleScene.hourLater)"], 60, 60),
        (["Cache-Control: max-age=x", "Expires: \(CacheRuleScene.hourLater)"], 0, 0),
        (["Cache-Control: s-maxage=5", "Expires: \(CacheRuleScene.hourLater)"], 3_600, 5),
        (["Cache-Control: public", "Expires: \(CacheRuleScene.hourLater)"], 3_600, 3_600),
        (["Cache-Control: ;", "Expires: \(CacheRuleScene.hourLater)"], 0, 0),
        (["Expires: WED, 01 jan 2025 01:00:00 gmt"], 3_600, 3_600),
        (["Expires: wednesday, 01-JAN-25 01:00:00 GMT"], 3_600, 3_600),
        (["Expires: wed jan  1 01:00:00 2025"], 3_600, 3_600),
        (["Expires: Wed, 01 Jan 2025 01:00:00 CET"], 0, 0), (["Expires: Wed, 01 Jan 2025 01:00:00 UTC"], 0, 0),
        (["Expires: Wed, 01 Jan 2025 01:00:00 +0100"], 0, 0), (["Expires: \(String(repeating: "W", count: 99))"], 0, 0),
        (["Expires: 0"], 0, 0), (["Expires: -1"], 0, 0), (["Expires: "], 0, 0),
        (["Expires: 0", "Last-Modified: \(CacheRuleScene.hourBefore)"], 0, 0),
        (["Expires: \(CacheRuleScene.hourBefore)"], 0, 0),
        (["Expires: \(CacheRuleScene.hourLater)", "Expires: \(CacheRuleScene.hourLater)"], 3_600, 3_600),
        (["Expires: \(CacheRuleScene.hourLater)", "Expires: \(CacheRuleScene.date)"], 0, 0),
        (["Expires: Fri, 31 Dec 9999 23:59:59 GMT"], 1 << 31, 1 << 31),
        (["Expires: Wednesday, 01-Jan-25 01:00:00 GMT"], 3_600, 3_600),
        (["Expires: Wed Jan  1 01:00:00 2025"], 3_600, 3_600),
        (["Last-Modified: \(CacheRuleScene.hourBefore)"], 360, 360),
        (["Last-Modified: \(CacheRuleScene.hourLater)"], 0, 0),
        (["Last-Modified: \(CacheRuleScene.date)"], 0, 0), (["Last-Modified: yesterday"], 0, 0),
        (["Last-Modified: Thu, 01 Jan 1970 00:00:00 GMT"], 604_800, 604_800),
    ]

    @Test("The lifetime comes from s-maxage, max-age, Expires or a heuristic, in this order", arguments: lifetimes)
    func lifetime(lines: [String], alone: Int64, shared: Int64) {
        let dated = lines + ["Date: \(Scene.date)"]
        expectEqual(Self.freshness(dated).lifetime, alone)
        expectEqual(Self.freshness(dated, settings: Scene.shared).lifetime, shared)
    }

    @Test("Heuristic lifetimes apply to statuses that allow them, and to public responses (RFC 9111, 4.2.2)")
    func heuristicStatuses() {
        let allowed = [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 451, 501]
        for status in 200...599 {
            let lines = ["Date: \(Scene.date)", "Last-Modified: \(Scene.hourBefore)"]
            expectEqual(Self.freshness(lines, status: status).lifetime, (allowed.contains(status) ? 360 : 0))
            expectEqual(Self.freshness(lines + ["Cache-Control: public"], status: status).lifetime, 360)
        }
    }

    @Test("The percentage and the maximum of heuristic lifetimes are settings")
    func heuristicSettings() {
        var settings = CacheRuleSettings()
        let lines = ["Date: \(Scene.date)", "Last-Modified: \(Scene.hourBefore)"]
        for (percent, limit, lifetime) in [
            (0, 100, 0), (50, 100, 100), (50, 9_999, 1_800), (-5, 100, 0), (900, 9_999, 3_600),
        ]
            as [(Int64, Int64, Int64)]
        {
            (settings.heuristicPercent, settings.heuristicLimit) = (percent, limit)
            expectEqual(Self.freshness(lines, settings: settings).lifetime, lifetime)
        }
    }

    /// Fields, seconds from Date to the request and to the response, age on arrival.
    static let ages: [([String], Int64, Int64, Int64)] = [
        ([], 0, 0, 0), (["Age: 10"], 0, 0, 10), (["Age: 10"], 0, 3, 13), ([], 0, 3, 3), ([], 5, 8, 8),
        (["Age: 10"], 5, 8, 13), (["Age: 2"], 95, 100, 100), (["Age: x"], 0, 0, 0), (["Age: -5"], 0, 0, 0),
        (["Age: 10.5"], 0, 0, 0), (["Age: 10, 20"], 0, 0, 10), (["Age: 10", "Age: 20"], 0, 0, 10),
        (["Age: x, 20"], 0, 0, 0), (["Age: 7 "], 0, 0, 7), (["Age: 99999999999999999999"], 0, 0, 1 << 31),
        // A server's clock ahead of ours.
        ([], -50, -40, 10), (["Age: 3"], -50, -50, 3),
    ]

    @Test("The age at arrival is computed from Date, Age and the delay (RFC 9111, 4.2.3, 5.1)", arguments: ages)
    func initialAge(lines: [String], sent: Int64, arrived: Int64, age: Int64) {
        let freshness = Self.freshness(
            lines + ["Date: \(Scene.date)"], sent: Scene.made + sent, arrived: Scene.made + arrived)
        expectEqual(freshness.initialAge, age)
        expectEqual(freshness.age(at: Scene.made + arrived + 7), age + 7)
    }

    @Test("Without a single valid Date, the time of arrival is used", arguments: [[], ["Date: x"]])
    func noDate(lines: [String]) {
        let freshness = Self.freshness(lines + ["Expires: \(Scene.hourLater)"])
        expectEqual(freshness.initialAge, 0)
        expectEqual(freshness.lifetime, 3_600)
    }

    @Test("A response is fresh while its lifetime exceeds its age")
    func boundary() {
        let freshness = Self.freshness(["Cache-Control: max-age=10", "Date: \(Scene.date)"])
        expectEqual(freshness.timeLeft(at: Scene.made + 9), 1)
        expectEqual(freshness.timeLeft(at: Scene.made + 10), 0)
    }

    @Test("A clock that was set back makes no old response fresh, and no arithmetic overflows")
    func clocks() {
        let freshness = Self.freshness(["Cache-Control: max-age=100", "Date: \(Scene.date)"])
        expectEqual(freshness.timeLeft(at: Scene.made - 60), 100)
        #expect(freshness.timeLeft(at: Scene.made - 61) < 0)
        #expect(freshness.timeLeft(at: .max) < 0)
        #expect(freshness.timeLeft(at: .min) < 0)
        for (sent, arrived) in [(Int64.min, Int64.max), (.max, .min), (.max, .max), (.min, .min)] {
            let odd = Self.freshness(["Age: 99999999999", "Date: \(Scene.date)"], sent: sent, arrived: arrived)
            #expect(odd.timeLeft(at: .max) <= 0)
        }
    }
}
