import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("JSON: round trips and truncation")
struct JSONRoundTripTests {
    static func tree(_ generator: inout SeededRandom, depth: Int) -> JSON {
        switch Int.random(in: 0..<(depth > 0 ? 10 : 7), using: &generator) {
        case 0: return .null
        case 1: return .bool(generator.next() & 1 == 0)
        case 2: return .number(JSON.Number(Int64(bitPattern: generator.next() >> (generator.next() % 64))))
        case 3: return .number(JSON.Number(generator.next()))
        case 4:
            let value = Double(bitPattern: generator.next())
            return .number(JSON.Number(value.isFinite ? value : 0.5))
        case 5:
            let digits = (0..<Int.random(in: 25..<60, using: &generator)).map { _ in String(generator.next() % 9 + 1) }
            return JSON.Number(literal: "-1.\(digits.joined())e\(generator.next() % 500)").map(JSON.number) ?? .null
        case 6: return .string(text(&generator))
        case 7, 8:
            return .array(
                (0..<Int.random(in: 0..<6, using: &generator)).map { _ in tree(&generator, depth: depth - 1) })
        default:
            let count = Int.random(in: 0..<25, using: &generator)
            return .object(
                JSON.Object(pairs: (0..<count).map { _ in (text(&generator), tree(&generator, depth: depth - 1)) }))
        }
    }

    static func text(_ generator: inout SeededRandom) -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0..<20, using: &generator) {
            let range: ClosedRange<UInt32> =
                switch generator.next() % 5 {
                case 0: 0x00...0x1F
                case 1: 0x80...0x7FF
                case 2: 0x800...0xFFFF
                case 3: 0x10000...0x10FFFF
                default: 0x20...0x7F
                }
            let value = UInt32.random(in: range, using: &generator)
            text.unicodeScalars.append(Unicode.Scalar(value) ?? "\"")
        }
        return text
    }

    static let forms: [JSON.WritingOptions] = [
        [], .pretty, .sortedKeys, .escapesSlashes, [.pretty, .sortedKeys, .escapesSlashes],
    ]

    @Test("A tree that is written is parsed as itself, in its order", arguments: 0..<400)
    func roundTrip(seed: UInt64) throws {
        var generator = SeededRandom(seed: seed)
        let json = Self.tree(&generator, depth: 5)
        for options in Self.forms {
            let bytes = try json.serialized(options)
            let parsed = try JSON(parsing: bytes)
            expectEqual(parsed, json)
            expectEqual(parsed.hashValue, json.hashValue)
            try expectEqual(parsed.serialized(options), bytes)
        }
        try expectEqual(JSON(parsing: json.description).description, json.description)
    }

    static let document = #"""
        [{"id":-12.5e+3,"näme":"A\u00e9\ud83d\ude00\n é日😀","on":true,"off":false,"none":null,
         "big":123456789012345678901},
         [[],{},[1,[2,{"deep":{"er":[0.1,""]}}]]], "end \\ \" \/"]
        """#

    @Test("A document cut anywhere is refused as ended")
    func truncation() throws {
        let bytes = Array(Self.document.utf8)
        try expectEqual(JSON(parsing: bytes).array?.count, 3)
        for length in 0..<bytes.count {
            let error = #expect(throws: JSON.ParseError.self) { try JSON(parsing: bytes[..<length]) }
            #expect(error?.reason == .unexpectedEnd || error?.reason == .invalidUTF8)
            #expect((error?.offset ?? -1) <= length)
        }
    }

    @Test("A document with any byte changed is parsed or refused, and what is parsed can be written", arguments: 0..<8)
    func mutation(seed: UInt64) throws {
        var generator = SeededRandom(seed: seed)
        let bytes = Array(Self.document.utf8)
        for position in bytes.indices {
            var changed = bytes
            for _ in 0..<3 {
                changed[position] = UInt8(truncatingIfNeeded: generator.next())
                do {
                    let json = try JSON(parsing: changed)
                    try expectEqual(JSON(parsing: json.serialized()), json)
                } catch let error as JSON.ParseError {
                    #expect(error.offset <= changed.count)
                    #expect(error.line >= 1 && error.column >= 1)
                }
            }
        }
    }
}
