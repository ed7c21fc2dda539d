#if Foundation
import Foundation
#endif

/// Makes ASCII of text.
package enum Transliteration {
    /// The text in printable ASCII.
    ///
    /// With the package's trait `Foundation`, letters are transliterated by ICU's rules first (`é` to `e`, `Привет` to
    /// `Privet`). What is outside U+0020 to U+007E then is dropped, control characters included.
    package static func ascii(_ text: String) -> String {
        let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
        return String(
            decoding: (isASCII ? text : latin(text)).utf8.filter { (0x20...0x7E).contains($0) }, as: UTF8.self)
    }

    private static func latin(_ text: String) -> String {
        #if Foundation
        text.applyingTransform(StringTransform("Any-Latin; Latin-ASCII"), reverse: false) ?? text
        #else
        text
        #endif
    }
}
