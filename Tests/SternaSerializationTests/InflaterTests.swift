import NIOCore
import SternaCore
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Inflater")
struct InflaterTests {
    static let text = Array("the Arctic tern flies further than any other animal; ".utf8)
    static let contents: [[UInt8]] = [
        [], [0x78], Array("a".utf8), text, (0..<40).flatMap { _ in text }, noise(700),
        Array(repeating: 0, count: 3_000),
    ]

    static func format(_ container: Zlib.Container) -> Inflater.Format { container == .gzip ? .gzip : .deflate }

    /// Decodes pieces one after another, each to its end.
    static func decode(_ pieces: [[UInt8]], _ format: Inflater.Format, limit: Int = 1 << 20) throws -> [UInt8] {
        let inflater = Inflater(format)
        var waiting = Bytes()
        var decoded: [UInt8] = []
        for piece in pieces {
            waiting.writeBytes(piece)
            while true {
                let output = try inflater.decode(&waiting, limit: limit)
                #expect(output.readableBytes <= limit)
                if output.readableBytes == 0 { break }
                decoded += output.readableBytesView
            }
        }
        try inflater.finish()
        return decoded
    }

    @Test("Each container decodes", arguments: Zlib.Container.allCases, contents.indices)
    func containers(container: Zlib.Container, number: Int) throws {
        let content = Self.contents[number]
        for level: CInt in [0, 1, 9] {
            let coded = Zlib.deflate(content, container, level: level)
            try expectEqual(Self.decode([coded], Self.format(container)), content)
        }
    }

    @Test("Every split point gives the same", arguments: Zlib.Container.allCases, contents.indices)
    func splits(container: Zlib.Container, number: Int) throws {
        let content = Self.contents[number]
        let coded = Zlib.deflate(content, container)
        for split in coded.indices {
            let pieces = [Array(coded[..<split]), Array(coded[split...])]
            try #require(try Self.decode(pieces, Self.format(container)) == content)
        }
        try expectEqual(Self.decode(coded.map { [$0] }, Self.format(container)), content)
    }

    @Test("Every limit gives the same", arguments: Zlib.Container.allCases)
    func limits(container: Zlib.Container) throws {
        let content = Array(repeating: UInt8(0), count: 1_200)
        let coded = Zlib.deflate(content, container)
        for limit in 1...1_201 {
            let decoded = Result { try Self.decode([coded], Self.format(container), limit: limit) }
            guard (try? decoded.get()) == content else {
                Issue.record("limit \(limit): \(decoded.map(\.count))")
                break
            }
        }
    }

    @Test("Every limit gives the same byte by byte", arguments: Zlib.Container.allCases)
    func limitsByteByByte(container: Zlib.Container) throws {
        let content = (0..<8).flatMap { _ in Self.text }
        let coded = Zlib.deflate(content, container).map { [$0] }
        for limit in 1...100 {
            try #require(try Self.decode(coded, Self.format(container), limit: limit) == content)
        }
    }

    @Test("Every truncation is an error", arguments: Zlib.Container.allCases, contents.indices)
    func truncation(container: Zlib.Container, number: Int) throws {
        let content = Self.contents[number]
        let coded = Zlib.deflate(content, container)
        for count in 1..<coded.count {
            let result = Result { try Self.decode([Array(coded[..<count])], Self.format(container)) }
            guard case .failure(let error as SternaError) = result, error.kind == .contentCodingFailed else {
                Issue.record("the first \(count) of \(coded.count) bytes are taken")
                return
            }
        }
    }

    @Test("No bytes at all are no content", arguments: [Inflater.Format.gzip, .deflate])
    func nothing(format: Inflater.Format) throws {
        try expectEqual(Self.decode([], format), [])
        try expectEqual(Self.decode([[]], format), [])
    }

    @Test("gzip of several members is their contents in a row, at every split point")
    func members() throws {
        let coded = Zlib.gzip("one ") + Zlib.gzip("") + Zlib.gzip("two ") + Zlib.gzip("three")
        for split in coded.indices {
            let pieces = [Array(coded[..<split]), Array(coded[split...])]
            try expectEqual(Self.decode(pieces, .gzip), Array("one two three".utf8))
        }
    }

    @Test("A second member cut short is an error")
    func cutMember() throws {
        let first = Zlib.gzip("one")
        let second = Zlib.gzip("two")
        for count in 1..<second.count {
            #expect(throws: SternaError.self) { try Self.decode([first + second[..<count]], .gzip) }
        }
    }

    @Test("gzip's header may hold a name, a comment and an extra field")
    func header() throws {
        let plain = Zlib.gzip("tern")
        let fields: [UInt8] = [4, 0, 1, 2, 3, 4] + Array("name\0comment\0".utf8)
        let coded = Array(plain[..<3]) + [0x1C] + plain[4..<10] + fields + plain[10...]
        for split in coded.indices {
            try expectEqual(Self.decode([Array(coded[..<split]), Array(coded[split...])], .gzip), Array("tern".utf8))
        }
    }

    @Test("A wrong checksum or length is an error", arguments: 1...8)
    func checksum(fromEnd: Int) {
        var coded = Zlib.gzip("the Arctic tern")
        coded[coded.count - fromEnd] ^= 0x01
        let error = #expect(throws: SternaError.self) { try Self.decode([coded], .gzip) }
        expectEqual(error?.kind, .contentCodingFailed)
        expectEqual(error?.phase, .decode)
    }

    @Test("A wrong checksum of zlib is an error", arguments: 1...4)
    func adler(fromEnd: Int) {
        var coded = Zlib.deflate("the Arctic tern".utf8, .zlib)
        coded[coded.count - fromEnd] ^= 0x01
        #expect(throws: SternaError.self) { try Self.decode([coded], .deflate) }
    }

    @Test("Bytes behind the end are an error", arguments: Zlib.Container.allCases)
    func garbage(container: Zlib.Container) {
        let coded = Zlib.deflate(Self.text, container)
        for tail in [[0], [0x1F], Array("garbage".utf8)] as [[UInt8]] {
            #expect(throws: SternaError.self) { try Self.decode([coded + tail], Self.format(container)) }
            #expect(throws: SternaError.self) { try Self.decode([coded, tail], Self.format(container)) }
        }
    }

    @Test(
        "What is not in the format is an error", arguments: ["<html>", "\u{1}\u{2}", "x", "{}", "plain text, no gzip"])
    func plainText(text: String) {
        #expect(throws: SternaError.self) { try Self.decode([Array(text.utf8)], .gzip) }
        #expect(throws: SternaError.self) { try Self.decode([Array(text.utf8)], .deflate) }
    }

    @Test("A preset dictionary is an error")
    func dictionary() {
        #expect(throws: SternaError.self) {
            try Self.decode([[0x78, 0x20 | 0x1F - 0x1C, 0, 0, 0, 1, 3, 0, 0, 0, 0, 1]], .deflate)
        }
    }

    @Test("Every changed byte gives an error or the content, and never a trap")
    func flips() {
        let coded = Zlib.deflate(Self.text, .gzip)
        for index in coded.indices {
            for bit in 0..<8 {
                var changed = coded
                changed[index] ^= 1 << bit
                // The header's time, flags of no effect and system are not covered by the checksum.
                if let decoded = try? Self.decode([changed], .gzip) { expectEqual(decoded, Self.text) }
            }
        }
    }
}
