import SternaCore
import SternaPlatform
import SternaPropertyList
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Binary property lists")
struct PropertyListBinaryTests {
    typealias Reason = PropertyList.ParseError.Reason

    /// A file of given objects, as a writer might lay it out or an attacker might.
    private static func file(
        _ objects: [[UInt8]], top: Int = 0, offsetSize: Int = 2, referenceSize: Int = 1, offsets: [Int]? = nil
    ) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var places: [Int] = []
        for object in objects {
            places.append(bytes.count)
            bytes += object
        }
        let table = bytes.count
        for place in offsets ?? places { bytes += number(UInt64(place), offsetSize) }
        bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
        for value in [(offsets ?? places).count, top, table] { bytes += number(UInt64(value), 8) }
        return bytes
    }

    private static func number(_ value: UInt64, _ width: Int) -> [UInt8] {
        (0..<width).map { UInt8(truncatingIfNeeded: $0 < 8 ? value >> UInt64(8 * $0) : 0) }.reversed()
    }

    private func reason(_ bytes: [UInt8]) -> Reason? {
        do {
            _ = try PropertyList(parsing: bytes)
            return nil
        } catch {
            return error.reason
        }
    }

    static let scalars: [([UInt8], PropertyList)] = [
        ([0x08], false), ([0x09], true), ([0x10, 0xFF], 255), ([0x11, 0xFF, 0xFE], 65534),
        ([0x12, 0xFF, 0xFF, 0xFF, 0xFF], 4_294_967_295), ([0x13] + Array(repeating: 0xFF, count: 8), -1),
        ([0x14] + number(0, 8) + number(.max, 8), .unsigned(.max)), ([0x14] + number(0, 8) + number(5, 8), 5),
        ([0x14] + number(.max, 8) + number(.max, 8), -1), ([0x22] + number(UInt64(Float(1.5).bitPattern), 4), 1.5),
        ([0x23] + number((-0.1).bitPattern, 8), -0.1),
        ([0x33] + number(86_400.5.bitPattern, 8), .date(Date(timeIntervalSinceReferenceDate: 86_400.5))),
        ([0x40], .data(Data())), ([0x42, 1, 2], .data(Data([1, 2]))), ([0x50], ""), ([0x53, 0x61, 0, 0x63], "a\0c"),
        ([0x5F, 0x10, 0x02, 0x61, 0x62], "ab"), ([0x62, 0xD8, 0x3D, 0xDC, 0x26], "🐦"), ([0xA0], []), ([0xD0], [:]),
    ]

    @Test("Every kind and width", arguments: scalars, [1, 2, 3, 8])
    func kinds(scalar: (object: [UInt8], value: PropertyList), size: Int) throws {
        let (object, value) = scalar
        try expectEqual(PropertyList(parsing: Self.file([object], offsetSize: size)), value)
        let reference = Self.number(1, size)
        let nested = Self.file([[0xA2] + reference + reference, object], referenceSize: size)
        try expectEqual(PropertyList(parsing: nested), [value, value])
    }

    @Test("What is written is read back, and keys are written once")
    func written() throws {
        let list = PropertyListXMLTests.tree
        try expectEqual(PropertyList(parsing: list.serialized(.binary)), list)
        let many = PropertyList.array((0..<300).map { ["number": .integer($0), "again": "again"] })
        let bytes = try many.serialized(.binary)
        try expectEqual(PropertyList(parsing: bytes), many)
        #expect(bytes.count < 300 * 20)
        for value: PropertyList in [
            .integer(.min), .integer(.max), .unsigned(.max), .real(.infinity), 0, 255, 256, 65536, 4_294_967_296,
            .data(Data(repeating: 7, count: 70_000)), .string(String(repeating: "é", count: 300)),
        ] { try expectEqual(PropertyList(parsing: value.serialized(.binary)), value) }
        try expectEqual(PropertyList(parsing: PropertyList.real(.nan).serialized(.binary)).double?.isNaN, true)
        #expect(throws: ParameterError.self) {
            try PropertyList.date(Date(timeIntervalSince1970: .infinity)).serialized(.binary)
        }
    }

    static let broken: [(String, [UInt8], Reason)] = [
        ("magic only", Array("bplist00".utf8), .unexpectedEnd), ("version", Array("bplist99".utf8), .notAPropertyList),
        ("null", file([[0x00]]), .unsupportedObject(0)), ("UID", file([[0x80, 1]]), .unsupportedObject(0x80)),
        ("set", file([[0xC0]]), .unsupportedObject(0xC0)), ("unknown", file([[0xF0]]), .unsupportedObject(0xF0)),
        ("no objects", file([[0x08]], offsets: []), .invalidTrailer), ("top", file([[0x08]], top: 1), .invalidTrailer),
        ("offset size", file([[0x08]], offsetSize: 0), .invalidTrailer),
        ("reference size", file([[0x08]], referenceSize: 9), .invalidTrailer),
        ("offset in the magic", file([[0x08]], offsets: [0]), .objectOutOfRange),
        ("offset in the table", file([[0x08]], offsets: [9]), .objectOutOfRange),
        ("reference", file([[0xA1, 1]]), .objectOutOfRange), ("cut integer", file([[0x13, 0]]), .objectOutOfRange),
        ("cut string", file([[0x52, 0x61]]), .objectOutOfRange), ("cut array", file([[0xA2, 0]]), .objectOutOfRange),
        ("huge count", file([[0x5F, 0x13] + number(.max >> 1, 8)]), .objectOutOfRange),
        ("negative count", file([[0xAF, 0x13] + number(.max, 8)]), .objectOutOfRange),
        ("count of a real", file([[0x5F, 0x23] + number(0, 8)]), .objectOutOfRange),
        ("overflowing count", file([[0x6F, 0x13] + number(1 << 62, 8)]), .objectOutOfRange),
        ("overflowing dictionary", file([[0xDF, 0x13] + number(1 << 62, 8)]), .objectOutOfRange),
        ("ASCII", file([[0x51, 0xE9]]), .invalidCharacter(0xE9)),
        ("lone surrogate", file([[0x62, 0, 0x61, 0xD8, 0x3D]]), .invalidUTF16),
        ("16 bytes", file([[0x14] + number(1, 8) + number(0, 8)]), .invalidNumber),
        ("date", file([[0x33] + number(Double.nan.bitPattern, 8)]), .invalidDate),
        ("itself", file([[0xA1, 0]]), .circularReference),
        ("in a circle", file([[0xA1, 1], [0xA1, 0]]), .circularReference),
        ("key", file([[0xD1, 1, 1], [0x09]]), .keyNotString),
        ("itself as key", file([[0xD1, 0, 1], [0x08]]), .keyNotString),
        ("known as no string", file([[0xA2, 1, 2], [0x09], [0xD1, 1, 1]]), .keyNotString),
    ]

    @Test("What is refused", arguments: broken)
    func refuses(name: String, bytes: [UInt8], expected: Reason) throws {
        expectEqual(reason(bytes), expected)
        let error = #expect(throws: PropertyList.ParseError.self) { try PropertyList(parsing: bytes) }
        expectNil(error?.line)
        expectEqual(error?.description.contains("byte"), true)
    }

    @Test("A bomb of shared references and a pile of overlapping objects cost no more than their bytes")
    func bombs() {
        // Each of 50 arrays holds the next one twice: 2^50 values.
        let bomb = (0..<50).map { [0xA2, UInt8($0 + 1), UInt8($0 + 1)] } + [[0x08]]
        guard case .tooManyValues? = reason(Self.file(bomb)) else {
            Issue.record("\(String(describing: reason(Self.file(bomb))))")
            return
        }
        // 10,000 objects that are all one and the same run of references to one another.
        let count = 10_000
        var objects: [[UInt8]] = [[0xAF, 0x11] + Self.number(UInt64(count), 2)]
        for object in 1...count { objects[0] += Self.number(UInt64(object), 2) }
        let clock = ContinuousClock()
        let time = clock.measure {
            expectEqual(
                reason(Self.file(objects, referenceSize: 2, offsets: Array(repeating: 8, count: count + 1))),
                .circularReference)
        }
        #expect(time < .seconds(10))
        // 2,000 strings over the same 60,000 bytes.
        let text = [0x5F, 0x11] + Self.number(60_000, 2) + Array(repeating: UInt8(0x61), count: 60_000)
        let list = [0xAF, 0x11] + Self.number(2_000, 2) + (1...2_000).flatMap { Self.number(UInt64($0), 2) }
        let pile = Self.file(
            [list, text], referenceSize: 2, offsets: [8] + Array(repeating: 8 + list.count, count: 2_000))
        expectEqual(reason(pile), .overlappingObjects)
    }

    @Test("Depth counts through shared references, too")
    func depth() {
        func chain(_ length: Int) -> [UInt8] {
            let objects = (0..<length - 1).map { [0xA1] + Self.number(UInt64($0 + 1), 4) } + [[0xA0]]
            return Self.file(objects, offsetSize: 4, referenceSize: 4)
        }
        expectNil(reason(chain(512)))
        expectEqual(reason(chain(513)), .tooDeep(limit: 512))
        expectEqual(reason(chain(1_000_000)), .tooDeep(limit: 512))
        // 300 levels that are read at the top first, and then asked for 300 levels down.
        var objects: [[UInt8]] = [[0xA2] + Self.number(301, 2) + Self.number(1, 2)]
        for level in 1..<300 { objects.append([0xA1] + Self.number(UInt64(level + 1), 2)) }
        objects.append([0xA1] + Self.number(301, 2))
        for level in 301..<600 { objects.append([0xA1] + Self.number(UInt64(level + 1), 2)) }
        objects.append([0xA0])
        expectEqual(reason(Self.file(objects, offsetSize: 4, referenceSize: 2)), .tooDeep(limit: 512))
    }

    @Test("Cut off or changed at any byte it is a value or an error, never a crash")
    func damaged() throws {
        let whole = try PropertyListXMLTests.tree.serialized(.binary)
        for end in 0..<whole.count { #expect(reason(Array(whole[..<end])) != nil) }
        for index in whole.indices {
            for byte: UInt8 in [0, 1, 0x7F, 0x80, 0xFF, whole[index] &+ 1, whole[index] ^ 0x10] {
                var changed = whole
                changed[index] = byte
                _ = try? PropertyList(parsing: changed)
            }
        }
    }
}
