import HTTPTypes
import NIOCore
import SternaCore
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Parity: AFNetworking 4")
struct AFNetworking4ParityTests {
    private static let formType = "application/x-www-form-urlencoded"

    /// Parameters, and what AFQueryStringFromParameters makes of them.
    static let queries: [(Parameters, String)] = [
        (["key": "value"], "key=value"),
        (["key": ["key1": ["subkey": "value"]]], "key%5Bkey1%5D%5Bsubkey%5D=value"),
        (
            ["key": "value", "key1": ["b": "2", "a": "1"]],
            "key=value&key1%5Ba%5D=1&key1%5Bb%5D=2"
        ),
        (["key": ["value1", "value2"]], "key%5B%5D=value1&key%5B%5D=value2"),
        (["key": ["b", "c", "a"]], "key%5B%5D=b&key%5B%5D=c&key%5B%5D=a"),
        (["key": ["c", "a", "b"] as Set<String>], "key=a&key=b&key=c"),
        (["key": [["x", "y"] as Set<String>]], "key%5B%5D=x&key%5B%5D=y"),
        (["key": ["inner": ["y", "x"] as Set<String>]], "key%5Binner%5D=x&key%5Binner%5D=y"),
        (["key": [["b", "a"] as [String]] as Set<[String]>], "key%5B%5D=b&key%5B%5D=a"),
        (["key": Parameters.null], "key"),
        (["a": ["b": Parameters.null]], "a%5Bb%5D"),
        (["a": [Parameters.null, Parameters.null]], "a%5B%5D&a%5B%5D"),
        (["a b": Parameters.null], "a%20b"),
        (["key": ""], "key="),
        (["key": [String]()], ""),
        (["key": [String: String](), "other": 1], "other=1"),
        (["a": ["b": [[String: String]()]] as Parameters, "c": [Set<Int>()]], ""),
        (["": "value"], "=value"),
        (["": Parameters.null, "a": 1], "&a=1"),
        (["": ["x": 1]], "%5Bx%5D=1"),
        (["": [1, 2]], "%5B%5D=1&%5B%5D=2"),
        (["a": ["": ["": 1]]], "a%5B%5D%5B%5D=1"),
        (["t": true, "f": false], "f=0&t=1"),
        (["l": [true, false]], "l%5B%5D=1&l%5B%5D=0"),
        (["n": [0, -1, 42] as ParameterValue], "n%5B%5D=0&n%5B%5D=-1&n%5B%5D=42"),
        (["n": [1.0, 0.5, -2.25, 0.1]], "n%5B%5D=1&n%5B%5D=0.5&n%5B%5D=-2.25&n%5B%5D=0.1"),
        (["n": [1e15, 0.0001, 0.00001]], "n%5B%5D=1000000000000000&n%5B%5D=0.0001&n%5B%5D=1e-05"),
        (["n": [-0.0, 3.0e-10]], "n%5B%5D=-0&n%5B%5D=3e-10"),
        (["n": [Float(0.1), Float(16_777_216)]], "n%5B%5D=0.1&n%5B%5D=16777216"),
        (["n": [UInt64.max]], "n%5B%5D=18446744073709551615"),
        (["k": ":#[]@"], "k=%3A%23%5B%5D%40"),
        (["k": "!$&'()*+,;="], "k=%21%24%26%27%28%29%2A%2B%2C%3B%3D"),
        (["k": "?/"], "k=?/"),
        (["?/": "x"], "?/=x"),
        (["k": "-._~"], "k=-._~"),
        (["k": " \"#%<>[]\\^`{}|"], "k=%20%22%23%25%3C%3E%5B%5D%5C%5E%60%7B%7D%7C"),
        (["foo&bar": "baz&qux", "foobar": "bazqux"], "foo%26bar=baz%26qux&foobar=bazqux"),
        (["a[b]": "c"], "a%5Bb%5D=c"),
        (["+foo+": "+bar+"], "%2Bfoo%2B=%2Bbar%2B"),
        (["percent%25": "%25"], "percent%2525=%2525"),
        (["k": "👴🏿👷🏻👮🏽"], "k=%F0%9F%91%B4%F0%9F%8F%BF%F0%9F%91%B7%F0%9F%8F%BB%F0%9F%91%AE%F0%9F%8F%BD"),
        (
            ["k": String(repeating: "👮🏽", count: 30)],
            "k=" + String(repeating: "%F0%9F%91%AE%F0%9F%8F%BD", count: 30)
        ),
        (["ключ": "значение"], "%D0%BA%D0%BB%D1%8E%D1%87=%D0%B7%D0%BD%D0%B0%D1%87%D0%B5%D0%BD%D0%B8%D0%B5"),
        (["k": "\u{FEFF}\u{200D}\u{10FFFF}"], "k=%EF%BB%BF%E2%80%8D%F4%8F%BF%BF"),
        (
            ["list": [["b": 1, "a": 2], ["d": 3, "c": 4]]],
            "list%5B%5D%5Ba%5D=2&list%5B%5D%5Bb%5D=1&list%5B%5D%5Bc%5D=4&list%5B%5D%5Bd%5D=3"
        ),
        (["z": 1, "Z": 2, "a": 3, "A": 4, "1": 5, "_": 6], "1=5&A=4&Z=2&_=6&a=3&z=1"),
        (["a10": 1, "a2": 2, "a": 3, "ab": 4], "a=3&a10=1&a2=2&ab=4"),
    ]

    @Test("The query and the form have AFNetworking's text", arguments: queries.indices)
    func text(index: Int) throws {
        let (parameters, expected) = Self.queries[index]
        try expectEqual(QueryEncoder.afnetworking4.encode(parameters), expected)
        let serializer = HTTPRequestSerializer(style: .afnetworking4)
        let target = expected.isEmpty ? "/" : "/?\(expected)"
        #expect(try Carried(serializer, .get, "https://h/", parameters) == Carried(target))
        #expect(
            try Carried(serializer, .post, "https://h/", parameters)
                == Carried("/", body: expected, type: Self.formType))
    }

    @Test("AFNetworking 4's encoding is the default")
    func isDefault() throws {
        let (parameters, expected) = try #require(Self.queries.last)
        try expectEqual(QueryEncoder().encode(parameters), expected)
        #expect(try Carried(HTTPRequestSerializer(), .get, "https://h/", parameters).target == "/?\(expected)")
        #expect(try Carried(JSONRequestSerializer(), .get, "https://h/", parameters).target == "/?\(expected)")
    }

    static let methods: [Request.Method] =
        [.get, .head, .delete, .post, .put, .patch, .options]
        + ["PROPFIND", "REPORT", "X-OWN"].compactMap { .init($0) }
    static let inURL: [Request.Method] = [.get, .head, .delete]

    @Test("Parameters go by the method", arguments: methods)
    func byMethod(method: Request.Method) throws {
        let parameters: Parameters = ["a": [1, 2]]
        let query = Carried("/p?q=0&a%5B%5D=1&a%5B%5D=2")
        let form = Carried("/p?q=0", body: "a%5B%5D=1&a%5B%5D=2", type: Self.formType)
        let json = Carried("/p?q=0", body: "{\"a\":[1,2]}", type: "application/json")
        let isInURL = Self.inURL.contains(method)
        #expect(try Carried(.form, method, "https://h/p?q=0", parameters) == (isInURL ? query : form))
        #expect(try Carried(.json, method, "https://h/p?q=0", parameters) == (isInURL ? query : json))
    }

    static let emptyBodied: [Request.Method] = [.post, .put, .patch] + ["PROPFIND", "X-OWN"].compactMap { .init($0) }

    @Test("Outside the set nil parameters make an empty form, and no JSON", arguments: emptyBodied)
    func nothing(method: Request.Method) throws {
        #expect(
            try Carried(.form, method, "https://h/p", nil) == Carried("/p", body: "", type: Self.formType))
        #expect(try Carried(.form, method, "https://h/p", [:]) == Carried("/p", body: "", type: Self.formType))
        #expect(try Carried(.json, method, "https://h/p", nil) == Carried("/p"))
        #expect(
            try Carried(.json, method, "https://h/p", [:]) == Carried("/p", body: "{}", type: "application/json"))
    }

    @Test("Nil or empty parameters of query methods change nothing", arguments: inURL, [nil, [:]] as [Parameters?])
    func nothingInURL(method: Request.Method, parameters: Parameters?) throws {
        for target in ["/", "/?a=1", "/p"] {
            #expect(try Carried(.form, method, "https://h\(target)", parameters) == Carried(target))
            #expect(try Carried(.json, method, "https://h\(target)", parameters) == Carried(target))
        }
    }

    static let chosen: [(Set<Request.Method>, Request.Method, Bool)] = [
        ([.get, .head], .delete, false), ([.get, .head], .get, true), ([], .get, false), ([], .head, false),
        ([.post], .post, true), ([.post], .get, false), ([.put, .patch], .patch, true),
    ]

    @Test("The set of query methods can be changed", arguments: chosen.indices)
    func otherMethods(index: Int) throws {
        let (methods, method, isInURL) = Self.chosen[index]
        var form = HTTPRequestSerializer(style: .afnetworking4)
        form.queryMethods = methods
        var json = JSONRequestSerializer()
        json.queryMethods = methods
        let query = Carried("/?a=1")
        #expect(
            try Carried(form, method, "https://h/", ["a": 1])
                == (isInURL ? query : Carried("/", body: "a=1", type: Self.formType)))
        #expect(
            try Carried(json, method, "https://h/", ["a": 1])
                == (isInURL ? query : Carried("/", body: "{\"a\":1}", type: "application/json")))
    }

    static let json: [(Parameters, String)] = [
        (["key": "value"], #"{"key":"value"}"#),
        (["z": Parameters.null, "l": [Parameters.null]], #"{"z":null,"l":[null]}"#),
        (["t": true, "n": 1, "d": 1.5, "w": 2.0], #"{"t":true,"n":1,"d":1.5,"w":2}"#),
        (["e": [String](), "o": [String: String]()], #"{"e":[],"o":{}}"#),
        (["": ["": 1]], #"{"":{"":1}}"#),
        (["s": ["b", "a"] as Set<String>], #"{"s":["a","b"]}"#),
        (["k": "é\u{0}\n\t\"\\\u{7F}😀"], "{\"k\":\"é\\u0000\\n\\t\\\"\\\\\u{7F}😀\"}"),
        (["u": UInt64.max, "i": Int64.min], #"{"u":18446744073709551615,"i":-9223372036854775808}"#),
    ]

    @Test("JSON bodies", arguments: json.indices)
    func jsonBody(index: Int) throws {
        let (parameters, expected) = Self.json[index]
        let carried = try Carried(.json, .post, "https://h/", parameters)
        expectEqual(carried, Carried("/", body: expected, type: "application/json"))
    }

    @Test("JSON pretty, sorted and with escaped slashes")
    func jsonOptions() throws {
        let parameters: Parameters = ["b": "a/b", "a": [1, 2]]
        func body(_ options: JSON.WritingOptions) throws -> String? {
            try Carried(JSONRequestSerializer(options: options), .put, "https://h/", parameters).body
        }
        try expectEqual(body([]), #"{"b":"a/b","a":[1,2]}"#)
        try expectEqual(body(.sortedKeys), #"{"a":[1,2],"b":"a/b"}"#)
        try expectEqual(body([.sortedKeys, .escapesSlashes]), #"{"a":[1,2],"b":"a\/b"}"#)
        let tree = try JSON(parsing: Array(try #require(try body([.pretty, .sortedKeys])).utf8))
        try expectEqual(tree.serializedString(), #"{"a":[1,2],"b":"a/b"}"#)
        try expectEqual(body(.pretty)?.contains("\n"), true)
    }
}
