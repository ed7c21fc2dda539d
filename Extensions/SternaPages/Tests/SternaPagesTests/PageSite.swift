import Foundation
import Sterna
import SternaPages
import SternaTesting

/// A site of a test: contents by path, on a server of its own.
struct PageSite: Sendable {
    let server: TestServer

    /// Starts a server, and passes it to the closure.
    static func run(_ contents: [String: Content], _ body: (PageSite) async throws -> Void) async throws {
        try await TestServer.withServer { server in
            let site = PageSite(server: server)
            for (path, content) in contents { site.add(path, content) }
            try await body(site)
        }
    }

    /// What a path has.
    struct Content: Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
        var type: String?
        var bytes: [UInt8]

        init(_ type: String?, _ bytes: [UInt8]) {
            self.type = type
            self.bytes = bytes
        }

        /// A document of HTML.
        init(stringLiteral text: String) { self.init("text/html", Array(text.utf8)) }

        static func css(_ text: String) -> Content { Content("text/css", Array(text.utf8)) }

        static func js(_ text: String) -> Content { Content("text/javascript", Array(text.utf8)) }

        static let png = Content("image/png", [0x89, 0x50, 0x4E, 0x47])
    }

    func add(_ path: String, _ content: Content) {
        server.route("GET", path) { _ in
            ServerResponse(
                status: 200, headers: content.type.map { ["Content-Type": $0] } ?? [:], body: .bytes(content.bytes))
        }
    }

    func load(_ path: String = "/", _ configure: (inout PageOptions) -> Void = { _ in }) async throws -> WebPage {
        var options = PageOptions()
        configure(&options)
        return try await Session(baseURL: server.url).page(path, options: options)
    }

    /// The targets that were requested, in order.
    var targets: [String] { server.requests().map(\.target) }
}

/// A folder of the test's own, removed with this object.
final class PageFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "sterna-pages-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func path(_ name: String) -> String { "\(path)/\(name)" }

    /// All files below it, hidden ones included.
    var files: [String] { (FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []).sorted() }

    func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: path(name)).map { String(decoding: $0, as: UTF8.self) }
    }
}
