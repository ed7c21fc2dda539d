import HTTPTypes
import NIOCore
import SternaCore
import Testing

@Suite("Response: a value")
struct ResponseValueTests {
    private static func make() throws -> Response {
        Response(
            status: .ok, section: FieldSection([.contentType: "text/plain"]), body: ResponseBody(Bytes(string: "one")),
            url: try HTTPURL("http://a.example/"))
    }

    private struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let apply: @Sendable (inout Response) throws -> Void
        let isThere: @Sendable (Response) -> Bool

        init(
            _ name: String, _ apply: @escaping @Sendable (inout Response) throws -> Void,
            isThere: @escaping @Sendable (Response) -> Bool
        ) {
            (testDescription, self.apply, self.isThere) = (name, apply, isThere)
        }
    }

    private static let changes = [
        Change("status", { $0.status = .init(code: 418) }, isThere: { $0.status.code == 418 }),
        Change("version", { $0.version = .http2 }, isThere: { $0.version == .http2 }),
        Change("fields", { $0.headers[.contentType] = nil }, isThere: { $0[.contentType] == nil }),
        Change("body", { $0.body = ResponseBody() }, isThere: { $0.body.whole?.readableBytes == 0 }),
        Change(
            "url", { $0.url = try HTTPURL("http://b.example/") }, isThere: { $0.url.hostWithoutBrackets == "b.example" }
        ),
        Change(
            "redirects", { $0.redirects.append(RedirectStep(url: $0.url, status: 302)) },
            isThere: { $0.redirects.count == 1 }),
    ]

    @Test("A change of a copy does not change the original, nor the other way round", arguments: changes)
    private func copies(change: Change) throws {
        let original = try Self.make()
        var copy = original
        try change.apply(&copy)
        #expect(change.isThere(copy))
        #expect(!change.isThere(original))

        var changed = original
        let kept = changed
        try change.apply(&changed)
        #expect(change.isThere(changed))
        #expect(!change.isThere(kept))
    }

    @Test("A change of one property changes no other property", arguments: changes)
    private func others(change: Change) throws {
        var copy = try Self.make()
        try change.apply(&copy)
        for other in Self.changes where other.testDescription != change.testDescription {
            #expect(!other.isThere(copy), "\(other.testDescription)")
        }
    }
}
