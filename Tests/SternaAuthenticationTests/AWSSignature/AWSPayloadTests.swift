import HTTPTypes
import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import Sterna
@testable import SternaSigning
@testable import SternaTestSupport

@Suite("AWS signatures: the body")
struct AWSPayloadTests {
    struct Case: Sendable {
        var payload: AWSSigning.Payload
        var isS3 = true
        var isInQuery = false
        var hasBody = true
        var isReplayable = true
        var hasLength = true
        var expected: AWSPayload.Decision
    }

    static let cases: [Case] = [
        Case(payload: .automatic, hasBody: false, expected: .empty),
        Case(payload: .automatic, expected: .hashed),
        Case(payload: .automatic, hasLength: false, expected: .hashed),
        Case(payload: .automatic, isReplayable: false, expected: .chunked(nil)),
        Case(payload: .automatic, isReplayable: false, hasLength: false, expected: .collectedAndHashed),
        Case(payload: .automatic, isS3: false, isReplayable: false, expected: .collectedAndHashed),
        Case(payload: .signed, isReplayable: false, expected: .collectedAndHashed),
        Case(payload: .signed, hasBody: false, expected: .empty),
        Case(payload: .unsigned, isReplayable: false, hasLength: false, expected: .unsigned),
        Case(payload: .unsigned, hasBody: false, expected: .unsigned),
        Case(payload: .chunked(.crc32), expected: .chunked(.crc32)),
        Case(payload: .chunked(.crc32), isReplayable: false, hasLength: false, expected: .collectedAndChunked(.crc32)),
        Case(payload: .chunked(), hasBody: false, expected: .empty),
        Case(payload: .chunked(), isS3: false, expected: .hashed),
        Case(payload: .chunked(), isInQuery: true, expected: .unsigned),
        Case(payload: .automatic, isInQuery: true, expected: .unsigned),
        Case(payload: .automatic, isS3: false, isInQuery: true, expected: .hashed),
    ]

    @Test("The signed form of the body, by setting, service and kind of body", arguments: cases.indices)
    func decides(index: Int) {
        let given = Self.cases[index]
        let decision = AWSPayload.decide(
            given.payload, isS3: given.isS3, isInQuery: given.isInQuery, hasBody: given.hasBody,
            isReplayable: given.isReplayable, hasLength: given.hasLength)
        expectEqual(decision, given.expected, "\(given)")
    }

    private static func session(
        _ payload: AWSSigning.Payload, _ mock: MockTransport
    ) throws -> Session {
        var signing = AWSSigning.s3(region: "r", credentials: AWSCredentials(accessKey: "A", secretKey: "S"))
        signing.payload = payload
        return try mocked(by: mock) { $0.auth.awsSigning = signing }.api
    }

    @Test("The field x-amz-content-sha256 has the hash of the body")
    func hashed() async throws {
        let mock = MockTransport { _ in .json([:]) }
        try await Self.session(.automatic, mock).put("k", body: .text("abc"))
        expectEqual(
            mock.requests.last?.headers["x-amz-content-sha256"],
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        expectEqual(mock.requests.last?.givenText, "abc")
    }

    @Test("A hash that the caller gives is not computed again")
    func known() async throws {
        let mock = MockTransport { _ in .json([:]) }
        try await Self.session(.automatic, mock).put(
            "k", body: .text("abc"), headers: ["x-amz-content-sha256": "UNSIGNED-PAYLOAD"])
        expectEqual(mock.requests.last?.headers["x-amz-content-sha256"], "UNSIGNED-PAYLOAD")
    }

    @Test("An unsigned body is marked with UNSIGNED-PAYLOAD")
    func unsigned() async throws {
        let mock = MockTransport { _ in .json([:]) }
        try await Self.session(.unsigned, mock).put("k", body: .text("abc"))
        expectEqual(mock.requests.last?.headers["x-amz-content-sha256"], "UNSIGNED-PAYLOAD")
    }

    @Test("A stream with a length goes out in signed chunks, one without is collected")
    func streams() async throws {
        func stream(_ length: Int64?) -> Body {
            .stream(
                AsyncStream<Bytes> { next in
                    next.yield(Bytes(text: "ab"))
                    next.yield(Bytes(text: "c"))
                    next.finish()
                }, length: length)
        }
        let mock = MockTransport { _ in .json([:]) }
        let api = try Self.session(.automatic, mock)
        try await api.put("k", body: stream(3))
        let chunked = try #require(mock.requests.last)
        expectEqual(chunked.headers["x-amz-content-sha256"], "STREAMING-AWS4-HMAC-SHA256-PAYLOAD")
        expectEqual(chunked.headers[.contentEncoding], "aws-chunked")
        let text = String(decoding: try await AWSVectorTests.bytes(of: chunked.body), as: UTF8.self)
        #expect(text.hasPrefix("3;chunk-signature="))
        expectEqual(Int64(text.utf8.count), chunked.body?.length)
        try await api.put("k", body: stream(nil))
        expectEqual(
            mock.requests.last?.headers["x-amz-content-sha256"],
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        expectEqual(mock.requests.last?.givenText, "abc")
    }

    @Test("A content coding follows aws-chunked in Content-Encoding")
    func codings() async throws {
        let mock = MockTransport { _ in .json([:]) }
        try await Self.session(.chunked(.sha256), mock).put(
            "k", body: .text("abc"), headers: ["Content-Encoding": "gzip"])
        let request = try #require(mock.requests.last)
        expectEqual(request.headers[.contentEncoding], "aws-chunked,gzip")
        expectEqual(request.headers["x-amz-content-sha256"], "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER")
        expectEqual(request.headers["x-amz-trailer"], "x-amz-checksum-sha256")
    }
}
