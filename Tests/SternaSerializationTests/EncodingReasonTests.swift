import HTTPTypes
import NIOCore
import SternaCore
import SternaPropertyList
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Errors of coders show places and no values")
struct EncodingReasonTests {
    private struct Refusing: Encodable {
        var depth = 0

        func encode(to encoder: any Encoder) throws {
            guard depth > 0 else {
                throw EncodingError.invalidValue(
                    ["password": "s3cret"],
                    .init(codingPath: encoder.codingPath, debugDescription: "It cannot be written."))
            }
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(Refusing(depth: depth - 1), forKey: .inner)
        }

        enum Key: CodingKey { case inner }
    }

    @Test("A value that cannot be encoded is not in the error", arguments: [0, 1, 2])
    func values(depth: Int) throws {
        let json = #expect(throws: SternaError.self) { try Body.json(Refusing(depth: depth)) }
        let list = #expect(throws: SternaError.self) { try Body.propertyList(Refusing(depth: depth)) }
        for error in [json, list] {
            let error = try #require(error)
            var dumped = ""
            dump(error, to: &dumped)
            #expect(!(error.description + error.detail + dumped).contains("s3cret"))
            expectEqual(error.kind, .encodingFailed)
        }
        // Foundation says nothing of the cause where a property list fails.
        expectEqual(json?.detail.contains("It cannot be written."), true)
        #expect(depth == 0 || json?.detail.contains("at inner") == true)
    }

    private final class Node: Decodable, Sendable {
        let inner: [String: Node]

        init(from decoder: any Decoder) throws {
            inner = try decoder.singleValueContainer().decode([String: Node].self)
        }
    }

    @Test("The path of a deep value has an end")
    func path() throws {
        let name = String(repeating: "n", count: 70)
        let depth = 60
        let text =
            String(repeating: #"{"\#(name)":"#, count: depth) + "1" + String(repeating: "}", count: depth)
        let response = Response(
            status: .ok, section: FieldSection([.contentType: "application/json"]),
            url: try HTTPURL("https://example.com/"))
        let error = #expect(throws: SternaError.self) {
            try DecodableResponseSerializer<Node>().serialize(response, body: Bytes(text: text))
        }
        expectEqual(error?.kind, .decodingFailed)
        expectEqual(error?.detail.contains("\(name).\(name)"), true)
        #expect((error?.detail.count ?? .max) < 500)
    }
}
