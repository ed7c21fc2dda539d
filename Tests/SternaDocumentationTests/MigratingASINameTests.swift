import Foundation
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The rows of docs/Migrating/ASIHTTPRequest.md about errors and less used names, and that its tables have all names.
@Suite("Coming from ASIHTTPRequest: names")
struct MigratingASINameTests {
    @Test("The article has every public name")
    func names() throws {
        let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../..").standardized
        let article = try String(
            contentsOf: root.appendingPathComponent("docs/Migrating/ASIHTTPRequest.md"), encoding: .utf8)
        var found: Set<Substring> = []
        for line in article.split(separator: "\n") where line.hasPrefix("| ") {
            // In code, every second piece of the first cell.
            let pieces = (line.dropFirst(2).split(separator: " | ").first ?? "").split(
                separator: "`", omittingEmptySubsequences: false)
            for index in pieces.indices where !index.isMultiple(of: 2) { found.insert(pieces[index]) }
        }
        let names = ASIHTTPRequestNames.text.split(separator: "\n").filter { !$0.hasPrefix("#") }
            .flatMap { $0.split(separator: " ") }
        #expect(names.count > 400)
        #expect(names.filter { !found.contains($0) } == [])
    }

    /// The code of ASIHTTPRequest's error, or 0.
    private static func code(_ error: SternaError) -> Int {
        if error.kind == .connectionFailed { return 1 }
        if error.kind == .timedOut { return 2 }
        if error.status == 401 { return 3 }
        if error.kind == .cancelled { return 4 }
        if error.kind == .invalidURL { return 5 }
        if error.kind == .encodingFailed { return 6 }
        if error.kind == .authenticationFailed { return 7 }
        if error.kind == .destinationUnusable { return 8 }
        if error.kind == .tooManyRedirects { return 9 }
        if error.kind == .contentCodingFailed { return 11 }
        return 0
    }

    @Test("Errors")
    func errors() async throws {
        let (api, _) = try mocked(by: MockTransport(responses: [.json([:], status: 401), .json([:], status: 407)]))
        let refused = try #require(await #expect(throws: SternaError.self) { try await api.get("users") })
        #expect(Self.code(refused) == 3)
        let error = try #require(await #expect(throws: SternaError.self) { try await api.get("users") })
        #expect(error.status == 407)
        #expect(error.kind != .proxyFailed)
        let loops = try mocked(by: MockTransport { _ in .redirect(to: "/again") }).api
        let many = try #require(await #expect(throws: SternaError.self) { try await loops.get("users") })
        #expect(Self.code(many) == 9)
        let bad = try #require(await #expect(throws: SternaError.self) { try await api.get("http://[") })
        #expect(Self.code(bad) == 5)
    }

    @Test("Debugging, media types and progress")
    func debugging() async throws {
        let log = EventObserver(.network) { print($0) }
        let answer = MockTransport { _ in .text("film", mediaType: "text/plain; charset=ISO-8859-1") }
        let (api, _) = try mocked(by: answer) { $0.events.observers = [log] }
        let task = api.dataTask(.get("film"))
        func show(_ fraction: Double) { print(fraction) }
        for await step in task.downloadProgress { show(step.fraction ?? 0) }
        let reply = try await task.value
        #expect(reply.response.mediaType?.charset == "iso-8859-1")
        print(task.curl ?? "")
        #expect(task.curl?.hasPrefix("curl ") == true)
    }

    @Test("Bodies and forms")
    func bodies() async throws {
        let file = try TemporaryPhoto()
        let photo = file.path
        let body = Body.text(String(repeating: "tern ", count: 1_000))
        let packed = try await body.compressed().collected()
        #expect(try #require(packed.length) < 1_000)
        var form = FormBuilder()
        form.format = .urlEncoded
        try form.set(file: photo, for: "portrait", fileName: "b.jpg", mediaType: "image/jpeg")
        let (api, mock) = try mocked()
        try await api.submit(form, to: "people")
        #expect(mock.requests.last?.givenText?.contains("filename=\"b.jpg\"") == true)
        let value = QueryEncoder.percentEncoded("Ada & Co")
        #expect(value == "Ada%20%26%20Co")
    }
}
