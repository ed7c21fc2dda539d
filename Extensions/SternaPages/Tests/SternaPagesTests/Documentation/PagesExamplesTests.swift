import NIOCore
import Sterna
import SternaPages
import SternaTesting
import Testing

/// The examples of docs/Pages.md, so that they compile and do what it says.
@Suite("Examples: pages", .timeLimit(.minutes(5)))
struct PagesExamplesTests {
    private static let site: [String: PageSite.Content] = [
        "/articles/terns": "<img src=a.png><img src=b.png>", "/articles/a.png": .png, "/articles/b.png": .png,
    ]

    @Test("Files")
    func files() async throws {
        try await PageSite.run(Self.site) { site in
            let api = try Session(baseURL: site.server.url)
            let place = try PageFolder()
            let folder = place.path

            let page = try await api.page("articles/terns")
            let files = try page.save(to: folder)
            print(files.path, files.count, page.failures)

            #expect(place.files == ["page.html", "page_files", "page_files/a.png", "page_files/b.png"])

            try page.save(to: folder, name: "terns", existing: .replace)

            #expect(place.files.count == 8)
        }
    }

    @Test("One file")
    func single() async throws {
        try await PageSite.run(Self.site) { site in
            let api = try Session(baseURL: site.server.url)

            let page = try await api.page("articles/terns")
            let document = try page.singleFile()

            #expect(document.text.contains("data:image/png"))
        }
    }

    @Test("Options")
    func options() async throws {
        try await PageSite.run(Self.site) { site in
            let api = try Session(baseURL: site.server.url)

            var options = PageOptions()
            options.origins = .sameOrigin
            options.depth = 1
            options.maxResources = 200
            options.failsAtFirstError = true
            let page = try await api.page("articles/terns", options: options) { progress in
                print(progress)  // 12 of 40 resources, 350000 bytes
            }

            #expect(page.resources.count == 2)
        }
    }
}
