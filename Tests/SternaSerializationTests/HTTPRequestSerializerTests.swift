import HTTPTypes
import NIOCore
import SternaCore
import SternaSerialization
import Testing

@testable import SternaTestSupport

private let formType = "application/x-www-form-urlencoded"

@Suite("Form request serializer")
struct HTTPRequestSerializerTests {
    @Test("GET, HEAD and DELETE encode in the URL", arguments: [Request.Method.get, .head, .delete])
    func query(method: Request.Method) throws {
        let carried = try Carried(.form, method, "https://h/a", ["b": 1, "a": ["x": 2]])
        expectEqual(carried, Carried("/a?a%5Bx%5D=2&b=1"))
        #expect(try Carried(.form, method, "https://h/a", nil) == Carried("/a"))
    }

    static let bodied: [Request.Method] = [.post, .put, .patch, .init("PROPFIND")].compactMap { $0 }

    @Test("Every other method encodes in the body", arguments: bodied)
    func body(method: Request.Method) throws {
        let carried = try Carried(.form, method, "https://h/a?q=1", ["b": 1, "a": ["x": 2]])
        expectEqual(carried, Carried("/a?q=1", body: "a%5Bx%5D=2&b=1", type: formType))
    }

    @Test("A POST without parameters has an empty body of the form's type", arguments: [nil, [:]] as [Parameters?])
    func empty(parameters: Parameters?) throws {
        #expect(try Carried(.form, .post, "https://h/a", parameters) == Carried("/a", body: "", type: formType))
    }

    static let joins: [(String, Parameters, String)] = [
        ("https://h/a?x=1", ["y": 2], "/a?x=1&y=2"),
        ("https://h/a?", ["y": 2], "/a?y=2"),
        ("https://h/a#f", ["y": 2], "/a?y=2"),
        ("https://h/a", [:], "/a"),
        ("https://h/a", ["l": [String](), "d": [String: Int]()], "/a"),
        ("https://h/a?x=1", ["l": [String]()], "/a?x=1"),
        ("https://h", ["k": Parameters.null], "/?k"),
    ]

    @Test("A query is begun or continued, never left empty", arguments: joins)
    func join(url: String, parameters: Parameters, target: String) throws {
        try expectEqual(Carried(.form, .get, url, parameters).target, target)
    }

    @Test("The escapes of AFNetworking 4, in the query and in the body")
    func escapes() throws {
        let escaped = "s=%20%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D/?"
        let parameters: Parameters = ["s": " :#[]@!$&'()*+,;=/?"]
        #expect(try Carried(.form, .get, "https://h/", parameters).target == "/?" + escaped)
        #expect(try Carried(.form, .post, "https://h/", parameters).body == escaped)
        let others: Parameters = ["s": "\"<>\\^`{|}%é\u{0}\n\u{7F}~-._"]
        let othersEscaped = "s=%22%3C%3E%5C%5E%60%7B%7C%7D%25%C3%A9%00%0A%7F~-._"
        #expect(try Carried(.form, .get, "https://h/", others).target == "/?" + othersEscaped)
    }

    @Test("The methods whose parameters go into the URL can be chosen")
    func chosen() throws {
        let serializer = HTTPRequestSerializer(queryMethods: [.post])
        #expect(try Carried(serializer, .post, "https://h/", ["a": 1]) == Carried("/?a=1"))
        #expect(try Carried(serializer, .delete, "https://h/", ["a": 1]) == Carried("/", body: "a=1", type: formType))
    }

    @Test("What cannot be written is encodingFailed")
    func failure() throws {
        var deep: Parameters = ["a": 1]
        for _ in 0..<600 { deep = ["a": deep] }
        for method in [Request.Method.get, .post] {
            let error = #expect(throws: SternaError.self) { try Carried(.form, method, "https://h/", deep) }
            expectEqual(error?.kind, .encodingFailed)
            expectEqual(error?.phase, .prepare)
        }
    }
}
