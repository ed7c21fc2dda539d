import NIOCore
import SternaCore
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Character sets on many threads")
struct TextEncodingThreadTests {
    @Test func sameAnswersEverywhere() async {
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
                    }
                    return wrong
                }
            }
            return await group.reduce(0, +)
        }
        expectEqual(wrong, 0)
    }
}
