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
        _ response: CacheResponse, _ stored: [StoredResponse], asked: Int? = 0, _ request: [String] = []
    ) -> ValidationOutcome {
        CacheRule.judge(
            response, to: Scene.request(request), validation: asked.map { CacheValidation(index: $0, fields: [:]) },
            stored: stored)
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

    /// Fields of the stored responses, fields of a 304, what it means when the first, or the caller's condition, was asked for.
    static let rows: [([[String]], [String], String, String)] = [
        ([["ETag: \"v\""]], ["ETag: \"v\""], "current 0 of [0]", "callers [0]"),
        ([["ETag: \"v\""]], ["ETag: \"w\""], "unknown", "callers []"),
        ([["ETag: \"v\""]], ["ETag: v"], "unknown", "callers []"),
        ([["ETag: \"v\""]], [], "current 0 of [0]", "callers []"),
        ([["ETag: \"v\""], ["ETag: \"v\""]], ["ETag: \"v\""], "current 0 of [0, 1]", "callers [0, 1]"),
        ([["ETag: \"v\""], ["ETag: \"w\""]], ["ETag: \"w\""], "unknown", "callers [1]"),
        ([["ETag: W/\"v\""]], ["ETag: W/\"v\""], "current 0 of [0]", "callers [0]"),
        ([["ETag: W/\"v\""]], ["ETag: \"v\""], "unknown", "callers []"),
        ([["ETag: \"v\""]], ["ETag: W/\"v\""], "current 0 of [0]", "callers [0]"),
        (
            [["ETag: W/\"v\""], ["ETag: W/\"v\"", "Date: \(hour)"]], ["ETag: W/\"v\""], "current 0 of [0]",
            "callers [0]"
        ),
        ([["Last-Modified: \(hour)"]], ["Last-Modified: \(hour)"], "current 0 of [0]", "callers [0]"),
        ([["Last-Modified: \(hour)"]], ["Last-Modified: \(CacheRuleScene.date)"], "unknown", "callers []"),
        ([["Last-Modified: \(hour)"]], ["Last-Modified: x"], "unknown", "callers []"),
        ([[]], [], "current 0 of [0]", "callers [0]"), ([[], []], [], "current 0 of [0]", "callers []"),
        ([["ETag: \"v\""]], ["Cache-Control: no-store"], "current 0 of [0] once", "callers []"),
        ([["ETag: \"v\""]], ["ETag: \"v\"", "Vary: *"], "current 0 of [0] once", "callers [0]"),
    ]

    @Test("Which responses a 304 is about (RFC 9111, 4.3.4)", arguments: rows)
    func selection(stored: [[String]], fields: [String], own: String, callers: String) {
        let stored = stored.map { Scene.stored($0) }
        let response = Scene.response(fields, status: 304)
        expectEqual(Self.text(Self.judge(response, stored)), own)
        expectEqual(Self.text(Self.judge(response, stored, asked: nil)), callers)
    }

    @Test("Other responses to a validation (RFC 9111, 4.3.3)")
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

    @Test("Which fields an update changes (RFC 9111, 3.2)")
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

    @Test("A 304 makes a response fresh again, from the moment at which it arrives")
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
        expectEqual(updates.first?.response?.variant, VaryKey(parts: [.init(name: "x-b", value: "7")]))
    }

    @Test("A 304 updates no variant that does not fit its request (RFC 9111, 4.3.4)")
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

    @Test("What a 304 forbids to store goes, and a request with no-store changes nothing")
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
        // The one that was asked for answers once more.
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

    @Test("What answers when the server fails (RFC 5861, 4; RFC 9111, 4.2.4)", arguments: failures)
    func failure(response: [String], request: [String], fallsBack: Bool, seconds: Int64, none: String, error: String) {
        func text(_ status: Int?) -> String {
            let answer = CacheRule.answerAfterFailure(
                status: status, Scene.request(request), stored: [Scene.stored(response)],
                policy: CachePolicy(fallsBackToStored: fallsBack), now: Scene.made + seconds)
            return answer.map { "\($0.1)" } ?? "-"
        }
        expectEqual(text(nil), none)
        expectEqual(text(503), error)
        expectEqual(text(404), "-")
    }
}
