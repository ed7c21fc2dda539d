import NIOCore
import PageMutations
import SternaCore
import SternaSerialization
import Testing

@testable import SternaPages

@Suite("Mutations: HTML") struct HTMLMutationTests {
    static let reader = MutatedReader(
        "HTML",
        seeds: [
            "<!DOCTYPE html><html><head><meta charset=utf-8><base href=/x/><link rel=stylesheet href=a.css integrity=b><style>@import 'c';d{e:url(f)}</style></head>"
                + "<body style='a:url(b)'><p>a &amp; b<img src=a.png srcset='b 1x, c 2x'><script src=d.js>if (a<b) '</b>'</script></body></html>",
            "<picture><source srcset=a><img src=b></picture><svg><use xlink:href='a#b'/></svg><iframe srcdoc=\"&lt;img src='x'&gt;\" src=c></iframe><!-- x -->",
            "<table background=a><tr><td>b<video poster=c><track src=d></video></table><object data=e><embed src=f></object><a href=#g ping=h>i</a>",
        ],
        tokens: [
            "<", ">", "</", "/>", "<!--", "-->", "<![CDATA[", "]]>", "<?", "?>", "&", ";", "&#", "&#x", "&amp;",
            "<!DOCTYPE ", "<script>", "</script>", "<style>", "</style>",
            "<base href=", "<meta charset=", "<iframe srcdoc='", "<img srcset='", " style='", " src=", "=\"", "'", "\"",
            "\0", "\u{FEFF}", "<div>", "</p>", "<table>", "<svg>",
            "<html>", "<head>", "</head>", "<body>", "</body>", "<title>", "<textarea>", "<plaintext>", "é", "url(",
            "koi8-r",
        ]
    ) { bytes in
        let text = PageEncoding.html(Bytes(copying: bytes), charset: nil)
        _ = PageEncoding.css(Bytes(copying: bytes), charset: nil, environment: .windows1252)
        guard let document = try? HTMLParser.parse(text, limits: .init(bytes: 1 << 20, depth: 64, nodes: 10_000)) else {
            return .refused
        }
        let page = try HTTPURL("https://example.com/a/b")
        var uses = 0
        let new = HTMLWalker().rewrite(document) { use in
            uses += 1
            let location = ReferenceRule.Location(url: page, baseReference: document.baseReference)
            switch ReferenceRule.target(use, in: location, longest: 8_192) {
            case .resource: return HTMLWalker.Replacement(text: "page_files/x.png", isSaved: true)
            case .absolute(let text): return HTMLWalker.Replacement(text: text)
            case .kept, .tooLong: return nil
            }
        }
        let written = HTMLWriter.text(of: new)
        guard written.contains("<meta charset=\"utf-8\">"), !written.contains("\0") else {
            throw MutationFailure("It lacks its encoding: \(written)")
        }
        var seen = 0
        _ = HTMLWalker().rewrite(document) { _ in
            seen += 1
            return nil
        }
        guard seen == uses else { throw MutationFailure("\(seen) references, and then \(uses)") }
        return .accepted
    }

    @Test("No mutated document ends the process")
    func survives() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await HTMLMutationTests.reader.run() }
        }
        #expect(report.failure == nil, "\(report)")
    }
}
