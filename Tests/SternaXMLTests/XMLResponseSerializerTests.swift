import HTTPTypes
import NIOCore
import Sterna
import SternaPlatform
import SternaTesting
import SternaXML
import Testing

@testable import SternaTestSupport

@Suite("XML: answers")
struct XMLResponseSerializerTests {
    private func api(_ answer: ServerResponse) throws -> Session {
        try Session(baseURL: "https://api.example.com/") { $0.network.transport = MockTransport { _ in answer } }
    }

    @Test("A tree and events of an answer", arguments: ["application/xml", "text/xml; charset=utf-8", "Text/XML"])
    func accepted(type: String) async throws {
        let reply = try await api(.text("<a>é<b/></a>", mediaType: type)).get("x")
        try await expectEqual(reply.value(by: .xml).text, "é")
        try await expectEqual(reply.value(by: .xmlEvents).count, 5)
    }

    @Test("The character set of Content-Type counts")
    func charset() async throws {
        let bytes = Bytes(bytes: Array("<?xml version='1.0' encoding='UTF-8'?><a>".utf8) + [0xE9] + Array("</a>".utf8))
        let reply = try await api(.bytes(bytes, mediaType: "text/xml; charset=ISO-8859-1")).get("x")
        try await expectEqual(reply.value(by: .xml).text, "é")
        try await expectEqual(reply.value(by: .xmlEvents)[1], .text("é"))
    }

    @Test(
        "Types with the suffix are an option",
        arguments: ["application/atom+xml", "image/svg+xml", "application/soap+xml; charset=utf-8"])
    func suffix(type: String) async throws {
        let reply = try await api(.text("<a>t</a>", mediaType: type)).get("x")
        let error = await #expect(throws: SternaError.self) { try await reply.value(by: .xml) }
        expectEqual(error?.kind, .unacceptableMediaType)
        let wide = ResponseValidation(mediaTypes: XMLResponseSerializer.mediaTypesWithSuffix)
        try await expectEqual(reply.value(by: XMLResponseSerializer(validation: wide)).text, "t")
        try await expectEqual(reply.value(by: XMLEventsResponseSerializer(validation: wide)).count, 3)
    }

    @Test("Other types are refused", arguments: ["text/html", "application/json", "application/xmlx", "text/plain"])
    func refused(type: String) async throws {
        let reply = try await api(.text("<a/>", mediaType: type)).get("x")
        let error = await #expect(throws: SternaError.self) { try await reply.value(by: .xmlEvents) }
        expectEqual(error?.kind, .unacceptableMediaType)
    }

    @Test("An error carries the answer, and nothing of it is a value")
    func malformed() async throws {
        let reply = try await api(.text("<a>\n<b></a>", mediaType: "text/xml")).get("x")
        for error in [
            await #expect(throws: SternaError.self) { try await reply.value(by: .xml) },
            await #expect(throws: SternaError.self) { try await reply.value(by: .xmlEvents) },
        ] {
            expectEqual(error?.kind, .decodingFailed)
            expectEqual(error?.phase, .decode)
            expectEqual(error?.status, 200)
            expectEqual(error?.body?.text, "<a>\n<b></a>")
            expectEqual(error?.description.contains("line 2"), true)
            #expect(error?.description.contains("https://api.example.com/x") == true)
        }
    }

    @Test("An empty body is an error")
    func empty() async throws {
        let reply = try await api(ServerResponse(status: 200, headers: ["Content-Type": "text/xml"])).get("x")
        let error = await #expect(throws: SternaError.self) { try await reply.value(by: .xml) }
        expectEqual(error?.kind, .decodingFailed)
        expectEqual(error?.detail.contains("empty"), true)
    }

    @Test("Limits are the serializer's")
    func limits() async throws {
        let reply = try await api(.text("<!DOCTYPE a><a><b/></a>", mediaType: "text/xml")).get("x")
        let lax = XMLResponseSerializer(limits: XMLLimits(allowsDocumentType: true))
        let strict = XMLEventsResponseSerializer(limits: XMLLimits(depth: 1, allowsDocumentType: true))
        #expect(try await reply.value(by: lax)["b"] != nil)
        let error = await #expect(throws: SternaError.self) { try await reply.value(by: strict) }
        expectEqual(error?.kind, .limitExceeded)
    }

    @Test("Serializers are values that can be archived")
    func archived() throws {
        let serializer = XMLResponseSerializer(
            validation: ResponseValidation(mediaTypes: XMLResponseSerializer.mediaTypesWithSuffix),
            limits: XMLLimits(depth: 3, entityBytes: 5, allowsDocumentType: true))
        let data = try JSONEncoder().encode(serializer)
        try expectEqual(JSONDecoder().decode(XMLResponseSerializer.self, from: data), serializer)
        try expectEqual(JSONDecoder().decode(XMLEventsResponseSerializer.self, from: data).limits, serializer.limits)
    }

    @Test("From a server, as the session's own serializer")
    func server() async throws {
        try await TestServer.withServer { server in
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.responseSerializer = XMLResponseSerializer()
            }
            let tree = try await api.get("xml").value(by: .xml)
            expectEqual(tree.attribute("place"), "Spitsbergen")
            expectEqual(tree.elements(named: "bird").map { $0["name"]?.text }, ["Arctic tern", "Sooty tern & others"])
            try expectEqual(XMLElement(parsing: tree.description), tree)
        }
    }
}
