import HTTPTypes
import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

/// A row of a table: the request, the response, and the outcome.
struct AnswerRow: Sendable, CustomTestStringConvertible {
    var name: String
    var step: UploadStep
    var status: Int
    var fields: [(String, String)] = []
    var problem: UploadProblem?
    var expected: String

    init(
        _ name: String, _ step: UploadStep, _ status: Int, _ fields: [(String, String)], _ expected: String
    ) {
        (self.name, self.step, self.status, self.fields) = (name, step, status, fields)
        self.expected = expected
    }

    init(_ name: String, _ step: UploadStep, _ status: Int, problem: UploadProblem? = nil, _ expected: String) {
        (self.name, self.step, self.status) = (name, step, status)
        (self.problem, self.expected) = (problem, expected)
    }

    var testDescription: String { name }
}

@Suite("Uploads: the rules of the IETF protocol")
struct IETFRuleTests {
    private static let create = UploadStep.create(0..<0, completes: false)
    private static let createAll = UploadStep.create(0..<1_000, completes: true)
    private static let part = UploadStep.append(100..<300, completes: false)
    private static let last = UploadStep.append(100..<1_000, completes: true)
    private static let u1 = "https://example.com/files/1"

    @Test(
        "Each response to a creation leads to its outcome",
        arguments: [
            AnswerRow("created", create, 201, [("Location", "/files/1")], "proceed 0 current \(u1)"),
            AnswerRow("relative", create, 201, [("Location", "1")], "proceed 0 current https://example.com/1"),
            AnswerRow(
                "another origin", create, 201, [("Location", "https://user:pw@other.example/u")],
                "proceed 0 current https://other.example/u"),
            AnswerRow("less encryption", create, 201, [("Location", "http://example.com/u")], "fail locationInsecure"),
            AnswerRow("no URL", create, 201, [("Location", "http://[")], "fail locationUnusable"),
            AnswerRow("an empty host", create, 201, [("Location", "https:///u/1")], "fail locationUnusable"),
            AnswerRow("another scheme", create, 201, [("Location", "ftp://example.com/")], "fail locationUnusable"),
            AnswerRow("two URLs", create, 201, [("Location", "/a"), ("Location", "/b")], "fail locationsDiffer"),
            AnswerRow("no Location", create, 200, "fail noLocation"),
            AnswerRow("400", create, 400, "proceed 0 v6"),
            AnswerRow("400 with a version", create, 400, [("Upload-Draft-Interop-Version", "5")], "proceed 0 v5"),
            AnswerRow("200 with a version", create, 200, [("Upload-Draft-Interop-Version", "3")], "proceed 0 v3"),
            AnswerRow(
                "an unknown version", create, 400, [("Upload-Draft-Interop-Version", "99")], "proceed 0 v6"),
            AnswerRow("503", create, 503, [("Retry-After", "7")], "again 0, unavailable(503) after 7 s"),
            AnswerRow("500, nothing was sent", create, 500, "again 0, unavailable(500)"),
            AnswerRow("500 after content", createAll, 500, "fail creationUnknown"),
            AnswerRow("429 after content", createAll, 429, "again 0, unavailable(429)"),
            AnswerRow("413", create, 413, "fail tooLarge(length: 1000, most: nil)"),
            AnswerRow("413 after content", createAll, 413, "proceed 0"),
            AnswerRow("moved", create, 308, [("Location", "/new")], "follow 0 to https://example.com/new"),
            AnswerRow("moved for once", create, 307, [("Location", "/new")], "follow 0 by https://example.com/new"),
            AnswerRow("moved for browsers", create, 302, [("Location", "/new")], "fail redirect(302)"),
            AnswerRow(
                "403", create, 403, problem: UploadProblem(text: "Not you"), #"fail refused(403, Optional("Not you"))"#),
            AnswerRow("404", create, 404, "fail refused(404, nil)"),
            AnswerRow("409", create, 409, "fail refused(409, nil)"),
            AnswerRow("whole upload", createAll, 200, "complete 1000"),
            AnswerRow("whole upload, said", createAll, 200, [("Upload-Complete", "?1")], "complete 1000"),
            AnswerRow("whole upload, in version 3", createAll, 200, [("Upload-Incomplete", "?0")], "complete 1000"),
            AnswerRow(
                "refused by the target", createAll, 422, [("Upload-Complete", "?1")], "fail refusedByTarget(422, nil)"),
            AnswerRow(
                "whole upload, not all taken", createAll, 201,
                [("Upload-Complete", "?0"), ("Location", "/files/1"), ("Upload-Offset", "400")],
                "proceed 400 \(u1)"),
            AnswerRow(
                "complete without content", create, 201, [("Upload-Complete", "?1"), ("Location", "/files/1")],
                "fail completeTooEarly(0, length: 1000)"),
        ])
    func creation(row: AnswerRow) throws {
        let state = try UploadScene.state(.ietf(.preferred))
        let response = try UploadScene.response(
            row.status, row.fields, problem: row.problem, at: "https://example.com/files")
        expectEqual(UploadScene.text(UploadRule.decide(response, to: row.step, state)), row.expected)
    }

    @Test(
        "Each response to a request for the offset leads to its outcome",
        arguments: [
            AnswerRow(
                "named", .ask, 204, [("Upload-Offset", "300"), ("Upload-Complete", "?0")], "proceed 300 current \(u1)"),
            AnswerRow("more than was sent", .ask, 200, [("Upload-Offset", "999")], "proceed 999 current \(u1)"),
            AnswerRow("back", .ask, 204, [("Upload-Offset", "50")], "proceed 50 current \(u1)"),
            AnswerRow(
                "beyond the end", .ask, 204, [("Upload-Offset", "1001")], "fail offsetBeyondEnd(1001, length: 1000)"),
            AnswerRow("huge", .ask, 204, [("Upload-Offset", "99999999999999999999")], "fail noOffset"),
            AnswerRow("missing", .ask, 204, "fail noOffset"),
            AnswerRow("of the wrong type", .ask, 204, [("Upload-Offset", "\"5\"")], "fail noOffset"),
            AnswerRow("complete", .ask, 204, [("Upload-Offset", "1000"), ("Upload-Complete", "?1")], "complete 1000"),
            AnswerRow(
                "complete too early", .ask, 204, [("Upload-Offset", "10"), ("Upload-Incomplete", "?0")],
                "fail completeTooEarly(10, length: 1000)"),
            AnswerRow(
                "all, but open", .ask, 204, [("Upload-Offset", "1000"), ("Upload-Complete", "?0")],
                "proceed 1000 current \(u1)"),
            AnswerRow(
                "another length", .ask, 204, [("Upload-Offset", "1"), ("Upload-Length", "7")],
                "fail otherLength(7, length: 1000)"),
            AnswerRow("gone", .ask, 404, "anew, gone(404)"), AnswerRow("gone for ever", .ask, 410, "anew, gone(410)"),
            AnswerRow("409", .ask, 409, "again 100 \(u1), mismatch"),
            AnswerRow("423", .ask, 423, "again 100 \(u1), locked"),
            AnswerRow("503", .ask, 503, [("Retry-After", "1")], "again 100 \(u1), unavailable(503) after 1 s"),
            AnswerRow("401", .ask, 401, "fail refused(401, nil)"),
            AnswerRow("400", .ask, 400, "proceed 100 \(u1) v6"),
            AnswerRow("moved", .ask, 308, [("Location", "/2")], "follow 100 https://example.com/2"),
            AnswerRow("moved for once", .ask, 307, [("Location", "/2")], "follow 100 \(u1) by https://example.com/2"),
            AnswerRow("moved to nowhere", .ask, 307, "fail redirect(307)"),
            AnswerRow("501", .ask, 501, "fail refused(501, nil)"),
        ])
    func offset(row: AnswerRow) throws {
        let state = try UploadScene.state(.ietf(.preferred), offset: 100, isCurrent: false)
        let response = try UploadScene.response(row.status, row.fields, problem: row.problem)
        expectEqual(UploadScene.text(UploadRule.decide(response, to: row.step, state)), row.expected)
    }

    @Test(
        "Each response to content leads to its outcome",
        arguments: [
            AnswerRow("a part", part, 204, [("Upload-Complete", "?0")], "proceed 300 current \(u1)"),
            AnswerRow("a part, with its offset", part, 201, [("Upload-Offset", "300")], "proceed 300 current \(u1)"),
            AnswerRow("less than was sent", part, 204, [("Upload-Offset", "200")], "proceed 200 \(u1)"),
            AnswerRow(
                "beyond the end", part, 204, [("Upload-Offset", "2000")], "fail offsetBeyondEnd(2000, length: 1000)"),
            AnswerRow(
                "complete too early", part, 200, [("Upload-Complete", "?1")], "fail completeTooEarly(300, length: 1000)"
            ),
            AnswerRow("the last part", last, 200, "complete 1000"),
            AnswerRow("the last part, said", last, 201, [("Upload-Complete", "?1")], "complete 1000"),
            AnswerRow("the last part of swift-nio", last, 200, [("Upload-Incomplete", "?0")], "complete 1000"),
            AnswerRow(
                "refused by the target", last, 500, [("Upload-Complete", "?1")], "fail refusedByTarget(500, nil)"),
            AnswerRow(
                "the last part, not all taken", last, 200, [("Upload-Complete", "?0"), ("Upload-Offset", "500")],
                "proceed 500 \(u1)"),
            AnswerRow("409", part, 409, [("Upload-Offset", "50")], "again 100 \(u1), mismatch"),
            AnswerRow(
                "409 with details", part, 409, problem: UploadProblem(kind: .mismatchingOffset),
                "again 100 \(u1), mismatch"),
            AnswerRow(
                "another length", part, 400, problem: UploadProblem(kind: .inconsistentLength, text: "x"),
                #"fail refused(400, Optional("x"))"#),
            AnswerRow(
                "complete already", part, 400, problem: UploadProblem(kind: .completed), "again 100 \(u1), mismatch"),
            AnswerRow("400", part, 400, "fail refused(400, nil)"),
            AnswerRow("400 with a version", part, 400, [("Upload-Draft-Interop-Version", "6")], "proceed 100 \(u1) v6"),
            AnswerRow("413", part, 413, "proceed 100 \(u1) at most 100"),
            AnswerRow("423", part, 423, "again 100 \(u1), locked"),
            AnswerRow("500", part, 500, "again 100 \(u1), unavailable(500)"),
            AnswerRow("404", part, 404, "anew, gone(404)"),
            AnswerRow("403", part, 403, "fail refused(403, nil)"),
        ])
    func append(row: AnswerRow) throws {
        let state = try UploadScene.state(.ietf(.preferred), offset: 100)
        let response = try UploadScene.response(row.status, row.fields, problem: row.problem)
        expectEqual(UploadScene.text(UploadRule.decide(response, to: row.step, state)), row.expected)
    }

    @Test("An upload that is gone after its last byte was sent is not restarted", arguments: [404, 410])
    func unknownOutcome(status: Int) throws {
        var state = try UploadScene.state(.ietf(.preferred), offset: 100, isCurrent: false)
        state.stage = .completing
        expectEqual(UploadRule.decide(try UploadScene.response(status), to: .ask, state), .fail(.outcomeUnknown))
    }

    @Test(
        "A 104 names the URL or confirms an offset",
        arguments: [
            ("its URL", 104, [("Location", "/files/1")], create, "0 https://example.com/files/1"),
            ("another version", 104, [("Upload-Draft-Interop-Version", "6"), ("Location", "/x")], create, nil),
            ("early hints", 103, [("Location", "/files/1")], create, nil),
            ("a URL while content is sent", 104, [("Location", "/x")], part, nil),
            ("progress", 104, [("Upload-Offset", "200")], part, "200 https://example.com/files/1"),
            ("progress beyond what was sent", 104, [("Upload-Offset", "900")], part, "900 https://example.com/files/1"),
            ("progress beyond the end", 104, [("Upload-Offset", "1001")], part, "offsetBeyondEnd(1001, length: 1000)"),
            (
                "a limit below the length", 104, [("Upload-Limit", "max-size=9")], part,
                "tooLarge(length: 1000, most: Optional(9))"
            ),
            ("back", 104, [("Upload-Offset", "10")], part, nil), ("nothing", 104, [], part, nil),
        ] as [(String, Int, [(String, String)], UploadStep, String?)])
    func interim(name: String, status: Int, fields: [(String, String)], step: UploadStep, expected: String?) throws {
        let state = try UploadScene.state(.ietf(.preferred), offset: step == Self.create ? nil : 100)
        var fields = fields
        if !fields.contains(where: { $0.0.hasPrefix("Upload-Draft") }) {
            fields.append(("Upload-Draft-Interop-Version", "8"))
        }
        let response = try UploadScene.response(status, fields, at: "https://example.com/files")
        var text: String?
        do throws(UploadFault) {
            text = try UploadRule.interim(response, to: step, state).map { "\($0.offset) \($0.url?.href ?? "-")" }
        } catch {
            text = "\(error)"
        }
        expectEqual(text, expected)
    }

    @Test("An interim response without a version is ignored, and two URLs for an upload are refused")
    func interimURLs() throws {
        var state = try UploadScene.state(.ietf(.preferred))
        let bare = try UploadScene.response(104, [("Location", "/files/1")])
        try expectNil(UploadRule.interim(bare, to: Self.create, state))
        let first = try UploadScene.response(
            104, [("Upload-Draft-Interop-Version", "8"), ("Location", "/files/1")])
        state = try #require(try UploadRule.interim(first, to: Self.create, state))
        let second = try UploadScene.response(
            104, [("Upload-Draft-Interop-Version", "8"), ("Location", "/files/2")])
        #expect(throws: UploadFault.locationsDiffer) { try UploadRule.interim(second, to: Self.create, state) }
        let final = try UploadScene.response(201, [("Location", "/files/2")])
        expectEqual(UploadRule.decide(final, to: Self.create, state), .fail(.locationsDiffer))
    }

    @Test("Each version is tried once: 8, 6, 5, 4, 3")
    func versions() throws {
        var state = try UploadScene.state(.ietf(.preferred))
        var tried: [Int] = []
        while case .ietf(let version) = state.dialect {
            tried.append(version.number)
            guard
                case .proceed(let next) = UploadRule.decide(try UploadScene.response(400), to: Self.create, state)
            else { break }
            state = next
        }
        expectEqual(tried, [8, 6, 5, 4, 3])
        expectEqual(UploadRule.decide(try UploadScene.response(400), to: Self.create, state), .fail(.versionsRefused))
    }

    @Test("A request for the offset that is refused in every version is repeated")
    func refusedQuestion() throws {
        var state = try UploadScene.state(.ietf(.preferred), offset: 100)
        let refused = try UploadScene.response(400)
        for version in [6, 5, 4, 3] {
            guard case .proceed(let next) = UploadRule.decide(refused, to: .ask, state) else {
                Issue.record("not another version")
                return
            }
            expectEqual(next.dialect, try UploadScene.ietf(version))
            state = next
        }
        let decision = UploadRule.decide(refused, to: .ask, state)
        expectEqual(UploadScene.text(decision), "again 100 https://example.com/files/1 v3, offsetUnknown(400)")
        guard case .again(let next, _, _) = decision else { return }
        #expect(next.refused.isEmpty)
        try expectEqual(UploadRule.next(next, UploadScene.plan()), .ask)
    }

    @Test("Negotiation ends with a server that names one refused version after another")
    func namedVersions() throws {
        let state = try UploadScene.state(.ietf(.preferred))
        let six = try UploadScene.response(400, [("Upload-Draft-Interop-Version", "6")])
        let eight = try UploadScene.response(400, [("Upload-Draft-Interop-Version", "8")])
        guard case .proceed(let next) = UploadRule.decide(six, to: Self.create, state) else {
            Issue.record("not another version")
            return
        }
        expectEqual(UploadRule.decide(eight, to: Self.create, next), .fail(.versionsRefused))
    }

    @Test(
        "Requests have the fields of their version",
        arguments: [
            (
                8, create,
                "POST https://example.com/files Upload-Complete: ?0, Upload-Length: 1000, Content-Type: text/plain, Content-Disposition: inline; filename=\"a.txt\""
            ),
            (
                6, createAll,
                "POST https://example.com/files Upload-Complete: ?1, Upload-Length: 1000, Content-Type: text/plain, Content-Disposition: inline; filename=\"a.txt\""
            ),
            (
                5, create,
                "POST https://example.com/files Upload-Complete: ?0, Content-Type: text/plain, Content-Disposition: inline; filename=\"a.txt\""
            ),
            (
                3, create,
                "POST https://example.com/files Upload-Incomplete: ?1, Content-Type: text/plain, Content-Disposition: inline; filename=\"a.txt\""
            ),
            (8, .ask, "HEAD https://example.com/files/1 "), (3, .cancel, "DELETE https://example.com/files/1 "),
            (
                8, part,
                "PATCH https://example.com/files/1 Upload-Offset: 100, Upload-Complete: ?0, Content-Type: application/partial-upload"
            ),
            (5, last, "PATCH https://example.com/files/1 Upload-Offset: 100, Upload-Complete: ?1"),
            (3, last, "PATCH https://example.com/files/1 Upload-Offset: 100, Upload-Incomplete: ?0"),
        ] as [(Int, UploadStep, String)])
    func requests(version: Int, step: UploadStep, expected: String) throws {
        var plan = try UploadScene.plan()
        (plan.mediaType, plan.fileName) = ("text/plain", "a.txt")
        let state = try UploadScene.state(try UploadScene.ietf(version), offset: 100)
        let request = try UploadRule.request(step, state, plan)
        expectEqual(request.headers["Upload-Draft-Interop-Version"], "\(version)")
        let fields = request.headers.lines.filter { $0.name != "Upload-Draft-Interop-Version" }
            .map { "\($0.name): \($0.value)" }.joined(separator: ", ")
        expectEqual("\(request.method.rawValue) \(request.url.href) \(fields)", expected)
    }

    @Test("Digests, and names outside ASCII, are encoded in fields")
    func digests() throws {
        var plan = try UploadScene.plan()
        plan.fileName = "ö\".txt"
        plan.fileDigest = UploadDigest(algorithm: .sha256, bytes: [1])
        let state = try UploadScene.state(.ietf(.preferred), offset: 0)
        let created = try UploadRule.request(Self.create, state, plan)
        expectEqual(created.headers["Repr-Digest"], "sha-256=:AQ==:")
        expectEqual(created.headers["Content-Disposition"], "inline; filename*=UTF-8''%C3%B6%22.txt")
        let digest = UploadDigest(algorithm: .sha512, bytes: [2])
        try expectEqual(
            UploadRule.request(Self.part, state, plan, digest: digest).headers["Content-Digest"], "sha-512=:Ag==:")
    }
}
