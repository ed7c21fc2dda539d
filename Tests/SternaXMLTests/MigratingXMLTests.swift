import Sterna
import SternaTesting
import SternaXML
import Testing

/// The rows of docs/Migrating/AFNetworking.md about XML.
@Suite("Coming from AFNetworking: XML")
struct MigratingXMLTests {
    @Test("As a tree, and as events")
    func serializers() async throws {
        let mock = MockTransport { _ in .text("<a><b>1</b></a>", mediaType: "application/xml") }
        func session(_ configure: (inout SessionSettings) -> Void) throws -> Session {
            try Session(baseURL: "https://api.example.com") { settings in
                settings.network.transport = mock
                configure(&settings)
            }
        }
        let events = try await session { $0.responseSerializer = .xmlEvents }.get("a").value(by: .xmlEvents)
        #expect(!events.isEmpty)
        let tree = try await session { $0.responseSerializer = .xml }.get("a").value(by: .xml)
        #expect(tree.name == "a")
    }
}
