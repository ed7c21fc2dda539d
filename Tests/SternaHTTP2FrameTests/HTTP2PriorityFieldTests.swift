import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Which requests go first is told by the Priority field (RFC 9218 §4), since the signals of RFC 7540 are no more.
@Suite("HTTP/2: the priority of requests", .timeLimit(.minutes(5)))
struct HTTP2PriorityFieldTests {
    /// The urgency that a request says, 0 to 7; 3 where it says none.
    private func urgency(of request: PeerRequest) throws -> Int {
        #expect(request.values("priority").count <= 1)
        guard let field = request["priority"] else { return 3 }
        let members = field.split(separator: ",").map { $0.drop { $0 == " " } }
        let urgency = try #require(members.first { $0.hasPrefix("u=") }, "\(field)")
        let number = try #require(Int(urgency.dropFirst(2)), "\(field)")
        #expect((0...7).contains(number))
        return number
    }

    private func urgency(_ priority: Request.Priority) async throws -> Int {
        let request = try await FrameScene.sent { api, _ in try await api.get("row") { $0.priority = priority } }
        return try urgency(of: request)
    }

    @Test("High is more urgent than normal, and low is less")
    func order() async throws {
        #expect(try await urgency(.high) < 3)
        try await expectEqual(urgency(.normal), 3)
        #expect(try await urgency(.low) > 3)
    }

    @Test("Normal is not worth a field")
    func normal() async throws {
        let request = try await FrameScene.sent { api, _ in try await api.get("row") }
        expectNil(request["priority"])
    }

    @Test("The caller's own field stands alone", arguments: [Request.Priority.low, .normal, .high])
    func own(priority: Request.Priority) async throws {
        let request = try await FrameScene.sent { api, _ in
            try await api.get("row", headers: ["Priority": "u=5, i"]) { $0.priority = priority }
        }
        expectEqual(request.values("priority"), ["u=5, i"])
    }

    @Test("HEADERS carry no priority of the old kind", arguments: [Request.Priority.low, .high])
    func flags(priority: Request.Priority) async throws {
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            try await connection.respond(connection.request().stream)
            try await connection.roundTrip()
            let headers = connection.log.filter { $0.kind == .headers }
            expectEqual(headers.count, 1)
            #expect(headers.allSatisfy { $0.flags & WireFrame.Flag.priority == 0 })
            #expect(!connection.log.contains { $0.kind == .priority })
        } body: { api, _ in
            let reply = try await api.get("row") { $0.priority = priority }
            expectEqual(reply.status, 200)
        }
    }
}
