import SternaCore
import Testing

@testable import SternaTestSupport

@Suite("URL conformance (web-platform-tests)", .enabled(if: URLConformanceData.isThere, "\(URLConformanceData.hint)"))
struct URLConformanceTests {
    static let schemes: Set<String> = ["http", "https", "ws", "wss"]

    /// How a row came out that was not a mismatch.
    enum Outcome: Hashable {
        case parsed, failed, refusedScheme
    }

    // Counted when the test was written; the data may grow, and must not shrink unnoticed.
    @Test func urlTestData() throws {
        var counts: [Outcome: Int] = [:]
        for row in try URLConformanceData.rows("urltestdata.json", of: URLRow.self) {
            let outcome = check(row)
            if let outcome { counts[outcome, default: 0] += 1 }
            if let name = row.protocol, Self.schemes.contains(String(name.dropLast())) {
                expectEqual(outcome, .parsed, "\(row.input) was not run")
            }
        }
        #expect(counts[.parsed, default: 0] >= 270)
        #expect(counts[.failed, default: 0] >= 206)
        #expect(counts[.refusedScheme, default: 0] >= 281)
    }

    /// Compares one row; nil where it has nothing to do with the four schemes.
    private func check(_ row: URLRow) -> Outcome? {
        let inputScheme = Self.scheme(row.input)
        var base: HTTPURL?
        if let text = row.base {
            base = try? HTTPURL(text)
            if base == nil, !Self.schemes.contains(inputScheme ?? "") { return nil }
        }
        let result = Result { () throws(HTTPURL.ParseError) in
            guard let base else { return try HTTPURL(row.input) }
            return try HTTPURL(row.input, relativeTo: base)
        }
        switch result {
        case .success(let url):
            #expect(row.failure != true, "\(row.input) must fail, and gave \(url.href)")
            guard row.failure != true else { return nil }
            compare(url, row)
            return .parsed
        case .failure(.unsupportedScheme):
            #expect(row.failure == true || !Self.schemes.contains(String((row.protocol ?? "").dropLast())))
            return .refusedScheme
        case .failure(let error):
            expectEqual(row.failure, true, "\(row.input) against \(row.base ?? "nothing"): \(error)")
            return .failed
        }
    }

    private func compare(_ url: HTTPURL, _ row: URLRow) {
        let port = url.port.map(String.init) ?? ""
        let pairs: [(String, String, String?)] = [
            ("href", url.href, row.href),
            ("origin", url.origin.description, row.origin ?? url.origin.description),
            ("protocol", url.scheme.rawValue + ":", row.protocol),
            ("username", url.userinfo?.username ?? "", row.username),
            ("password", url.userinfo?.password ?? "", row.password),
            ("host", url.authority, row.host),
            ("hostname", url.host, row.hostname),
            ("port", port, row.port),
            ("pathname", url.path, row.pathname),
            ("search", url.query.map { $0.isEmpty ? "" : "?" + $0 } ?? "", row.search),
            ("hash", url.fragment.map { $0.isEmpty ? "" : "#" + $0 } ?? "", row.hash),
        ]
        for (name, got, wanted) in pairs {
            expectEqual(got, wanted, "\(name) of \(row.input.debugDescription) against \(row.base ?? "nothing")")
        }
        expectEqual(url.requestTarget, url.path + (url.query.map { "?" + $0 } ?? ""))
    }

    private static func scheme(_ text: String) -> String? {
        let trimmed = text.unicodeScalars.drop { $0.value <= 0x20 }.filter { ![9, 10, 13].contains($0.value) }
        guard let colon = trimmed.firstIndex(of: ":") else { return nil }
        return String(String.UnicodeScalarView(trimmed[..<colon])).lowercased()
    }

    @Test func percentEncoding() throws {
        var count = 0
        for row in try URLConformanceData.rows("percent-encoding.json", of: PercentEncodingRow.self) {
            guard let output = row.output["utf-8"] else { continue }
            let url = try HTTPURL("https://host.invalid/?\(row.input)#\(row.input)")
            expectEqual(url.query, output)
            expectEqual(url.fragment, output)
            count += 1
        }
        #expect(count >= 6)
    }

    @Test func toASCII() throws {
        var count = 0
        for row in try URLConformanceData.rows("toascii.json", of: ToASCIIRow.self) {
            let url = try? HTTPURL("https://\(row.input)/x")
            expectEqual(url?.host, row.output, "\(row.input)")
            count += 1
        }
        #expect(count >= 87)
    }
}
