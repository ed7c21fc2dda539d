import HTTPTypes
import SternaCore
import SternaPlatform
import SternaPropertyList
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Request serializers: styles and what the caller sets")
struct SerializerStyleTests {
    private static let parameters: Parameters = ["t": true, "é": [1, 2], "n": Parameters.null]

    private static func form(_ change: (inout HTTPRequestSerializer) -> Void) throws -> Carried {
        var serializer = HTTPRequestSerializer()
        change(&serializer)
        return try Carried(serializer, .post, "https://h/", parameters)
    }

    @Test("Options and the character set hold, whether they are set before the style or after it")
    func order() throws {
        let styles: [RequestStyle] = [.afnetworking2, .whatwgForm, .alamofire]
        for style in styles {
            let before = try Self.form {
                $0.stringEncoding = .latin1
                $0.encoder.booleans = .literal
                $0.encoder.arrays = .indices
                $0.style = style
            }
            let after = try Self.form {
                $0.style = style
                $0.stringEncoding = .latin1
                $0.encoder.booleans = .literal
                $0.encoder.arrays = .indices
            }
            expectEqual(before, after)
            expectEqual(before.body?.contains("t=true"), true)
            expectEqual(before.body?.contains("%E9"), true)
        }
    }

    @Test("Settings that the caller has not set are the last style's")
    func replaced() throws {
        let carried = try Self.form {
            $0.style = .whatwgForm
            $0.encoder.booleans = .literal
            $0.style = .alamofire
        }
        expectEqual(carried.body, "t=true&%C3%A9%5B%5D=1&%C3%A9%5B%5D=2")
        expectEqual(carried.type, "application/x-www-form-urlencoded; charset=utf-8")
        let own = RequestStyle(query: QueryEncoder(booleans: .literal, nulls: .literal))
        let switched = try Self.form {
            $0.style = own
            $0.style = .afnetworking4
        }
        expectEqual(switched.body, "n&t=1&%C3%A9%5B%5D=1&%C3%A9%5B%5D=2")
    }

    @Test("An encoder that is set as a whole holds as a whole")
    func whole() throws {
        let encoder = QueryEncoder(booleans: .literal, nulls: .omitted)
        let expected = "t=true&%C3%A9%5B%5D=1&%C3%A9%5B%5D=2"
        try expectEqual(
            Self.form {
                $0.encoder = encoder
                $0.style = .whatwgForm
            }.body, expected)
        var given = HTTPRequestSerializer(encoder: encoder)
        given.style = .whatwgForm
        #expect(try Carried(given, .post, "https://h/", Self.parameters).body == expected)
    }

    @Test("Only a style clears a query encoding; an option or a character set does not")
    func queryEncoding() throws {
        var serializer = HTTPRequestSerializer()
        serializer.queryEncoding = { _, _ in "own" }
        serializer.stringEncoding = .latin1
        serializer.encoder.booleans = .literal
        serializer.encoder = QueryEncoder()
        #expect(try Carried(serializer, .get, "https://h/", ["a": 1]).target == "/?own")
        serializer.style = .whatwgForm
        expectNil(serializer.queryEncoding)
    }

    @Test("An archive records which settings the caller has set")
    func archive() throws {
        var serializer = HTTPRequestSerializer()
        serializer.encoder.booleans = .literal
        var copy = try JSONDecoder().decode(HTTPRequestSerializer.self, from: JSONEncoder().encode(serializer))
        copy.style = .whatwgForm
        #expect(try Carried(copy, .get, "https://h/", ["t": true]).target == "/?t=true")
        let old = #"{"query":{},"namesCharset":true,"sendsEmptyForm":false}"#
        let style = try JSONDecoder().decode(RequestStyle.self, from: Data(old.utf8))
        #expect(style.namesCharset && !style.namesCharsetInForms && !style.sendsEmptyForm)
    }

    @Test("JSON and property lists are made of a style, too")
    func others() throws {
        let json = JSONRequestSerializer(style: .afnetworking2, options: .sortedKeys)
        #expect(try Carried(json, .get, "https://h/", ["a": ["b": 1]]).target == "/?a[b]=1")
        let sent = try Carried(json, .post, "https://h/", ["b": 1, "a": 2])
        expectEqual(sent, Carried("/", body: #"{"a":2,"b":1}"#, type: "application/json; charset=utf-8"))
        let list = PropertyListRequestSerializer(style: .afnetworking2)
        #expect(try Carried(list, .delete, "https://h/", ["a": ["b": 1]]).target == "/?a[b]=1")
        let body = try Carried(list, .post, "https://h/", ["a": 1])
        expectEqual(body.type, "application/x-plist; charset=utf-8")
        expectEqual(body.body?.hasPrefix("<?xml"), true)
        let binary = PropertyListRequestSerializer(style: .alamofire, format: .binary)
        expectEqual(binary.format, .binary)
        #expect(try Carried(binary, .post, "https://h/", ["a": 1]).type == "application/x-plist")
    }

    @Test("A standard method in another case puts its parameters where it belongs")
    func methods() throws {
        let method = try #require(Request.Method("get"))
        #expect(try Carried(HTTPRequestSerializer(), method, "https://h/", ["a": 1]) == Carried("/?a=1"))
        let serializer = HTTPRequestSerializer(queryMethods: [try #require(Request.Method("put"))])
        #expect(try Carried(serializer, .put, "https://h/", ["a": 1]) == Carried("/?a=1"))
        #expect(try Carried(serializer, .get, "https://h/", ["a": 1]).body == "a=1")
    }
}
