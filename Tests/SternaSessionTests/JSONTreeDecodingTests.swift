import Sterna
import SternaPlatform
import Testing

@testable import SternaTestSupport

/// `tree["data"].decode([Post].self)`.
@Suite("A part of a JSON tree as a value")
struct JSONTreeDecodingTests {
    private struct Post: Decodable, Equatable {
        var id: Int
        var postTitle: String?
    }

    @Test("A member, an element, the whole") func parts() throws {
        let tree = try JSON(parsing: #"{"data":[{"id":1,"postTitle":"a"},{"id":2}],"big":12345678901234567890}"#)
        try expectEqual(tree["data"].decode([Post].self), [Post(id: 1, postTitle: "a"), Post(id: 2)])
        try expectEqual(tree["data"][1].decode(Post.self).id, 2)
        let big: UInt64 = try tree["big"].decode()
        expectEqual(big, 12_345_678_901_234_567_890)
        try expectEqual(tree.decode(JSON.self), tree)
    }

    @Test("By settings") func settings() throws {
        let tree: JSON = ["data": ["id": 1, "post_title": "a"]]
        let post = try tree["data"].decode(Post.self, DecodingSettings(keys: .snakeCase))
        expectEqual(post, Post(id: 1, postTitle: "a"))
    }

    @Test("A missing member fits only an optional type") func missing() throws {
        let tree: JSON = ["data": []]
        try expectNil(tree["none"].decode(Post?.self))
        let error = #expect(throws: SternaError.self) { try tree["none"].decode(Post.self) }
        expectEqual(error?.kind, .decodingFailed)
    }

    @Test("An error names the member's path") func failures() throws {
        let tree = try JSON(parsing: #"{"data":[{"id":1},{"id":"x"}]}"#)
        let error = #expect(throws: SternaError.self) { try tree["data"].decode([Post].self) }
        expectEqual(error?.kind, .decodingFailed)
        expectEqual(error?.detail.contains("[1].id"), true, "\(error.map { "\($0)" } ?? "none")")
    }

    @Test("Nested too deep") func deep() throws {
        let tree = try JSON(parsing: String(repeating: "[", count: 300) + String(repeating: "]", count: 300))
        let error = #expect(throws: SternaError.self) { try tree.decode([Post].self) }
        expectEqual(error?.kind, .decodingFailed)
    }
}
