/// A character set: an encoding of text as bytes, by the WHATWG Encoding Standard.
///
/// The library decodes and encodes text strictly, with tables of the standard's indexes, and without Foundation. A set's table is
/// expanded on first use, which takes less than a millisecond.
///
/// Three things differ from the standard, which is written for browsers:
/// - The labels of ISO-8859-1 and US-ASCII mean ``latin1`` and ``ascii``, in which bytes are code points, as in RFC 9110 and
///   AFNetworking; browsers use windows-1252 for both. If a server's “ISO-8859-1” has curly quotes in the bytes 0x80 to 0x9F,
///   decode it with ``windows1252``.
/// - UTF-16 is decoded by its byte order mark and can be encoded, and UTF-32 is supported.
/// - The sets that the standard rejects (its “replacement”: ISO-2022-KR, ISO-2022-CN, HZ) have no value here.
public struct TextEncoding: Sendable, Hashable {
    let kind: Kind

    init(_ kind: Kind) { self.kind = kind }

    /// The standard's name in lower case, such as `shift_jis`.
    public var name: String { kind.rawValue }

    /// Finds the set with one of the standard's labels, ignoring case and surrounding blanks. Also accepts `utf-32`, `utf-32le` and
    /// `utf-32be`, which the standard does not have. Nil for any other label.
    public init?(label: String) {
        guard label.utf8.count <= 64, let kind = Labels.kinds[Labels.normal(label)] else { return nil }
        self.kind = kind
    }
}

extension TextEncoding: CustomStringConvertible, CaseIterable {
    public var description: String { name }

    /// All sets: the Unicode forms, then the others in the standard's order.
    public static let allCases: [TextEncoding] = Kind.allCases.map(TextEncoding.init)
}

extension TextEncoding: Codable {
    /// Decodes a label from one string.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let label = try container.decode(String.self)
        guard let encoding = TextEncoding(label: label) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "There is no character set with this label.")
        }
        self = encoding
    }

    /// Encodes the name as one string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}

extension TextEncoding {
    enum Kind: String, CaseIterable {
        case utf8 = "utf-8"
        case utf16 = "utf-16"
        case utf16LittleEndian = "utf-16le"
        case utf16BigEndian = "utf-16be"
        case utf32 = "utf-32"
        case utf32LittleEndian = "utf-32le"
        case utf32BigEndian = "utf-32be"
        case ascii = "us-ascii"
        case latin1 = "iso-8859-1"
        case ibm866
        case iso8859Part2 = "iso-8859-2"
        case iso8859Part3 = "iso-8859-3"
        case iso8859Part4 = "iso-8859-4"
        case iso8859Part5 = "iso-8859-5"
        case iso8859Part6 = "iso-8859-6"
        case iso8859Part7 = "iso-8859-7"
        case iso8859Part8 = "iso-8859-8"
        case iso8859Part8Logical = "iso-8859-8-i"
        case iso8859Part10 = "iso-8859-10"
        case iso8859Part13 = "iso-8859-13"
        case iso8859Part14 = "iso-8859-14"
        case iso8859Part15 = "iso-8859-15"
        case iso8859Part16 = "iso-8859-16"
        case koi8R = "koi8-r"
        case koi8U = "koi8-u"
        case macintosh
        case windows874 = "windows-874"
        case windows1250 = "windows-1250"
        case windows1251 = "windows-1251"
        case windows1252 = "windows-1252"
        case windows1253 = "windows-1253"
        case windows1254 = "windows-1254"
        case windows1255 = "windows-1255"
        case windows1256 = "windows-1256"
        case windows1257 = "windows-1257"
        case windows1258 = "windows-1258"
        case macCyrillic = "x-mac-cyrillic"
        case gbk
        case gb18030
        case big5
        case eucJP = "euc-jp"
        case iso2022JP = "iso-2022-jp"
        case shiftJIS = "shift_jis"
        case eucKR = "euc-kr"
        case userDefined = "x-user-defined"
    }

    /// UTF-8; reading removes a byte order mark, and writing adds none.
    public static let utf8 = TextEncoding(.utf8)
    /// UTF-16; writing adds a byte order mark, and reading without one assumes little-endian.
    public static let utf16 = TextEncoding(.utf16)
    /// UTF-16, the low byte first; reading removes a byte order mark, and writing adds none.
    public static let utf16LittleEndian = TextEncoding(.utf16LittleEndian)
    /// UTF-16, the high byte first; reading removes a byte order mark, and writing adds none.
    public static let utf16BigEndian = TextEncoding(.utf16BigEndian)
    /// UTF-32; writing adds a byte order mark, and reading without one assumes big-endian (Unicode, D101).
    public static let utf32 = TextEncoding(.utf32)
    /// UTF-32, the low byte first; reading removes a byte order mark, and writing adds none.
    public static let utf32LittleEndian = TextEncoding(.utf32LittleEndian)
    /// UTF-32, the high byte first; reading removes a byte order mark, and writing adds none.
    public static let utf32BigEndian = TextEncoding(.utf32BigEndian)
    /// US-ASCII: bytes above 0x7F are errors.
    public static let ascii = TextEncoding(.ascii)
    /// ISO-8859-1: each byte is the code point of its number.
    public static let latin1 = TextEncoding(.latin1)

    /// MS-DOS Cyrillic.
    public static let ibm866 = TextEncoding(.ibm866)
    /// Latin-2, Central European.
    public static let iso8859Part2 = TextEncoding(.iso8859Part2)
    /// Latin-3, South European.
    public static let iso8859Part3 = TextEncoding(.iso8859Part3)
    /// Latin-4, North European.
    public static let iso8859Part4 = TextEncoding(.iso8859Part4)
    /// Cyrillic.
    public static let iso8859Part5 = TextEncoding(.iso8859Part5)
    /// Arabic.
    public static let iso8859Part6 = TextEncoding(.iso8859Part6)
    /// Greek.
    public static let iso8859Part7 = TextEncoding(.iso8859Part7)
    /// Hebrew in visual order.
    public static let iso8859Part8 = TextEncoding(.iso8859Part8)
    /// Hebrew in logical order.
    public static let iso8859Part8Logical = TextEncoding(.iso8859Part8Logical)
    /// Latin-6, Nordic.
    public static let iso8859Part10 = TextEncoding(.iso8859Part10)
    /// Latin-7, Baltic.
    public static let iso8859Part13 = TextEncoding(.iso8859Part13)
    /// Latin-8, Celtic.
    public static let iso8859Part14 = TextEncoding(.iso8859Part14)
    /// Latin-9: Latin-1 with the euro sign.
    public static let iso8859Part15 = TextEncoding(.iso8859Part15)
    /// Latin-10, South-Eastern European.
    public static let iso8859Part16 = TextEncoding(.iso8859Part16)
    /// Russian.
    public static let koi8R = TextEncoding(.koi8R)
    /// Ukrainian.
    public static let koi8U = TextEncoding(.koi8U)
    /// Mac OS Roman.
    public static let macintosh = TextEncoding(.macintosh)
    /// Thai.
    public static let windows874 = TextEncoding(.windows874)
    /// Central European.
    public static let windows1250 = TextEncoding(.windows1250)
    /// Cyrillic.
    public static let windows1251 = TextEncoding(.windows1251)
    /// Western European: Latin-1 with letters and marks in 0x80 to 0x9F.
    public static let windows1252 = TextEncoding(.windows1252)
    /// Greek.
    public static let windows1253 = TextEncoding(.windows1253)
    /// Turkish; the standard reads ISO-8859-9 with it.
    public static let windows1254 = TextEncoding(.windows1254)
    /// Hebrew.
    public static let windows1255 = TextEncoding(.windows1255)
    /// Arabic.
    public static let windows1256 = TextEncoding(.windows1256)
    /// Baltic.
    public static let windows1257 = TextEncoding(.windows1257)
    /// Vietnamese.
    public static let windows1258 = TextEncoding(.windows1258)
    /// Mac OS Cyrillic and Ukrainian.
    public static let macCyrillic = TextEncoding(.macCyrillic)

    /// Simplified Chinese in one or two bytes; read as ``gb18030``. The standard reads GB2312 with it.
    public static let gbk = TextEncoding(.gbk)
    /// Chinese in one, two or four bytes: every character of Unicode except U+E5E5, by GB18030-2022.
    public static let gb18030 = TextEncoding(.gb18030)
    /// Traditional Chinese; reading includes Hong Kong's characters.
    public static let big5 = TextEncoding(.big5)
    /// Japanese; three-byte characters of JIS X 0212 are read but not written.
    public static let eucJP = TextEncoding(.eucJP)
    /// Japanese in seven bits with escape sequences.
    public static let iso2022JP = TextEncoding(.iso2022JP)
    /// Japanese, in Windows' variant.
    public static let shiftJIS = TextEncoding(.shiftJIS)
    /// Korean, in Windows' variant (windows-949).
    public static let eucKR = TextEncoding(.eucKR)
    /// ASCII, with the bytes 0x80 to 0xFF as U+F780 to U+F7FF.
    public static let userDefined = TextEncoding(.userDefined)
}
