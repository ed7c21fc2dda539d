import SternaCore
import Testing

@testable import SternaTestSupport

@Suite("Dates of header fields")
struct HTTPDateTests {
    static let dates: [(String, Int64?)] = [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Sun Nov 16 08:49:37 1994", 784_975_777),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000),
        ("Tue, 19 Jan 2038 03:14:08 GMT", 2_147_483_648), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200), ("Monday, 01-Jan-24 00:00:00 GMT", 1_704_067_200),
        ("Wed, 29 Feb 2023 12:00:00 GMT", nil), ("Mon, 00 Jan 2024 00:00:00 GMT", nil),
        ("Mon, 01 Jan 2024 24:00:00 GMT", nil), ("Mon, 01 Jan 2024 00:60:00 GMT", nil),
        ("Sun, 6 Nov 1994 08:49:37 GMT", nil), ("sun, 06 Nov 1994 08:49:37 GMT", nil),
        ("Sun, 06 Nov 1994 08:49:37 UTC", nil), ("Sun, 06 Nov 1994 08:49:37 GMT ", nil),
        ("Sun, 06 Nov 1994 08:49:37", nil), ("Sun Nov 6 08:49:37 1994", nil), ("784111777", nil), ("", nil),
    ]

    @Test("The three forms", arguments: dates)
    func reads(text: String, seconds: Int64?) {
        expectEqual(HTTPDate.seconds(text), seconds)
    }
}
