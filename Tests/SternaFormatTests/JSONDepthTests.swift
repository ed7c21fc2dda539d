import SternaCore
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("JSON: deep nesting")
struct JSONDepthTests {
    @Test("A tree at the limit is parsed, compared, hashed, written and released")
    func atTheLimit() throws {
        let arrays = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
        let objects = String(repeating: "{\"a\":", count: 512) + "1" + String(repeating: "}", count: 512)
        for text in [arrays, objects] {
            let json = try JSON(parsing: text)
            expectEqual(json, (try JSON(parsing: text)))
            expectEqual(json.hashValue, (try JSON(parsing: text)).hashValue)
            try expectEqual(json.serializedString(), text)
            expectEqual(json.description, text)
        }
    }

    @Test("Deep trees that differ at the bottom are compared in one pass")
    func comparingUnequal() throws {
        let open = String(repeating: "{\"a\":{\"x\":1,\"b\":", count: 256)
        let swapped = String(repeating: "{\"a\":{\"b\":", count: 256)
        let one = try JSON(parsing: open + "1" + String(repeating: "}}", count: 256))
        let two = try JSON(parsing: open + "2" + String(repeating: "}}", count: 256))
        let three = try JSON(parsing: swapped + "1" + String(repeating: ",\"x\":1}}", count: 256))
        let four = try JSON(parsing: swapped + "2" + String(repeating: ",\"x\":1}}", count: 256))
        #expect(one != two)
        expectEqual(one, three)
        #expect(one != four)
    }

    @Test("A tree above the limit is refused", arguments: [513, 10_000, 1_000_000])
    func aboveTheLimit(levels: Int) {
        let texts = [
            String(repeating: "[", count: levels),
            String(repeating: "[", count: levels) + String(repeating: "]", count: levels),
            String(repeating: "{\"a\":", count: levels) + "1" + String(repeating: "}", count: levels),
            String(repeating: "[{\"a\":", count: levels),
        ]
        for text in texts {
            let error = #expect(throws: JSON.ParseError.self) { try JSON(parsing: text) }
            expectEqual(error?.reason, .tooDeep(limit: 512))
        }
    }

    @Test("Containers beside each other are not depth")
    func siblings() throws {
        let text = "[" + Array(repeating: "[[]],{\"a\":{}}", count: 2000).joined(separator: ",") + "]"
        try expectEqual(JSON(parsing: text).array?.count, 4000)
    }

    @Test("Writing a tree above the limit is refused, describing it cuts it")
    func writing() {
        var json: JSON = 1
        for _ in 0..<513 { json = [json] }
        let error = #expect(throws: ParameterError.self) { try json.serialized() }
        expectEqual(error?.reason, .tooDeep(limit: 512))
        expectEqual(error?.keyPath.hasPrefix("[0][0][0]"), true)
        expectEqual(json.description, String(repeating: "[", count: 512) + "…" + String(repeating: "]", count: 512))
    }

    @Test("Parameters above the limit are refused")
    func parameters() throws {
        func nested(_ levels: Int) -> Parameters {
            var value = ParameterValue.null
            for level in 1..<levels { value = level % 2 == 0 ? .array([value]) : .dictionary(["k": value]) }
            return ["top": value]
        }
        try expectEqual(JSON(nested(512)).serialized().isEmpty, false)
        let error = #expect(throws: ParameterError.self) { try JSON(nested(513)) }
        expectEqual(error?.reason, .tooDeep(limit: 512))
    }
}
