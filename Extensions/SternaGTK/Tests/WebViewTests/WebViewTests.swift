import CSternaLibGTK
import Sterna
import SternaGTK
import SternaPlatform
import SternaSigning
import SternaTesting
import SternaWebKitGTK
import Synchronization

/// Tests of web views, as a program of its own since WebKit starts processes; where they cannot run, it says so, and passes.
@main @MainActor struct WebViewTests {
    static func main() {
        do {
            try MainLoop.start()
            var status: Int32 = 1
            Task {
                do { status = try await run() } catch { print("not ok - \(error)") }
                MainLoop.quit()
            }
            try MainLoop.run()
            exit(status)
        } catch {
            print("not ok - \(error)")
            exit(1)
        }
    }

    private static func run() async throws -> Int32 {
        let site = try await WebSite()
        let jar = CookieJar()
        let session = try Session(baseURL: site.server.url) {
            $0.cookies.jar = jar
            $0.headers["X-Session"] = "7"
            $0.auth.awsSigning = AWSSigning(
                region: "r", service: "s", credentials: AWSCredentials(accessKey: "key", secretKey: "secret"))
            $0.network.allowsOtherOrigins = true
            $0.cache.store = .memory(bytes: 1 << 20)
            $0.networkInterceptors = [UserField()]
        }
        // What is stored for the user is not for pages of other origins.
        let known = try await session.get("\(site.other.url)/open") { $0.responseSerializer = .data }.text()
        guard known == "ada" else {
            print("not ok - the session's own answer is \(known)")
            return 1
        }
        let view = SessionWebView(session)
        let window: WidgetPointer = gtk_window_new()
        let pointer = UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkWindow.self)
        gtk_window_set_child(pointer, view.widget)
        gtk_window_present(pointer)
        let checks = WebViewChecks(view, site)
        guard try await checks.starts() else {
            print("ok - skipped: WebKit's processes do not run here")
            return 0
        }
        try await checks.all()
        try MigratingWebViewTests.rows(session)
        if try await !MigratingWebViewTests.example(session) { print("not ok - the example of the documentation") }
        print(checks.faults.isEmpty ? "ok - web views" : "not ok - web views")
        for fault in checks.faults { print("    \(fault)") }
        gtk_window_destroy(pointer)
        try await site.server.stop()
        try await site.other.stop()
        return checks.faults.isEmpty ? 0 : 1
    }
}

/// Names the user in each request.
private struct UserField: Interceptor {
    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        var request = request
        request.headers[.from] = "ada"
        return try await next(request)
    }
}

/// What is expected of a view.
@MainActor final class WebViewChecks {
    private(set) var faults: [String] = []
    private let view: SessionWebView
    private let site: WebSite
    private var progress: [Double] = []
    private var ends: [SternaError?] = []

    init(_ view: SessionWebView, _ site: WebSite) {
        (self.view, self.site) = (view, site)
        view.progressed = { [weak self] in self?.progress.append($0) }
        view.loaded = { [weak self] in self?.ends.append($0) }
    }

    /// Whether WebKit's processes run, so that they ask for a page.
    func starts() async throws -> Bool {
        try view.load("/plain")
        for _ in 0..<2_000 where site.paths.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        return !site.paths.isEmpty
    }

    func all() async throws {
        try await wait(for: "the first page") { view.title == "Plain" && ends.count == 1 }
        expect(view.url?.path == "/plain", "the URL is \(view.url?.description ?? "none")")
        expect(progress.last == 1 && progress == progress.sorted(), "the progress was \(progress)")
        expect(site.sessions.allSatisfy { $0 == "7" }, "a request did not come from the session")
        expect(site.server.requests().allSatisfy { $0.headers["authorization"] != nil }, "a request was not signed")

        try await load("/page", until: "Scripted")
        expect(site.paths.contains("/style.css"), "the style was not asked for")
        expect(!site.paths.contains("/outside.png"), "an image was loaded past the session")

        try await load("/form", until: "POST name=Ada")
        try await load("/moved", until: "Plain")
        expect(view.url?.path == "/plain", "after the redirect the URL is \(view.url?.description ?? "none")")
        try await load("/link", until: "Plain")

        // Its scripts read what other origins allow, but nothing of the user's, and nothing to which a redirect leads.
        try await load("/reader", until: "open:nobody closed:refused moved:refused")
        try await load("/own", until: "user=ada")
        try await links()

        try await load("/missing", until: "Missing")
        expect(lastError == nil && !ends.isEmpty, "a page of status 404 is an error")
        let count = ends.count
        let closed = try ClosedPort()
        try view.load("http://127.0.0.1:\(closed.port)/")
        try await wait(for: "the failure") { ends.count > count }
        expect(lastError?.kind == .connectionFailed, "the error is \(lastError.map { "\($0)" } ?? "none")")
        do {
            try view.load("file:///etc/passwd")
            expect(false, "a file was loaded")
        } catch {}
    }

    /// A link to another scheme, a page that is loaded again, and one that may load things past the session.
    private func links() async throws {
        var refused: [String] = []
        view.refused = { refused.append($0) }
        try await load("/letter", until: "Letter")
        try await wait(for: "the refused link") { !refused.isEmpty }
        expect(refused == ["mailto:ada@example.org"], "refused was \(refused)")
        expect(view.url?.path == "/letter", "the refused link led to \(view.url?.description ?? "none")")

        let count = site.paths.count { $0 == "/letter" }
        view.reload()
        try await wait(for: "the page again") { site.paths.count { $0 == "/letter" } == count + 1 && !view.isLoading }
        try await wait(for: "the link again") { refused.count == 2 }
        view.goBack()
        try await wait(for: "the page before") { view.url?.path == "/own" && !view.isLoading }

        view.isConfined = false
        try await load("/page", until: "Scripted")
        try await wait(for: "the image from outside") { site.paths.contains("/outside.png") }
        let outside = site.server.requests().filter { $0.target == "/outside.png" }
        expect(outside.allSatisfy { $0.headers["x-session"] == nil }, "the image outside came through the session")
        view.isConfined = true
    }

    private var lastError: SternaError? { ends.last ?? nil }

    private func load(_ path: String, until title: String) async throws {
        try view.load(path)
        try await wait(for: "\(path) to be titled \(title), not \(view.title ?? "nothing")") {
            view.title == title && !view.isLoading
        }
    }

    private func expect(_ condition: Bool, _ fault: @autoclosure () -> String) {
        if !condition { faults.append(fault()) }
    }

    private func wait(for what: @autoclosure () -> String, _ condition: () -> Bool) async throws {
        for _ in 0..<1_000 {
            if condition() { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        faults.append("waited in vain for \(what())")
    }
}

/// A server of pages.
final class WebSite: Sendable {
    let server: TestServer

    /// Another origin.
    let other: TestServer

    init() async throws {
        server = try await TestServer.start()
        other = try await TestServer.start()
        page("/plain", title: "Plain", "<p>Plain</p>")
        let url = server.url
        page(
            "/page", title: "Page",
            """
            <link rel="stylesheet" href="style.css"><img src="\(url)/outside.png">
            <script>fetch('data.json').then(r => r.json()).then(d => { document.title = d.title })</script>
            """)
        server.route("GET", "/style.css") { _ in .text("p { color: red }", mediaType: "text/css") }
        server.route("GET", "/data.json") { _ in .json(["title": "Scripted"]) }
        page(
            "/form", title: "Form",
            "<form method='post' action='/posted'><input name='name' value='Ada'></form><script>document.forms[0].submit()</script>"
        )
        server.route("POST", "/posted") { request in
            let body = String(decoding: try await request.body.collect(), as: UTF8.self)
            return .text("<title>POST \(body)</title>", mediaType: "text/html")
        }
        server.route("GET", "/moved") { _ in .redirect(to: "/plain") }
        page("/letter", title: "Letter", "<script>location.href = 'mailto:ada@example.org'</script>")
        page("/link", title: "Link", "<script>location.href = '\(url)/plain'</script>")
        makeReader()
        server.route("GET", "/missing") { _ in .text("<title>Missing</title>", mediaType: "text/html", status: 404) }
    }

    /// A page whose script asks another origin for what may be read, for what may not, and for the latter by a redirect.
    private func makeReader() {
        let other = self.other
        server.route("GET", "/reader") { _ in
            let script = """
                const read = async url => { try { return await (await fetch(url)).text() } catch { return 'refused' } }
                const all = [read('sterna-\(other.url)/open'), read('sterna-\(other.url)/closed'), read('/moved-away')]
                Promise.all(all).then(([open, closed, moved]) => {
                    document.title = `open:${open} closed:${closed} moved:${moved}`
                })
                """
            return .text(
                "<!doctype html><title>Reader</title><script>\(script)</script>", mediaType: "text/html",
                headers: ["Set-Cookie": "user=ada"])
        }
        server.route("GET", "/moved-away") { _ in .redirect(to: "\(other.url)/closed") }
        server.route("GET", "/own") { request in
            .text("<title>\(request.headers["cookie"] ?? "nobody")</title>", mediaType: "text/html")
        }
        other.route("GET", "/open") { request in
            let fields = ["from", "cookie", "authorization", "x-amz-date", "x-session"]
                .compactMap { request.headers[$0] }
            return .text(
                fields.first ?? "nobody",
                headers: ["Access-Control-Allow-Origin": "*", "Cache-Control": "max-age=1000"])
        }
        other.route("GET", "/closed") { _ in .text("closed") }
    }

    private func page(_ path: String, title: String, _ content: String) {
        server.route("GET", path) { _ in
            .text("<!doctype html><title>\(title)</title>\(content)", mediaType: "text/html; charset=utf-8")
        }
    }

    var paths: [String] { server.requests().map(\.target) }

    /// The field that the session adds, of each request.
    var sessions: [String?] { server.requests().map { $0.headers["x-session"] } }
}
