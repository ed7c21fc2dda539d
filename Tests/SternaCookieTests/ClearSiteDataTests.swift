import HTTPTypes
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Clear-Site-Data")
struct ClearSiteDataTests {
    static let cases: [(String, ClearSiteData)] = [
        (#""cache""#, .cache), (#""cookies""#, .cookies), (#""storage""#, .storage), (#""*""#, .all),
        (" \"cache\" ,\t\"cookies\",", [.cache, .cookies]), (#""cache", "executionContexts""#, .cache),
        (#""cache", "*""#, .all), ("cache", []), ("*", []), (#""Cache""#, []), (#""cache"#, []), (#"cache""#, []),
        (#""cac\he""#, []), (#""cache"; x"#, []), (#""cache" "cookies""#, []), (#""a,"cache"b""#, []), ("", []),
    ]

    @Test("Types are quoted and case-sensitive; others are ignored", arguments: cases)
    func types(text: String, expected: ClearSiteData) { expectEqual(ClearSiteData([text]), expected) }

    @Test("The types of all lines are combined") func lines() {
        expectEqual(ClearSiteData([#""cache""#, "x", #""storage""#]), [.cache, .storage])
        expectEqual(ClearSiteData([]), [])
    }

    @Test(
        "Only a response over TLS clears data, and not again when it is served from the cache",
        arguments: [
            ("https://a.test/", false, true), ("https://a.test/", true, false), ("http://a.test/", false, false),
        ])
    func asking(url: String, isStored: Bool, asks: Bool) throws {
        let name = try #require(HTTPField.Name("Clear-Site-Data"))
        let response = Response(
            status: .ok, section: FieldSection([name: #""*""#]), url: try HTTPURL(url))
        expectEqual(ClearSiteData.asked(by: response, isStored: isStored), (asks ? .all : []))
    }
}
