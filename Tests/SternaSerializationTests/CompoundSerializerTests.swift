import HTTPTypes
import NIOCore
import SternaCore
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Several serializers for one response")
struct CompoundSerializerTests {
    private enum Answer: Sendable, Equatable { case tree(JSON), text(String), number(Int) }

    private let either = CompoundResponseSerializer<Answer>([
        JSONResponseSerializer().map(Answer.tree),
        TextResponseSerializer(validation: ResponseValidation(mediaTypes: ["text/plain"])).map(Answer.text),
    ])

    @Test("The first serializer that accepts the response makes the value")
    func first() throws {
        try expectEqual(GivenAnswer("[1]").read(by: either), .tree([1]))
        try expectEqual(GivenAnswer("[1]", type: "text/plain").read(by: either), .text("[1]"))
        let counted = CompoundResponseSerializer<Answer>([
            .data.map { Answer.number($0.count) }, .json.map(Answer.tree),
        ])
        try expectEqual(GivenAnswer("[1]").read(by: counted), .number(3))
    }

    @Test("A serializer that fails leaves the response to the next")
    func next() throws {
        let loose = CompoundResponseSerializer<Answer>([.json.map(Answer.tree), .text.map(Answer.text)])
        try expectEqual(GivenAnswer("[1").read(by: loose), .text("[1"))
        let thrower = CompoundResponseSerializer<Answer>([
            .text.map { _ in throw Mistake() }, .text.validating { _, _ in throw Mistake() }.map(Answer.text),
            .text.map { .number($0.utf8.count) },
        ])
        try expectEqual(GivenAnswer("abc", type: nil).read(by: thrower), .number(3))
    }

    @Test("The errors of all are kept, in order")
    func errors() throws {
        let serializer = CompoundResponseSerializer<Answer>([
            .json.map(Answer.tree), .text.map { _ in throw Mistake(number: 2) },
            .text.validating { _, _ in throw Mistake(number: 3) }.map(Answer.text),
            .decodable([Int].self).validating(mediaTypes: nil).map { .number($0.count) },
        ])
        let error = try #require(GivenAnswer("{}", type: "text/html").error(of: serializer))
        expectEqual(error.kind, .decodingFailed)
        expectEqual(error.phase, .decode)
        expectEqual(error.body?.text, "{}")
        expectEqual(error.status, 200)
        let all = try #require(error.underlying as? CompoundError).errors
        expectEqual(
            all.map(\.kind), [.unacceptableMediaType, .decodingFailed, .unacceptableResponse, .decodingFailed])
        #expect(all[1].underlying as? Mistake == Mistake(number: 2))
        #expect(all[2].underlying as? Mistake == Mistake(number: 3))
        #expect(!error.description.contains { $0.isNewline })
        let description = try #require(error.underlying.map { "\($0)" })
        expectEqual(description.split(separator: "\n").count, 4)
    }

    @Test("Without serializers every response is an error")
    func none() throws {
        let error = try #require(GivenAnswer("{}").error(of: CompoundResponseSerializer<Answer>([])))
        #expect([.unacceptableStatus, .decodingFailed].contains(error.kind))
        expectEqual(error.body?.text, "{}")
    }

    @Test("The statuses of all serializers are accepted; each serializer checks its own")
    func statuses() throws {
        let serializer = CompoundResponseSerializer<Answer>([
            .json.map(Answer.tree), .text.validating(statuses: [404]).map(Answer.text),
        ])
        try expectEqual(GivenAnswer("[1]").read(by: serializer), .tree([1]))
        try expectEqual(GivenAnswer("[1]", status: 404).read(by: serializer), .text("[1]"))
        let error = try #require(GivenAnswer("x", type: "text/plain").error(of: serializer))
        expectEqual(
            (error.underlying as? CompoundError)?.errors.map(\.kind), [.unacceptableMediaType, .unacceptableStatus])
        expectEqual(GivenAnswer("[1]", status: 500).error(of: serializer)?.kind, .unacceptableStatus)
    }

    @Test("A bad status has the value of the first that can read the body")
    func badStatus() throws {
        let tree = try #require(GivenAnswer(#"{"a":1}"#, status: 500).error(of: either))
        expectEqual(tree.kind, .unacceptableStatus)
        #expect(tree.value as? Answer == .tree(["a": 1]))
        let text = try #require(GivenAnswer("gone", type: "text/plain", status: 410).error(of: either))
        expectEqual(text.kind, .unacceptableStatus)
        #expect(text.value as? Answer == .text("gone"))
        let neither = try #require(GivenAnswer("<p>", type: "text/html", status: 500).error(of: either))
        expectEqual(neither.kind, .unacceptableStatus)
        expectNil(neither.value)
    }

    @Test("A compound serializer inside another")
    func nested() throws {
        let inner = CompoundResponseSerializer<Answer>([.json.map(Answer.tree)])
        let outer = CompoundResponseSerializer<Answer>([
            inner, inner.validating(statuses: [418]), .text.validating(mediaTypes: ["text/*"]).map(Answer.text),
        ])
        try expectEqual(GivenAnswer("[]").read(by: outer), .tree([]))
        try expectEqual(GivenAnswer("[]", type: "text/x").read(by: outer), .text("[]"))
        let error = try #require(GivenAnswer("[]", type: "image/png").error(of: outer))
        let all = try #require(error.underlying as? CompoundError).errors
        expectEqual(all.map(\.kind), [.decodingFailed, .unacceptableStatus, .unacceptableMediaType])
        expectEqual((all[0].underlying as? CompoundError)?.errors.map(\.kind), [.unacceptableMediaType])
    }

    @Test("The short form")
    func short() throws {
        let serializer: AnyResponseSerializer<JSON> = .compound(
            JSONResponseSerializer(), TextResponseSerializer().map { JSON.string($0) })
        try expectEqual(GivenAnswer("x", type: nil).read(by: serializer), "x")
        let all: [any ResponseSerializer<JSON>] = [.json, serializer]
        let joined: AnyResponseSerializer<JSON> = .compound(all)
        try expectEqual(GivenAnswer("y", type: nil).read(by: joined), "y")
    }
}
