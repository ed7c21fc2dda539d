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

    @Test("Fields of a reply, in any case") func reply() async throws {
        var answer = ServerResponse.json([:])
        answer.headers = ServerHeaders(fields)
        let (api, _) = try mocked(by: MockTransport { [answer] _ in answer })
        let reply = try await api.get("a")
        expectEqual(reply.headers["X-Rate-Limit"], "9")
        expectEqual(reply.headers["x-rate-limit"], "9")
        expectEqual(reply.response["X-Rate-Limit"], "9")
        let name = "X-Rate" + "-Limit"
        expectEqual(reply.headers[name], "9")
    }

    @Test("Several field lines, no line, and an invalid name") func lines() {
        expectEqual(fields[values: "SET-COOKIE"], ["a=1", "b=2"])
        expectNil(fields["X-None"])
        expectEqual(fields[values: "X-None"], [])
        for text in ["", "a b", ":status", "é", "a\r\nb"] { expectNil(fields[text]) }
    }

    @Test("Fields as they were received") func section() {
        let section = FieldSection(checkedLines: Bytes(string: "X-A: 1\r\nVia: one\r\nvia: two\r\n"))
        expectEqual(section["x-a"], "1")
        expectEqual(section[values: "Via"], ["one", "two"])
        expectNil(section["no name"])
    }

    @Test("Typed names keep their meaning") func typed() throws {
        expectEqual(fields[.via], "x")
        expectEqual(fields[try #require(.init("Via"))], "x")
    }
}
