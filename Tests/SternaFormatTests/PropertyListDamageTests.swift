import SternaPlatform
import SternaPropertyList
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Property lists: documents that are damaged")
struct PropertyListDamageTests {
    private static let xml = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <!-- é -->
        <plist version="1.0">
        <dict>
        \t<key>näme</key><string>A&#233;&amp;&#x1F600;<![CDATA[<é日😀>]]></string>
        \t<key>on</key><true/><key>off</key><false />
        \t<key>list</key><array><integer>-12</integer><integer>0xFF</integer><real>1.5e3</real><array/><dict/></array>
        \t<key>when</key><date>2020-01-02T03:04:05Z</date><key>data</key><data>AQID BA==</data>
        </dict>
        </plist>
        """

    private static let binary: [UInt8] = {
        let date = 599_627_045.5.bitPattern
        return BinaryPropertyListFile([
            .dictionary(keys: [1, 2, 3, 4], values: [5, 6, 7, 8]), .ascii("a"), .utf16([0xE9, 0xD83D, 0xDE00]),
            .ascii("a name of more than fifteen"), .ascii("d"), .array([8, 9, 10, 11, 8]),
            .number(0x33, date, width: 8),
            .raw([0x43, 1, 2, 3]), .array([]), .number(0x11, 300, width: 2), .number(0x23, 1.5.bitPattern, width: 8),
            .raw([0x09]),
        ]).bytes
    }()

    @Test("The documents themselves are read")
    func whole() throws {
        let tree = try PropertyList(parsing: Self.xml)
        expectEqual(tree["näme"]?.string, "Aé&😀<é日😀>")
        expectEqual(tree["list"], [-12, 255, .real(1500), [], [:]])
        expectEqual(tree["data"]?.data, Data([1, 2, 3, 4]))
        let other = try PropertyList(parsing: Self.binary)
        expectEqual(other["a"], [[], 300, .real(1.5), true, []])
        expectEqual(other["é😀"]?.date, Date(timeIntervalSinceReferenceDate: 599_627_045.5))
        expectEqual(other["d"], [])
        expectEqual(other.dictionary?.count, 4)
    }

    @Test("XML cut anywhere is refused as ended, at its end", arguments: 0..<Array(xml.utf8).count)
    func truncatedXML(length: Int) {
        let cut = Array(Array(Self.xml.utf8)[..<length])
        let error = #expect(throws: PropertyList.ParseError.self) { try PropertyList(parsing: cut) }
        // Half a character may be called that instead, and less than a tag's beginning no property list.
        let isHalf = String(validating: cut, as: UTF8.self) == nil
        if length < 5 && error?.reason == .notAPropertyList || isHalf && error?.reason == .invalidUTF8 {
            #expect((0...length).contains(error?.offset ?? -1))
        } else {
            expectEqual(error?.reason, .unexpectedEnd)
            expectEqual(error?.offset, length)
            let place = MarkedDocument.place(of: length, in: cut)
            if !isHalf { #expect(error?.line == place.line && error?.column == place.column) }
        }
    }

    @Test("A binary file cut anywhere, at either end, is refused")
    func truncatedBinary() {
        for length in Self.binary.indices {
            for cut in [Self.binary.prefix(length), Self.binary.suffix(length)] {
                let error = #expect(throws: PropertyList.ParseError.self, "cut to \(length)") {
                    try PropertyList(parsing: cut)
                }
                #expect((0...length).contains(error?.offset ?? -1), "cut to \(length)")
                if cut.starts(with: "bplist0".utf8) { #expect(error?.line == nil && error?.column == nil) }
            }
        }
    }

    @Test("With a byte left out, a file is read or refused, and the rest is not missed")
    func missingByte() {
        for position in 8..<Self.binary.count - 32 {
            var bytes = Self.binary
            bytes.remove(at: position)
            expectSound(bytes)
        }
    }

    /// What is read can be written and read again; what is not has its place.
    private func expectSound(_ bytes: [UInt8], location: SourceLocation = #_sourceLocation) {
        do {
            let tree = try PropertyList(parsing: bytes)
            let again = try PropertyList(parsing: tree.serialized(.binary))
            expectEqual(again.exactDescription, tree.exactDescription, sourceLocation: location)
        } catch let error as PropertyList.ParseError {
            #expect((0...bytes.count).contains(error.offset), "\(error)", sourceLocation: location)
            #expect((error.line ?? 1) >= 1 && (error.column ?? 1) >= 1, "\(error)", sourceLocation: location)
        } catch {
            Issue.record("\(error)", sourceLocation: location)
        }
    }

    @Test("Any byte replaced: a value or an error", arguments: [Array(xml.utf8), binary])
    func replaced(bytes: [UInt8]) {
        for position in bytes.indices {
            let old = bytes[position]
            for new in [0x00, 0xFF, ~old, old ^ 0x80, old ^ 0x01, old &+ 1, 0x3C, 0x26] where new != old {
                var changed = bytes
                changed[position] = new
                expectSound(changed)
            }
        }
    }

    @Test("Many bytes replaced, taken out and doubled", arguments: 0..<40)
    func scrambled(seed: UInt64) {
        var generator = SeededRandom(seed: seed)
        for bytes in [Array(Self.xml.utf8), Self.binary] {
            for _ in 0..<100 {
                var changed = bytes
                for _ in 0..<Int.random(in: 1...6, using: &generator) {
                    let position = Int.random(in: 0..<changed.count, using: &generator)
                    switch generator.next() % 4 {
                    case 0: changed[position] = UInt8(truncatingIfNeeded: generator.next())
                    case 1: changed.remove(at: position)
                    case 2: changed.insert(changed[position], at: position)
                    default: changed.swapAt(position, Int.random(in: 0..<changed.count, using: &generator))
                    }
                }
                expectSound(changed)
            }
        }
    }
}
