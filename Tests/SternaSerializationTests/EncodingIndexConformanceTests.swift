import NIOCore
import SternaCore
import SternaPlatform
import Testing

@testable import SternaSerialization
@testable import SternaTestSupport

/// Every pointer of every index file of the Encoding Standard, read and written, with the standard's formulas written anew.
@Suite(
    "Encoding Standard's indexes",
    .enabled(if: EncodingIndexData.isThere, "Set STERNA_CONFORMANCE to the folder of the conformance data."))
struct EncodingIndexConformanceTests {
    @Test("Sets of one byte", arguments: CharacterTable.singleByteNames)
    func singleByte(kind: TextEncoding.Kind) throws {
        let rows = try EncodingIndexData.rows(kind.rawValue)
        check(TextEncoding(kind), rows, count: 128) { [UInt8(0x80 + $0)] }
    }

    @Test func hebrewInLogicalOrder() throws {
        check(.iso8859Part8Logical, try EncodingIndexData.rows("iso-8859-8"), count: 128) { [UInt8(0x80 + $0)] }
    }

    @Test func big5() throws {
        var rows = try EncodingIndexData.rows("big5")
        let last: [UInt32] = [0x2550, 0x255E, 0x2561, 0x256A, 0x5341, 0x5345]
        checkPointers(.big5, rows, from: 5_024, last: last)
        // Two code points each; the holes are checked by the texts.
        let pairs: [Int: [UInt32]] = [
            1_133: [0xCA, 0x304], 1_135: [0xCA, 0x30C], 1_164: [0xEA, 0x304], 1_166: [0xEA, 0x30C],
        ]
        for (pointer, scalars) in pairs {
            expectNil(rows[pointer])
            let text = TextEncoding.big5.decode(Bytes(bytes: Self.big5Bytes(pointer)))
            expectEqual(text?.unicodeScalars.map(\.value), scalars)
            rows[pointer] = 0
        }
        check(.big5, rows, count: 126 * 157, Self.big5Bytes) { $0 < 5_024 || last.contains($1) }
    }

    @Test func eucKR() throws {
        let rows = try EncodingIndexData.rows("euc-kr")
        checkPointers(.eucKR, rows)
        check(.eucKR, rows, count: 125 * 190) { [UInt8($0 / 190 + 0x81), UInt8($0 % 190 + 0x41)] }
    }

    @Test(arguments: [TextEncoding.gb18030, .gbk])
    func chinesePairs(encoding: TextEncoding) throws {
        let rows = try EncodingIndexData.rows("gb18030")
        checkPointers(.gb18030, rows)
        check(encoding, rows, count: 126 * 190) {
            [UInt8($0 / 190 + 0x81), UInt8($0 % 190 + ($0 % 190 < 0x3F ? 0x40 : 0x41))]
        } isReadOnly: { _, scalar in
            encoding == .gbk && scalar == 0x20AC
        }
    }

    @Test func chineseRanges() throws {
        let rows = try EncodingIndexData.rows("gb18030-ranges").sorted { $0.key < $1.key }
        expectEqual(rows.count, 207)
        var wrong = 0
        for (place, row) in rows.enumerated() {
            // Every pointer of the first plane, and some of the last row, which all the others share.
            let isLast = place + 1 == rows.count
            let pointers =
                isLast
                ? Array(stride(from: row.key, through: 1_237_575, by: 4_099)) + [1_237_575]
                : Array(row.key..<min(rows[place + 1].key, 39_420))
            for pointer in pointers {
                let scalar = pointer == 7_457 ? 0xE7C7 : row.value + UInt32(pointer - row.key)
                if CharacterTable.rangesScalar(pointer) != scalar { wrong += 1 }
                if CharacterTable.rangesPointer(scalar) != pointer { wrong += 1 }
            }
        }
        expectEqual(wrong, 0)
        for pointer in [-1, 39_420, 188_999, 1_237_576, .max] { expectNil(CharacterTable.rangesScalar(pointer)) }
    }

    @Test func shiftJIS() throws {
        var rows = try EncodingIndexData.rows("jis0208")
        checkPointers(.shiftJIS, rows.filter { !(8_272...8_835).contains($0.key) })
        let copies = 8_272...8_835
        for pointer in 8_836...10_715 {
            expectNil(rows[pointer])
            rows[pointer] = UInt32(0xE000 - 8_836 + pointer)
        }
        check(.shiftJIS, rows, count: 60 * 188) { pointer in
            let lead = pointer / 188
            let trail = pointer % 188
            return [UInt8(lead + (lead < 0x1F ? 0x81 : 0xC1)), UInt8(trail + (trail < 0x3F ? 0x40 : 0x41))]
        } isReadOnly: { pointer, _ in
            (8_836...10_715).contains(pointer) || copies.contains(pointer)
        }
    }

    @Test func japaneseRows() throws {
        let rows = try EncodingIndexData.rows("jis0208")
        checkPointers(.jis0208, rows)
        let writable = rows.filter { $0.key < 94 * 94 }
        // What only Shift_JIS can write would have no bytes here.
        #expect(Set(rows.values).subtracting(writable.values).isEmpty)
        check(.eucJP, writable, count: 94 * 94) { [UInt8($0 / 94 + 0xA1), UInt8($0 % 94 + 0xA1)] }
        check(.iso2022JP, writable, count: 94 * 94, escape: [0x1B, 0x24, 0x42]) {
            [UInt8($0 / 94 + 0x21), UInt8($0 % 94 + 0x21)]
        }
        check(.eucJP, try EncodingIndexData.rows("jis0212"), count: 94 * 94) {
            [0x8F, UInt8($0 / 94 + 0xA1), UInt8($0 % 94 + 0xA1)]
        } isReadOnly: { _, _ in
            true
        }
    }

    @Test func katakana() throws {
        let rows = try EncodingIndexData.rows("iso-2022-jp-katakana")
        expectEqual(rows.count, 63)
        for (pointer, scalar) in rows {
            let half = Self.text([0xFF61 + UInt32(pointer)])
            expectEqual(TextEncoding.iso2022JP.encode(half), TextEncoding.iso2022JP.encode(Self.text([scalar])))
            #expect(TextEncoding.iso2022JP.encode(half) != nil)
        }
    }

    /// Reads all characters at once and the holes each alone, and writes all characters at once.
    private func check(
        _ encoding: TextEncoding, _ rows: [Int: UInt32], count: Int, escape: [UInt8] = [],
        _ bytes: (Int) -> [UInt8], isReadOnly: (Int, UInt32) -> Bool = { _, _ in false }
    ) {
        #expect(!rows.isEmpty)
        var (input, scalars): ([UInt8], [UInt32]) = (escape, [])
        var (output, texts): ([UInt8], [UInt32]) = (escape, [])
        var seen: Set<UInt32> = []
        for pointer in 0..<count {
            guard let scalar = rows[pointer] else {
                let text = encoding.decode(Bytes(bytes: escape + bytes(pointer)))
                if text != nil { Issue.record("\(encoding) reads pointer \(pointer)") }
                continue
            }
            guard scalar != 0 else { continue }
            input += bytes(pointer)
            scalars.append(scalar)
            guard !isReadOnly(pointer, scalar), seen.insert(scalar).inserted else { continue }
            output += bytes(pointer)
            texts.append(scalar)
        }
        expectEqual(encoding.decode(Bytes(bytes: input))?.unicodeScalars.map(\.value), scalars, "\(encoding)")
        if !escape.isEmpty { output += [0x1B, 0x28, 0x42] }
        #expect(texts.isEmpty || encoding.encode(Self.text(texts)) == output, "\(encoding)")
    }

    /// Compares the pointer of every code point below U+30000.
    private func checkPointers(_ table: PointerTable, _ rows: [Int: UInt32], from start: Int = 0, last: [UInt32] = []) {
        var pointers = [Int](repeating: -1, count: 0x30000)
        for (pointer, scalar) in rows where pointer >= start {
            let other = pointers[Int(scalar)]
            let isNew = other < 0 || (last.contains(scalar) ? pointer > other : pointer < other)
            if isNew { pointers[Int(scalar)] = pointer }
        }
        var wrong = 0
        for scalar in UInt32(0)..<0x30000 where table.pointer(scalar) ?? -1 != pointers[Int(scalar)] { wrong += 1 }
        expectEqual(wrong, 0)
        expectNil(table.pointer(.max))
    }

    private static func big5Bytes(_ pointer: Int) -> [UInt8] {
        [UInt8(pointer / 157 + 0x81), UInt8(pointer % 157 + (pointer % 157 < 0x3F ? 0x40 : 0x62))]
    }

    private static func text(_ scalars: [UInt32]) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars.compactMap(Unicode.Scalar.init))
        return String(text)
    }
}

/// The index files: in the folder STERNA_CONFORMANCE names, else in one beside the package.
private enum EncodingIndexData {
    static let folder: String = {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        let folder = ProcessInfo.processInfo.environment["STERNA_CONFORMANCE"] ?? root + "/../shared/conformance"
        return folder + "/encoding"
    }()

    static var isThere: Bool { FileManager.default.fileExists(atPath: folder + "/index-big5.txt") }

    /// Code points by pointer.
    static func rows(_ name: String) throws -> [Int: UInt32] {
        let data = try #require(FileManager.default.contents(atPath: "\(folder)/index-\(name).txt"))
        var rows: [Int: UInt32] = [:]
        for line in data.split(separator: UInt8(ascii: "\n")) where line.first != UInt8(ascii: "#") {
            let words = line.split(separator: UInt8(ascii: "\t"))
            guard words.count >= 2 else { continue }
            let pointer = String(decoding: words[0], as: UTF8.self).filter { $0 != " " }
            let hex = String(decoding: words[1].dropFirst(2), as: UTF8.self)
            let scalar: UInt32 = try #require(UInt32(hex, radix: 16))
            rows[try #require(Int(pointer))] = scalar
        }
        return rows
    }
}
