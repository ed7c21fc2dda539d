import SternaPlatform
import SternaPropertyList
import SternaSerialization
import Testing

@Suite("Property lists: hostile binary files")
struct PropertyListHostileBinaryTests {
    typealias File = BinaryPropertyListFile
    typealias Object = BinaryPropertyListFile.Object
    typealias Reason = PropertyList.ParseError.Reason

    /// Expects one of the reasons, or any where none is given, within one of the places: objects by number, the table
    /// after them, the trailer last. A reference to what is not there may be named by any of its ends.
    private func expectFault(
        _ file: File, _ reasons: [Reason], in places: [Int], location: SourceLocation = #_sourceLocation
    ) {
        let bytes = file.bytes
        let error = #expect(throws: PropertyList.ParseError.self, sourceLocation: location) {
            try PropertyList(parsing: bytes)
        }
        guard let error else { return }
        let note: Comment = "\(error)"
        if !reasons.isEmpty { #expect(reasons.contains(error.reason), note, sourceLocation: location) }
        let isThere = places.contains { index in
            let place = file.places[index]
            return place.lowerBound...place.upperBound ~= error.offset
        }
        #expect(isThere, note, sourceLocation: location)
        #expect(error.line == nil && error.column == nil, sourceLocation: location)
        #expect(!error.description.contains { $0.isNewline }, sourceLocation: location)
    }

    static let unsupported: [UInt8] = [
        0x00, 0x01, 0x07, 0x0C, 0x0D, 0x0E, 0x0F, 0x34, 0x80, 0x90, 0xB0, 0xC0, 0xE0, 0xF0,
    ]

    @Test("Null, UID, sets, URL, UUID and unknown markers", arguments: unsupported)
    func marker(marker: UInt8) {
        let content = [marker] + [UInt8](repeating: 0, count: 16)
        expectFault(File(content), [.unsupportedObject(marker)], in: [0])
        expectFault(File([.array([1]), .raw(content)]), [.unsupportedObject(marker)], in: [1])
    }

    static let scalars: [([UInt8], [Reason])] = [
        ([0x14, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0], [.invalidNumber]),
        ([0x14, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [.invalidNumber]),
        ([0x14] + [UInt8](repeating: 0xFF, count: 8) + [0x7F] + [UInt8](repeating: 0xFF, count: 7), [.invalidNumber]),
        ([0x15] + [UInt8](repeating: 0, count: 32), [.unsupportedObject(0x15), .invalidNumber]),
        ([0x20, 0], [.unsupportedObject(0x20), .invalidNumber]),
        ([0x21, 0, 0], [.unsupportedObject(0x21), .invalidNumber]),
        ([0x24] + [UInt8](repeating: 0, count: 16), [.unsupportedObject(0x24), .invalidNumber]),
        ([0x33, 0x7F, 0xF8, 0, 0, 0, 0, 0, 0], [.invalidDate]), ([0x33, 0xFF, 0xF0, 0, 0, 0, 0, 0, 0], [.invalidDate]),
        ([0x53, 0x61, 0x80, 0x62], []), ([0x51, 0xFF], []), ([0x52, 0xC3, 0xA9], []),
        ([0x61, 0xD8, 0x00], [.invalidUTF16]), ([0x61, 0xDF, 0xFF], [.invalidUTF16]),
        ([0x62, 0xDE, 0x00, 0xD8, 0x3D], [.invalidUTF16]), ([0x62, 0xD8, 0x3D, 0x00, 0x61], [.invalidUTF16]),
        ([0x63, 0xD8, 0x3D, 0xD8, 0x3D, 0xDE, 0x00], [.invalidUTF16]),
        ([0x62, 0x00, 0x61, 0xD8, 0x3D], [.invalidUTF16]),
        ([0x4F, 0x51, 0x61], []), ([0x5F, 0x09], []), ([0x6F, 0x22, 0, 0, 0, 0], []), ([0x4F, 0x14], []),
    ]

    @Test("Numbers, dates, text and counts that are none", arguments: scalars)
    func scalar(bytes: [UInt8], reasons: [Reason]) {
        expectFault(File(bytes), reasons, in: [0])
        expectFault(File([.array([1]), .raw(bytes)]), reasons, in: [1])
    }

    static let counts: [UInt64] = [
        40, 1000, 0x7FFF_FFFF, 0xFFFF_FFFF, 1 << 32, 1 << 60, 1 << 61, 1 << 62, UInt64(Int64.max) - 8,
        UInt64(Int64.max), 1 << 63,
        .max,
    ]

    @Test("Counts beyond the file", arguments: counts, [0x4F, 0x5F, 0x6F, 0xAF, 0xDF] as [UInt8])
    func count(count: UInt64, marker: UInt8) {
        let content = [marker, 0x13] + File.bigEndian(count, width: 8) + [UInt8](repeating: 0x41, count: 4)
        let reasons: [Reason] = count > UInt64(Int64.max) ? [] : [.objectOutOfRange, .unexpectedEnd]
        // What ends too early may be said to end at the end.
        expectFault(File([.array([1]), .raw(content)]), reasons, in: [1, 3])
    }

    @Test(
        "Offsets before the objects and beyond the file",
        arguments: [0, 7, 1 << 16, 1 << 31, 1 << 32, 1 << 62, UInt64(Int64.max), 1 << 63, .max])
    func offset(offset: UInt64) {
        for object in [0, 1, 2] {
            let file = File([.array([1]), .array([2]), .ascii("a")]) {
                $0.offsetSize = 8
                $0.offsets = [object: offset]
            }
            expectFault(file, [.objectOutOfRange], in: object == 0 ? [3, 4] : [object - 1, 3])
        }
    }

    @Test(
        "References to objects that are not there",
        arguments: [3, 200, 1 << 31, 1 << 62, UInt64(Int64.max), 1 << 63, .max])
    func reference(reference: UInt64) {
        for object in [
            Object.array([reference]), .dictionary(keys: [2], values: [reference]),
            .dictionary(keys: [reference], values: [2]),
        ] {
            expectFault(
                File([.array([1]), object, .ascii("a")]) { $0.referenceSize = 8 }, [.objectOutOfRange], in: [1, 3])
        }
    }

    static let cycles: [([Object], [Int])] = [
        ([.array([0])], [0]), ([.array([1]), .array([0])], [0, 1]), ([.array([1]), .array([2]), .array([1])], [1, 2]),
        ([.dictionary(keys: [1], values: [0]), .ascii("a")], [0]),
        ([.array([1, 2]), .ascii("a"), .dictionary(keys: [1], values: [0])], [0, 2]),
        ([.array([1]), .array([2]), .array([3]), .array([4]), .array([5, 5, 0]), .ascii("a")], [0, 4]),
    ]

    @Test("A container within itself", arguments: cycles)
    func cycle(objects: [Object], places: [Int]) {
        expectFault(File(objects), [.circularReference], in: places)
    }

    @Test("Keys that are no strings", arguments: [[0x09], [0x10, 1], [0xA0], [0xD0], [0x41, 0x61]] as [[UInt8]])
    func key(bytes: [UInt8]) {
        expectFault(
            File([.dictionary(keys: [2, 1], values: [2, 2]), .raw(bytes), .ascii("a")]), [.keyNotString], in: [0, 1])
    }

    static let trailers: [(@Sendable (inout File) -> Void)] = [
        { $0.statedSizes = (0, 1) }, { $0.statedSizes = (1, 0) }, { $0.statedSizes = (9, 1) },
        { $0.statedSizes = (1, 9) },
        { $0.statedSizes = (255, 255) }, { $0.statedSizes = (8, 1) }, { $0.count = 0 }, { $0.count = 40 },
        { $0.count = 1 << 61 },
        { $0.count = 1 << 62 }, { $0.count = UInt64(Int64.max) }, { $0.count = 1 << 63 }, { $0.count = .max },
        { $0.top = 2 },
        { $0.top = 1 << 63 }, { $0.top = .max }, { $0.tableOffset = 0 }, { $0.tableOffset = 7 },
        { $0.tableOffset = 10 },
        { $0.tableOffset = 1 << 20 }, { $0.tableOffset = UInt64(Int64.max) }, { $0.tableOffset = 1 << 63 },
        { $0.tableOffset = .max }, { ($0.count, $0.tableOffset) = (UInt64(Int64.max), UInt64(Int64.max)) },
        { ($0.count, $0.offsetSize, $0.tableOffset) = (1 << 61, 8, 8) },
    ]

    @Test("A trailer that lies", arguments: trailers.indices)
    func trailer(index: Int) {
        let file = File([.array([1]), .ascii("a")], Self.trailers[index])
        expectFault(file, [.invalidTrailer, .objectOutOfRange], in: [0, 1, 2, 3])
    }

    @Test("A head alone, and a trailer alone", arguments: 0..<40)
    func short(count: Int) {
        for content in [[UInt8](repeating: 0, count: count), [UInt8](repeating: 0xFF, count: count)] {
            #expect(throws: PropertyList.ParseError.self) {
                try PropertyList(parsing: Array("bplist00".utf8) + content)
            }
        }
        #expect(throws: PropertyList.ParseError.self) {
            try PropertyList(parsing: File([0x09]).bytes.suffix(count).dropFirst())
        }
    }
}
