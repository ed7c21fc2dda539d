import SternaCore
import SternaPages
import SternaPlatform
import SternaTesting
import Testing

/// Pages saved into a folder.
@Suite(.timeLimit(.minutes(5))) struct SavedPageTests {
    private static let site: [String: PageSite.Content] = [
        "/": """
        <!DOCTYPE html><html><head><base href="/x/"><link rel=stylesheet href="a.css"><script src="a.js"></script></head>\
        <body style="background:url(bg.png)"><img src="bg.png#f"><img srcset="bg.png 1x, other.png 2x"><a href="b">b</a>\
        <iframe src="frame.html"></iframe><img src="missing.png"></body></html>
        """,
        "/x/a.css": .css("@import 'b.css';a{b:url(bg.png)}"),
        "/x/b.css": .css("@import url(a.css);c{d:url('/x/other.png?1')}"),
        "/x/a.js": .js("x()"), "/x/bg.png": .png, "/x/other.png": .png,
        "/x/frame.html":
            "<html><head></head><body><img src=bg.png><a href='/'>up</a><iframe src=/ ></iframe></body></html>",
    ]

    @Test("A page, its resources and theirs")
    func all() async throws {
        try await PageSite.run(Self.site) { site in
            let page = try await site.load()
            let folder = try PageFolder()
            let files = try page.save(to: folder.path)
            #expect(
                folder.files == [
                    "page.html", "page_files", "page_files/a.css", "page_files/a.js", "page_files/b.css",
                    "page_files/bg.png",
                    "page_files/frame.html", "page_files/other-2.png", "page_files/other.png",
                ])
            let url = site.server.url
            #expect(
                folder.text("page.html") == """
                    <!DOCTYPE html><html><head><meta charset="utf-8"><link rel="stylesheet" href="page_files/a.css"><script src="page_files/a.js"></script></head>\
                    <body style="background:url(page_files/bg.png)"><img src="page_files/bg.png#f"><img srcset="page_files/bg.png 1x, page_files/other.png 2x"><a href="\(url)/x/b">b</a>\
                    <iframe src="page_files/frame.html"></iframe><img src="\(url)/x/missing.png"></body></html>
                    """)
            #expect(folder.text("page_files/a.css") == "@import 'b.css';a{b:url(bg.png)}")
            #expect(folder.text("page_files/b.css") == "@import url(a.css);c{d:url('other-2.png')}")
            #expect(
                folder.text("page_files/frame.html")
                    == "<html><head><meta charset=\"utf-8\"></head><body><img src=\"bg.png\"><a href=\"\(url)/\">up</a><iframe src=\"../page.html\"></iframe></body></html>"
            )
            #expect(files.count == 8)
            #expect(files.path == folder.path("page.html"))
            #expect(page.failures.map(\.url.path) == ["/x/missing.png"])
            #expect(page.failures.first?.error.kind == .unacceptableStatus)
            #expect(page.resources.count == 7)
            // Each is fetched once.
            #expect(site.targets.count == Set(site.targets).count)
        }
    }

    @Test("What exists is not replaced unless that is asked for")
    func existing() async throws {
        try await PageSite.run(["/": "<p>new</p><img src=a.png>", "/a.png": .png]) { site in
            let page = try await site.load()
            let folder = try PageFolder()
            try Data("mine".utf8).write(to: URL(filePath: folder.path("page.html")))
            #expect { try page.save(to: folder.path) } throws: { ($0 as? SternaError)?.kind == .destinationUnusable }
            #expect(folder.files == ["page.html"])
            #expect(folder.text("page.html") == "mine")
            try page.save(to: folder.path, name: "other")
            #expect(folder.files == ["other.html", "other_files", "other_files/a.png", "page.html"])
            try Data("mine".utf8).write(to: URL(filePath: folder.path("other_files/mine.txt")))
            try page.save(to: folder.path, name: "other", existing: .replace)
            #expect(folder.text("other_files/mine.txt") == "mine")
            try page.save(to: folder.path, existing: .replace)
            #expect(folder.text("page.html")?.contains("new") == true)
        }
    }

    @Test("Symbolic links lead nowhere")
    func links() async throws {
        try await PageSite.run(["/": "<img src=a.png>", "/a.png": .png]) { site in
            let page = try await site.load()
            let folder = try PageFolder()
            let elsewhere = try PageFolder()
            try FileManager.default.createSymbolicLink(
                atPath: folder.path("page_files"), withDestinationPath: elsewhere.path)
            for existing in WebPage.Existing.allCases {
                #expect { try page.save(to: folder.path, existing: existing) } throws: {
                    ($0 as? SternaError)?.kind == .destinationUnusable
                }
            }
            #expect(elsewhere.files.isEmpty)
            let inner = try PageFolder()
            try FileManager.default.createDirectory(
                atPath: inner.path("page_files"), withIntermediateDirectories: false)
            try FileManager.default.createSymbolicLink(
                atPath: inner.path("page_files/a.png"), withDestinationPath: elsewhere.path("x"))
            try FileManager.default.createSymbolicLink(
                atPath: inner.path("page.html"), withDestinationPath: elsewhere.path("y"))
            try FileManager.default.createSymbolicLink(
                atPath: inner.path("page_files/.a.png.sterna-new"), withDestinationPath: elsewhere.path("z"))
            try page.save(to: inner.path, existing: .replace)
            #expect(elsewhere.files.isEmpty)
            #expect(inner.files == ["page.html", "page_files", "page_files/a.png"])
        }
    }

    @Test("A folder in a file's place leaves nothing behind")
    func failing() async throws {
        try await PageSite.run(["/": "<img src=a.png><img src=b.png>", "/a.png": .png, "/b.png": .png]) { site in
            let page = try await site.load()
            let folder = try PageFolder()
            try FileManager.default.createDirectory(
                atPath: folder.path("page_files/b.png"), withIntermediateDirectories: true)
            #expect { try page.save(to: folder.path, existing: .replace) } throws: {
                ($0 as? SternaError)?.kind == .destinationUnusable
            }
            #expect(folder.files == ["page_files", "page_files/b.png"])
            try Data().write(to: URL(filePath: folder.path("file")))
            #expect { try page.save(to: folder.path("file")) } throws: {
                ($0 as? SternaError)?.kind == .destinationUnusable
            }
        }
    }

    @Test("A cancelled task saves nothing")
    func cancelled() async throws {
        try await PageSite.run(["/": "<img src=a.png>", "/a.png": .png]) { site in
            let page = try await site.load()
            let folder = try PageFolder()
            let path = folder.path
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                try page.save(to: path)
            }
            task.cancel()
            await #expect { try await task.value } throws: { ($0 as? SternaError)?.kind == .cancelled }
            #expect(folder.files.isEmpty)
        }
    }
}
