import HTTPTypes
import NIOCore
import SternaCore
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Response serializers: AFNetworking's rules")
struct ResponseRulesTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var status = 200
        var type: String?
        var body = ""
        var kind: SternaError.Kind?
        var cause: SternaError.Kind?
        var value: JSON?
        var testDescription: String { "\(status) \(type ?? "no type") “\(body)”" }
    }

    static let json = "application/json"

    static let rows: [Row] = [
        Row(type: json, body: "[1]", value: [1]),
        Row(type: "text/javascript; charset=utf-8", body: "[1]", value: [1]),
        Row(type: "text/html", body: "", value: .null),
        Row(type: nil, body: "", value: .null),
        Row(type: json, body: " ", value: .null),
        Row(type: json, body: "null", value: .null),
        Row(type: json, body: "  ", kind: .decodingFailed),
        Row(type: json, body: "\n", kind: .decodingFailed),
        Row(type: "text/html", body: " ", kind: .unacceptableMediaType),
        Row(type: nil, body: "[1]", value: [1]),
        Row(type: nil, body: "<html>", kind: .decodingFailed),
        Row(type: "", body: "[1]", kind: .unacceptableMediaType),
        Row(type: "nonsense", body: "[1]", kind: .unacceptableMediaType),
        Row(type: "application/problem+json", body: "[1]", value: [1]),
        Row(type: "text/html", body: "[1]", kind: .unacceptableMediaType),
        Row(type: json, body: "[", kind: .decodingFailed),
        Row(status: 204, type: nil, body: "", value: .null),
        Row(status: 204, type: "text/html", body: "", value: .null),
        Row(status: 205, type: nil, body: "", value: .null),
        Row(status: 404, type: json, body: #"{"a":1}"#, kind: .unacceptableStatus, value: ["a": 1]),
        Row(status: 404, type: json, body: "{", kind: .unacceptableStatus),
        Row(status: 500, type: "text/html", body: "[1]", kind: .unacceptableStatus, cause: .unacceptableMediaType),
        Row(status: 500, type: nil, body: "[1]", kind: .unacceptableStatus, value: [1]),
        Row(status: 500, type: nil, body: "<html>", kind: .unacceptableStatus),
        Row(status: 422, type: "application/problem+json", body: "{}", kind: .unacceptableStatus, value: [:]),
        Row(status: 500, type: "text/html", body: "", kind: .unacceptableStatus, value: .null),
        Row(status: 304, type: nil, body: "", kind: .unacceptableStatus, value: .null),
        Row(status: 199, type: json, body: "[]", kind: .unacceptableStatus, value: []),
        Row(status: 300, type: json, body: "[]", kind: .unacceptableStatus, value: []),
    ]

    @Test("Status, type and body", arguments: rows)
    func rule(row: Row) throws {
        let answer = GivenAnswer(row.body, type: row.type, status: row.status)
        guard let kind = row.kind else {
            try expectEqual(answer.read(by: .json), row.value)
            return
        }
        let error = try #require(answer.error(of: JSONResponseSerializer()))
        expectEqual(error.kind, kind)
        expectEqual(error.phase, .decode)
        expectEqual((error.underlying as? SternaError)?.kind, row.cause)
        #expect(error.value as? JSON == row.value)
        expectEqual(error.body?.text, row.body)
        expectEqual(error.status, row.status)
        expectEqual(error.response?[.contentType], row.type)
        #expect(error.url == "https://example.com/a?token=***")
        #expect(error.requestSent)
    }

    @Test("A bad status still has the value of whatever serializer it is")
    func values() throws {
        struct Fault: Decodable, Equatable, Sendable { var code: Int }
        let answer = GivenAnswer(#"{"code":7}"#, status: 422)
        #expect(answer.error(of: .decodable(Fault.self))?.value as? Fault == Fault(code: 7))
        #expect(answer.error(of: .text)?.value as? String == #"{"code":7}"#)
        #expect(answer.error(of: JSONResponseSerializer().map { $0["code"].int })?.value as? Int == 7)
        #expect(answer.error(of: JSONResponseSerializer().validating(mediaTypes: nil))?.value as? JSON == ["code": 7])
        expectNil(answer.error(of: .decodable([Int].self))?.value)
    }

    @Test("A bad status has the value without nulls and without the prefix")
    func settings() throws {
        let serializer = JSONResponseSerializer(removesNulls: true, preprocessors: [.googlePrefix])
        let answer = GivenAnswer(")]}',\n[null,{\"a\":null}]", status: 500)
        #expect(answer.error(of: serializer)?.value as? JSON == [[:]])
    }

    static let suffixes: [(String, Bool)] = [
        ("application/problem+json", true), ("application/vnd.api+json; charset=utf-8", true),
        ("APPLICATION/HAL+JSON", true), ("application/json", true), ("text/json", true), ("text/javascript", true),
        ("image/svg+xml", false), ("application/jsonp", false), ("application/+json", false), ("text/html", false),
        ("application/problem+json5", false), ("application/x+json+xml", false),
    ]

    @Test("Any type with the suffix +json is JSON (RFC 6839)", arguments: suffixes)
    func suffix(type: String, fits: Bool) throws {
        let answer = GivenAnswer("[1]", type: type)
        expectEqual(answer.error(of: .json)?.kind, (fits ? nil : .unacceptableMediaType))
        expectEqual(answer.error(of: .decodable([Int].self))?.kind, (fits ? nil : .unacceptableMediaType))
    }

    @Test("Media types that a program names are all that it accepts")
    func named() {
        let serializer = JSONResponseSerializer().validating(mediaTypes: ["application/json"])
        for type in ["application/problem+json", nil] {
            expectEqual(GivenAnswer("[1]", type: type).error(of: serializer)?.kind, .unacceptableMediaType)
        }
        let missing = JSONResponseSerializer().validating(mediaTypes: ["application/json", ""])
        expectNil(GivenAnswer("[1]", type: nil).error(of: missing))
        let error = GivenAnswer("[1]", type: "").error(of: missing)
        expectEqual(error?.detail, "The response's media type is “”; expected application/json.")
    }

    static let prefixes: [(String, JSON?)] = [
        (")]}'\n[1]", [1]), (")]}',\n[1]", [1]), (")]}'\r\n[1]", [1]), (")]}',[1]", [1]), (")]}'[1]", [1]),
        (")]}'", .null), (")]}',\n", .null), ("[1]", [1]), (#"[")]}'"]"#, [")]}'"]), (")]}", nil),
        (")]}'\n)]}'\n[1]", nil),
        (" )]}'\n[1]", nil),
    ]

    @Test("Google's prefix", arguments: prefixes)
    func prefix(body: String, value: JSON?) throws {
        let answer = GivenAnswer(body)
        let serializer = JSONResponseSerializer(preprocessors: [.googlePrefix])
        guard let value else {
            expectEqual(answer.error(of: serializer)?.kind, .decodingFailed)
            return
        }
        try expectEqual(answer.read(by: serializer), value)
        let decodable = DecodableResponseSerializer<JSON>(preprocessors: [.googlePrefix])
        try expectEqual(answer.read(by: decodable), value)
    }

    @Test("Preprocessors run in order; what one throws is the cause")
    func preprocessors() throws {
        let serializer = JSONResponseSerializer(preprocessors: [
            .custom { Bytes(text: "[" + $0.text) }, .custom { Bytes(text: $0.text + "]") },
            .custom { $0.text == "[1]" ? $0 : Bytes() },
        ])
        try expectEqual(GivenAnswer("1").read(by: serializer), [1])
        let thrower = JSONResponseSerializer(preprocessors: [.custom { _ in throw Mistake(number: 3) }])
        let error = GivenAnswer("1").error(of: thrower)
        expectEqual(error?.kind, .decodingFailed)
        #expect(error?.underlying as? Mistake == Mistake(number: 3))
        expectEqual(error?.body?.text, "1")
    }

    static let nulls: [(String, String)] = [
        ("null", "null"), ("[null]", "[]"), ("[[null]]", "[[]]"), (#"{"a":null}"#, "{}"),
        (#"{"a":{"b":null}}"#, #"{"a":{}}"#), (#"[1,null,2,null]"#, "[1,2]"),
        (#"{"a":[null,{"b":null,"c":[null,0,false,""]}],"d":null}"#, #"{"a":[{"c":[0,false,""]}]}"#),
        (#"{"z":1,"y":null,"x":2}"#, #"{"z":1,"x":2}"#), (#""null""#, #""null""#), ("[[],{}]", "[[],{}]"),
    ]

    @Test("Nulls are removed at every level when asked for", arguments: nulls)
    func removal(body: String, expected: String) throws {
        let answer = GivenAnswer(body)
        try expectEqual(answer.read(by: JSONResponseSerializer(removesNulls: true)).description, expected)
        try expectEqual(answer.read(by: .json).description, body)
    }

    @Test("Nulls are removed from a tree as deep as one can be")
    func deepRemoval() throws {
        let levels = JSON.maximumDepth - 1
        let text = String(repeating: "[", count: levels) + "null" + String(repeating: "]", count: levels)
        let value = try GivenAnswer(text).read(by: JSONResponseSerializer(removesNulls: true))
        expectEqual(value.description, String(repeating: "[", count: levels) + String(repeating: "]", count: levels))
    }
}
