import HTTPTypes
import SternaCore
import SternaPlatform
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Parity: Alamofire 5")
struct AlamofireParityTests {
    /// Parameters, and what URLEncodedFormEncoder makes of them by default.
    static let queries: [(Parameters, String)] = [
        (["a": 1.0], "a=1.0"), (["a": 1.5], "a=1.5"), (["a": 1], "a=1"), (["a": -0.0], "a=-0.0"),
        (["a": [1.0, 2.5]], "a%5B%5D=1.0&a%5B%5D=2.5"), (["a": Float(3)], "a=3.0"), (["a": 1e20], "a=1e%2B20"),
        (["a": Decimal(3)], "a=3"), (["t": true, "f": false], "f=0&t=1"),
        (["d": Date(timeIntervalSinceReferenceDate: 123)], "d=123.0"),
        (["d": Date(timeIntervalSinceReferenceDate: 123.456)], "d=123.456"),
        (["d": Data("data".utf8)], "d=ZGF0YQ%3D%3D"), (["n": Parameters.null, "a": 1], "a=1"),
        (["s": ["b", "a"] as Set<String>], "s%5B%5D=a&s%5B%5D=b"),
        (["o": ["i": ["x": 1]]], "o%5Bi%5D%5Bx%5D=1"),
        (
            ["b": "x y", "a": "?/:#[]@!$&'()*+,;="],
            {
                "a=?/%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D&b=x%20y"
            }()
        ),
    ]

    @Test("The preset", arguments: queries)
    func query(parameters: Parameters, expected: String) throws {
        try expectEqual(QueryEncoder.alamofire.encode(parameters), expected)
        let serializer = HTTPRequestSerializer(style: .alamofire)
        #expect(try Carried(serializer, .get, "https://h/", parameters).target == "/?\(expected)")
        let type = "application/x-www-form-urlencoded; charset=utf-8"
        #expect(try Carried(serializer, .post, "https://h/", parameters) == Carried("/", body: expected, type: type))
    }

    @Test("No parameters are no body, and JSON names no character set")
    func requests() throws {
        #expect(try Carried(HTTPRequestSerializer(style: .alamofire), .post, "https://h/", nil) == Carried("/"))
        let json = JSONRequestSerializer(style: .alamofire)
        #expect(try Carried(json, .post, "https://h/", ["a": 1]).type == "application/json")
    }

    static let options: [(QueryEncoder, Parameters, String)] = [
        (QueryEncoder(data: .numbers), ["d": Data([1, 0, 255])], "d[]=1&d[]=0&d[]=255"),
        (QueryEncoder(arrays: .indices, data: .numbers), ["d": Data([7])], "d[0]=7"),
        (QueryEncoder(data: .numbers), ["d": Data()], ""),
        (QueryEncoder(data: .numbers), ["d": [Data([1]), Data([2])]], "d[][]=1&d[][]=2"),
        (QueryEncoder(data: .numbers), ["d": [Data([1])] as Set<Data>], "d[]=1"),
        (QueryEncoder(keys: .capitalized), ["outerKey": ["innerKey": 1]], "OuterKey[InnerKey]=1"),
        (QueryEncoder(keys: .capitalizedFirst), ["outerKey": ["innerKey": 1]], "OuterKey[innerKey]=1"),
        (
            QueryEncoder(keys: .capitalizedFirst), ["outer": [["inner": ["deep": 1]]], "two": 2],
            "Outer[][inner][deep]=1&Two=2"
        ),
        (QueryEncoder(dates: .seconds, numbers: .fraction), ["d": Date(timeIntervalSince1970: 5)], "d=5.0"),
        (QueryEncoder(dates: .seconds, numbers: .fraction), ["d": Date(timeIntervalSince1970: 5.25)], "d=5.25"),
        (QueryEncoder(dates: .milliseconds, numbers: .fraction), ["d": Date(timeIntervalSince1970: 5)], "d=5000.0"),
        (QueryEncoder(dates: .deferred), ["d": Date(timeIntervalSinceReferenceDate: 5)], "d=5"),
        (QueryEncoder(numbers: .fraction), ["a": 2.0, "b": 2], "a=2.0&b=2"),
        (QueryEncoder(sets: .array), ["s": [3, 1] as Set<Int>], "s[]=1&s[]=3"),
    ]

    @Test("Options", arguments: options)
    func option(encoder: QueryEncoder, parameters: Parameters, expected: String) throws {
        try expectEqual(encoder.fields(parameters).map(\.text).joined(separator: "&"), expected)
        let archived = try JSONDecoder().decode(QueryEncoder.self, from: JSONEncoder().encode(encoder))
        try expectEqual(archived.fields(parameters).map(\.text).joined(separator: "&"), expected)
    }

    @Test("In a form of several parts, data stays data")
    func parts() async throws {
        var form = MultipartForm(boundary: "B", encoder: QueryEncoder(data: .numbers))
        form.append(["d": Data([0x61])])
        let bytes = try await MultipartFormTests.bytes(#require(try form.body()))
        #expect(String(decoding: bytes, as: UTF8.self).contains("name=\"d\"\r\n\r\na\r\n"))
    }

    @Test("JSON writes numbers as 1.0 where it is set to")
    func json() throws {
        let parameters: Parameters = ["a": 1.0, "b": 1, "c": [2.5, 3.0], "d": 1e300]
        let tree = try JSON(parameters)
        try expectEqual(tree.serializedString(.fractions), #"{"a":1.0,"b":1,"c":[2.5,3.0],"d":1e+300}"#)
        try expectEqual(tree.serializedString(), #"{"a":1,"b":1,"c":[2.5,3],"d":1e+300}"#)
        let serializer = JSONRequestSerializer(options: .fractions)
        #expect(try Carried(serializer, .post, "https://h/", ["a": 1.0]).body == #"{"a":1.0}"#)
        try expectEqual(JSON(parsing: "1.0").serializedString(.fractions), "1.0")
    }
}
