#if Foundation
import Foundation
public import SternaSerialization

/// Foundation's character sets and transliteration.
///
/// Only reading is asked of Foundation: writing EUC-JP, for one, ends the program on Linux for texts that the set cannot
/// hold.
public struct FoundationTextConverter: TextConverter {
    public init() {}

    public func decode(_ bytes: [UInt8], as encoding: TextEncoding) -> String? {
        switch encoding {
        case .eucJP: return jis0212(bytes)
        case .shiftJIS: return text(bytes, 0x8000_0420)
        case .eucKR: return text(bytes, 0x8000_0422)
        case .big5: return text(bytes, 0x8000_0A06)
        case .macintosh: return text(bytes, 0x8000_0000)
        default: return encoding.stringEncoding.flatMap { text(bytes, $0.rawValue) }
        }
    }

    /// In Latin letters by ICU's rules.
    public func transliterate(_ text: String) -> String {
        text.applyingTransform(StringTransform("Any-Latin; Latin-ASCII"), reverse: false) ?? text
    }

    private func text(_ bytes: [UInt8], _ encoding: UInt) -> String? {
        String(bytes: bytes, encoding: String.Encoding(rawValue: encoding))
    }

    // Foundation has no EUC-JP on Linux, and has this set in ISO-2022-JP-2: the same codes in seven bits.
    private func jis0212(_ bytes: [UInt8]) -> String? {
        guard bytes.count % 3 == 0 else { return nil }
        var shifted: [UInt8] = [0x1B, 0x24, 0x28, 0x44]
        for start in stride(from: 0, to: bytes.count, by: 3) {
            guard bytes[start] == 0x8F else { return nil }
            shifted += [bytes[start + 1] & 0x7F, bytes[start + 2] & 0x7F]
        }
        return text(shifted + [0x1B, 0x28, 0x42], 0x8000_0821)
    }
}
#endif
