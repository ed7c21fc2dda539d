import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Cookie dates")
struct CookieDateTests {
    @Test(
        "Dates are read in any form, and invalid ones are refused",
        arguments: [
            ("Wed, 21 Oct 2026 07:28:00 GMT", 1_792_567_680), ("21 oct 26 7:28:0", 1_792_567_680),
            ("2026 10 oct 1:2:3", 1_791_594_123), ("10 2026 oct 1:2:3", 1_791_594_123), ("1 Jan 70 00:00:00", 0),
            ("1 Jan 69 00:00:00", 3_124_224_000), ("1 Jan 1601 0:0:0", -11_644_473_600), ("1 Jan 1600 0:0:0", nil),
            ("31 Dec 9999 23:59:59", 253_402_300_799), ("29 Feb 2024 0:0:0", 1_709_164_800), ("29 Feb 2023 0:0:0", nil),
            ("29 Feb 2000 0:0:0", 951_782_400), ("29 Feb 1900 0:0:0", nil), ("31 Apr 2024 0:0:0", nil),
            ("0 Jan 2024 0:0:0", nil), ("1 Jan 2024 24:0:0", nil), ("1 Jan 2024 0:60:0", nil),
            ("1 Jan 2024 0:0:60", nil), ("1 Jan 2024", nil), ("Jan 2024 0:0:0", nil), ("1 2024 0:0:0", nil),
            ("1 Jan 0:0:0", nil), ("", nil), ("1 Jan 20240 0:0:0", nil), ("1 Jan 024 0:0:0", 1_704_067_200),
            ("1th January 2024th 0:0:0Z", 1_704_067_200), ("1 Jan 2024 000:0:0", nil),
            ("1 Jan 2024 0:0:0:0", 1_704_067_200),
        ] as [(String, Int64?)])
    func dates(text: String, seconds: Int64?) {
        expectEqual(CookieDate.time(text.utf8), seconds.map { CookieTime(seconds: $0) })
    }

    @Test("Times out of range are clamped")
    func range() {
        expectEqual(CookieTime(seconds: Int64.max), .latest)
        expectEqual(CookieTime(seconds: Int64.min), .earliest)
        expectEqual(CookieTime(seconds: Double.infinity), .latest)
        expectEqual(CookieTime(seconds: -Double.infinity), .earliest)
        expectEqual(CookieTime(seconds: Double.nan).milliseconds, 0)
        expectEqual(CookieTime.latest.advanced(bySeconds: .max), .latest)
        expectEqual(CookieTime.earliest.advanced(bySeconds: .min), .earliest)
        expectEqual(CookieTime(seconds: 1.5).milliseconds, 1_500)
    }
}
