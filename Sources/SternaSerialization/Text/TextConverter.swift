import Synchronization

/// The tables of the character sets that this module does not have itself, and of transliteration.
///
/// The module Sterna installs one made of Foundation; a program without Foundation can set its own, of iconv for example.
public protocol TextConverter: Sendable {
    /// The text of some bytes in a character set; nil where any of them is not of the set.
    ///
    /// It is called for runs of a few hundred bytes when a set is first used, and never again, from any thread: what it
    /// answers is put into tables. Each run is made of sequences of the length of one character.
    ///
    /// - Parameter encoding: one of the sets of one byte, ``TextEncoding/shiftJIS``, ``TextEncoding/eucJP`` (sequences of
    ///   JIS X 0212 only), ``TextEncoding/eucKR``, ``TextEncoding/big5`` or ``TextEncoding/gb18030``.
    func decode(_ bytes: [UInt8], as encoding: TextEncoding) -> String?

    /// The text in Latin letters, as far as there are some for it; what remains outside ASCII is dropped by the caller.
    func transliterate(_ text: String) -> String
}

extension TextEncoding {
    /// What the sets that need tables are made of, for the whole process; nil unless set.
    ///
    /// Setting it throws away the tables that were made before.
    public static var converter: (any TextConverter)? {
        get { shared.withLock { $0.converter } }
        set {
            shared.withLock { state in
                state.converter = newValue
                state.generation &+= 1
                state.tables = [:]
            }
        }
    }

    static var isConverterInstalled: Bool { shared.withLock { $0.converter != nil } }

    private struct State {
        var converter: (any TextConverter)?
        var generation = 0
        var tables: [CharacterTable.Key: CharacterTable] = [:]
    }

    private static let shared = Mutex(State())

    /// A table, made when it is first asked for; nil where there is no converter.
    static func table(_ key: CharacterTable.Key) -> CharacterTable? {
        let state = shared.withLock { $0 }
        if let table = state.tables[key] { return table }
        guard let converter = state.converter else { return nil }
        // Made outside the lock, as the converter is foreign code: two threads may make the same table, which harms nothing.
        let table = CharacterTable(key, converter: converter)
        shared.withLock { if $0.generation == state.generation { $0.tables[key] = table } }
        return table
    }
}

/// Makes ASCII of text.
public enum Transliteration {
    /// The text in printable ASCII: letters are transliterated (`é` to `e`, `Привет` to `Privet`) where a
    /// ``TextConverter`` is installed; whatever is outside U+0020 to U+007E then is dropped, control characters among it.
    public static func ascii(_ text: String) -> String {
        let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
        let latin = isASCII ? text : TextEncoding.converter?.transliterate(text) ?? text
        return String(decoding: latin.utf8.filter { (0x20...0x7E).contains($0) }, as: UTF8.self)
    }
}
