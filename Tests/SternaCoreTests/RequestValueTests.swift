import HTTPTypes
import NIOCore
import SternaCore
import Testing

@testable import SternaTestSupport

@Suite("Request: a value")
struct RequestValueTests {
    private static func make() throws -> Request {
        Request(.get, try HTTPURL("http://a.example/"), headers: [.accept: "text/plain"], body: .text("one"))
    }

    private struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let apply: @Sendable (inout Request) throws -> Void
        let isThere: @Sendable (Request) -> Bool

        init(
            _ name: String, _ apply: @escaping @Sendable (inout Request) throws -> Void,
            isThere: @escaping @Sendable (Request) -> Bool
        ) {
            (testDescription, self.apply, self.isThere) = (name, apply, isThere)
        }
    }

    private static let changes = [
        Change("method", { $0.method = .put }, isThere: { $0.method == .put }),
        Change(
            "url", { $0.url = try HTTPURL("http://b.example/") }, isThere: { $0.url.hostWithoutBrackets == "b.example" }
        ),
        Change("headers", { $0.headers[.accept] = "text/html" }, isThere: { $0.headers[.accept] == "text/html" }),
        Change("a further field", { $0.headers[.range] = "bytes=0-" }, isThere: { $0.headers.contains(.range) }),
        Change("body", { $0.body = nil }, isThere: { $0.body == nil }),
        Change("a body's type", { $0.body?.mediaType = "a/b" }, isThere: { $0.body?.mediaType == "a/b" }),
        Change("timeouts", { $0.timeouts.total = .seconds(3) }, isThere: { $0.timeouts.total == .seconds(3) }),
        Change("deadline", { $0.deadline = Deadline(.distantFuture) }, isThere: { $0.deadline != nil }),
        Change("delivery", { $0.delivery = .head }, isThere: { $0.delivery == .head }),
        Change("options", { $0.options[Mark.self] = true }, isThere: { $0.options[Mark.self] }),
        Change("progress", { $0.uploadProgress = { _ in } }, isThere: { $0.uploadProgress != nil }),
        Change("priority", { $0.priority = .high }, isThere: { $0.priority == .high }),
    ]

    private enum Mark: RequestOptionKey {
        static var defaultValue: Bool { false }
    }

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
        let original = copy
        try change.apply(&copy)
        let families = [["headers", "a further field"], ["body", "a body's type"]]
        for other in Self.changes where other.testDescription != change.testDescription {
            let isKin = families.contains { $0.contains(other.testDescription) && $0.contains(change.testDescription) }
            if !isKin { expectEqual(other.isThere(copy), other.isThere(original), "\(other.testDescription)") }
        }
    }

    @Test("Copies are changed by several tasks at once")
    func tasks() async throws {
        let original = try Self.make()
        await withTaskGroup { group in
            for number in 0..<64 {
                group.addTask {
                    var copy = original
                    for step in 0..<100 { copy.headers[.accept] = "\(number)/\(step)" }
                    return copy.headers[.accept] == "\(number)/99"
                }
            }
            for await isRight in group { #expect(isRight) }
        }
        expectEqual(original.headers[.accept], "text/plain")
    }
}
