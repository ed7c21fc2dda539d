#if Foundation
import Foundation
#endif

/// Converts text to ASCII.
package enum Transliteration {
    /// Returns the text in printable ASCII.
    ///
    /// With the package's trait `Foundation`, ICU's rules first transliterate letters (`é` to `e`, `Привет` to
    /// `Privet`). Characters outside U+0020 to U+007E are then dropped, including control characters.
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
