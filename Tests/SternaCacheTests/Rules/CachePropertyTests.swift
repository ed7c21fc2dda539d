import HTTPTypes
import MutationKit
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Properties that hold for all directives")
struct CachePropertyTests {
    private typealias Scene = CacheRuleScene

    private static let responseDirectives = [
        "max-age=0", "max-age=100", "max-age=x", "max-age=99999999999", "s-maxage=0", "s-maxage=100", "s-maxage=",
        "public", "public=x", "private", "private=\"x\"", "no-cache", "no-cache=\"x\"", "immutable", "must-revalidate",
        "proxy-revalidate", "stale-while-revalidate=1000000", "stale-if-error=1000000", "stale-while-revalidate=y",
        "foo", "foo=\"a, b\"", "foo=\"", "bar baz", ";", "", "=", "max-age=100; x", "no-transform", "@",
    ]

    private static let requestDirectives = [
        "max-stale", "max-stale=1000000", "max-age=1000000", "min-fresh=0", "no-transform", "only-if-cached",
        "stale-if-error=1000000", "foo", "foo=\"", "max-age=x", "",
    ]

    private static let policies: [CachePolicy] =
        CachePolicy.Reading.allCases.flatMap { reading in
            [CachePolicy(reading: reading), CachePolicy(reading: reading, fallsBackToStored: true)]
        }

    /// Random lines of Cache-Control with some directives among them.
    private static func lines(
        _ words: [String], with fixed: String?, _ generator: inout MutationGenerator
    ) -> [String] {
        var all = (0..<Int.random(in: 0...5, using: &generator)).compactMap { _ in
            words.randomElement(using: &generator)
        }
        // Two quotes make a quoted string, which contains no directive.
        var hasOpenQuote = fixed.map(isOpen) ?? false
        all.removeAll { word in
            guard isOpen(word) else { return false }
            defer { hasOpenQuote = true }
            return hasOpenQuote
        }
        if let fixed { all.insert(fixed, at: Int.random(in: 0...all.count, using: &generator)) }
        let cut = Int.random(in: 0...all.count, using: &generator)
        return [all[..<cut], all[cut...]].filter { !$0.isEmpty }
            .map { "Cache-Control: " + $0.joined(separator: Bool.random(using: &generator) ? ", " : ",") }
    }

    private static func isOpen(_ word: String) -> Bool { word.count { $0 == "\"" } % 2 == 1 }

    private static func spelled(_ directive: String, _ generator: inout MutationGenerator) -> String {
        let name = Bool.random(using: &generator) ? directive.uppercased() : directive
        return name
            + (["", "", "=", "=1", "=\"a\"", " ", " x", ";", "\t", "=\""].randomElement(using: &generator) ?? "")
    }

    private static func validators(_ generator: inout MutationGenerator) -> [String] {
        ["ETag: \"v\"", "Last-Modified: \(Scene.hourBefore)", "Expires: \(Scene.hourLater)"]
            .filter { _ in Bool.random(using: &generator) }
    }

    private static let seed = UInt64.random(in: 1..<1 << 32)

    @Test("no-store prevents storing, whatever else the field says, unless must-understand overrides it")
    func noStore() {
        var generator = MutationGenerator(seed: Self.seed)
        for _ in 0..<1_500 {
            let fixed = Self.spelled("no-store", &generator)
            let response = Scene.response(
                Self.lines(Self.responseDirectives, with: fixed, &generator) + Self.validators(&generator),
                status: [200, 203, 301, 404].randomElement(using: &generator) ?? 200)
            for settings in [CacheRuleSettings(), Scene.shared] {
                let decision = CacheRule.mayStore(Scene.request(), response, settings: settings)
                guard case .store = decision else { continue }
                Issue.record("\(response.fields), seed \(Self.seed)")
                return
            }
        }
    }

    @Test("A shared cache stores no private response, and no authorized one without permission")
    func shared() {
        var generator = MutationGenerator(seed: Self.seed)
        let permissions = ["public", "must-revalidate", "s-maxage=100"]
        let others = Self.responseDirectives.filter { !permissions.contains($0) }
        for _ in 0..<1_500 {
            var fixed = Self.spelled("private", &generator)
            // With field names, it is another directive.
            if fixed.hasSuffix("=1") || fixed.hasSuffix("=\"a\"") { fixed = "private" }
            let lines = Self.lines(Self.responseDirectives, with: fixed, &generator)
            let secret = Self.lines(others, with: nil, &generator) + Self.validators(&generator)
            let credentials = Scene.request(["Authorization: Basic eA=="])
            for (request, fields) in [(Scene.request(), lines), (credentials, lines), (credentials, secret)] {
                let response = Scene.response(fields)
                guard case .store = CacheRule.mayStore(request, response, settings: Scene.shared) else { continue }
                Issue.record("\(response.fields), seed \(Self.seed)")
                return
            }
        }
    }

    @Test("A stale response with must-revalidate is not served without validation, nor any with no-cache")
    func mustRevalidate() {
        var generator = MutationGenerator(seed: Self.seed)
        for _ in 0..<1_500 {
            let isNoCache = Bool.random(using: &generator)
            // An argument names the fields that no-cache is limited to.
            let fixed = isNoCache ? "no-cache" : Self.spelled("must-revalidate", &generator)
            let lines = Self.lines(Self.responseDirectives, with: fixed, &generator) + Self.validators(&generator)
            let request = Scene.request(Self.lines(Self.requestDirectives, with: nil, &generator))
            let seconds = Int64.random(in: 0...200_000, using: &generator)
            for settings in [CacheRuleSettings(), Scene.shared] {
                let stored = Scene.stored(lines, settings: settings)
                let now = Scene.made + seconds
                let isFresh = stored.freshness.timeLeft(at: now) > 0
                for policy in Self.policies.shuffled(using: &generator).prefix(2) {
                    var isServed = false
                    switch CacheRule.decide(request, stored: [stored], policy: policy, settings: settings, now: now) {
                    case .serve: isServed = isNoCache || !isFresh
                    case .serveStale: isServed = true
                    case .validate, .forward, .gatewayTimeout: break
                    }
                    for status in [nil, 503] {
                        let served = CacheRule.responseAfterFailure(
                            status: status, request, stored: [stored], policy: policy, settings: settings, now: now)
                        if served != nil, isNoCache || !isFresh { isServed = true }
                    }
                    guard isServed else { continue }
                    Issue.record("\(stored.fields) to \(request.fields) after \(seconds) s, seed \(Self.seed)")
                    return
                }
            }
        }
    }

    @Test("A response is served as fresh only within its lifetime, and only to requests with the same varying fields")
    func freshness() {
        var generator = MutationGenerator(seed: Self.seed)
        for _ in 0..<1_500 {
            let value = ["1", "2"].randomElement(using: &generator) ?? ""
            let key = VaryKey(parts: [.init(name: "x-a", value: "1")])
            let stored = Scene.stored(
                Self.lines(Self.responseDirectives, with: nil, &generator) + Self.validators(&generator), variant: key)
            let request = Scene.request(Self.lines(Self.requestDirectives, with: nil, &generator) + ["X-A: \(value)"])
            let now = Scene.made + Int64.random(in: -100...200_000, using: &generator)
            for policy in Self.policies.shuffled(using: &generator).prefix(2) {
                let decision = CacheRule.decide(request, stored: [stored], policy: policy, now: now)
                switch decision {
                case .serve: #expect(value == "1" && stored.freshness.timeLeft(at: now) > 0, "seed \(Self.seed)")
                case .serveStale: expectEqual(value, "1", "seed \(Self.seed)")
                case .validate, .forward, .gatewayTimeout: break
                }
                guard policy.reading == .cachedOnly || request.fields.contains(.cacheControl) else { continue }
                let asksNever = policy.reading == .cachedOnly
                switch decision {
                case .validate, .forward: #expect(!asksNever, "seed \(Self.seed)")
                case .serveStale(_, _, let refresh?): #expect(!asksNever, "\(refresh), seed \(Self.seed)")
                default: break
                }
            }
        }
    }
}
