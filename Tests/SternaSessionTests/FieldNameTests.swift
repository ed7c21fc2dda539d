import HTTPTypes
import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// Header fields looked up by a text.
@Suite("Header fields by name")
struct FieldNameTests {
    private var fields: HTTPFields {
        var fields = HTTPFields()
        for (name, value) in [("X-Rate-Limit", "9"), ("Set-Cookie", "a=1"), ("set-cookie", "b=2"), ("Via", "x")] {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        return fields
    }

    @Test("Of a reply, in any case") func reply() async throws {
        var answer = MockTransport.Answer.json([:])
        answer.headers = fields
        let (api, _) = try mocked(by: MockTransport { [answer] _ in answer })
        let reply = try await api.get("a")
        #expect(reply.headers["X-Rate-Limit"] == "9")
        #expect(reply.headers["x-rate-limit"] == "9")
        #expect(reply.response["X-Rate-Limit"] == "9")
        let name = "X-Rate" + "-Limit"
        #expect(reply.headers[name] == "9")
    }

    @Test("Several lines, none, and what is no name") func lines() {
        #expect(fields[values: "SET-COOKIE"] == ["a=1", "b=2"])
        #expect(fields["X-None"] == nil)
        #expect(fields[values: "X-None"] == [])
        for text in ["", "a b", ":status", "é", "a\r\nb"] { #expect(fields[text] == nil) }
    }

    @Test("Of fields as they came") func section() {
        let section = FieldSection(checkedLines: Bytes(string: "X-A: 1\r\nVia: one\r\nvia: two\r\n"))
        #expect(section["x-a"] == "1")
        #expect(section[values: "Via"] == ["one", "two"])
        #expect(section["no name"] == nil)
    }

    @Test("Typed names keep their meaning") func typed() throws {
        #expect(fields[.via] == "x")
        #expect(fields[try #require(.init("Via"))] == "x")
    }
}
