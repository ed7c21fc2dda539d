import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("HSTS: files")
struct HSTSFileTests {
    @Test("A file is read as it was written") func roundTrip() throws {
        let file = try HSTSFile(parsing: Array(Samples.hstsFile.utf8))
        expectEqual(file.entries.count, 3)
        expectEqual(
            file.entries["example.com"],
            .init(expires: 1_798_761_600_000, includesSubdomains: true, updated: 1_767_225_600_000))
        expectEqual(file.entries["example.org"]?.isRemoved, true)
        try expectEqual(HSTSFile(parsing: file.content()), file)
        try expectEqual(HSTSFile(parsing: HSTSFile().content()), HSTSFile())
    }

    static let host = #"{"host": "a.test", "includeSubDomains": true, "expires": 1, "updated": 1}"#

    @Test(
        "Any other content is refused",
        arguments: [
            "", "{}", "[]", "null", #"{"version": 1}"#, #"{"version": 2, "hosts": []}"#,
            #"{"version": 1, "hosts": {}}"#, #"{"version": 1, "hosts": [], "more": 1}"#,
            #"{"version": 1, "hosts": [1]}"#,
            "{\"version\": 1, \"hosts\": [\(host), \(host)]}", "{\"version\": 1, \"hosts\": [\(host)]} x",
            "{\"version\": 1, \"hosts\": [\(host.replacing("a.test", with: "A.test"))]}",
            "{\"version\": 1, \"hosts\": [\(host.replacing("a.test", with: "a.test."))]}",
            "{\"version\": 1, \"hosts\": [\(host.replacing("a.test", with: "127.0.0.1"))]}",
            "{\"version\": 1, \"hosts\": [\(host.replacing("a.test", with: "localhost"))]}",
            "{\"version\": 1, \"hosts\": [\(host.replacing("a.test", with: ""))]}",
            "{\"version\": 1, \"hosts\": [\(host.replacing("1}", with: "-1}"))]}",
            "{\"version\": 1, \"hosts\": [\(host.replacing("1}", with: "1.5}"))]}",
            "{\"version\": 1, \"hosts\": [\(host.replacing("1}", with: "1e99}"))]}",
            "{\"version\": 1, \"hosts\": [\(host.replacing("}", with: ", \"removed\": true}"))]}",
            "{\"version\": 1, \"hosts\": [\(host.replacing("\"includeSubDomains\": true", with: "\"removed\": false"))]}",
            "{\"version\": 1, \"hosts\": [\(host.replacing("true", with: "1"))]}",
        ])
    func strict(text: String) {
        #expect(throws: FileFault.self) { try HSTSFile(parsing: Array(text.utf8)) }
    }

    // MARK: Preload lists

    @Test("A preload list may have a host on each line") func lines() throws {
        let text = "# made by hand\r\n\n example.com\n.Bücher.example \t\"unlimited\"\nexample.org.\n.example.org\n"
        let list = try HSTSPreload(parsing: Array(text.utf8))
        expectEqual(list.hosts, ["example.com": false, "xn--bcher-kva.example": true, "example.org": true])
        #expect(list.requiresTLS(try #require(HSTSName(host: "a.example.org"))))
        #expect(!list.requiresTLS(try #require(HSTSName(host: "a.example.com"))))
        #expect(try HSTSPreload(parsing: []).hosts.isEmpty)
    }

    @Test("Chromium's preload list is read") func chromium() throws {
        let text = """
            // Copyright
            {
              // A comment.
              "pinsets": [{"name": "test"}],
              "entries": [
                // gTLDs
                { "name": "dev", "policy": "public-suffix", "mode": "force-https", "include_subdomains": true },
                { "name": "example.com", "policy": "bulk-1-year", "mode": "force-https" },
                { "name": "pinned.test", "policy": "google", "include_subdomains": true, "pins": "test" }
              ]
            }
            """
        let list = try HSTSPreload(parsing: Array(text.utf8))
        expectEqual(list.hosts, ["dev": true, "example.com": false])
        #expect(list.requiresTLS(try #require(HSTSName(host: "a.dev"))))
    }

    @Test(
        "An invalid preload list is refused as a whole",
        arguments: [
            "127.0.0.1", "a.test b.test", "a.test \"20280101 00:00:00\"", "..", ".", "[::1]", "a/b", "\u{7F}", "{",
            "{}", #"{"entries": 1}"#, #"{"entries": [{"mode": "force-https"}]}"#,
            #"{"entries": [{"mode": "force-https", "name": "::1"}]}"#,
        ])
    func invalidList(text: String) {
        #expect(throws: FileFault.self) { try HSTSPreload(parsing: Array(text.utf8)) }
    }
}
