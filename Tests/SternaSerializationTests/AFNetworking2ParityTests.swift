import HTTPTypes
import NIOCore
import SternaCore
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Parity: AFNetworking 2")
struct AFNetworking2ParityTests {
    private static let formType = "application/x-www-form-urlencoded; charset=utf-8"
    private static let form = HTTPRequestSerializer(style: .afnetworking2)
    private static let json: JSONRequestSerializer = {
        var serializer = JSONRequestSerializer()
        serializer.style = .afnetworking2
        return serializer
    }()

    /// Parameters, and what AFNetworking 2 made of them.
    static let queries: [(Parameters, String)] = [
        (["key": "value"], "key=value"),
        (["key": ["key1": ["subkey": "value"]]], "key[key1][subkey]=value"),
        (["key": ["a", "b"]], "key[]=a&key[]=b"),
        (["key": ["b", "a"] as Set<String>], "key=a&key=b"),
        (["list": [["b": 1, "a": 2], ["c": 3]]], "list[][a]=2&list[][b]=1&list[][c]=3"),
        (["key": Parameters.null, "a": ["b": Parameters.null]], "a[b]&key"),
        (["a.b": 1, "a": ["c.d": 2]], "a[c.d]=2&a.b=1"),
        (["a[b]": "c"], "a[b]=c"),
        (["k": "[]."], "k=%5B%5D."),
        (["k": "/?"], "k=%2F%3F"),
        (["/?": "v"], "%2F%3F=v"),
        (["a": ["/?": Parameters.null]], "a[%2F%3F]"),
        (["k": ":/?&=;+!@#$()',*"], "k=%3A%2F%3F%26%3D%3B%2B%21%40%23%24%28%29%27%2C%2A"),
        ([":/?&=;+!@#$()',*": "v"], "%3A%2F%3F%26%3D%3B%2B%21%40%23%24%28%29%27%2C%2A=v"),
        (["k": "-._~"], "k=-._~"),
        (["-._~": 1], "-._~=1"),
        (["a b": "c d"], "a%20b=c%20d"),
        (["k": "\"%<>\\^`{|}"], "k=%22%25%3C%3E%5C%5E%60%7B%7C%7D"),
        (["\"%<>\\^`{|}": "k"], "%22%25%3C%3E%5C%5E%60%7B%7C%7D=k"),
        (["é": "😀"], "%C3%A9=%F0%9F%98%80"),
        (["t": true, "n": 1.0], "n=1&t=1"),
        (["": ["x": 1]], "[x]=1"),
        (["e": "", "l": [Int]()], "e="),
    ]

    @Test("The query and the form have AFNetworking's text", arguments: queries.indices)
    func text(index: Int) throws {
        let (parameters, expected) = Self.queries[index]
        try expectEqual(QueryEncoder.afnetworking2.encode(parameters), expected)
        #expect(try Carried(Self.form, .get, "https://h/", parameters) == Carried("/?\(expected)"))
        #expect(try Carried(Self.json, .delete, "https://h/", parameters) == Carried("/?\(expected)"))
        #expect(
            try Carried(Self.form, .post, "https://h/", parameters)
                == Carried("/", body: expected, type: Self.formType))
    }

    @Test("Parameters go by the method, with the character set", arguments: AFNetworking4ParityTests.methods)
    func byMethod(method: Request.Method) throws {
        let isInURL = AFNetworking4ParityTests.inURL.contains(method)
        let query = Carried("/?a[]=1")
        #expect(
            try Carried(Self.form, method, "https://h/", ["a": [1]])
                == (isInURL ? query : Carried("/", body: "a[]=1", type: Self.formType)))
        #expect(
            try Carried(Self.json, method, "https://h/", ["a": [1]])
                == (isInURL
                    ? query : Carried("/", body: "{\"a\":[1]}", type: "application/json; charset=utf-8")))
    }

    @Test("Nil parameters make neither body nor type", arguments: AFNetworking4ParityTests.methods)
    func nothing(method: Request.Method) throws {
        #expect(try Carried(Self.form, method, "https://h/?x", nil) == Carried("/?x"))
        #expect(try Carried(Self.json, method, "https://h/?x", nil) == Carried("/?x"))
    }

    @Test("Empty parameters are parameters: an empty form", arguments: AFNetworking4ParityTests.emptyBodied)
    func empty(method: Request.Method) throws {
        #expect(try Carried(Self.form, method, "https://h/", [:]) == Carried("/", body: "", type: Self.formType))
        #expect(
            try Carried(Self.json, method, "https://h/", [:])
                == Carried("/", body: "{}", type: "application/json; charset=utf-8"))
    }

    @Test("The styles differ in what they say they do")
    func differences() throws {
        let parameters: Parameters = ["a": ["b": "/?"]]
        var serializer = HTTPRequestSerializer(style: .afnetworking2)
        #expect(try Carried(serializer, .get, "https://h/", parameters).target == "/?a[b]=%2F%3F")
        serializer.style = .afnetworking4
        #expect(try Carried(serializer, .get, "https://h/", parameters).target == "/?a%5Bb%5D=/?")
        #expect(try Carried(serializer, .post, "https://h/", nil).body == "")
        serializer.style = .whatwgForm
        #expect(try Carried(serializer, .get, "https://h/", parameters).target == "/?a%5Bb%5D=%2F%3F")
    }
}
