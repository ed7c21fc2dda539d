import SternaPlatform
import SternaPropertyList
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Property lists: reading the binary format")
struct PropertyListBinaryReadingTests {
    typealias File = BinaryPropertyListFile
    typealias Object = BinaryPropertyListFile.Object

    private func read(_ objects: [Object]) throws -> PropertyList { try PropertyList(parsing: File(objects).bytes) }

    private static func wide(_ high: UInt64, _ low: UInt64) -> Object {
        .raw([0x14] + File.bigEndian(high, width: 8) + File.bigEndian(low, width: 8))
    }

    static let integers: [(Object, PropertyList)] = [
        (.number(0x10, 0, width: 1), 0), (.number(0x10, 0x7F, width: 1), 127), (.number(0x10, 0xFF, width: 1), 255),
        (.number(0x11, 0x0102, width: 2), 0x0102), (.number(0x11, 0xFFFF, width: 2), 65_535),
        (.number(0x12, 0x0102_0304, width: 4), 0x0102_0304), (.number(0x12, 0xFFFF_FFFF, width: 4), 4_294_967_295),
        (.number(0x13, 0x0102_0304_0506_0708, width: 8), 0x0102_0304_0506_0708), (.number(0x13, 5, width: 8), 5),
        (.number(0x13, UInt64(Int64.max), width: 8), .integer(.max)),
        (.number(0x13, .max, width: 8), -1), (.number(0x13, 1 << 63, width: 8), .integer(.min)),
        (wide(0, 5), 5), (wide(0, UInt64(Int64.max)), .integer(.max)), (wide(0, 1 << 63), .unsigned(1 << 63)),
        (wide(0, .max), .unsigned(.max)), (wide(.max, .max), -1), (wide(.max, 1 << 63), .integer(.min)),
    ]

    @Test("Integers of every width, the sign in eight bytes and sixteen only", arguments: integers)
    func integer(object: Object, expected: PropertyList) throws {
        try expectEqual(read([object]), expected)
    }

    static let reals: [(UInt8, UInt64, Int, Double)] = [
        (0x22, UInt64(Float(1.5).bitPattern), 4, 1.5), (0x22, UInt64(Float(0.1).bitPattern), 4, Double(Float(0.1))),
        (0x22, UInt64(Float.infinity.bitPattern), 4, .infinity), (0x22, UInt64(Float(-0.0).bitPattern), 4, -0.0),
        (0x23, 0.1.bitPattern, 8, 0.1), (0x23, Double.leastNonzeroMagnitude.bitPattern, 8, .leastNonzeroMagnitude),
        (0x23, (-Double.infinity).bitPattern, 8, -.infinity), (0x23, (-0.0).bitPattern, 8, -0.0),
        (0x23, 2.0.bitPattern, 8, 2),
    ]

    @Test("Reals of four bytes and eight", arguments: reals)
    func real(marker: UInt8, bits: UInt64, width: Int, expected: Double) throws {
        guard case .real(let value) = try read([.number(marker, bits, width: width)]) else {
            Issue.record("not a real")
            return
        }
        expectEqual(value.bitPattern, expected.bitPattern)
    }

    @Test(
        "Dates are seconds since 2001, with their fractions", arguments: [0, 1, -978_307_200, 599_627_045.125, -63e9])
    func date(seconds: Double) throws {
        let expected = Date(timeIntervalSinceReferenceDate: seconds)
        try expectEqual(read([.number(0x33, seconds.bitPattern, width: 8)]), .date(expected))
    }

    @Test("Truth values")
    func booleans() throws {
        try expectEqual(read([.raw([0x08])]), false)
        try expectEqual(read([.raw([0x09])]), true)
    }

    /// A count in the marker, and after it in every width of an integer.
    private static func headers(_ marker: UInt8, _ count: Int) -> [[UInt8]] {
        let widths: [(UInt8, Int)] = [(0x10, 1), (0x11, 2), (0x12, 4), (0x13, 8)]
        let long = widths.map { [marker | 0x0F, $0.0] + File.bigEndian(UInt64(count), width: $0.1) }
        return count < 15 ? [[marker | UInt8(count)]] + long : long
    }

    @Test("Counts in every form", arguments: [0, 1, 14, 15, 16, 200])
    func counts(count: Int) throws {
        let content = (0..<count).map { UInt8(0x20 + $0 % 90) }
        let text = String(decoding: content, as: UTF8.self)
        for header in Self.headers(0x40, count) {
            try expectEqual(read([.raw(header + content)]), .data(Data(content)))
        }
        for header in Self.headers(0x50, count) { try expectEqual(read([.raw(header + content)]), .string(text)) }
        for header in Self.headers(0x60, count) {
            try expectEqual(read([.raw(header + content.flatMap { [0, $0] })]), .string(text))
        }
        for header in Self.headers(0xA0, count) {
            let object = Object.raw(header + [UInt8](repeating: 1, count: count))
            try expectEqual(read([object, .raw([0x09])]), .array(Array(repeating: true, count: count)))
        }
        for header in Self.headers(0xD0, count) {
            let references = (0..<count).map { UInt8($0 + 1) } + [UInt8](repeating: UInt8(count + 1), count: count)
            let keys = (0..<count).map { Object.ascii("k\($0)") }
            let expected = Dictionary(uniqueKeysWithValues: (0..<count).map { ("k\($0)", PropertyList.integer(7)) })
            let objects = [.raw(header + references)] + keys + [.number(0x10, 7, width: 1)]
            try expectEqual(read(objects), .dictionary(expected))
        }
    }

    @Test(
        "Text of UTF-16, pairs and all, is kept scalar by scalar",
        arguments: [
            "é", "日本", "😀", "\u{10FFFF}a\u{10000}", "e\u{301}\u{E9}", "\u{FEFF}\u{FFFE}\u{FFFF}\0", "\r\n\u{1}",
        ])
    func utf16(text: String) throws {
        let string = try read([.utf16(Array(text.utf16))]).string
        expectEqual(string.map { Array($0.unicodeScalars) }, Array(text.unicodeScalars))
        let key = try read([.dictionary(keys: [1], values: [1]), .utf16(Array(text.utf16))]).dictionary?.keys.first
        expectEqual(key.map { Array($0.unicodeScalars) }, Array(text.unicodeScalars))
    }

    @Test("Every character of ASCII")
    func ascii() throws {
        let all = String(decoding: UInt8(0)..<128, as: UTF8.self)
        try expectEqual(read([.ascii(all)]).string.map { Array($0.utf8) }, Array(UInt8(0)..<128))
    }

    /// A tree whose parts are used more than once, and a root that is not the first object.
    private static let shared: [Object] = [
        .ascii("a"), .array([0, 2, 2]), .dictionary(keys: [0, 4], values: [0, 5]),
        .dictionary(keys: [0, 4], values: [1, 2]), .utf16([0xE9]), .number(0x10, 3, width: 1),
    ]
    private static let sharedValue: PropertyList = [
        "a": ["a", ["a": "a", "é": 3], ["a": "a", "é": 3]], "é": ["a": "a", "é": 3],
    ]

    @Test(
        "Offsets and references of every size", arguments: [1, 2, 4, 8], [1, 2, 4, 8])
    func sizes(offset: Int, reference: Int) throws {
        let file = File(Self.shared) {
            $0.offsetSize = offset
            $0.referenceSize = reference
            $0.top = 3
        }
        try expectEqual(PropertyList(parsing: file.bytes), Self.sharedValue)
    }

    @Test("Objects are found beyond 255 and 65,535, by number and by offset", arguments: [300, 70_000])
    func large(count: Int) throws {
        let numbers = (0..<count).map { Object.number(0x12, UInt64($0), width: 4) }
        let file = File([.array((1...UInt64(count)).reversed())] + numbers) {
            $0.offsetSize = 4
            $0.referenceSize = 4
        }
        let list = try #require(try PropertyList(parsing: file.bytes).array)
        expectEqual(list, (0..<count).reversed().map { .integer(Int64($0)) })
    }

    @Test("An array at the limit of depth, and the limits that are given")
    func depth() throws {
        func nested(_ levels: Int) -> [UInt8] {
            File((1...levels).map { .array($0 == levels ? [] : [UInt64($0)]) }) {
                $0.offsetSize = 2
                $0.referenceSize = 2
            }.bytes
        }
        var tree = try PropertyList(parsing: nested(512))
        var levels = 1
        while let inner = tree[0] { (tree, levels) = (inner, levels + 1) }
        expectEqual(levels, 512)
        #expect(throws: Never.self) { try PropertyList(parsing: nested(3), limits: .init(depth: 3)) }
        let error = #expect(throws: PropertyList.ParseError.self) {
            try PropertyList(parsing: nested(4), limits: .init(depth: 3))
        }
        expectEqual(error?.reason, .tooDeep(limit: 3))
    }

    @Test("A file as a sequence and as a buffer that is not aligned")
    func inputs() throws {
        let bytes = File(Self.shared) { $0.top = 3 }.bytes
        try expectEqual(PropertyList(parsing: AnySequence(bytes)), Self.sharedValue)
        for shift in 0..<8 {
            let result = ([UInt8](repeating: 0xFF, count: shift) + bytes).withUnsafeBytes { buffer in
                Result { try PropertyList(parsing: UnsafeRawBufferPointer(rebasing: buffer[shift...])) }
            }
            try expectEqual(result.get(), Self.sharedValue)
        }
    }
}
