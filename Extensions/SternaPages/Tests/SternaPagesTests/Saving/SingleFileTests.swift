import NIOCore
import SternaCore
import SternaPages
import SternaPlatform
import SternaTesting
import Testing

/// Pages as one file.
@Suite(.timeLimit(.minutes(5))) struct SingleFileTests {
    private func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    @Test("Resources stand in it, those of style sheets within them")
    func nested() async throws {
        try await PageSite.run([
            "/": "<link rel=stylesheet href=a.css><svg><use href='i.svg#x'></use></svg>",
            "/a.css": .css("@import 'b.css';a{b:url(c.png)}"),
            "/b.css": .css("@import 'a.css';"), "/c.png": .png, "/i.svg": .init("image/svg+xml", Array("<svg/>".utf8)),
        ]) { site in
            let text = try await site.load().singleFile().text
            let inner = "data:text/css;charset=utf-8;base64,\(base64("@import '\(site.server.url)/a.css';"))"
            let sheet = "@import '\(inner)';a{b:url(data:image/png;base64,iVBORw==)}"
            #expect(
                text
                    == #"<meta charset="utf-8"><link rel="stylesheet" href="data:text/css;charset=utf-8;base64,\#(base64(sheet))"><svg><use href="data:image/svg+xml;base64,\#(base64("<svg/>"))#x"></use></svg>"#
            )
        }
    }

    @Test("References that multiply meet a limit before memory does")
    func multiplied() async throws {
        let page = String(repeating: "<img src=a.png>", count: 50_000)
        let large = PageSite.Content("image/png", Array(repeating: 7, count: 1 << 20))
        try await PageSite.run(["/": .init(stringLiteral: page), "/a.png": large]) { site in
            let page = try await site.load()
            #expect { try page.singleFile(limit: 64 << 20) } throws: { ($0 as? SternaError)?.kind == .limitExceeded }
        }
        // Each style sheet imports the next four times.
        var contents: [String: PageSite.Content] = ["/": "<link rel=stylesheet href=0.css>"]
        for number in 0..<40 {
            contents["/\(number).css"] = .css(
                (0..<4).map { "@import '\(number + 1).css?\($0 == 9 ? 1 : 0)';" }.joined().replacing("?0", with: ""))
        }
        try await PageSite.run(contents) { site in
            let page = try await site.load { $0.depth = 100 }
            #expect { try page.singleFile(limit: 1 << 20) } throws: { ($0 as? SternaError)?.kind == .limitExceeded }
        }
    }
}
