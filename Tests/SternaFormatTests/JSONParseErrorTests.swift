import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("JSON: where a fault is, and limits")
struct JSONParseErrorTests {
    static let places: [(String, Int, Int, Int)] = [
        ("x", 0, 1, 1),
        ("[1,\n 2,\n  x]", 10, 3, 3),
        ("[1,\r\n x]", 6, 2, 2),
        ("[\"é日😀\" x]", 13, 1, 8),
        ("\n\n", 2, 3, 1),
        ("\u{FEFF}[x", 4, 1, 2),
    ]

    @Test("Line and column count from one, in scalars", arguments: places)
    func place(text: String, offset: Int, line: Int, column: Int) {
        let error = #expect(throws: JSON.ParseError.self) { try JSON(parsing: text) }
        expectEqual(error?.offset, offset)
        expectEqual(error?.line, line)
        expectEqual(error?.column, column)
    }

    static let descriptions: [(String, String)] = [
        ("[1,]", "unexpected character ']' at line 1, column 4 (byte 3)"),
        ("[\u{0}", "unexpected character U+0000 at line 1, column 2 (byte 1)"),
        ("[\n\n😀", "unexpected character U+1F600 at line 3, column 1 (byte 3)"),
        ("[1", "unexpected end at line 1, column 3 (byte 2)"),
        ("\"\n\"", "unescaped control character U+000A at line 1, column 2 (byte 1)"),
        ("01", "invalid number at line 1, column 2 (byte 1)"),
        ("1 1", "content after the value at line 1, column 3 (byte 2)"),
        ("\"\\q\"", "invalid escape at line 1, column 2 (byte 1)"),
        ("\"\\udead\"", "lone surrogate at line 1, column 2 (byte 1)"),
    ]

    @Test("A fault is described in one line", arguments: descriptions)
    func description(text: String, expected: String) {
        let error = #expect(throws: JSON.ParseError.self) { try JSON(parsing: text) }
        expectEqual(error?.description, expected)
    }

    @Test("More bytes or values than the limits are refused")
    func limits() throws {
        try expectEqual(JSON(parsing: "[1,2]", limits: .init(bytes: 5, values: 3)), [1, 2])
        let large = #expect(throws: JSON.ParseError.self) { try JSON(parsing: "[1,2]", limits: .init(bytes: 4)) }
        expectEqual(large?.reason, .tooLarge(limit: 4))
        let many = #expect(throws: JSON.ParseError.self) { try JSON(parsing: "[1,2]", limits: .init(values: 2)) }
        expectEqual(many?.reason, .tooManyValues(limit: 2))
        expectEqual(many?.offset, 3)
        #expect(throws: JSON.ParseError.self) { try JSON(parsing: "1", limits: .init(bytes: -1)) }
        #expect(throws: JSON.ParseError.self) { try JSON(parsing: "1", limits: .init(values: -1)) }
    }

    @Test("A limit of depth outside its range becomes the nearer end")
    func depthRange() throws {
        expectEqual(JSON.ParseLimits(depth: -5).depth, 0)
        expectEqual(JSON.ParseLimits(depth: .max).depth, 512)
        var limits = JSON.ParseLimits()
        limits.depth = 100_000
        expectEqual(limits.depth, 512)
        try expectEqual(JSON(parsing: "1", limits: .init(depth: 0)), 1)
        #expect(throws: JSON.ParseError.self) { try JSON(parsing: "[]", limits: .init(depth: 0)) }
        try expectEqual(JSON(parsing: "[{}]", limits: .init(depth: 2)), [[:]])
        let deep = #expect(throws: JSON.ParseError.self) { try JSON(parsing: "[{\"a\":[]}]", limits: .init(depth: 2)) }
        expectEqual(deep?.reason, .tooDeep(limit: 2))
        expectEqual(deep?.offset, 6)
    }
}
