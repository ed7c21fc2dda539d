import HTTPTypes
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Validation and updates (RFC 9111, 3.2, 4.3.3-4.3.5)")
struct ValidationRuleTests {
    private typealias Scene = CacheRuleScene
    private static let hour = CacheRuleScene.hourBefore

    private static func judge(
        _ response: CacheResponse, _ stored: [StoredResponse], asked: Int? = 0, _ request: [String] = [],
        sent: [String]? = nil
    ) -> ValidationOutcome {
        let validation = asked.map { index in
            let own = stored.indices.contains(index) ? CacheRule.conditions(for: stored[index]) : [:]
            return CacheValidation(index: index, fields: sent.map(Scene.fields) ?? own)
        }
        return CacheRule.judge(response, to: Scene.request(request), validation: validation, stored: stored)
    }

    private static func text(_ outcome: ValidationOutcome) -> String {
        switch outcome {
        case .current(let index, let updates, let keeps):
            "current \(index) of \(updates.map(\.index))" + (keeps ? "" : " once")
        case .callers(let updates): "callers \(updates.map(\.index))"
        case .unknown: "unknown"
        case .failed: "failed"
        case .replaced: "replaced"
        }
    }

    /// Fields of the stored responses, fields of a 304, the outcome if the cache validated the first, and if the caller did.
    static let rows: [([[String]], [String], String, String)] = [
        ([["ETag: \"v\""]], ["ETag: \"v\""], "current 0 of [0]", "callers [0]"),
        ([["ETag: \"v\""]], ["ETag: \"w\""], "current 0 of [0]", "callers []"),
        ([["ETag: \"v\""]], ["ETag: v"], "current 0 of [0]", "callers []"),
        ([["ETag: \"x-gzip\""]], ["ETag: \"x\""], "current 0 of [0]", "callers []"),
        ([["ETag: v"]], ["ETag: v"], "current 0 of [0]", "callers []"),
        ([["ETag: v"]], ["ETag: \"v\""], "current 0 of [0]", "callers []"),
        ([["ETag: *"]], ["ETag: *"], "unknown", "callers []"),
        ([["ETag: \"v\""]], [], "current 0 of [0]", "callers []"),
        ([["ETag: \"v\""], ["ETag: \"v\""]], ["ETag: \"v\""], "current 0 of [0, 1]", "callers [0, 1]"),
        ([["ETag: \"v\""], ["ETag: \"w\""]], ["ETag: \"w\""], "current 0 of [0]", "callers [1]"),
        ([["ETag: W/\"v\""]], ["ETag: W/\"v\""], "current 0 of [0]", "callers [0]"),
        ([["ETag: W/\"v\""]], ["ETag: \"v\""], "current 0 of [0]", "callers []"),
        ([["ETag: \"v\""]], ["ETag: W/\"v\""], "current 0 of [0]", "callers [0]"),
        (
            [["ETag: W/\"v\""], ["ETag: W/\"v\"", "Date: \(hour)"]], ["ETag: W/\"v\""], "current 0 of [0]",
            "callers [0]"
        ),
        (
            [["ETag: W/\"v\"", "Date: \(hour)"], ["ETag: W/\"v\""]], ["ETag: W/\"v\""], "current 0 of [0]",
            "callers [1]"
        ),
        ([["Last-Modified: \(hour)"]], ["Last-Modified: \(hour)"], "current 0 of [0]", "callers [0]"),
        ([["Last-Modified: \(hour)"]], ["Last-Modified: \(CacheRuleScene.date)"], "current 0 of [0]", "callers []"),
        ([["Last-Modified: \(hour)"]], ["Last-Modified: x"], "current 0 of [0]", "callers []"),
        (
            [["Last-Modified: \(hour)"]], ["Last-Modified: \(hour)", "ETag: \"v\""], "current 0 of [0]", "callers []"
        ),
        ([[]], ["ETag: \"v\""], "unknown", "callers []"),
        ([[]], [], "current 0 of [0]", "callers [0]"), ([[], []], [], "current 0 of [0]", "callers []"),
        ([["ETag: \"v\""]], ["Cache-Control: no-store"], "current 0 of [0] once", "callers []"),
        ([["ETag: \"v\""]], ["ETag: \"v\"", "Vary: *"], "current 0 of [0]", "callers [0]"),
    ]

    @Test("A 304 selects the responses that it updates (RFC 9111, 4.3.4)", arguments: rows)
    func selection(stored: [[String]], fields: [String], own: String, callers: String) {
        let stored = stored.map { Scene.stored($0) }
        let response = Scene.response(fields, status: 304)
        expectEqual(Self.text(Self.judge(response, stored)), own)
        expectEqual(Self.text(Self.judge(response, stored, asked: nil)), callers)
    }

    /// The cache's conditions, whether a 304 can confirm only one response.
    static let additions: [([String], Bool)] = [
        ([], false), (["Cache-Control: max-age=0"], false), (["If-None-Match: \"a\""], true),
        (["If-None-Match: W/\"a\""], true), (["If-None-Match: \"a,b\""], true), (["If-None-Match: a"], true),
        (["If-None-Match: w/\"a\""], true), (["If-None-Match: \"a\"", "If-Modified-Since: \(hour)"], true),
        (["If-Modified-Since: \(hour)"], true), (["If-None-Match: \"a\", \"b\""], false),
        (["If-None-Match: \"a\"", "If-None-Match: \"b\""], false), (["If-None-Match: a, b"], false),
        (["If-None-Match: *"], false), (["If-None-Match: "], false),
        (["If-None-Match: \"a\", \"b\"", "If-Modified-Since: \(hour)"], false),
    ]

    @Test(
        "A 304 with other validators confirms the validated response, if it was only one",
        arguments: additions)
    func oneResponse(sent: [String], isOne: Bool) {
        expectEqual(CacheValidation(index: 0, fields: Scene.fields(sent)).namesOneResponse, isOne)
        let stored = [Scene.stored(["ETag: \"a\""]), Scene.stored(["ETag: \"b\""])]
        let other = Scene.response(["ETag: \"c\""], status: 304)
        expectEqual(Self.text(Self.judge(other, stored, sent: sent)), isOne ? "current 0 of [0]" : "unknown")
        // If several were validated, the tag decides.
        let first = Scene.response(["ETag: \"a\""], status: 304)
        expectEqual(Self.text(Self.judge(first, stored, sent: sent)), "current 0 of [0]")
    }

    /// The ETag lines of a stored response, what If-None-Match says.
    static let conditions: [([String], String?)] = [
        (["\"v\""], "\"v\""), (["W/\"v\""], "W/\"v\""), (["v"], "v"), (["v", "v"], "v"), (["w/\"v\""], "w/\"v\""),
        (["\"v"], "\"v"), (["v", "w"], nil), (["*"], nil), (["a, b"], nil), (["\"a\", \"b\""], nil), ([""], nil),
        ([], nil),
        ([String(repeating: "v", count: 1_024)], String(repeating: "v", count: 1_024)),
        ([String(repeating: "v", count: 1_025)], nil),
    ]

    @Test("An invalid entity tag is sent back unchanged, unless it would be a list", arguments: conditions)
    func condition(lines: [String], expected: String?) {
        let stored = Scene.stored(lines.map { "ETag: \($0)" })
        expectEqual(CacheRule.conditions(for: stored)[.ifNoneMatch], expected)
    }

    @Test("A 304 does not change the fields that identify the stored bytes, and no weak validator becomes strong")
    func names() {
        let text = ["Content-Type: a/b", "Content-Encoding: gzip", "Content-Length: 100"]
        let new = [
            "Date: \(Scene.hourLater)", "Last-Modified: \(Scene.date)", "Content-Type: c/d", "Content-Encoding: br",
            "Content-Length: 0", "X-New: 1",
        ]
        // The stored validators, and the tag of the 304.
        let rows: [([String], [String])] = [
            (["ETag: W/\"v\"", "Last-Modified: \(Self.hour)"], ["ETag: \"v\""]), (["ETag: \"v\""], ["ETag: W/\"v\""]),
            (["ETag: \"v\""], ["ETag: \"w\""]), (["ETag: v"], ["ETag: \"v\""]),
            (["Last-Modified: \(Scene.date)"], ["ETag: \"v\""]), (["Last-Modified: \(Scene.date)"], []),
            (["Last-Modified: \(Self.hour)"], ["ETag: \"v\""]),
        ]
        for (lines, tag) in rows {
            let stored = Scene.stored(lines + text)
            let later = Scene.made + 3_600
            let outcome = Self.judge(
                Scene.response(new + tag, status: 304, sent: later, arrived: later), [stored])
            guard case .current(0, let updates, true) = outcome, let updated = updates.first?.response else {
                Issue.record("\(lines): \(outcome)")
                continue
            }
            for name in [
                .eTag, .lastModified, .contentType, .contentEncoding, .contentLength,
            ] as [HTTPField.Name] {
                expectEqual(updated.fields[values: name], stored.fields[values: name], "\(name) of \(lines)")
            }
            expectEqual(updated.fields["X-New"], "1")
            expectEqual(updated.freshness.age(at: later), 0)
            let isStrong = EntityValidator(FieldSection(updated.fields)) != nil
            expectEqual(isStrong, EntityValidator(FieldSection(stored.fields)) != nil, "\(lines)")
        }
    }

    @Test("Other responses to a validation replace the stored one or count as failures (RFC 9111, 4.3.3)")
    func others() {
        let stored = [Scene.stored(["ETag: \"v\""])]
        for status in [200, 206, 301, 404, 412, 501] {
            expectEqual(Self.text(Self.judge(Scene.response(status: status), stored)), "replaced")
        }
        for status in [500, 502, 503, 504] {
            expectEqual(Self.text(Self.judge(Scene.response(status: status), stored)), "failed")
        }
        expectEqual(Self.text(Self.judge(Scene.response(status: 304), [], asked: 5)), "unknown")
    }

    @Test("An update replaces all fields except those of the stored bytes (RFC 9111, 3.2)")
    func fields() {
        let stored = Scene.fields([
            "Date: \(Self.hour)", "Age: 50", "Content-Length: 100", "Content-Encoding: gzip", "Content-Type: a/b",
            "X-Old: 1", "X-Two: 1", "X-Two: 2", "Cache-Control: max-age=5", "ETag: \"v\"", "Content-Digest: a",
        ])
        let new = CacheFields.updated(
            stored,
            by: Scene.fields([
                "Date: \(Scene.date)", "Content-Length: 0", "Content-Encoding: br", "Content-Range: bytes 0-1/2",
                "Transfer-Encoding: chunked", "Connection: X-Hop", "X-Hop: 1", "Content-Digest: b", "Digest: b",
                "Content-MD5: c", "X-Two: 3", "X-New: 1", "Cache-Control: max-age=60", "Content-Type: c/d",
                "Keep-Alive: 1", "Upgrade: x",
            ]))
        let expected: [(String, [String])] = [
            ("Date", [Scene.date]), ("Age", []), ("Content-Length", ["100"]), ("Content-Encoding", ["gzip"]),
            ("Content-Type", ["c/d"]), ("Content-Range", []), ("Transfer-Encoding", []), ("Connection", []),
            ("X-Hop", []), ("Content-Digest", ["a"]), ("Digest", []), ("Content-MD5", []), ("X-Two", ["3"]),
            ("X-Old", ["1"]), ("X-New", ["1"]), ("Cache-Control", ["max-age=60"]), ("ETag", ["\"v\""]),
            ("Keep-Alive", []), ("Upgrade", []),
        ]
        for (name, values) in expected { expectEqual(new[values: name], values, "\(name)") }
    }

    @Test("A 304 makes a response fresh again, from its arrival on")
    func freshens() throws {
        let stored = Scene.stored(["ETag: \"v\"", "Age: 500", "Cache-Control: max-age=100", "Date: \(Self.hour)"])
        let later = Scene.made + 10_000
        for fields in [["ETag: \"v\""], ["ETag: \"v\"", "Age: 5"]] {
            let outcome = Self.judge(Scene.response(fields, status: 304, sent: later - 1, arrived: later), [stored])
            guard case .current(_, let updates, true) = outcome, let new = updates.first?.response else {
                Issue.record("\(outcome)")
                return
            }
            expectEqual(new.freshness.age(at: later), (fields.count == 2 ? 6 : 1))
            expectEqual(new.status, 200)
        }
    }

    private static func variant(_ value: String) -> VaryKey { VaryKey(parts: [.init(name: "x-a", value: value)]) }

    @Test("A 304 with another Vary moves the response to another variant")
    func newVary() throws {
        let stored = ["1", "2"].map { Scene.stored(["ETag: \"v\"", "Vary: X-A"], variant: Self.variant($0)) }
        let outcome = Self.judge(
            Scene.response(["ETag: \"v\"", "Vary: X-B"], status: 304), stored, ["X-A: 1", "X-B: 7"])
        guard case .current(0, let updates, true) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        let both = VaryKey(parts: [.init(name: "x-a", value: "1"), .init(name: "x-b", value: "7")])
        expectEqual(updates.first?.response?.variant, both)
        expectEqual(updates.first?.response?.fields[.vary], "x-a, x-b")
    }

    /// Vary of a stored response to `X-A: 1`, and of a 304 to `X-A: 1` and `X-B: 7`; what it varies on then, and how the field is written.
    static let varies: [(String?, String?, [String]?, String?)] = [
        ("X-A", "X-A", ["x-a"], "X-A"), ("X-A", nil, ["x-a"], "X-A"), (nil, "X-A", ["x-a"], "X-A"), (nil, nil, [], nil),
        ("X-A", "x-a", ["x-a"], "x-a"), ("X-A", "X-A, X-B", ["x-a", "x-b"], "X-A, X-B"),
        ("X-A", "X-B", ["x-a", "x-b"], "x-a, x-b"), ("X-B, X-A", "X-B", ["x-a", "x-b"], "X-B, X-A"),
        ("X-A", "X-C", ["x-a", "x-c"], "x-a, x-c"), ("X-A", "*", nil, "*"), (nil, "*", nil, "*"),
        ("X-A", "a b", nil, "a b"),
        ("X-A", (0..<32).map { "x\($0)" }.joined(separator: ","), nil, "*"),
    ]

    @Test("After a 304, a response varies on the fields of both, with the request's values", arguments: varies)
    func union(old: String?, new: String?, names: [String]?, field: String?) throws {
        let request = ["X-A: 1", "X-B: 7"]
        let vary = old.map { ["Vary: \($0)"] } ?? []
        let key = try #require(
            VaryKey(Vary(Scene.fields(vary)), request: Scene.fields(request), secrets: VarySecrets()))
        let stored = Scene.stored(["ETag: \"v\"", "Cache-Control: max-age=0"] + vary, variant: key)
        let response = Scene.response(
            ["ETag: \"v\"", "Cache-Control: max-age=60"] + (new.map { ["Vary: \($0)"] } ?? []), status: 304)
        guard case .current(0, let updates, true) = Self.judge(response, [stored], request),
            let updated = updates.first?.response
        else {
            Issue.record("It is not kept.")
            return
        }
        expectEqual(updated.fields[.vary], field)
        let expected = names.map { names in
            names.map { name in
                VaryKey.Part(name: name, value: name == "x-a" ? "1" : name == "x-b" ? "7" : nil)
            }
        }
        expectEqual(updated.variant.parts, expected ?? key.parts)
        // Under every policy, a response that varies on more than fields is validated for each request.
        for policy in [CachePolicy.protocolRules, .cachedElseLoad, .cachedOnly] {
            let decision = CacheRule.decide(
                Scene.request(request), stored: [updated], policy: policy, now: Scene.made)
            let asked = policy == .cachedOnly ? "504 vary" : "validate vary"
            expectEqual(Scene.text(decision), names == nil ? asked : "serve")
        }
        let failed = CacheRule.responseAfterFailure(
            status: nil, Scene.request(request), stored: [updated], policy: CachePolicy(fallsBackToStored: true),
            now: Scene.made)
        expectEqual(failed == nil, names == nil)
        // And again.
        let again = Self.judge(response, [updated], request)
        guard case .current(0, let further, true) = again else {
            Issue.record("\(again)")
            return
        }
        expectEqual(further.first?.response?.variant, updated.variant)
        expectEqual(further.first?.response.map { Vary($0.fields) }, Vary(updated.fields))
    }

    @Test("A 304 updates no variant that does not match its request (RFC 9111, 4.3.4)")
    func otherVariants() {
        for line in ["ETag: \"v\"", "ETag: W/\"v\"", "Last-Modified: \(Self.hour)"] {
            let stored = ["1", "2"].map { value in
                Scene.stored(
                    [line, "Vary: X-A", "Date: \(value == "2" ? Scene.date : Self.hour)"], variant: Self.variant(value))
            }
            let response = Scene.response([line, "Cache-Control: max-age=9999"], status: 304)
            expectEqual(Self.text(Self.judge(response, stored, ["X-A: 1"])), "current 0 of [0]")
            expectEqual(Self.text(Self.judge(response, stored, asked: nil, ["X-A: 1"])), "callers [0]")
            expectEqual(Self.text(Self.judge(response, stored, asked: nil, ["X-A: 3"])), "callers []")
        }
    }

    @Test("A response that a 304 forbids to store is removed; a request with no-store changes nothing")
    func updatesWithNoStore() {
        let stored = [Scene.stored(["ETag: \"v\""]), Scene.stored(["ETag: \"v\""])]
        func updates(_ response: [String], _ request: [String], asked: Int?) -> [StoredUpdate] {
            switch Self.judge(Scene.response(["ETag: \"v\""] + response, status: 304), stored, asked: asked, request) {
            case .current(_, let updates, let keeps):
                #expect(!keeps)
                return updates
            case .callers(let updates): return updates
            default: return []
            }
        }
        let forbidden = updates(["Cache-Control: no-store"], [], asked: nil)
        #expect(forbidden.map(\.index) == [0, 1] && forbidden.allSatisfy { $0.response == nil })
        // The validated response is served once more.
        let own = updates(["Cache-Control: no-store"], [], asked: 0)
        expectEqual(own.map { $0.response == nil }, [false, true])
        #expect(updates([], ["Cache-Control: no-store"], asked: nil).isEmpty)
        expectEqual(updates([], ["Cache-Control: no-store"], asked: 1).map(\.index), [1])
    }

    /// Fields of a response to HEAD, whether the stored response stays (RFC 9111, 4.3.5).
    static let heads: [([String], Bool)] = [
        ([], true), (["ETag: \"v\""], true), (["ETag: \"w\""], false), (["ETag: W/\"v\""], false), (["ETag: v"], false),
        (["Last-Modified: \(hour)"], true), (["Last-Modified: \(CacheRuleScene.date)"], false),
        (["Last-Modified: x"], false), (["Content-Length: 100"], true), (["Content-Length: 99"], false),
        (["Content-Length: x"], false), (["ETag: \"v\"", "Cache-Control: no-store"], false), (["Vary: *"], false),
    ]

    @Test("A response to HEAD updates or invalidates", arguments: heads)
    func head(fields: [String], stays: Bool) {
        let stored = [Scene.stored(["ETag: \"v\"", "Last-Modified: \(Self.hour)", "Content-Length: 100"])]
        let response = Scene.response(fields + ["X-New: 1"])
        let updates = CacheRule.updates(byHead: response, to: Scene.request([], .head), stored: stored)
        expectEqual(updates.count, 1)
        expectEqual((updates.first?.response != nil), stays)
        if stays { expectEqual(updates.first?.response?.fields["X-New"], "1") }
        #expect(CacheRule.updates(byHead: response, to: Scene.request(), stored: stored).isEmpty)
        let error = Scene.response(fields, status: 404)
        #expect(CacheRule.updates(byHead: error, to: Scene.request([], .head), stored: stored).isEmpty)
    }

    /// Response fields, request fields, policy falls back, seconds, for no response, for 503, for 404.
    static let failures: [([String], [String], Bool, Int64, String, String)] = [
        (["Cache-Control: max-age=100, stale-if-error=50"], [], false, 150, "ifError", "ifError"),
        (["Cache-Control: max-age=100, stale-if-error=50"], [], false, 151, "-", "-"),
        (["Cache-Control: max-age=100"], ["Cache-Control: stale-if-error=50"], false, 150, "ifError", "ifError"),
        (["Cache-Control: max-age=100"], ["Cache-Control: stale-if-error=x"], false, 150, "-", "-"),
        (["Cache-Control: max-age=100"], ["Cache-Control: stale-if-error=x"], false, 100, "-", "-"),
        (["Cache-Control: max-age=100, stale-if-error"], [], false, 100, "-", "-"),
        (["Cache-Control: max-age=100"], [], false, 150, "-", "-"),
        (["Cache-Control: max-age=100"], [], true, 9_999, "unreachable", "-"),
        (["Cache-Control: max-age=100, must-revalidate, stale-if-error=50"], [], true, 101, "-", "-"),
        (["Cache-Control: max-age=100, no-cache, stale-if-error=50"], [], true, 0, "-", "-"),
        (["Cache-Control: max-age=100, stale-if-error=50"], ["Cache-Control: no-cache"], true, 0, "-", "-"),
        (["Cache-Control: max-age=100, stale-if-error=50"], ["Cache-Control: max-age=120"], true, 110, "-", "-"),
        (["Cache-Control: max-age=100; stale-if-error=50"], [], true, 0, "-", "-"),
    ]

    @Test("Stale responses that are served when the server fails (RFC 5861, 4; RFC 9111, 4.2.4)", arguments: failures)
    func failure(response: [String], request: [String], fallsBack: Bool, seconds: Int64, none: String, error: String) {
        func text(_ status: Int?) -> String {
            let served = CacheRule.responseAfterFailure(
                status: status, Scene.request(request), stored: [Scene.stored(response)],
                policy: CachePolicy(fallsBackToStored: fallsBack), now: Scene.made + seconds)
            return served.map { "\($0.1)" } ?? "-"
        }
        expectEqual(text(nil), none)
        expectEqual(text(503), error)
        expectEqual(text(404), "-")
    }
}
