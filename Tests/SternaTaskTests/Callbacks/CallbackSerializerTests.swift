import Dispatch
import Sterna
import SternaPlatform
import SternaPropertyList
import SternaTesting
import Testing

@testable import SternaTestSupport

/// A callback's value: the call's serializer makes it, else the request's, else the session's, as a JSON tree.
@Suite("Callbacks: response serializers")
struct CallbackSerializerTests {
    private struct Photo: Sendable {}

    private enum Outcome: Equatable {
        case value(JSON)
        case failure(SternaError.Kind)
    }

    private func session(_ body: String, _ type: String, _ serializer: (any ResponseSerializer)?) throws -> Session {
        try mocked(by: MockTransport { _ in .text(body, mediaType: type) }) {
            $0.callbacks = .queue(.global())
            if let serializer { $0.responseSerializer = serializer }
        }.api
    }

    private static let rows: [((any ResponseSerializer)?, String, String, Outcome)] = [
        (nil, "[1]", "application/json", .value([1])),
        (nil, "[1]", "application/hal+json", .value([1])),
        (nil, "[1]", "text/plain", .failure(.unacceptableMediaType)),
        (.text, "plain", "text/plain", .value("plain")),
        (.text, "[1]", "application/json", .value("[1]")),
        (
            TextResponseSerializer().validating(mediaTypes: ["text/*"]), "<p>", "image/png",
            .failure(.unacceptableMediaType)
        ),
        (JSONResponseSerializer(removesNulls: true), #"{"a":null}"#, "text/json", .value([:])),
        (JSONResponseSerializer().map { $0["data"] }, #"{"data":7}"#, "text/json", .value(7)),
        (JSONResponseSerializer().map { _ in Photo() }, "[1]", "text/json", .value([1])),
        (.decodable([Int].self), "[1]", "application/json", .value([1])),
        (.data, "[1]", "text/plain", .value([1])),
        (.data, "<p>", "text/html", .failure(.decodingFailed)),
        (.imageData, "<p>", "text/html", .failure(.unacceptableMediaType)),
        (.imageData, "x", "image/png", .failure(.decodingFailed)),
        (.ignored, "<p>", "text/html", .value(.null)),
        (.empty, "<p>", "text/html", .failure(.decodingFailed)),
        (TextResponseSerializer().map { _ in Photo() }, "x", "text/plain", .failure(.decodingFailed)),
    ]

    @Test("Without as: the request's serializer makes the value, else the session's", arguments: rows.indices)
    func chosen(index: Int) async throws {
        let (serializer, body, type, expected) = Self.rows[index]
        for ofRequest in [false, true] {
            let api = try session(body, type, ofRequest ? .propertyList : serializer)
            let log = CallbackLog<JSON>()
            api.get("a", success: log.onSuccess, failure: log.onFailure) {
                if ofRequest { $0.responseSerializer = serializer ?? JSONResponseSerializer() }
            }
            await log.wait()
            let outcomes = log.values.map { Outcome.value($0) } + log.errors.map { .failure($0.kind) }
            expectEqual(outcomes, [expected])
        }
    }

    @Test("A value that is not a tree fails with the advice to name the serializer", arguments: [true, false])
    func advice(isImage: Bool) async throws {
        let serializer: any ResponseSerializer =
            isImage ? ImageDataResponseSerializer() : TextResponseSerializer().map { _ in Photo() }
        let api = try session("x", "image/png", serializer)
        let log = CallbackLog<JSON>()
        api.get("a", success: log.onSuccess, failure: log.onFailure)
        await log.wait()
        let error = try #require(log.errors.first)
        #expect(error.detail.contains("as: serializer"))
        #expect(error.detail.contains("ResponseSerializer"))
        expectEqual(error.body?.text, "x")
    }

    @Test("as: comes before the request's and the session's serializer")
    func named() async throws {
        let api = try session("<p>", "text/html", .imageData)
        let log = CallbackLog<String>()
        api.get("a", as: .text, success: log.onSuccess, failure: log.onFailure) { $0.responseSerializer = .json }
        api.send(
            .get("a") { $0.responseSerializer = .json }, as: .text, success: log.onSuccess, failure: log.onFailure)
        api.upload(
            .text("b"), to: "a", as: .text, success: log.onSuccess, failure: log.onFailure
        ) { $0.responseSerializer = .json }
        await log.wait(ends: 3)
        expectEqual(log.values, ["<p>", "<p>", "<p>"])
    }

    @Test("A task's value follows the request's serializer, else the session's")
    func tasks() async throws {
        let api = try session("<p>", "text/html", .imageData)
        let refused = await #expect(throws: SternaError.self) { try await api.dataTask(.get("a")).value.data() }
        expectEqual(refused?.kind, .unacceptableMediaType)
        let task = api.dataTask(.get("a") { $0.responseSerializer = .data })
        try await expectEqual(task.value.data(), Data("<p>".utf8))
        try await expectEqual(api.dataTask(.get("a")).value.text(), "<p>")
    }

    @Test("The error of an unacceptable status has the chosen serializer's value")
    func status() async throws {
        let (api, _) = try mocked(by: MockTransport { _ in .text("gone", status: 410) }) {
            $0.callbacks = .queue(.global())
        }
        let log = CallbackLog<JSON>()
        api.get("a", success: log.onSuccess, failure: log.onFailure) { $0.responseSerializer = .text }
        await log.wait()
        expectEqual(log.errors.first?.kind, .unacceptableStatus)
        #expect(log.errors.first?.value as? String == "gone")
    }
}
