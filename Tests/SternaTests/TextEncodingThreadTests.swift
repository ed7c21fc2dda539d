#if Foundation
import NIOCore
import SternaCore
import Testing

@testable import Sterna
@testable import SternaSerialization

@Suite("Character sets on many threads")
struct TextEncodingThreadTests {
    // Setting the converter throws the tables away, so that the threads make them at the same time.
    @Test func sameAnswersEverywhere() async {
        TextEncoding.converter = FoundationTextConverter()
        let texts: [(TextEncoding, String)] = [
            (.shiftJIS, "日本語"), (.eucJP, "日本語"), (.iso2022JP, "日本語"), (.gb18030, "中文ÿ"), (.big5, "中文"),
            (.eucKR, "한국어"), (.koi8R, "Привет"), (.windows1251, "Привет"), (.iso8859Part2, "Zażółć"),
        ]
        let wrong = await withTaskGroup(of: Int.self) { group in
            for worker in 0..<32 {
                group.addTask {
                    var wrong = 0
                    for round in 0..<50 {
                        let (encoding, text) = texts[(worker + round) % texts.count]
                        let bytes = encoding.encode(text) ?? []
                        if bytes.isEmpty || encoding.decode(Bytes(bytes: bytes)) != text { wrong += 1 }
                        if Transliteration.ascii("Привет") != "Privet" { wrong += 1 }
                    }
                    return wrong
                }
            }
            return await group.reduce(0, +)
        }
        #expect(wrong == 0)
    }
}
#endif
