import Foundation
import HTTPTypes
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// The diagram of docs/Caching.md: its lines are the reasons that the rule itself gives, in the order in which it finds them.
///
/// With `STERNA_WRITE_DOCUMENTATION=1` it is written into the article.
@Suite("The diagram of the cache's decision")
struct CacheDiagramTests {
    private typealias Scene = CacheRuleScene

    /// A request and what is stored for it, which lines of the diagram change.
    struct Case {
        var method = HTTPRequest.Method.get
        var directives: [String] = []
        var fields: [String] = []
        var isStored = true
        var fits = true
        var extent = StoredExtent.whole(100)
        var response = ["max-age=100"]
        var seconds: Int64 = 0
        var policy = CachePolicy.protocolRules

        private var request: CacheRequest {
            CacheRuleScene.request(
                fields + (directives.isEmpty ? [] : ["Cache-Control: \(directives.joined(separator: ", "))"]), method)
        }

        private var stored: [StoredResponse] {
            guard isStored else { return [] }
            let accepting: HTTPFields = [.accept: "text/html"]
            let variant = fits ? nil : VaryKey(Vary(lines: ["Accept"]), request: accepting, secrets: VarySecrets())
            return [
                CacheRuleScene.stored(
                    ["Cache-Control: \(response.joined(separator: ", "))", "ETag: \"v\""], variant: variant ?? .none,
                    extent: extent)
            ]
        }

        func decide() -> CacheDecision {
            CacheRule.decide(request, stored: stored, policy: policy, now: CacheRuleScene.made + seconds)
        }

        func afterFailure(_ status: Int?) -> StaleReason? {
            CacheRule.responseAfterFailure(
                status: status, request, stored: stored, policy: policy, now: CacheRuleScene.made + seconds)?.1
        }
    }

    private typealias Change = @Sendable (inout Case) -> Void

    /// Why the server is asked, in the order of the rule, and a case of each.
    private static let forwards: [(ForwardReason, Change)] = [
        (.reload, { $0.policy = .reload }),
        (.method, { $0.method = .post }),
        (.requestConditions, { $0.fields.append("If-Match: \"v\"") }),
        (.miss, { $0.isStored = false }),
        (.vary, { $0.fits = false }),
        (.requestRange, { $0.fields.append("Range: bytes=0-1,4-5") }),
        (.partial, { $0.extent = .parts(ByteRanges([0..<50]), length: 100) }),
        (.requestNoCache, { $0.directives.append("no-cache") }),
        (.responseNoCache, { $0.response.append("no-cache") }),
        (
            .malformed,
            {
                $0.response.append("public; x")
                $0.seconds = 500
            }
        ),
        (
            .mustRevalidate,
            {
                $0.response.append("must-revalidate")
                $0.seconds = 500
            }
        ),
        (.stale, { $0.seconds = 500 }),
        (
            .requestMaxAge,
            {
                $0.directives.append("max-age=10")
                $0.seconds = max($0.seconds, 50)
            }
        ),
        (
            .requestMinFresh,
            {
                $0.directives.append("min-fresh=90")
                $0.seconds = max($0.seconds, 50)
            }
        ),
        (.policyRevalidate, { $0.policy = .revalidate }),
    ]

    /// Why a stale response answers nevertheless, likewise.
    private static let stale: [(StaleReason, Change)] = [
        (.maxStale, { $0.directives.append("max-stale") }),
        (.policy, { $0.policy = .cachedElseLoad }),
        (.offline, { $0.policy = .cachedOnly }),
        (.whileRevalidate, { $0.response.append("stale-while-revalidate=1000") }),
    ]

    /// Why one answers after a failure.
    private static let failures: [StaleReason] = [.ifError, .unreachable]

    /// From where on `only-if-cached`, or a policy that never asks the server, leads to a 504 in place of a request, and from where
    /// on validators count.
    private static let (firstUnsent, firstOffline, firstFound) = (1, 2, 7)

    // MARK: What the rule does

    @Test("The diagram has every reason, once")
    func reasons() {
        #expect(Set(Self.forwards.map(\.0)) == Set(ForwardReason.allCases))
        #expect(Self.forwards.count == ForwardReason.allCases.count)
        #expect(Set(Self.stale.map(\.0) + Self.failures) == Set(StaleReason.allCases))
    }

    @Test("Of several lines that hold, the first decides")
    func order() {
        #expect(Scene.text(Case().decide()) == "serve")
        for (number, (reason, change)) in Self.forwards.enumerated() {
            var alone = Case()
            change(&alone)
            var all = Case()
            for (_, later) in Self.forwards[number...].reversed() { later(&all) }
            let expected = (number < Self.firstFound ? "forward " : "validate ") + "\(reason)"
            #expect(Scene.text(alone.decide()) == expected)
            #expect(Scene.text(all.decide()) == expected, "with the lines behind it")
            alone.directives.append("only-if-cached")
            #expect(Scene.text(alone.decide()) == (number < Self.firstUnsent ? "forward \(reason)" : "504 \(reason)"))
            guard (Self.firstUnsent..<Self.firstFound).contains(number) else { continue }
            var offline = Case()
            change(&offline)
            offline.policy = .cachedOnly
            #expect(Scene.text(offline.decide()).hasPrefix(number < Self.firstOffline ? "forward" : "504"))
        }
    }

    @Test("A stale response answers for the first reason, none of which holds for others")
    func staleness() {
        for (number, (reason, change)) in Self.stale.enumerated() {
            var base = Case()
            base.seconds = 500
            var alone = base
            change(&alone)
            var all = base
            for (_, later) in Self.stale[number...].reversed() { later(&all) }
            for decision in [alone.decide(), all.decide()] {
                #expect(Scene.text(decision).hasPrefix("stale \(reason)"))
            }
            alone.response.append("must-revalidate")
            #expect(!Scene.text(alone.decide()).hasPrefix("stale"))
        }
    }

    @Test("After failures")
    func failure() {
        var scene = Case()
        scene.seconds = 500
        #expect(scene.afterFailure(503) == nil && scene.afterFailure(nil) == nil)
        scene.policy.fallsBackToStored = true
        #expect(scene.afterFailure(503) == nil && scene.afterFailure(nil) == .unreachable)
        scene.response.append("stale-if-error=1000")
        #expect(scene.afterFailure(503) == .ifError && scene.afterFailure(nil) == .ifError)
        scene.response.append("must-revalidate")
        #expect(scene.afterFailure(503) == nil && scene.afterFailure(nil) == nil)
    }

    // MARK: The text

    private static func line(_ lead: String, _ words: String, _ outcome: String, _ status: String = "") -> String {
        let text = "\(lead) \(words)"
        guard !outcome.isEmpty else { return text }
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(1, width - text.count))
        }
        return padded(text, 76) + (status.isEmpty ? outcome : padded(outcome, 18) + status)
    }

    static var diagram: String {
        var lines = ["the request"]
        for (number, (reason, _)) in forwards.enumerated() {
            if number == firstUnsent {
                lines += ["│", "│  with only-if-cached: 504 in its place", "│"]
            }
            if number == firstOffline {
                lines += ["│", "│  where the policy never asks the server: 504 in its place, too", "│"]
            }
            if number == firstFound {
                lines += ["│", "│  a stored response could answer", "│"]
            }
            let outcome = number < firstFound ? "the server" : "validation"
            guard reason == .stale else {
                lines.append(line("├─", reason.rawValue, outcome, "fwd=\(reason.token)"))
                continue
            }
            lines.append(line("├─", reason.rawValue, ""))
            for (stale, _) in Self.stale {
                let outcome = "the stored one" + (stale == .whileRevalidate ? "*" : "")
                lines.append(line("│  ├─", stale.rawValue, outcome, "hit"))
            }
            lines.append(line("│  └─", "otherwise", outcome, "fwd=\(reason.token)"))
        }
        lines.append(line("└─", "otherwise", "the stored one", "hit"))
        lines += ["", "validation, or the server, fails"]
        for reason in failures { lines.append(line("├─", reason.rawValue, "the stored one", "fwd=…")) }
        lines.append(line("└─", "otherwise", "the failure"))
        return lines.joined(separator: "\n") + "\n"
    }

    @Test("The article has the diagram")
    func article() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let file = root.appending(path: "docs/Caching.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let start = try #require(text.range(of: "```text\nthe request\n"))
        let end = try #require(text.range(of: "```\n", range: start.upperBound..<text.endIndex))
        let whole = start.lowerBound..<end.upperBound
        let expected = "```text\n" + Self.diagram + "```\n"
        if ProcessInfo.processInfo.environment["STERNA_WRITE_DOCUMENTATION"] != nil {
            try text.replacingCharacters(in: whole, with: expected).write(to: file, atomically: true, encoding: .utf8)
        } else {
            #expect(text[whole] == expected, "STERNA_WRITE_DOCUMENTATION=1 writes it")
        }
    }
}
