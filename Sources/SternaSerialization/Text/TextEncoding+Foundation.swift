public import SternaPlatform

extension TextEncoding {
    /// The set of Foundation's value; nil for a value without a set in this library (`.nonLossyASCII`, `.symbol`,
    /// `.nextstep` and others).
    public init?(_ encoding: String.Encoding) {
        guard let kind = Self.kinds[encoding.rawValue] else { return nil }
        self.kind = kind
    }

    /// Foundation's value for the set; nil for `x-user-defined`, which has none.
    ///
    /// Foundation on Linux does not support all of them, and its tables differ slightly from the standard's.
    public var stringEncoding: String.Encoding? {
        Self.values.first { $0.0 == kind }.map { String.Encoding(rawValue: $0.1) }
    }

    private static let kinds = Dictionary(values.map { ($0.1, $0.0) }) { first, _ in first }

    // A set maps to its first value. Values with the highest of 32 bits set are Core Foundation's numbers.
    private static let values: [(Kind, UInt)] = [
        (.utf8, String.Encoding.utf8.rawValue), (.ascii, String.Encoding.ascii.rawValue),
        (.latin1, String.Encoding.isoLatin1.rawValue), (.utf16, String.Encoding.utf16.rawValue),
        (.utf16BigEndian, String.Encoding.utf16BigEndian.rawValue),
        (.utf16LittleEndian, String.Encoding.utf16LittleEndian.rawValue), (.utf32, String.Encoding.utf32.rawValue),
        (.utf32BigEndian, String.Encoding.utf32BigEndian.rawValue),
        (.utf32LittleEndian, String.Encoding.utf32LittleEndian.rawValue),
        (.latin1, 0x8000_0201), (.shiftJIS, 8), (.shiftJIS, 0x8000_0420), (.shiftJIS, 0x8000_0A01), (.eucJP, 3),
        (.eucJP, 0x8000_0920), (.iso2022JP, 21), (.iso2022JP, 0x8000_0820), (.gb18030, 0x8000_0632),
        (.gbk, 0x8000_0631), (.gbk, 0x8000_0421), (.gbk, 0x8000_0930), (.big5, 0x8000_0A03), (.big5, 0x8000_0A06),
        (.big5, 0x8000_0423), (.eucKR, 0x8000_0940), (.eucKR, 0x8000_0422), (.iso8859Part2, 9),
        (.iso8859Part2, 0x8000_0202), (.iso8859Part3, 0x8000_0203), (.iso8859Part4, 0x8000_0204),
        (.iso8859Part5, 0x8000_0205), (.iso8859Part6, 0x8000_0206), (.iso8859Part7, 0x8000_0207),
        (.iso8859Part8, 0x8000_0208), (.iso8859Part8Logical, 0x8000_0208), (.iso8859Part10, 0x8000_020A),
        (.windows874, 0x8000_041D), (.windows874, 0x8000_020B), (.iso8859Part13, 0x8000_020D),
        (.iso8859Part14, 0x8000_020E), (.iso8859Part15, 0x8000_020F), (.iso8859Part16, 0x8000_0210),
        (.koi8R, 0x8000_0A02), (.koi8U, 0x8000_0A08), (.ibm866, 0x8000_041B), (.macintosh, 30),
        (.macintosh, 0x8000_0000), (.macCyrillic, 0x8000_0007), (.windows1250, 15), (.windows1250, 0x8000_0501),
        (.windows1251, 11), (.windows1251, 0x8000_0502), (.windows1252, 12), (.windows1252, 0x8000_0500),
        (.windows1253, 13), (.windows1253, 0x8000_0503), (.windows1254, 14), (.windows1254, 0x8000_0504),
        (.windows1254, 0x8000_0209), (.windows1255, 0x8000_0505), (.windows1256, 0x8000_0506),
        (.windows1257, 0x8000_0507), (.windows1258, 0x8000_0508),
    ]
}
