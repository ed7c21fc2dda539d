import HTTPTypes
import NIOCore
import SternaCore
import SternaSerialization
import Synchronization
import Testing

@testable import SternaTestSupport

@Suite("Serializers made of others")
struct SerializerCombinatorTests {
    @Test("map, which may throw, makes one value of another")
    func map() throws {
        let serializer = JSONResponseSerializer().map { $0["n"].int }.map { number in
            guard let number else { throw Mistake(number: 1) }
            return "\(number)"
        }.map { text, response in "\(text) \(response.status.code)" }
        try expectEqual(GivenAnswer(#"{"n":5}"#, status: 201).read(by: serializer), "5 201")
        let error = try #require(GivenAnswer("{}").error(of: serializer))
        expectEqual(error.kind, .decodingFailed)
        #expect(error.underlying as? Mistake == Mistake(number: 1))
        expectEqual(error.body?.text, "{}")
        expectEqual(error.status, 200)
        #expect(error.url == "https://example.com/a?token=***")
    }

    @Test("A SternaError that a closure throws stays as it is; cancellation keeps its meaning")
    func ownErrors() throws {
        let own = SternaError(.originRefused, phase: .decode, "mine")
        let tried = GivenAnswer("[]").error(of: JSONResponseSerializer().map { _ -> Int in throw own })
        expectEqual(tried?.kind, .originRefused)
        expectEqual(tried?.body?.text, "[]")
        expectEqual(
            GivenAnswer("[]").error(of: JSONResponseSerializer().validating { _, _ in throw own })?.kind, .originRefused
        )
        let cancelled = GivenAnswer("[]").error(
            of: JSONResponseSerializer().map { _ -> Int in throw CancellationError() })
        expectEqual(cancelled?.kind, .cancelled)
        expectEqual(cancelled?.phase, .decode)
    }

    @Test("The transform is not called for a response that is refused")
    func notAsked() {
        let serializer = JSONResponseSerializer().map { _ -> Int in
            Issue.record("The transform was asked.")
            return 0
        }
        expectEqual(GivenAnswer("[]", type: "text/html").error(of: serializer)?.kind, .unacceptableMediaType)
        expectEqual(GivenAnswer("[", type: "text/json").error(of: serializer)?.kind, .decodingFailed)
        expectEqual(
            GivenAnswer("[]", type: "text/html", status: 500).error(of: serializer)?.kind, .unacceptableStatus)
    }

    @Test("Each setting of a nested validation holds, whatever the order")
    func nested() throws {
        let forward = JSONResponseSerializer().validating(statuses: 200..<500).validating(mediaTypes: ["text/x"])
        let backward = JSONResponseSerializer().validating(mediaTypes: ["text/x"]).validating(statuses: 200..<500)
        let mapped = JSONResponseSerializer().validating(statuses: 200..<500).map { $0 }.validating(mediaTypes: [
            "text/x"
        ])
        .map { $0 }
        for answer in [GivenAnswer("[1]", type: "text/x", status: 404), GivenAnswer("[1]", type: "text/x")] {
            try expectEqual(answer.read(by: forward), [1])
            try expectEqual(answer.read(by: backward), [1])
            try expectEqual(answer.read(by: mapped), [1])
        }
        let wrong: [(GivenAnswer, SternaError.Kind)] = [
            (GivenAnswer("[1]", status: 404), .unacceptableMediaType),
            (GivenAnswer("[1]", type: "text/x", status: 500), .unacceptableStatus),
        ]
        for (answer, kind) in wrong {
            expectEqual(answer.error(of: forward)?.kind, kind)
            expectEqual(answer.error(of: backward)?.kind, kind)
            expectEqual(answer.error(of: mapped)?.kind, kind)
        }
        expectEqual(
            GivenAnswer("[1]", status: 404).error(of: forward.validating(statuses: [200]))?.kind, .unacceptableStatus)
    }

    @Test("Chained validations of statuses all hold; the first replaces the default")
    func chainedStatuses() throws {
        let some = JSONResponseSerializer().validating(statuses: 200..<500).validating { _, _ in }.map { $0 }
            .validating(mediaTypes: nil).validating(statuses: 400..<600)
        expectEqual(some.validation.statuses, Set(400..<500))
        for (status, isTaken) in [(200, false), (399, false), (400, true), (499, true), (500, false)] {
            expectEqual((GivenAnswer("[1]", status: status).error(of: some) == nil), isTaken)
        }
        #expect(some.validating(statuses: [200]).validation.statuses.isEmpty)
        let own = JSONResponseSerializer(validation: ResponseValidation(statuses: [404])).validating(statuses: [
            200, 404,
        ])
        expectEqual(own.validation.statuses, [200, 404])
    }

    @Test("A serializer whose type is not known is mapped and validated as any other")
    func existential() throws {
        let all: [any ResponseSerializer<JSON>] = [.json, JSONResponseSerializer().map { $0["a"] }]
        for serializer in all {
            let taken = serializer.validating(statuses: [201]).validating(statuses: 200..<300)
                .validating(mediaTypes: ["*/json"])
                .validating { response, _ in
                    guard response.headers[.age] == nil else { throw Mistake(number: 1) }
                }
            let text = taken.map { "\($0)" }
            let tried = text.map { text in
                guard text != "null" else { throw Mistake(number: 2) }
                return text.utf8.count
            }.map { count, response in count + response.status.code }
            let answer = GivenAnswer(#"{"a":7}"#, status: 201)
            #expect(try answer.read(by: text).contains("7"))
            #expect(try answer.read(by: tried) > 201)
            #expect(throws: SternaError.self) { try GivenAnswer("null").read(by: taken) }
            let error = #expect(throws: SternaError.self) { try GivenAnswer("null", status: 201).read(by: tried) }
            #expect(error?.underlying as? Mistake == Mistake(number: 2))
            let wrong = #expect(throws: SternaError.self) {
                try GivenAnswer(#"{"a":7}"#, type: "text/html", status: 201).read(by: tried)
            }
            expectEqual(wrong?.kind, .unacceptableMediaType)
        }
    }

    @Test("Closures are called from the innermost outwards, once each, until one throws")
    func closures() throws {
        let asked = Mutex<[Int]>([])
        let serializer = TextResponseSerializer()
            .validating { response, body in
                asked.withLock { $0.append(1) }
                guard response.status.code != 201 else { throw Mistake(number: 1) }
                guard !body.isEmpty else { throw Mistake(number: 0) }
            }
            .map { "<\($0)>" }
            .validating(mediaTypes: ["text/*"])
            .validating { response, _ in
                asked.withLock { $0.append(2) }
                guard response.status.code != 202 else { throw Mistake(number: 2) }
            }
        func order() -> [Int] {
            asked.withLock { asked in
                defer { asked = [] }
                return asked
            }
        }
        try expectEqual(GivenAnswer("x", type: "text/x").read(by: serializer), "<x>")
        expectEqual(order(), [1, 2])
        for (status, text, number, expected) in [(201, "x", 1, [1]), (202, "x", 2, [1, 2]), (200, "", 0, [1])] {
            let error = GivenAnswer(text, type: "text/x", status: status).error(of: serializer)
            expectEqual(error?.kind, .unacceptableResponse)
            #expect(error?.underlying as? Mistake == Mistake(number: number))
            expectEqual(error?.status, status)
            expectEqual(error?.body?.text, text)
            expectEqual(order(), expected)
        }
        expectEqual(GivenAnswer("x", type: "text/x", status: 500).error(of: serializer)?.kind, .unacceptableStatus)
    }
}
