import HTTPTypes
import NIOCore
import Sterna
import SternaPlatform
import SternaTransfers
import Synchronization
import Testing

@testable import SternaS3
@testable import SternaTestSupport

@Suite("S3: rules of uploads")
struct S3UploadRuleTests {
    private static let plan = S3PartPlan.test

    private static func part(_ number: Int, _ tag: String, _ size: Int64, _ checksum: String? = nil) -> S3Part {
        S3Part(number: number, entityTag: tag, size: size, checksum: checksum)
    }

    // MARK: Parts

    struct Inventory: Sendable {
        var noted: [S3Part] = []
        let listed: [S3Part]
        let missing: [Int]
    }

    static let inventories: [Inventory] = [
        Inventory(listed: [], missing: [1, 2, 3]),
        Inventory(listed: [part(1, "a", 10), part(2, "b", 10), part(3, "c", 5)], missing: []),
        // Parts of other sizes than the plan's.
        Inventory(listed: [part(1, "a", 9), part(2, "b", 11), part(3, "c", 10)], missing: [1, 2, 3]),
        Inventory(listed: [part(4, "d", 10), part(2, "b", 10)], missing: [1, 3]),
        // Tags are compared by their value, not by case or quotes.
        Inventory(noted: [part(1, "\"a\"", 10)], listed: [part(1, "A", 10)], missing: [2, 3]),
        Inventory(noted: [part(1, "a", 10)], listed: [part(1, "x", 10), part(2, "b", 10)], missing: [1, 3]),
        // A note of a part that the server does not have.
        Inventory(noted: [part(1, "a", 10), part(3, "c", 5)], listed: [part(3, "c", 5)], missing: [1, 2]),
        // The last of several.
        Inventory(listed: [part(1, "a", 1), part(1, "a", 10)], missing: [2, 3]),
    ]

    @Test("Parts are missing if the list lacks them or differs", arguments: inventories)
    func missing(row: Inventory) {
        let found = S3UploadRule.inventory(Self.plan, noted: row.noted, listed: row.listed)
        expectEqual(found.missing, row.missing)
        expectEqual(Set(found.kept.keys), Set(1...3).subtracting(row.missing))
    }

    @Test("A recorded checksum replaces one that the list leaves out")
    func checksums() {
        let found = S3UploadRule.inventory(
            Self.plan, noted: [Self.part(1, "a", 10, "sum")], listed: [Self.part(1, "a", 10)])
        expectEqual(found.kept[1]?.checksum, "sum")
    }

    @Test(
        "An upload has about 200 records",
        arguments: [(100, 0, false), (100, 1, true), (10_000, 49, false), (10_000, 50, true)])
    func notes(length: Int64, bytes: Int64, isDue: Bool) {
        expectEqual(S3UploadRule.isNoteDue(after: bytes, length: length), isDue)
    }

    // MARK: The object

    @Test("The tag of an object is the MD5 of the parts' MD5s")
    func tag() {
        // printf a | md5sum, printf b | md5sum, and md5sum of both in binary.
        let parts = [
            Self.part(1, "\"0cc175b9c0f1b6a831c399e269772661\"", 1),
            Self.part(2, "92EB5FFEE6AE2FEC3AD71C777531578F", 1),
        ]
        expectEqual(S3UploadRule.objectTag(parts), "96e024ba2074fe77e8e965ba43a704be-2")
        expectNil(S3UploadRule.objectTag(parts + [Self.part(3, "kms", 1)]))
        expectNil(S3UploadRule.objectTag([Self.part(1, "\"+cc175b9c0f1b6a831c399e26977266\"", 1)]))
    }

    struct Object: Sendable {
        var tag: String? = "\"ab-3\""
        var size: Int64? = 25
        var modified = "Wed, 25 Nov 2026 12:00:00 GMT"
        var expected: String? = "ab-3"
        var isCompleting = true
        var created: Int64? = 1_795_608_000
        let isOurs: Bool
    }

    static let objects: [Object] = [
        Object(isOurs: true),
        Object(tag: "\"cd-3\"", isOurs: false),
        Object(size: 24, isOurs: false),
        Object(size: nil, isOurs: false),
        Object(tag: nil, isOurs: false),
        Object(isCompleting: false, isOurs: false),
        // Without a tag to expect: as many parts, and not older than the upload.
        Object(expected: nil, isOurs: true),
        Object(tag: "\"x-2\"", expected: nil, isOurs: false),
        Object(modified: "Wed, 25 Nov 2026 11:59:00 GMT", expected: nil, isOurs: false),
        Object(modified: "then", expected: nil, isOurs: false),
        Object(expected: nil, created: nil, isOurs: false),
    ]

    @Test("An upload's object is recognized by its tag, or by size, parts and time", arguments: objects)
    func object(row: Object) throws {
        var fields: HTTPFields = [.lastModified: row.modified]
        fields[.eTag] = row.tag
        fields[.contentLength] = row.size.map { "\($0)" }
        let response = Response(
            status: .ok, section: FieldSection(fields), body: ResponseBody(), url: try HTTPURL("https://a.example"))
        var state = S3UploadState(Self.plan)
        (state.isCompleting, state.objectTag, state.created) = (row.isCompleting, row.expected, row.created)
        let info = S3ObjectInfo(key: "k", response, isStored: false)
        expectEqual(S3UploadRule.isObject(info, of: state, parts: 3), row.isOurs)
    }

    // MARK: Failures

    @Test(
        "The code and the status of an error decide what follows",
        arguments: [
            (503, "SlowDown", .again), (400, "RequestTimeout", .again), (500, "InternalError", .again),
            (409, "OperationAborted", .again), (400, "BadDigest", .again), (400, "ExpiredToken", .again),
            (400, "Throttling", .again), (400, "InvalidToken", .fail),
            (503, "Other", .again), (429, "Other", .again), (404, "NoSuchUpload", .gone), (404, "NotFound", .gone),
            (404, "NoSuchBucket", .fail), (400, "InvalidPart", .partsUnknown), (400, "InvalidPartOrder", .partsUnknown),
            (400, "EntityTooSmall", .fail), (403, "AccessDenied", .fail), (403, "RequestTimeTooSkewed", .fail),
            (412, "PreconditionFailed", .fail), (301, "PermanentRedirect", .fail),
        ] as [(Int, String, S3UploadRule.Verdict)])
    func verdicts(status: Int, code: String, verdict: S3UploadRule.Verdict) throws {
        var error = SternaError(.unacceptableStatus, phase: .decode, "")
        error.value = S3Error(code: code, message: "words", requestID: nil, resource: nil)
        error.response = Response(
            status: .init(code: status), section: FieldSection(), body: ResponseBody(),
            url: try HTTPURL("https://a.example"))
        expectEqual(S3UploadRule.verdict(error), verdict)
        let url = try HTTPURL("https://a.example/b/k?uploadId=hidden")
        let explained = S3UploadFailure.explained(error, at: url)
        #expect(explained.message.contains(code) && explained.status == status)
        #expect(explained.s3Error?.code == code && !"\(explained)".contains("hidden"))
        expectEqual(S3UploadRule.verdict(explained), verdict)
        // The store judges by kind and status.
        if code == "RequestTimeout" || code == "Throttling" { expectEqual(explained.kind, .timedOut) }
        // The upload waits for other credentials, and the server keeps its parts.
        if code.hasSuffix("Token") {
            #expect(explained.kind == .authenticationFailed && !S3UploadFailure.endsUpload(explained))
        }
        if code == "BadDigest" { expectEqual(explained.kind, .digestMismatch) }
    }

    @Test(
        "Waits double up to 20 s, and are longer if the server requests it",
        arguments: [
            (1, nil, 500), (2, nil, 1_000), (6, nil, 16_000), (7, nil, 20_000), (99, nil, 20_000), (1, 30, 30_000),
        ]
            as [(Int, Int?, Int)])
    func waits(failures: Int, asked: Int?, longest: Int) {
        let wait = { (random: Double) in
            S3UploadRule.wait(
                afterFailures: failures, asked: asked.map { .seconds($0) }, first: .milliseconds(500), random: random)
        }
        #expect(wait(1) == .milliseconds(longest) && wait(7) == wait(1))
        if asked == nil { expectEqual(wait(0), .milliseconds(longest / 2)) }
    }

    // MARK: Fields

    @Test(
        "Each of the program's fields is sent with the right requests",
        arguments: [
            ("x-amz-meta-a", [.whole, .create]), ("Cache-Control", [.whole, .create]),
            ("X-Amz-ACL", [.whole, .create]),
            ("Content-Encoding", [.whole, .create]), ("x-amz-server-side-encryption", [.whole, .create]),
            ("x-amz-server-side-encryption-aws-kms-key-id", [.whole, .create]),
            ("x-amz-server-side-encryption-customer-key", S3UploadFields.Purpose.allCases),
            ("x-amz-request-payer", S3UploadFields.Purpose.allCases), ("X-API-Key", S3UploadFields.Purpose.allCases),
            ("If-None-Match", [.whole, .complete]), ("If-Match", [.whole, .complete]), ("Content-MD5", [.whole]),
            ("x-amz-checksum-sha256", [.whole]),
        ] as [(String, [S3UploadFields.Purpose])])
    func fields(name: String, purposes: [S3UploadFields.Purpose]) {
        let found = S3UploadFields.Purpose.allCases.filter {
            S3UploadFields.fields([name: "v"], for: $0, mediaType: "a/b")[name] == "v"
        }
        expectEqual(found, purposes)
    }

    @Test("The media type is the file's, unless the program sets another")
    func mediaType() {
        expectEqual(S3UploadFields.fields([:], for: .create, mediaType: "a/b")["Content-Type"], "a/b")
        expectEqual(
            S3UploadFields.fields(["content-type": "c/d"], for: .whole, mediaType: "a/b")["Content-Type"], "c/d")
        #expect(S3UploadFields.fields([:], for: .part, mediaType: "a/b").isEmpty)
    }

    // MARK: The note

    @Test("A note is restored, without its parts if they are many")
    func note() throws {
        var state = S3UploadState(Self.plan)
        (state.uploadID, state.created, state.isCompleting) = ("id/+=", 7, true)
        state.parts = [Self.part(1, "\"a\"", 10, "c=="), Self.part(3, "b", 5)]
        expectEqual(state.confirmed, 15)
        let read = { S3UploadState(note: $0, length: 25, smallest: 1) }
        expectEqual(read(state.note), state)
        expectNil(S3UploadState(note: state.note, length: 26, smallest: 1))
        expectNil(S3UploadState(note: state.note, length: 25), "Its parts are too small.")
        for (old, new) in [
            ("id/+=", "a b"), ("id/+=", ""), ("\"s\":5", "\"s\":6"), ("\"n\":3", "\"n\":4"), ("\"n\":3", "\"n\":1"),
            ("\"restarts\":0", "\"restarts\":-1"), ("\"restarts\":0", "\"restarts\":99"), ("}", ""),
            ("\"e\":\"b\"", "\"e\":\"<\""),
        ] {
            expectNil(read(state.note.replacing(old, with: new)), "\(new)")
        }
        let forgotten = state.forgotten()
        #expect(forgotten.uploadID == nil && forgotten.parts.isEmpty && forgotten.restarts == 1)

        var large = S3UploadState(try #require(S3PartPlan(length: 20_000_000, partBytes: 2_000, smallest: 1)))
        large.uploadID = "id"
        let tag = String(repeating: "a", count: 32)
        large.parts = (1...10_000).map { Self.part($0, tag, 2_000) }
        let short = try #require(S3UploadState(note: large.note, length: 20_000_000, smallest: 1))
        #expect(short.uploadID == "id" && short.parts.isEmpty && large.note.utf8.count < 1_000)
        large.parts.removeLast(9_000)
        expectEqual(S3UploadState(note: large.note, length: 20_000_000, smallest: 1), large)
    }

    @Test("A failed part takes back only its own bytes")
    func progress() {
        let log = ProgressLog()
        let counter = S3UploadProgress(done: 10, total: 100) { log.add($0.completed) }
        counter.sent(4, of: 2, size: 10)
        counter.sent(5, of: 3, size: 10)
        counter.failed(2)
        counter.sent(99, of: 3, size: 10)
        counter.finished(3, size: 10)
        counter.finished(2, size: 10)
        expectEqual(log.all, [14, 19, 15, 20, 20, 30])
    }
}

private final class ProgressLog: Sendable {
    private let values = Mutex<[Int64]>([])

    var all: [Int64] { values.withLock { $0 } }

    func add(_ value: Int64) { values.withLock { $0.append(value) } }
}

extension S3PartPlan {
    /// Three parts of 10, 10 and 5 bytes.
    fileprivate static var test: S3PartPlan {
        guard let plan = S3PartPlan(length: 25, partBytes: 10, smallest: 1) else { preconditionFailure("It is valid.") }
        return plan
    }
}
