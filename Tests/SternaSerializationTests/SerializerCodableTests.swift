import NIOCore
import SternaCore
import SternaPlatform
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Response serializers are archived")
struct SerializerCodableTests {
    private let validation = ResponseValidation(statuses: [200, 404], mediaTypes: ["a/b", "c/*"])

    private func copy<T: Codable>(_ value: T) throws -> T {
        try JSONDecoder().decode(T.self, from: JSONEncoder().encode(value))
    }

    @Test("Serializers that are Equatable come back equal")
    func equal() throws {
        for given in [validation, ResponseValidation(), ResponseValidation(statuses: [], mediaTypes: [])] {
            try expectEqual(copy(given), given)
            try expectEqual(copy(DataResponseSerializer(validation: given)), DataResponseSerializer(validation: given))
            try expectEqual(copy(TextResponseSerializer(validation: given)), TextResponseSerializer(validation: given))
            let images = ImageDataResponseSerializer(validation: given)
            try expectEqual(copy(images), images)
        }
    }

    @Test("An archive that lists the default statuses, and types in any order, equals the rules that it stands for")
    func listed() throws {
        let archive = #"{"statuses":\#(Array(200..<300)),"mediaTypes":["TEXT/*","a/b"]}"#
        let back = try JSONDecoder().decode(ResponseValidation.self, from: Data(archive.utf8))
        let given = ResponseValidation(mediaTypes: ["a/b", "text/*"])
        expectEqual(back, given)
        expectEqual(back.hashValue, given.hashValue)
        let written = try JSON(parsing: JSONEncoder().encode(ResponseValidation()))
        expectEqual(written["statuses"].array?.count, 100)
    }

    @Test("JSON with all its settings")
    func json() throws {
        let given = JSONResponseSerializer(
            validation: validation, removesNulls: true, preprocessors: [.googlePrefix, .googlePrefix])
        let back = try copy(given)
        expectEqual(back.validation, validation)
        #expect(back.removesNulls)
        expectEqual(back.preprocessors.count, 2)
        try expectEqual(GivenAnswer(")]}'\n)]}'\n[null]", type: "c/d", status: 404).read(by: back), [])
        let plain = try copy(JSONResponseSerializer())
        expectEqual(plain.validation, JSONResponseSerializer().validation)
        #expect(!plain.removesNulls)
        #expect(plain.preprocessors.isEmpty)
    }

    private struct Event: Codable, Sendable, Equatable {
        var startDate: Date
        var length: Double
    }

    static let settings: [(DecodingSettings, String)] = [
        (DecodingSettings(), #"{"startDate":-978307195,"length":1}"#),
        (DecodingSettings(keys: .snakeCase, dates: .seconds), #"{"start_date":5,"length":1}"#),
        (DecodingSettings(dates: .milliseconds), #"{"startDate":5000,"length":1}"#),
        (DecodingSettings(dates: .iso8601), #"{"startDate":"1970-01-01T00:00:05Z","length":1}"#),
        (
            DecodingSettings(
                dates: .seconds, nonFiniteNumbers: (positiveInfinity: "one", negativeInfinity: "-", nan: "?")),
            #"{"startDate":5,"length":"one"}"#
        ),
    ]

    @Test("Codable with its decoder settings", arguments: settings)
    func decodable(settings: DecodingSettings, body: String) throws {
        let given = DecodableResponseSerializer<Event>(
            validation: validation, decoding: settings, preprocessors: [.googlePrefix])
        let back = try copy(given)
        let answer = GivenAnswer(")]}'\n" + body, type: "a/b", status: 404)
        let event = try answer.read(by: back)
        expectEqual(event, (try answer.read(by: given)))
        expectEqual(event.startDate, Date(timeIntervalSince1970: 5))
        #expect(event.length == 1 || event.length == .infinity)
        expectEqual(back.validation, validation)
    }

    @Test("A media type")
    func mediaType() throws {
        let type = try #require(MediaType("text/html; charset=utf-8; x=\"a;b\""))
        try expectEqual(copy(type), type)
    }

    @Test("A closure cannot be archived, and the error has its coding path")
    func closures() throws {
        let settings: [(DecodingSettings, String)] = [
            (DecodingSettings(keys: .custom { $0[0] }), "keys"),
            (DecodingSettings(dates: .custom { _ in Date() }), "dates"),
            (DecodingSettings(data: .custom { _ in Data() }), "data"),
        ]
        for (given, key) in settings {
            let error = #expect(throws: EncodingError.self) { try JSONEncoder().encode(given) }
            guard case .invalidValue(_, let context) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            expectEqual(context.codingPath.last?.stringValue, key)
            #expect(throws: EncodingError.self) {
                try JSONEncoder().encode(DecodableResponseSerializer<Int>(decoding: given))
            }
        }
        let preprocessor = BodyPreprocessor.custom { $0 }
        #expect(throws: EncodingError.self) { try JSONEncoder().encode([preprocessor]) }
        #expect(throws: EncodingError.self) {
            try JSONEncoder().encode(JSONResponseSerializer(preprocessors: [.googlePrefix, preprocessor]))
        }
    }

    @Test(
        "An archive that is none is refused",
        arguments: [
            "{}", "[]", #"{"validation":{"statuses":["x"]},"removesNulls":false,"preprocessors":[]}"#,
            #"{"validation":{"statuses":[200]},"removesNulls":false,"preprocessors":["other"]}"#,
        ])
    func broken(text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(JSONResponseSerializer.self, from: Data(text.utf8))
        }
    }
}
