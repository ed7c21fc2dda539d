import HTTPTypes
import NIOCore
import SternaCore
import SternaPlatform
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("JSON request serializer")
struct JSONRequestSerializerTests {
    @Test("GET, HEAD and DELETE encode in the URL", arguments: [Request.Method.get, .head, .delete])
    func query(method: Request.Method) throws {
        #expect(try Carried(.json, method, "https://h/a", ["b": 1, "a": [2]]) == Carried("/a?a%5B%5D=2&b=1"))
    }

    @Test("Every other method sends an object", arguments: HTTPRequestSerializerTests.bodied)
    func body(method: Request.Method) throws {
        let parameters: Parameters = [
            "s": "é\"\n", "n": 1.5, "t": true, "z": Parameters.null, "l": [1, 2], "d": ["k": "v"],
        ]
        let carried = try Carried(.json, method, "https://h/a", parameters)
        expectEqual(carried.target, "/a")
        expectEqual(carried.type, "application/json")
        let tree = try JSON(parsing: Array(try #require(carried.body).utf8))
        expectEqual(tree["s"].string, "é\"\n")
        expectEqual(tree["n"].double, 1.5)
        expectEqual(tree["t"].bool, true)
        expectEqual(tree["z"], .null)
        expectEqual(tree["l"][1].int, 2)
        expectEqual(tree["d"]["k"].string, "v")
    }

    @Test("Without parameters there is no body, with empty ones an empty object")
    func empty() throws {
        #expect(try Carried(.json, .post, "https://h/a", nil) == Carried("/a"))
        #expect(try Carried(.json, .post, "https://h/a", [:]) == Carried("/a", body: "{}", type: "application/json"))
    }

    @Test("Data is written as the encoder's option says, in the body as in the query")
    func data() throws {
        let parameters: Parameters = ["a": Data([1, 255])]
        var serializer = JSONRequestSerializer()
        let base64 = Carried("/", body: #"{"a":"Af8="}"#, type: "application/json")
        #expect(try Carried(serializer, .post, "https://h/", parameters) == base64)
        serializer.encoder.data = .numbers
        serializer.style = .alamofire
        let numbers = Carried("/", body: #"{"a":[1,255]}"#, type: "application/json")
        #expect(try Carried(serializer, .post, "https://h/", parameters) == numbers)
        #expect(try Carried(serializer, .get, "https://h/", parameters) == Carried("/?a%5B%5D=1&a%5B%5D=255"))
    }

    @Test("A number that JSON has no form for is encodingFailed", arguments: [Double.nan, .infinity])
    func failure(number: Double) {
        let error = #expect(throws: SternaError.self) { try Carried(.json, .post, "https://h/", ["a": number]) }
        expectEqual(error?.kind, .encodingFailed)
    }

    @Test("Scalars at the top are a body as any other (RFC 8259)")
    func fragments() throws {
        for (value, text) in [
            ("a/b", #""a/b""#), (1.5, "1.5"), (true, "true"), (nil, "null"), ([], "[]"),
        ] as [(JSON, String)] {
            let body = try Body.json(value)
            guard case .bytes(let bytes)? = body.segments.first else { continue }
            expectEqual(bytes.text, text)
        }
        guard case .bytes(let bytes)? = try Body.json("a/b", options: .escapesSlashes).segments.first else { return }
        expectEqual(bytes.text, #""a\/b""#)
    }
}
