import Foundation
import HTTPTypes
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("The session's decoding applies to lines, streams and errors")
struct SessionDecodingTests {
    private struct Item: Codable, Equatable, Sendable {
        var itemName: String
        var madeAt: Date
    }

    private static let line = #"{"item_name": "tern", "made_at": "2026-01-02T03:04:05Z"}"#
    private static let item = Item(itemName: "tern", madeAt: Date(timeIntervalSince1970: 1_767_323_045))

    /// JSONDecoder's own style.
    private static let plainLine = #"{"itemName": "tern", "madeAt": 789015845}"#

    private func session(_ status: Int, _ body: String) throws -> Session {
        let response = ServerResponse(
            status: status, headers: ["Content-Type": "application/json"], body: ResponseBody(Bytes(text: body)))
        return try mocked(by: MockTransport { _ in response }) {
            $0.decoding = DecodingSettings(keys: .snakeCase, dates: .iso8601)
        }.api
    }

    @Test("Lines of a response")
    func lines() async throws {
        let items = try await session(200, "\(Self.line)\n\(Self.line)\n").withResponse(to: .get("items")) { response in
            var items: [Item] = []
            for try await item in response.decode(lines: Item.self) { items.append(item) }
            return items
        }
        expectEqual(items, [Self.item, Self.item])
    }

    @Test("Lines of a stream's task, and of its response")
    func stream() async throws {
        var items: [Item] = []
        let task = try session(200, Self.line).streamTask(.get("items"))
        for try await item in task.jsonLines(of: Item.self) { items.append(item) }
        let other = try session(200, Self.line).streamTask(.get("items"))
        for try await item in try await other.value.decode(lines: Item.self) { items.append(item) }
        expectEqual(items, [Self.item, Self.item])
    }

    @Test("The body of an error, also where the session has the error before the program", arguments: [404, 422, 500])
    func error(status: Int) async throws {
        let api = try session(status, Self.line)
        let error = try #require(await #expect(throws: SternaError.self) { try await api.get("items") })
        expectEqual(error.decode(Item.self), Self.item)
        let task = api.dataTask(.get("items"))
        let later = try #require(await #expect(throws: SternaError.self) { _ = try await task.value })
        expectEqual(later.decode(Item.self), Self.item)
    }

    @Test("The error of a value that the reply does not have, and the lines of a reply")
    func reply() async throws {
        let reply = try await session(200, Self.line).get("items")
        let error = try #require(await #expect(throws: SternaError.self) { try await reply.decode(Int.self) })
        expectEqual(error.decode(Item.self), Self.item)
        var items: [Item] = []
        for try await item in reply.response.decode(lines: Item.self) { items.append(item) }
        expectEqual(items, [Self.item])
    }

    @Test("What the program passes wins")
    func own() async throws {
        let api = try session(404, Self.plainLine)
        let error = try #require(await #expect(throws: SternaError.self) { try await api.get("items") })
        expectNil(error.decode(Item.self))
        expectEqual(error.decode(Item.self, DecodingSettings()), Self.item)
        let read = try await session(200, Self.plainLine).withResponse(to: .get("items")) { response in
            var items: [Item] = []
            for try await item in response.decode(lines: Item.self, decoding: DecodingSettings()) { items.append(item) }
            return items
        }
        expectEqual(read, [Self.item])
    }

    @Test("Without a session JSONDecoder's style")
    func none() throws {
        var error = SternaError(.unacceptableStatus, phase: .decode, "No.")
        error.body = Bytes(text: Self.plainLine)
        expectEqual(error.decode(Item.self), Self.item)
    }
}
