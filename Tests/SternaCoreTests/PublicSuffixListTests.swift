import SternaPlatform
import Testing

@testable import SternaCore
@testable import SternaTestSupport

@Suite("Public suffix list")
struct PublicSuffixListTests {
    private static let list = PublicSuffixList.builtIn

    @Test(
        "Registrable domains",
        arguments: [
            ("example.com", "example.com"), ("www.example.com", "example.com"), ("a.b.example.co.uk", "example.co.uk"),
            ("com", nil), ("co.uk", nil), ("github.io", nil), ("me.github.io", "me.github.io"),
            // A wildcard and its exception.
            ("ck", nil), ("test.ck", nil), ("a.test.ck", "a.test.ck"), ("www.ck", "www.ck"), ("a.www.ck", "www.ck"),
            // Names without a rule.
            ("localhost", nil), ("printer.local", "printer.local"), ("a.printer.local", "printer.local"),
            // A trailing dot.
            ("com.", nil), ("www.example.com.", "example.com"),
            // No names.
            ("127.0.0.1", nil), ("[::1]", nil), ("", nil), (".", nil), (".com", nil), ("a..com", nil), ("..", nil),
        ] as [(String, String?)])
    func registrableDomains(host: String, domain: String?) {
        expectEqual(Self.list.registrableDomain(of: host), domain)
    }

    @Test("Public suffixes, which addresses are not")
    func publicSuffixes() {
        expectEqual(Self.list.publicSuffix(of: "www.example.co.uk"), "co.uk")
        expectEqual(Self.list.publicSuffix(of: "localhost"), "localhost")
        for host in ["com", "com.", "co.uk", "localhost", "anything.ck", "github.io"] {
            #expect(Self.list.isPublicSuffix(host), "\(host)")
        }
        for host in [
            "example.com", "www.ck", "127.0.0.1", "1.2.3.4.", "[::1]", "", ".", ".com", "com..", "a.github.io",
        ] {
            #expect(!Self.list.isPublicSuffix(host), "\(host)")
        }
    }

    @Test("The table is sorted, has no rule twice and knows how deep it is")
    func table() throws {
        let words = PublicSuffixTable.parts.map(\.description).joined(separator: "\n").split { $0 == " " || $0 == "\n" }
            .map(String.init)
        #expect(words.count > 10_000)
        let domains = words.map { $0.last?.isLetter == true || $0.last?.isNumber == true ? $0 : String($0.dropLast()) }
        for (domain, next) in zip(domains, domains.dropFirst())
        where !(Array(domain.utf8).lexicographicallyPrecedes(next.utf8)) {
            Issue.record("\(domain) precedes \(next)")
        }
        let depth = words.map { $0.split(separator: ".").count + ($0.hasSuffix("*") || $0.hasSuffix("&") ? 1 : 0) }
            .max()
        expectEqual(depth, PublicSuffixTable.depth)
        // Each rule is found, whatever the place that the search begins at.
        for (word, domain) in zip(words, domains) {
            if word == domain { #expect(Self.list.isPublicSuffix(domain), "\(word)") }
            if word.hasSuffix("!") { #expect(!Self.list.isPublicSuffix(domain), "\(word)") }
            if word.hasSuffix("*") || word.hasSuffix("&") { #expect(Self.list.isPublicSuffix("x-0.\(domain)")) }
        }
    }

    // MARK: Files

    @Test("A file replaces the built-in list")
    func file() throws {
        let path = FileManager.default.temporaryDirectory.path + "/public-suffixes-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let text =
            "// A comment\n\nexample // all of it\n*.kobe.example\r\n!city.kobe.example\n公司.test\n*\n  shop.example\nshop.example\n*.shop.example\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let list = try PublicSuffixList(contentsOf: path)
        let cases: [(String, String?)] = [
            ("a.example", "a.example"), ("kobe.example", "kobe.example"), ("x.kobe.example", nil),
            ("a.x.kobe.example", "a.x.kobe.example"), ("b.city.kobe.example", "city.kobe.example"),
            ("a.xn--55qx5d.test", "a.xn--55qx5d.test"), ("xn--55qx5d.test", nil), ("shop.example", nil),
            ("a.shop.example", nil), ("b.a.shop.example", "b.a.shop.example"), ("www.github.io", "github.io"),
        ]
        for (host, domain) in cases { expectEqual(list.registrableDomain(of: host), domain, "\(host)") }
    }

    @Test(
        "A file that is no list is refused",
        arguments: [
            "", "// nothing\n", "a..b\n", "com\nexa mple\n!\n", "com\n[::1]\n", "com\n\u{0}\n", "127.0.0.1\n", "*.*\n",
        ])
    func noList(text: String) {
        if text.hasPrefix("com\nexa") {
            #expect(throws: PublicSuffixList.Fault(reason: "line 3 is not a rule")) {
                try PublicSuffixList(parsing: Array(text.utf8))
            }
        } else {
            #expect(throws: PublicSuffixList.Fault.self) { try PublicSuffixList(parsing: Array(text.utf8)) }
        }
    }

    @Test("A missing file is named")
    func missingFile() {
        let error = #expect(throws: SternaError.self) { try PublicSuffixList(contentsOf: "/nowhere/list.dat") }
        expectEqual(error?.kind, .fileUnreadable)
        expectEqual(error?.detail.contains("/nowhere/list.dat"), true)
    }

    // MARK: Conformance

    @Test(
        "The list's own tests",
        .enabled(if: PublicSuffixData.isThere, "Set STERNA_CONFORMANCE to the folder of the data."))
    func conformance() throws {
        let rows = try PublicSuffixData.rows()
        #expect(rows.count > 150)
        for (host, domain) in rows {
            expectEqual(Self.list.registrableDomain(of: Self.canonical(host)), domain.map(Self.canonical), "\(host)")
        }
    }

    /// A host as URLs have it; a text that is none stays.
    private static func canonical(_ host: String) -> String {
        (try? Origin(scheme: .https, host: host))?.host ?? host
    }
}

/// The tests of publicsuffix.org: in the folder STERNA_CONFORMANCE names, else in one beside the package.
private enum PublicSuffixData {
    static let folder: String = {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        return (ProcessInfo.processInfo.environment["STERNA_CONFORMANCE"] ?? root + "/../shared/conformance") + "/psl"
    }()

    static var isThere: Bool { FileManager.default.fileExists(atPath: folder + "/tests.txt") }

    /// Hosts and their registrable domains, of both files.
    static func rows() throws -> [(String, String?)] {
        var rows: [(String, String?)] = []
        for file in ["tests.txt", "test_psl.txt"] {
            let data = try #require(FileManager.default.contents(atPath: "\(folder)/\(file)"))
            for line in String(decoding: data, as: UTF8.self).split(separator: "\n") where !line.hasPrefix("//") {
                // `host domain`, or `checkPublicSuffix('host', 'domain');`.
                let words =
                    line.hasPrefix("checkPublicSuffix(")
                    ? line.dropFirst(18).split { " ,');".contains($0) } : line.split(separator: " ")
                guard words.count == 2, words[0] != "null" else { continue }
                rows.append((String(words[0]), words[1] == "null" ? nil : String(words[1])))
            }
        }
        return rows
    }
}
