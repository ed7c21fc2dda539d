import NIOCore
import Sterna
import SternaCore
import SternaPages
import SternaTesting
import Synchronization
import Testing

/// What is fetched for a page, and what is not.
@Suite(.timeLimit(.minutes(5))) struct PageLoadingTests {
    @Test("Only as many resources as allowed, of 100,000")
    func count() async throws {
        let images = (0..<100_000).map { "<img src=\($0).png>" }.joined()
        try await PageSite.run(["/": .init(stringLiteral: images), "/{name}": .png]) { site in
            let page = try await site.load { $0.maxResources = 20 }
            #expect(page.resources.count == 20)
            #expect(page.failures.count == 1_000)
            #expect(page.failureCount == 99_980)
            #expect(page.failures.first?.error.kind == .limitExceeded)
            #expect(site.server.requestCount == 21)
        }
    }

    @Test("Frames and imports up to a depth")
    func depth() async throws {
        try await PageSite.run([
            "/": "<iframe src=/0></iframe><link rel=stylesheet href=/css/0>", "/css/{n}": .css("@import 'x';"),
            "/{n}": "<iframe src=x></iframe>",
        ]) { site in
            for number in 0..<9 {
                site.add("/\(number)", "<iframe src=/\(number + 1)></iframe>")
                site.add("/css/\(number)", .css("@import '\(number + 1)';"))
            }
            let page = try await site.load { $0.depth = 2 }
            #expect(Set(page.resources.map(\.url.path)) == ["/0", "/1", "/css/0", "/css/1", "/css/2"])
            #expect(page.skippedCount == 2)
            #expect(page.failureCount == 0)
            let flat = try await site.load { $0.depth = 0 }
            #expect(flat.resources.map(\.url.path) == ["/css/0"])
        }
    }

    @Test("The size of each, and of all")
    func sizes() async throws {
        let half = PageSite.Content("image/png", Array(repeating: 1, count: 500_000))
        try await PageSite.run([
            "/": "<img src=a><img src=b><img src=c>", "/a": half, "/b": half, "/c": .init("image/png", [1]),
        ]) { site in
            let small = try await site.load { $0.maxResourceBytes = 100_000 }
            #expect(small.resources.map(\.url.path) == ["/c"])
            #expect(small.failures.map(\.error.kind) == [.limitExceeded, .limitExceeded])
            let total = try await site.load {
                $0.maxTotalBytes = 700_000
                $0.concurrency = 1
            }
            #expect(total.resources.map(\.url.path) == ["/a"])
            #expect(total.failureCount == 2)
            await #expect { _ = try await site.load { $0.maxResourceBytes = 10 } } throws: {
                ($0 as? SternaError)?.kind == .limitExceeded
            }
        }
    }

    @Test("Resources that never end, are cut or loop fail, and the page does not")
    func hostile() async throws {
        try await PageSite.run(["/": "<img src=endless><img src=cut><img src=loop><img src=redirect>", "/target": .png])
        { site in
            site.server.route("GET", "/endless") { _ in
                ServerResponse(
                    status: 200,
                    body: .stream(length: nil) { writer in
                        while true { try await writer.write(Array(repeating: 0, count: 65_536)) }
                    })
            }
            site.server.route("GET", "/cut") { _ in
                ServerResponse(status: 200, body: .stream(length: 100) { writer in try await writer.write("short") })
            }
            site.server.route("GET", "/loop") { _ in .redirect(to: "/loop") }
            site.server.route("GET", "/redirect") { _ in .redirect(to: "/target") }
            let page = try await site.load { $0.maxResourceBytes = 1 << 20 }
            #expect(page.resources.map(\.url.path) == ["/target"])
            let kinds = Dictionary(uniqueKeysWithValues: page.failures.map { ($0.url.path, $0.error.kind) })
            #expect(kinds == ["/endless": .limitExceeded, "/cut": .truncated, "/loop": .tooManyRedirects])
            await #expect(throws: SternaError.self) { _ = try await site.load { $0.failsAtFirstError = true } }
        }
    }

    @Test("References after a redirect are relative to the new URL")
    func redirectedBase() async throws {
        try await PageSite.run([
            "/new/": "<link rel=stylesheet href=s><img src=a.png>", "/new/a.png": .png,
            "/css/real.css": .css("a{b:url(b.png)}"), "/css/b.png": .png,
        ]) { site in
            site.server.route("GET", "/old") { _ in .redirect(to: "/new/") }
            site.server.route("GET", "/new/s") { _ in .redirect(to: "/css/real.css") }
            let page = try await site.load("/old")
            #expect(page.url.path == "/new/")
            #expect(Set(page.resources.map(\.url.path)) == ["/new/a.png", "/css/real.css", "/css/b.png"])
            #expect(page.failureCount == 0)
        }
    }

    @Test("The same origin, also behind redirects; credentials stay there")
    func origins() async throws {
        try await PageSite.run(["/other.png": .png]) { other in
            try await PageSite.run([
                "/": "<img src='\(other.server.url)/other.png'><img src=away><img src=own.png>", "/own.png": .png,
            ]) { site in
                let away = other.server.url("/other.png")
                site.server.route("GET", "/away") { _ in .redirect(to: away) }
                let own = try await site.load { $0.origins = .sameOrigin }
                #expect(own.resources.map(\.url.path) == ["/own.png"])
                #expect(other.server.requestCount == 0)
                #expect(own.skippedCount == 1)
                #expect(own.failures.map(\.error.kind) == [.redirectRefused])

                for base in [site.server.url, nil] {
                    let session = try Session(baseURL: base) { $0.auth.header = .bearer("secret") }
                    let all = try await session.page(site.server.url("/"))
                    #expect(all.failureCount == 0)
                }
                #expect(other.server.requests().allSatisfy { !$0.headers.contains("Authorization") })
                #expect(other.server.requestCount > 1)
                #expect(
                    site.server.requests().filter { $0.target == "/own.png" }.last?.headers["Authorization"]
                        == "Bearer secret")
            }
        }
    }

    @Test("Only http and https")
    func schemes() async throws {
        try await PageSite.run([
            "/":
                "<img src='file:///etc/passwd'><img src='ftp://x/y'><img src='data:,x'><iframe src='javascript:x'></iframe>"
        ]) { site in
            let page = try await site.load()
            #expect(page.resources.isEmpty && page.failureCount == 0 && page.skippedCount == 0)
            #expect(try page.singleFile().text.contains(#"<img src="file:///etc/passwd">"#))
        }
    }

    @Test("What is no page is none")
    func noPage() async throws {
        try await PageSite.run([
            "/a.png": .png, "/deep": .init(stringLiteral: String(repeating: "<div>", count: 100_000)),
        ]) { site in
            for (path, kind) in [
                ("/a.png", SternaError.Kind.unacceptableMediaType), ("/missing", .unacceptableStatus),
                ("/deep", .limitExceeded),
            ] {
                await #expect { _ = try await site.load(path) } throws: { ($0 as? SternaError)?.kind == kind }
            }
        }
    }

    @Test("Cancellation ends everything")
    func cancellation() async throws {
        try await PageSite.run(["/": "<img src=stall><img src=stall2>"]) { site in
            for path in ["/stall", "/stall2"] {
                site.server.route("GET", path) { _ in
                    ServerResponse(
                        status: 200, body: .stream(length: nil) { _ in try await Task.sleep(for: .seconds(600)) })
                }
            }
            let task = Task { try await site.load() }
            try await site.server.waitForRequests(3, within: 60)
            task.cancel()
            await #expect { _ = try await task.value } throws: { ($0 as? SternaError)?.kind == .cancelled }
        }
    }

    @Test("Progress counts up to the end")
    func progress() async throws {
        try await PageSite.run(["/": "<img src=a><img src=b><img src=c>", "/a": .png, "/b": .png]) { site in
            let steps = Mutex<[PageProgress]>([])
            _ = try await Session(baseURL: site.server.url).page("/") { step in steps.withLock { $0.append(step) } }
            let last = steps.withLock { $0.last }
            #expect(last?.found == 3)
            #expect(last?.fetched == 2)
            #expect(last?.failed == 1)
            #expect(last?.bytes == 33 + 8)
            #expect(
                steps.withLock {
                    zip($0, $0.dropFirst()).allSatisfy { $0.bytes <= $1.bytes && $0.fetched <= $1.fetched }
                })
        }
    }

    @Test("Scripts and style sheets in the page's encoding become UTF-8")
    func encodings() async throws {
        let page =
            Array("<meta charset=koi8-r><script src=a.js></script><link rel=stylesheet href=a.css><p>".utf8) + [0xD0]
        try await PageSite.run([
            "/": .init("text/html", page), "/a.js": .init("text/javascript", [0x27, 0xD0, 0x27]),
            "/a.css": .init("text/css", [0x27, 0xD0, 0x27]),
        ]) { site in
            let folder = try PageFolder()
            try await site.load().save(to: folder.path)
            #expect(folder.text("page_files/a.js") == "'п'")
            #expect(folder.text("page_files/a.css") == "@charset \"utf-8\";'п'")
            #expect(folder.text("page.html")?.hasSuffix("<p>п</p>") == true)
        }
    }

    @Test("A page by https takes no resources by http unless that is allowed")
    func mixed() async throws {
        let authority = try CertificateAuthority()
        try await PageSite.run(["/a.png": .png]) { open in
            let plain = open.server.url("/a.png")
            try await TestServer.withServer(.init(tls: try authority.issue())) { server in
                let site = PageSite(server: server)
                site.add("/", "<img src='\(plain)'><img src=away>")
                server.route("GET", "/away") { _ in .redirect(to: plain) }
                let session = try Session(baseURL: server.url) { $0.trust.policy = .authority(pem: authority.pem) }
                let page = try await session.page("/")
                #expect(page.resources.isEmpty)
                #expect(page.skipped.map(\.error.kind) == [.originRefused])
                #expect(page.failures.map(\.error.kind) == [.redirectRefused])
                #expect(open.server.requestCount == 0)
                var options = PageOptions()
                options.allowsInsecureResources = true
                #expect(try await session.page("/", options: options).resources.map(\.url.path) == ["/a.png"])
            }
        }
    }
}
