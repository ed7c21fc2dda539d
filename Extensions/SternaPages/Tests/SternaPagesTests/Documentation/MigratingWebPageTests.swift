import NIOCore
import Sterna
import SternaPages
import SternaTesting
import Testing

/// The rows of docs/Migrating/ASIHTTPRequest.md about ASIWebPageRequest.
@Suite("Coming from ASIHTTPRequest: web pages", .timeLimit(.minutes(5)))
struct MigratingWebPageTests {
    @Test("A page, its resources, and what becomes of its references")
    func page() async throws {
        try await PageSite.run([
            "/v1/terns": "<link rel=stylesheet href=a.css><img src=b.png>", "/v1/a.css": .css("c{d:url(b.png)}"),
            "/v1/b.png": .png,
        ]) { site in
            let cache = ResponseCache.memory()
            let api = try Session(baseURL: site.server.url("/v1")) {
                $0.cache.store = cache
            }
            let place = try PageFolder()
            let folder = place.path
            var options = PageOptions()
            options.failsAtFirstError = true
            options.concurrency = 4
            let page = try await api.page("terns", options: options)
            let document = try page.singleFile()
            #expect(document.text.contains("data:text/css"))
            try page.save(to: folder)
            #expect(place.text("page.html")?.contains("page_files/a.css") == true)
            #expect(page.resources.map(\.url.path) == ["/v1/a.css", "/v1/b.png"])
            #expect(page.resources.map(\.fileName) == ["a.css", "b.png"])
            #expect(page.resources[0].mediaType?.essence == "text/css")
            #expect(page.failures.map(\.referrer).isEmpty)
            let text = try await api.get("terns") { $0.responseSerializer = TextResponseSerializer() }.text()
            #expect(text.hasPrefix("<link"))
        }
    }
}
