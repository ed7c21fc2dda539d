import Foundation
import Sterna
import SternaTesting
import SternaURLRequest
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The rows of docs/Migrating/URLSession.md about requests of Foundation's.
@Suite("Coming from URLSession: URLRequest", .timeLimit(.minutes(5)))
struct MigratingURLRequestTests {
    @Test("An existing URLRequest")
    func sent() async throws {
        try await TestServer.withServer { server in
            let api = try Session()
            var request = URLRequest(url: try #require(URL(string: server.url("/put"))))
            request.httpMethod = "PUT"
            request.httpBody = Data("Eggs".utf8)
            let reply = try await api.send(request)
            #expect(reply.status == 200)
            #expect(server.requests().map(\.method) == ["PUT"])
            #expect(server.requests().first?.bodySize == 4)
        }
    }
}
