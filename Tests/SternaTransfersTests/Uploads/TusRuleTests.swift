import HTTPTypes
import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Uploads: the rules of tus")
struct TusRuleTests {
    private static let create = UploadStep.create(0..<0, completes: false)
    private static let createPart = UploadStep.create(0..<500, completes: false)
    private static let part = UploadStep.append(100..<300, completes: false)
    private static let last = UploadStep.append(100..<1_000, completes: true)
    private static let u1 = "https://example.com/files/1"

    @Test(
        "Each response to a creation leads to its outcome",
        arguments: [
            AnswerRow("created", create, 201, [("Location", "/files/1")], "proceed 0 current \(u1)"),
            AnswerRow(
                "elsewhere", create, 201, [("Location", "//cdn.example/u")], "proceed 0 current https://cdn.example/u"),
            AnswerRow("less encryption", create, 201, [("Location", "http://example.com/")], "fail locationInsecure"),
            AnswerRow("no Location", create, 201, "fail noLocation"),
            AnswerRow(
                "with content", createPart, 201, [("Location", "/files/1"), ("Upload-Offset", "500")],
                "proceed 500 current \(u1)"),
            AnswerRow(
                "with less of it", createPart, 201, [("Location", "/files/1"), ("Upload-Offset", "5")],
                "proceed 5 current \(u1)"),
            AnswerRow("content ignored", createPart, 201, [("Location", "/files/1")], "proceed 0 \(u1)"),
            AnswerRow(
                "all content", .create(0..<1_000, completes: true), 201,
                [("Location", "/files/1"), ("Upload-Offset", "1000")], "complete 1000"),
            AnswerRow(
                "beyond the end", createPart, 201, [("Location", "/files/1"), ("Upload-Offset", "1001")],
                "fail offsetBeyondEnd(1001, length: 1000)"),
            AnswerRow("412", create, 412, [("Tus-Version", "0.2.2")], #"fail tusVersion(offered: "0.2.2")"#),
            AnswerRow("413", create, 413, "fail tooLarge(length: 1000, most: nil)"),
            AnswerRow("413 for its content", createPart, 413, "proceed 0"),
            AnswerRow("460", createPart, 460, "again 0, checksum"),
            AnswerRow("502 after content", createPart, 502, "fail creationUnknown"),
            AnswerRow("502", create, 502, "again 0, unavailable(502)"),
            AnswerRow(
                "a concatenation", .create(0..<0, completes: true), 201, [("Location", "/files/1")], "complete 1000"),
        ])
    func creation(row: AnswerRow) throws {
        let state = try UploadScene.state(.tus)
        let response = try UploadScene.response(row.status, row.fields, at: "https://example.com/files")
        expectEqual(UploadScene.text(UploadRule.decide(response, to: row.step, state)), row.expected)
    }

    @Test(
        "Each response to a request for the offset, or to content, leads to its outcome",
        arguments: [
            AnswerRow("asked", .ask, 200, [("Upload-Offset", "300")], "proceed 300 current \(u1)"),
            AnswerRow("complete", .ask, 204, [("Upload-Offset", "1000")], "complete 1000"),
            AnswerRow("not named", .ask, 200, "fail noOffset"),
            AnswerRow("a structured field", .ask, 200, [("Upload-Offset", "300;a")], "fail noOffset"),
            AnswerRow("back", .ask, 200, [("Upload-Offset", "0")], "proceed 0 current \(u1)"),
            AnswerRow(
                "beyond the end", .ask, 200, [("Upload-Offset", "1001")], "fail offsetBeyondEnd(1001, length: 1000)"),
            AnswerRow(
                "a length that is no number", .ask, 200, [("Upload-Offset", "100"), ("Upload-Length", "None")],
                "proceed 100 current \(u1)"),
            AnswerRow(
                "another length", .ask, 200, [("Upload-Offset", "1"), ("Upload-Length", "2")],
                "fail otherLength(2, length: 1000)"),
            AnswerRow("gone", .ask, 410, "anew, gone(410)"),
            AnswerRow("forbidden", .ask, 403, "fail refused(403, nil)"),
            AnswerRow("locked", .ask, 423, "again 100 \(u1), locked"),
            AnswerRow("a question that is refused", .ask, 400, "again 100 \(u1), offsetUnknown(400)"),
            AnswerRow("a method that is refused", .ask, 405, "again 100 \(u1), offsetUnknown(405)"),
            AnswerRow("content that is refused", part, 400, "fail refused(400, nil)"),
            AnswerRow("sent", part, 204, [("Upload-Offset", "300")], "proceed 300 current \(u1)"),
            AnswerRow("less", part, 204, [("Upload-Offset", "200")], "proceed 200 current \(u1)"),
            AnswerRow("nothing", part, 204, [("Upload-Offset", "100")], "proceed 100 \(u1)"),
            AnswerRow("no offset", part, 204, "again 100 \(u1), noOffset"),
            AnswerRow("all", last, 204, [("Upload-Offset", "1000")], "complete 1000"),
            AnswerRow("409", part, 409, "again 100 \(u1), mismatch"),
            AnswerRow("460", part, 460, "again 100 \(u1), checksum"),
            AnswerRow("413", part, 413, "proceed 100 \(u1) at most 100"),
            AnswerRow("415", part, 415, "fail refused(415, nil)"),
            AnswerRow("503", part, 503, [("Retry-After", "3")], "again 100 \(u1), unavailable(503) after 3 s"),
            AnswerRow("cancelled", .cancel, 204, "complete 0"),
            AnswerRow("cancelled twice", .cancel, 404, "complete 0"),
            AnswerRow("not to be cancelled", .cancel, 405, "fail refused(405, nil)"),
        ])
    func offsets(row: AnswerRow) throws {
        let state = try UploadScene.state(.tus, offset: 100)
        let response = try UploadScene.response(row.status, row.fields)
        expectEqual(UploadScene.text(UploadRule.decide(response, to: row.step, state)), row.expected)
    }

    @Test("A deferred length is sent with the first content, and the upload is complete only then")
    func deferred() throws {
        var plan = try UploadScene.plan()
        plan.defersLength = true
        var state = UploadState(plan)
        state.dialect = .tus
        let created = try UploadRule.request(Self.create, state, plan)
        expectEqual(created.headers["Upload-Defer-Length"], "1")
        expectNil(created.headers["Upload-Length"])
        state.url = try UploadScene.url(Self.u1)
        (state.stage, state.isCurrent) = (.open, true)
        try expectEqual(UploadRule.request(Self.part, state, plan).headers["Upload-Length"], "1000")
        let all = try UploadScene.response(200, [("Upload-Offset", "1000"), ("Upload-Defer-Length", "1")])
        guard case .proceed(let next) = UploadRule.decide(all, to: .ask, state) else {
            Issue.record("complete without a length")
            return
        }
        expectEqual(UploadRule.next(next, plan), .append(1_000..<1_000, completes: true))
        let told = try UploadScene.response(204, [("Upload-Offset", "1000")])
        let decision = UploadRule.decide(told, to: .append(1_000..<1_000, completes: true), next)
        expectEqual(UploadScene.text(decision), "complete 1000")
    }

    @Test("Requests have the version, the length, metadata and checksums")
    func requests() throws {
        var plan = try UploadScene.plan()
        (plan.fileName, plan.mediaType) = ("a", "b")
        let state = try UploadScene.state(.tus, offset: 100)
        let created = try UploadRule.request(Self.create, state, plan)
        expectEqual(
            created.headers,
            Headers([
                ("Tus-Resumable", "1.0.0"), ("Upload-Length", "1000"),
                ("Upload-Metadata", "filename YQ==,filetype Yg=="),
            ]))
        let digest = UploadDigest(algorithm: .sha1, bytes: [1])
        let sent = try UploadRule.request(Self.part, state, plan, digest: digest)
        expectEqual(sent.method, .patch)
        expectEqual(
            sent.headers,
            Headers([
                ("Tus-Resumable", "1.0.0"), ("Upload-Offset", "100"), ("Upload-Checksum", "sha1 AQ=="),
                ("Content-Type", "application/offset+octet-stream"),
            ]))
        (plan.checksum, plan.sendsDigestInTrailer) = (.sha1, true)
        try expectEqual(UploadRule.request(Self.part, state, plan).headers["Trailer"], "Upload-Checksum")
    }

    @Test("Parts are joined in order, without a length")
    func concatenation() throws {
        var plan = try UploadScene.plan()
        let state = try UploadScene.state(.tus)
        plan.concatenation = .partial
        try expectEqual(UploadRule.request(Self.create, state, plan).headers["Upload-Concat"], "partial")
        plan.concatenation = .final([try UploadScene.url("https://example.com/a#x"), try UploadScene.url(Self.u1)])
        expectEqual(UploadRule.next(state, plan), .create(0..<0, completes: true))
        let headers = try UploadRule.request(Self.create, state, plan).headers
        #expect(headers["Upload-Concat"] == "final;https://example.com/a https://example.com/files/1")
        expectNil(headers["Upload-Length"])
    }

    @Test("Extensions that the server does not offer are refused before anything is sent")
    func missing() throws {
        var state = try UploadScene.state(.tus)
        state.tus = TusSupport(extensions: [.creation, .checksum], checksums: ["md5"])
        var plan = try UploadScene.plan()
        expectEqual(UploadRule.next(state, plan), Self.create)
        plan.checksum = .sha1
        expectEqual(UploadRule.next(state, plan), .fail(.missingAlgorithm("sha1")))
        plan.checksum = .md5
        plan.sendsDigestInTrailer = true
        expectEqual(UploadRule.next(state, plan), .fail(.missingExtension(.checksumTrailer)))
        plan = try UploadScene.plan()
        plan.defersLength = true
        expectEqual(UploadRule.next(state, plan), .fail(.missingExtension(.creationDeferLength)))
        plan = try UploadScene.plan()
        plan.creation = .withContent
        expectEqual(UploadRule.next(state, plan), Self.create)
        state.tus?.maxSize = 10
        expectEqual(UploadRule.next(state, plan), .fail(.tooLarge(length: 1_000, most: 10)))
    }
}
