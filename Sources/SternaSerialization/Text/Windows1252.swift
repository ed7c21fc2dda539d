/// The bytes 0x80 to 0x9F of windows-1252; the others are Latin-1.
enum Windows1252 {
    static func scalar(_ byte: UInt8) -> UInt32 {
        (0x80...0x9F).contains(byte) ? UInt32(marks[Int(byte) - 0x80]) : UInt32(byte)
    }

    static func byte(_ scalar: UInt32) -> UInt8? {
        if (0xA0...0xFF).contains(scalar) || scalar < 0x80 { return UInt8(scalar) }
        return marks.firstIndex { $0 == scalar }.map { UInt8(0x80 + $0) }
    }

    // What Windows leaves open is the control character of the number.
    private static let marks: [UInt16] = [
        0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D,
        0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
        0x0153, 0x009D, 0x017E, 0x0178,
    ]
}
