import SternaPropertyList
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Property lists: depth, size and number")
struct PropertyListLimitTests {
    typealias File = BinaryPropertyListFile
    typealias Limits = PropertyList.ParseLimits
    typealias Reason = PropertyList.ParseError.Reason

    private func fault(_ bytes: [UInt8], _ limits: Limits = .init()) -> PropertyList.ParseError? {
        #expect(throws: PropertyList.ParseError.self) { try PropertyList(parsing: bytes, limits: limits) }
    }

    // MARK: Depth

    @Test("XML at the limit of depth is read, compared and released")
    func xmlAtTheLimit() throws {
        for (open, close) in [("<array>", "</array>"), ("<dict><key>a</key>", "</dict>")] {
            let text =
                "<plist>" + String(repeating: open, count: 511) + "<dict/>" + String(repeating: close, count: 511)
                + "</plist>"
            let tree = try PropertyList(parsing: text)
            expectEqual(tree, (try PropertyList(parsing: text)))
            expectEqual(tree.hashValue, (try PropertyList(parsing: text)).hashValue)
        }
    }

    @Test("XML above the limit is refused at the first container too many", arguments: [513, 10_000, 200_000])
    func xmlAboveTheLimit(levels: Int) {
        for (open, close) in [("<array>\n", "</array>"), ("<dict><key>a</key>\n", "</dict>")] {
            let start = "<plist>\n" + String(repeating: open, count: levels)
            for text in [start, start + "<true/>" + String(repeating: close, count: levels) + "</plist>"] {
                let error = fault(Array(text.utf8))
                expectEqual(error?.reason, .tooDeep(limit: 512))
                let first = 8 + 512 * open.utf8.count
                #expect((first...first + 7).contains(error?.offset ?? -1))
                expectEqual(error?.line, 514)
            }
        }
    }

    @Test(
        "Other elements without an end are refused as well",
        arguments: ["<string>", "<key>", "<plist>", "<a>", "<", "<!--", "&", "<![CDATA["])
    func otherNesting(text: String) {
        for before in ["", "<plist>", "<plist><string>"] {
            #expect(fault(Array((before + String(repeating: text, count: 200_000)).utf8)) != nil)
        }
    }

    @Test("Binary files above the limit are refused", arguments: [513, 10_000, 200_000])
    func binaryAboveTheLimit(levels: Int) {
        for isArray in [true, false] {
            let objects = (1...levels).map { level -> File.Object in
                let next = [UInt64(level)]
                return isArray ? .array(next) : .dictionary(keys: [UInt64(levels)], values: next)
            }
            let file = File(objects + [.ascii("a")]) {
                $0.offsetSize = 4
                $0.referenceSize = 4
            }
            let error = fault(file.bytes)
            expectEqual(error?.reason, .tooDeep(limit: 512))
            // The array too many begins after 512 others; it may be named by the reference before it.
            let size = isArray ? 5 : 9
            #expect((8 + 511 * size...8 + 513 * size).contains(error?.offset ?? -1))
        }
    }

    @Test("Containers beside each other are not depth")
    func siblings() throws {
        let text = "<plist><array>" + String(repeating: "<array><dict/></array>", count: 5_000) + "</array></plist>"
        try expectEqual(PropertyList(parsing: text).array?.count, 5_000)
        let file = File([
            .array([UInt64](repeating: 1, count: 300)), .array([2, 2, 2]), .dictionary(keys: [], values: []),
        ])
        try expectEqual(PropertyList(parsing: file.bytes).array, Array(repeating: [[:], [:], [:]], count: 300))
    }

    @Test("A limit of depth outside its range becomes the nearer end")
    func range() throws {
        expectEqual(Limits(depth: -5).depth, 0)
        expectEqual(Limits(depth: .max).depth, 512)
        var limits = Limits()
        expectEqual(limits.depth, 512)
        limits.depth = 100_000
        expectEqual(limits.depth, 512)
        limits.depth = -1
        expectEqual(limits.depth, 0)
        expectEqual(PropertyList.maximumDepth, 512)
        try expectEqual(PropertyList(parsing: "<plist><true/></plist>", limits: limits), true)
        MarkedDocument(value: "«<array»/>").expectFault([.tooDeep(limit: 0)], limits: limits)
        MarkedDocument(value: "<array>\n<dict><key>a</key>«<array»/></dict></array>")
            .expectFault([.tooDeep(limit: 2)], limits: Limits(depth: 2))
        try expectEqual(PropertyList(parsing: "<plist><array><dict/></array></plist>", limits: Limits(depth: 2)), [[:]])
        expectEqual(fault(File([.array([])]).bytes, limits)?.reason, .tooDeep(limit: 0))
    }

    // MARK: Size and number

    private static let forms: [[UInt8]] = [
        Array("<plist><array><true/><integer>1</integer></array></plist>".utf8),
        File([.array([1, 2]), .raw([0x09]), .raw([0x10, 1])]).bytes,
    ]

    @Test("More bytes than the limit are refused", arguments: forms)
    func bytes(bytes: [UInt8]) throws {
        try expectEqual(PropertyList(parsing: bytes, limits: Limits(bytes: bytes.count)), [true, 1])
        for limit in [bytes.count - 1, 1, 0] {
            expectEqual(fault(bytes, Limits(bytes: limit))?.reason, .tooLarge(limit: limit))
        }
        #expect(fault(bytes, Limits(bytes: -1)) != nil)
    }

    @Test("More values than the limit are refused", arguments: forms)
    func values(bytes: [UInt8]) throws {
        try expectEqual(PropertyList(parsing: bytes, limits: Limits(values: 3)), [true, 1])
        for limit in [2, 1, 0] {
            expectEqual(fault(bytes, Limits(values: limit))?.reason, .tooManyValues(limit: limit))
        }
        #expect(fault(bytes, Limits(values: -1)) != nil)
    }

    @Test("The value too many is the place")
    func valuePlace() {
        MarkedDocument(value: "<array><true/>\n«<integer»>1</integer></array>")
            .expectFault([.tooManyValues(limit: 2)], limits: Limits(values: 2))
    }

    @Test("A tree that grows by its references beyond sixteen values a byte is refused at once", arguments: [2, 3, 14])
    func bomb(width: Int) {
        let levels = 50
        let arrays = (1...levels).map { File.Object.array([UInt64](repeating: UInt64($0), count: width)) }
        let keys = (0..<width).map { File.Object.ascii("k\($0)") }
        let dictionaries = (1...levels).map {
            File.Object.dictionary(
                keys: (0..<width).map { UInt64(levels + 1 + $0) }, values: [UInt64](repeating: UInt64($0), count: width)
            )
        }
        // The last of them holds the first object that is no container, for arrays as for dictionaries.
        for objects in [arrays + [.ascii("lol")], dictionaries + [.ascii("lol")] + keys] {
            let error = fault(File(objects).bytes)
            guard case .tooManyValues(let limit) = error?.reason else {
                Issue.record("\(String(describing: error))")
                continue
            }
            expectEqual(limit, 16 * File(objects).bytes.count)
        }
    }

    /// A file whose dictionaries all refer to one key, with so many references each.
    private static func sharedKey(_ key: File.Object, dictionaries: Int, references: Int) -> File {
        let entries = [UInt64](repeating: 1, count: references)
        let dictionary = File.Object.dictionary(keys: entries, values: entries.map { _ in 2 })
        let array = File.Object.array((0..<dictionaries).map { UInt64(3 + $0) })
        return File([array, key, .raw([0x09])] + [File.Object](repeating: dictionary, count: dictionaries)) {
            $0.referenceSize = 2
        }
    }

    @Test("References to a long key count by its length", arguments: [(2_000, 1), (1, 2_000)])
    func longKey(dictionaries: Int, references: Int) {
        let ascii = File.Object.ascii(String(repeating: "k", count: 4_000))
        for key in [ascii, .utf16(Array(repeating: 0xE9, count: 2_000))] {
            let bytes = Self.sharedKey(key, dictionaries: dictionaries, references: references).bytes
            expectEqual(fault(bytes)?.reason, .tooManyValues(limit: 16 * bytes.count))
        }
    }

    @Test("Keys of ordinary length may be shared by any number of dictionaries, and long ones need not be shared")
    func ordinaryKeys() throws {
        let text = String(repeating: "k", count: 200)
        let list = try PropertyList(parsing: Self.sharedKey(.ascii(text), dictionaries: 5_000, references: 1).bytes)
        expectEqual(list, .array(Array(repeating: .dictionary([text: true]), count: 5_000)))
        let accented = String(repeating: "é", count: 60)
        let other = Self.sharedKey(.utf16(Array(accented.utf16)), dictionaries: 1, references: 5_000)
        try expectEqual(PropertyList(parsing: other.bytes), [[accented: true]])
        let long = String(repeating: "k", count: 30_000)
        let once = File([.dictionary(keys: [1, 2], values: [3, 3]), .ascii(long), .ascii(long + "2"), .raw([0x09])])
        try expectEqual(PropertyList(parsing: once.bytes, limits: Limits(values: 3)), [long: true, long + "2": true])
    }

    @Test("Empty containers are values, too")
    func emptyBomb() {
        let arrays = (1...50).map { File.Object.array([UInt64($0), UInt64($0)]) }
        for last in [File.Object.array([]), .dictionary(keys: [], values: []), .raw([0x40])] {
            guard case .tooManyValues = fault(File(arrays + [last]).bytes)?.reason else {
                Issue.record("not refused")
                continue
            }
        }
    }
}
