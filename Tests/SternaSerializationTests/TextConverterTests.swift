import NIOCore
import SternaCore
import Testing

@testable import SternaSerialization

@Suite("What makes the tables of character sets")
struct TextConverterTests {
    // In a process of its own, for the setting is everyone's.
    #if compiler(>=6.2)
    @Test func withoutOne() async {
        await #expect(processExitsWith: .success) {
            for encoding in TextEncoding.allCases where encoding.kind.needsConverter {
                #expect(!encoding.isAvailable)
                #expect(encoding.encode("a") == nil)
                #expect(encoding.encode("é") { _ in "?" } == nil)
                #expect(encoding.decode(Bytes(string: "a")) == nil)
                let error = #expect(throws: SternaError.self) {
                    try TextResponseSerializer().text(of: Bytes(string: "a"), charset: encoding.name)
                }
                #expect(error?.kind == .decodingFailed)
                #expect(error?.detail.contains("\(encoding)") == true)
                #expect(error?.detail.contains("trait Foundation") == true)
            }
            #expect(TextEncoding.allCases.count { !$0.kind.needsConverter } == 11)
            #expect(Transliteration.ascii("Ünï\u{0}\n7") == "n7")
        }
    }

    @Test func oneOfYourOwn() async {
        await #expect(processExitsWith: .success) {
            TextEncoding.converter = Sloppy()
            #expect(TextEncoding.koi8R.isAvailable)
            #expect(TextEncoding.koi8R.decode(Bytes(bytes: [0x61, 0xC1])) == "a\u{2C1}")
            #expect(TextEncoding.koi8R.encode("\u{2C1}") == [0xC1])
            #expect(Transliteration.ascii("é\n") == "E!")
            TextEncoding.converter = nil
            #expect(TextEncoding.koi8R.decode(Bytes(bytes: [0xC1])) == nil)
        }
    }
    #endif

    @Test("A converter that replaces, drops or adds characters makes holes")
    func sloppy() {
        let table = CharacterTable(.singleByte(.koi8R), converter: Sloppy())
        #expect(table.scalar(0x41) == 0x2C1)
        #expect(table.pointer(0x2C1) == 0x41)
        for hole in 0..<4 { #expect(table.scalar(hole) == nil) }
        #expect(table.scalar(4) == 0x284)
        #expect(table.scalar(128) == nil)
        #expect(table.scalar(-1) == nil)
        #expect(table.pointer(0) == nil)
        #expect(table.pointer(0xFFFD) == nil)
    }

    /// Answers U+FFFD, nothing, two characters and nil for the first four bytes, and U+0200 and the byte for the others.
    private struct Sloppy: TextConverter {
        func decode(_ bytes: [UInt8], as encoding: TextEncoding) -> String? {
            var text = ""
            for byte in bytes {
                switch byte {
                case 0x80: text += "\u{FFFD}"
                case 0x81: break
                case 0x82: text += "ab"
                case 0x83: return nil
                default: text.unicodeScalars.append(Unicode.Scalar(0x200 + UInt16(byte)) ?? "?")
                }
            }
            return text
        }

        func transliterate(_ text: String) -> String { "É\u{7}E!\n" }
    }
}
