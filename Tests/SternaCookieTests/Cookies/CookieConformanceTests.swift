import SternaCore
import SternaPlatform
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// Cases of abarth/http-state, which follow RFC 6265.
@Suite(
    "Cookies: conformance",
    .enabled(if: CookieData.isThere, "Set STERNA_CONFORMANCE to the folder of the conformance data."))
struct CookieConformanceTests {
    /// The draft's results if not RFC 6265's: cookies without a name are sent as their value, and an empty Domain makes a
    /// cookie of its host, whatever an earlier attribute said.
    private static let draft: [String: String] = [
        "0004": "foo", "0021": "a=b; x; c=d", "0023": "foo", "0024": "foo", "0025": "foo", "0026": "foo", "0027": "bar",
        "0028": "foo", "CHROMIUM0009": "BLAHHH", "CHROMIUM0010": #""BLA\"HHH""#, "CHROMIUM0012": "ABC",
        "MOZILLA0012": #"test="fubar! = foo; five"#, "MOZILLA0014": "six", "MOZILLA0015": "seven",
        "MOZILLA0016": "eight",
        "MOZILLA0017": "eight; test=six", "NAME0017": "a=bar", "NAME0023": "foo", "NAME0025": "==a=bar",
        "NAME0028": "a",
        "NAME0031": #""foo"#, "NAME0032": #""foo\"bar"#, "NAME0033": "aaa", "OPTIONAL_DOMAIN0042": "foo=bar",
    ]

    @Test("Set-Cookie lines lead to the expected Cookie field")
    func cookies() throws {
        let cases = try CookieData.cases()
        var agreeing = 0
        var differing: Set<String> = []
        for row in cases where !row.test.hasPrefix("DISABLED") {
            let field = try Self.field(row)
            let expected = row.sent.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
            if let other = Self.draft[row.test] {
                expectEqual(field, other, "\(row.test)")
                #expect(other != expected, "\(row.test) is no difference")
                differing.insert(row.test)
            } else {
                expectEqual(field, expected, "\(row.test): \(row.received)")
                agreeing += 1
            }
        }
        expectEqual(agreeing, 194)
        expectEqual(differing.count, 24)
        expectEqual(cases.count, 222)
    }

    private static func field(_ row: CookieData.Case) throws -> String {
        // Some cases have dates that had not passed when they were written.
        let now = CookieTime(seconds: Int64(1_700_000_000))
        let base = try HTTPURL("http://home.example.org:8888/cookie-parser?\(row.test.lowercased())")
        var state = CookieJarState()
        for line in row.received {
            _ = try? state.store(SetCookie(parsing: line), from: base, now: now)
        }
        let target = row.target ?? "/cookie-parser-result?\(row.test.lowercased())"
        let request = CookieRequest(url: try HTTPURL(target, relativeTo: base))
        return state.field(for: request, now: now) ?? ""
    }

    @Test("Dates are read as expected", arguments: ["dates.json", "dates-bsd.json"])
    func dates(file: String) throws {
        for row in try CookieData.dates(file) {
            let expected = row.expected.flatMap { HTTPDate.seconds($0) }
            expectEqual((expected == nil), (row.expected == nil), "\(row.expected ?? "")")
            expectEqual(CookieDate.time(row.test.utf8), expected.map { CookieTime(seconds: $0) }, "\(row.test)")
        }
    }
}

/// The cookie cases: in the folder STERNA_CONFORMANCE names, else in one beside the package.
private enum CookieData {
    struct Case: Decodable {
        struct Pair: Decodable {
            let name: String
            let value: String
        }

        let test: String
        let received: [String]
        let sent: [Pair]
        let target: String?

        enum CodingKeys: String, CodingKey {
            case test, received, sent
            case target = "sent-to"
        }
    }

    struct DateRow: Decodable {
        let test: String
        let expected: String?
    }

    static let folder: String = {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(separator: "/")
        return (ProcessInfo.processInfo.environment["STERNA_CONFORMANCE"] ?? root + "/../shared/conformance")
            + "/cookies"
    }()

    static var isThere: Bool { FileManager.default.fileExists(atPath: folder + "/parser.json") }

    static func cases() throws -> [Case] { try rows("parser.json") }

    static func dates(_ file: String) throws -> [DateRow] { try rows(file) }

    private static func rows<Row: Decodable>(_ file: String) throws -> [Row] {
        let data = try #require(FileManager.default.contents(atPath: "\(folder)/\(file)"))
        return try JSONDecoder().decode([Row].self, from: data)
    }
}
