import HTTPTypes
import MutationKit
import NIOCore
import SternaCore
import SternaPlatform
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers
@testable import SternaWireTestSupport

@Suite("Mutations: uploads")
struct UploadFieldMutationTests {
    static let limits = MutatedReader(
        "UploadLimit",
        seeds: ["max-size=10, min-size=1;a=b", "max-append-size=5\nmin-append-size=2", "expires=60"],
        tokens: [
            "max-size=", "min-size", "max-append-size=", "min-append-size=", "max-age=", "=", ",", ";", "-", ".", "\"",
            "(", ")", ":", "?1", "999999999999999", "9223372036854775808", "\n", "\u{0}", "é",
        ]
    ) { bytes in
        guard let field = UploadLimits.Field(lines(bytes)) else { return .refused }
        let limits = field.limits
        for number in [limits.maxSize, limits.minSize, limits.maxAppend, limits.minAppend, field.maxAge] {
            try check(number)
        }
        return .accepted
    }

    static let items = MutatedReader(
        "UploadItem", seeds: ["0", "123;a=b", "?1", "?0;x"],
        tokens: ["-", "?", ";", "=", "\"", ":", "*", "1e5", "999999999999999", "9223372036854775808", "\n", "\u{0}"]
    ) { bytes in
        let number = StructuredUploadField.integer(lines(bytes))
        let value = StructuredUploadField.boolean(lines(bytes))
        try check(number)
        guard number == nil || value == nil else { throw MutationFailure("A number that is a Boolean.") }
        return number == nil && value == nil ? .refused : .accepted
    }

    static let problems = MutatedReader(
        "UploadProblem",
        seeds: [
            #"{"type":"https://iana.org/assignments/http-problem-types#mismatching-upload-offset","expected-offset":5}"#,
            #"{"title":"a","detail":"b"}"#,
        ],
        tokens: ["{", "}", "\"", ":", "expected-offset", "-", "1e400", "9223372036854775808", "\\u0000", "[", "\u{1B}"]
    ) { bytes in
        guard let problem = UploadProblem(mediaType: "application/problem+json", body: Bytes(bytes: bytes)) else {
            return .refused
        }
        try check(problem.expectedOffset)
        guard problem.text?.unicodeScalars.contains(where: { $0.value < 0x20 }) != true else {
            throw MutationFailure("“\(problem.text ?? "")” has control characters.")
        }
        return .accepted
    }

    static let tus = MutatedReader(
        "TusFields",
        seeds: ["1.0.0,0.2.2\ncreation,checksum\nmd5,sha1\n100\nWed, 25 Jun 2014 16:00:00 UTC", "1.0.0\n\n\n\n"],
        tokens: ["1.0.0", ",", " ", "creation-with-upload", "sha1", "\n", "GMT", "UTC", "9223372036854775808", "\u{0}"]
    ) { bytes in
        let parts = lines(bytes)
        let names = ["Tus-Version", "Tus-Extension", "Tus-Checksum-Algorithm", "Tus-Max-Size", "Upload-Expires"]
        var fields = HTTPFields()
        for (name, value) in zip(names, parts) {
            guard let field = try? Headers.field(name, value) else { return .refused }
            fields.append(field)
        }
        _ = TusField.expires(fields[values: "Upload-Expires"])
        guard let support = TusSupport(FieldSection(fields)) else { return .refused }
        try check(support.maxSize)
        guard support.checksums.count <= 32 else { throw MutationFailure("\(support.checksums.count) algorithms.") }
        return .accepted
    }

    static let answers = MutatedReader(
        "UploadResponse",
        seeds: [
            "201\nLocation: /files/1\nUpload-Offset: 0\nUpload-Limit: max-size=1000",
            "204\nUpload-Offset: 500\nUpload-Complete: ?0\nUpload-Length: 1000",
            "409\nRetry-After: 5\nUpload-Draft-Interop-Version: 6",
        ],
        tokens: [
            "\n", "Location: ", "Upload-Offset: ", "Upload-Complete: ?1", "Upload-Limit: max-age=999999999999999",
            "http://[", "https://u:p@x/", "400", "404", "413", "503", "1001", "Retry-After: 999999999999999",
        ]
    ) { bytes in
        var parts = lines(bytes)[...]
        let status = Int(parts.popFirst() ?? "") ?? 200
        var fields = HTTPFields()
        for part in parts {
            let pair = part.split(separator: ":", maxSplits: 1)
            guard pair.count == 2 else { continue }
            guard let field = try? Headers.field(String(pair[0]), String(pair[1].trimmingBlanks())) else { continue }
            fields.append(field)
        }
        var plan = UploadPlan(target: try HTTPURL("https://example.com/files"), length: 1_000)
        plan.creation = .withContent
        let response = UploadResponse(
            status: status, fields: FieldSection(fields), now: .max - 10, url: try HTTPURL("https://example.com/files"))
        _ = response.retryAfter
        for dialect in [.ietf(.preferred), .tus] as [UploadDialect] {
            var state = UploadState(plan)
            state.dialect = dialect
            var open = state
            open.url = try HTTPURL("https://example.com/files/1")
            (open.stage, open.isCurrent, open.offset, open.reached) = (.open, true, 100, 100)
            for (state, step) in [
                (state, UploadStep.discover), (state, .create(0..<0, completes: false)), (open, .ask),
                (open, .append(100..<200, completes: false)), (open, .append(100..<1_000, completes: true)),
                (open, .cancel),
            ] {
                try check(UploadRule.decide(response, to: step, state), plan)
            }
        }
        return .accepted
    }

    private static func check(_ decision: UploadDecision, _ plan: UploadPlan) throws {
        switch decision {
        case .proceed(let state), .follow(let state, _), .again(let state, _, _), .complete(let state),
            .startAnew(let state, _):
            guard (0...state.length).contains(state.offset) else {
                throw MutationFailure("\(state) has a wrong offset.")
            }
            guard state.url?.userinfo == nil, state.url?.scheme != .http else {
                throw MutationFailure("The upload's URL cannot be trusted.")
            }
            let step = UploadRule.next(state, plan)
            guard step.content.lowerBound >= 0, step.content.upperBound <= 1_000 else {
                throw MutationFailure("\(step) sends what is not there.")
            }
        case .fail(let fault):
            guard !fault.detail.isEmpty else { throw MutationFailure("A fault without a text.") }
        }
    }

    private static func check(_ number: Int64?) throws {
        guard let number else { return }
        guard (0...999_999_999_999_999).contains(number) else { throw MutationFailure("\(number) is out of range.") }
    }

    private static func lines(_ bytes: [UInt8]) -> [String] {
        String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    @Test("No mutated limit ends the process") func survivesLimits() async {
        let report = await Self.limits.supervise {
            await #expect(processExitsWith: .success) { await UploadFieldMutationTests.limits.run() }
        }
        expectNil(report.failure, "\(report)")
    }

    @Test("No mutated offset ends the process") func survivesItems() async {
        let report = await Self.items.supervise {
            await #expect(processExitsWith: .success) { await UploadFieldMutationTests.items.run() }
        }
        expectNil(report.failure, "\(report)")
    }

    @Test("No mutated problem ends the process") func survivesProblems() async {
        let report = await Self.problems.supervise {
            await #expect(processExitsWith: .success) { await UploadFieldMutationTests.problems.run() }
        }
        expectNil(report.failure, "\(report)")
    }

    @Test("No mutated field of tus ends the process") func survivesTus() async {
        let report = await Self.tus.supervise {
            await #expect(processExitsWith: .success) { await UploadFieldMutationTests.tus.run() }
        }
        expectNil(report.failure, "\(report)")
    }

    @Test("No mutated answer ends the process, or makes an upload send what is not there") func survivesAnswers() async
    {
        let report = await Self.answers.supervise {
            await #expect(processExitsWith: .success) { await UploadFieldMutationTests.answers.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
