import SternaPlatform
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("JSON: Codable")
struct JSONCodableTests {
    struct Envelope: Codable, Equatable {
        var name: String
        var payload: JSON
    }

    static let trees: [JSON] = [
        nil, true, 0, -1, 1.5, "text", [], [:], [1, [2, nil], ["a": false]],
        ["user": ["name": "Ada", "scores": [1, 2.5, 0.1]], "none": nil],
        .number(JSON.Number(UInt64.max)), .number(JSON.Number(Int64.min)), 1e300,
    ]

    @Test("A tree comes back through Foundation's coders", arguments: trees)
    func roundTrip(json: JSON) throws {
        let envelope = Envelope(name: "x", payload: json)
        let data = try JSONEncoder().encode(envelope)
        try expectEqual(JSONDecoder().decode(Envelope.self, from: data), envelope)
        try expectEqual(JSON(parsing: data)["payload"], json)
    }

    @Test(
        "Numbers of up to 38 digits come back exactly",
        arguments: [
            "18446744073709551616", "-9223372036854775809", "12345678901234567890123456789012345678",
            "0.12345678901234567890123456789",
        ])
    func longNumbers(text: String) throws {
        let json = try JSON(parsing: "[\(text)]")
        let data = try JSONEncoder().encode(json)
        expectEqual(String(decoding: data, as: UTF8.self), "[\(text)]")
        try expectEqual(JSONDecoder().decode(JSON.self, from: data), json)
    }

    @Test(
        "A number that no encoder holds is refused",
        arguments: ["1e400", "1e-400", "1234567890123456789012345678901234567890123"])
    func tooLong(text: String) throws {
        let json = try JSON(parsing: "{\"a\":\(text)}")
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(json) }
    }

    @Test("A tree above the limit is refused")
    func depth() throws {
        var json: JSON = 1
        for _ in 0..<600 { json = [json] }
        let deep = json
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(deep) }
    }
}
