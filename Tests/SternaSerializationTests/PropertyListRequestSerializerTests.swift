import HTTPTypes
import NIOCore
import SternaCore
import SternaPlatform
import SternaPropertyList
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Property list request serializer")
struct PropertyListRequestSerializerTests {
    private static let parameters: Parameters = [
        "s": "é\"<\n", "i": -7, "u": UInt64.max, "d": 1.5, "t": true, "data": Data([1, 2]),
        "when": Date(timeIntervalSince1970: 1_577_934_245), "l": [1, 2], "m": ["k": "v"], "set": [2, 1] as Set<Int>,
    ]
    private static let tree: PropertyList = [
        "s": "é\"<\n", "i": -7, "u": .unsigned(.max), "d": 1.5, "t": true, "data": .data(Data([1, 2])),
        "when": .date(Date(timeIntervalSince1970: 1_577_934_245)), "l": [1, 2], "m": ["k": "v"], "set": [1, 2],
    ]

    private func request(
        _ serializer: some RequestSerializer, _ method: Request.Method, _ parameters: Parameters?
    ) throws -> Request {
        try serializer.serialized(Request(method, try HTTPURL("https://h/a")), with: parameters)
    }

    private func bytes(_ body: Body?) throws -> [UInt8] {
        try #require(body).segments.flatMap { segment -> [UInt8] in
            guard case .bytes(let bytes) = segment else {
                Issue.record("not bytes")
                return []
            }
            return Array(bytes.readableBytesView)
        }
    }

    @Test("GET, HEAD and DELETE encode in the URL", arguments: [Request.Method.get, .head, .delete])
    func query(method: Request.Method) throws {
        for serializer in [PropertyListRequestSerializer.propertyList, .propertyList(.binary)] {
            #expect(try Carried(serializer, method, "https://h/a", ["b": 1, "a": [2]]) == Carried("/a?a%5B%5D=2&b=1"))
            // Null has a form in a query.
            #expect(try Carried(serializer, method, "https://h/a", ["b": Parameters.null]) == Carried("/a?b"))
        }
        let dots = PropertyListRequestSerializer(encoder: QueryEncoder(nesting: .dots))
        #expect(try Carried(dots, method, "https://h/a", ["b": ["c": 1]]) == Carried("/a?b.c=1"))
    }

    @Test("Every other method sends a property list in the asked format", arguments: HTTPRequestSerializerTests.bodied)
    func body(method: Request.Method) throws {
        for format in PropertyList.Format.allCases {
            let serializer = PropertyListRequestSerializer(format: format)
            expectEqual(serializer.format, format)
            let request = try request(serializer, method, Self.parameters)
            expectEqual(request.url.requestTarget, "/a")
            expectEqual(request.body?.mediaType, "application/x-plist")
            let body = try bytes(request.body)
            #expect(body.starts(with: format == .binary ? "bplist00".utf8 : "<?xml version=\"1.0\"".utf8))
            try expectEqual(PropertyList(parsing: body), Self.tree)
            #expect(body == (try bytes(self.request(.propertyList(format), method, Self.parameters).body)))
        }
        let standard = try bytes(request(.propertyList, method, Self.parameters).body)
        expectEqual(standard, (try Self.tree.serialized(.xml)))
    }

    @Test("The methods whose parameters go into the URL can be chosen")
    func chosen() throws {
        let serializer = PropertyListRequestSerializer(queryMethods: [.post])
        #expect(try Carried(serializer, .post, "https://h/", ["a": 1]) == Carried("/?a=1"))
        let deleted = try request(serializer, .delete, ["a": 1])
        try expectEqual(PropertyList(parsing: bytes(deleted.body)), ["a": 1])
    }

    @Test(
        "Without parameters there is no body, with empty ones an empty dictionary",
        arguments: PropertyList.Format.allCases)
    func empty(format: PropertyList.Format) throws {
        var serializer = PropertyListRequestSerializer(format: format)
        for style in [RequestStyle.afnetworking4, .afnetworking2] {
            serializer.style = style
            try expectNil(request(serializer, .post, nil).body)
            try expectEqual(PropertyList(parsing: bytes(request(serializer, .post, [:]).body)), [:])
        }
    }

    @Test("AFNetworking 2's style names the character set")
    func charset() throws {
        var serializer = PropertyListRequestSerializer()
        serializer.style = .afnetworking2
        let request = try request(serializer, .post, Self.parameters)
        expectEqual(request.body?.mediaType, "application/x-plist; charset=utf-8")
        try expectEqual(PropertyList(parsing: bytes(request.body)), Self.tree)
        #expect(try Carried(serializer, .get, "https://h/a", ["b": ["c": 1]]) == Carried("/a?b[c]=1"))
    }

    static let refused: [(Parameters, PropertyList.Format, String)] = [
        (["a": ["b": [1, Parameters.null] as ParameterValue]], .xml, "a.b[1]"),
        (["a": Parameters.null], .binary, "at a"),
        (["a": [Double.nan]], .xml, "a[0]"), (["a": ["b": -Double.infinity]], .binary, "a.b"),
        (["a": ["b": "\u{1}"]], .xml, "a.b"), (["when": [Date(timeIntervalSince1970: 1e12)]], .xml, "when[0]"),
        (["deep": (0..<600).reduce(.null) { value, _ in ParameterValue.array([value]) }], .xml, "deep[0]"),
    ]

    @Test("What has no form is encodingFailed with its key path", arguments: refused)
    func noForm(parameters: Parameters, format: PropertyList.Format, path: String) {
        let error = #expect(throws: SternaError.self) { try request(.propertyList(format), .post, parameters) }
        expectEqual(error?.kind, .encodingFailed)
        expectEqual(error?.phase, .prepare)
        expectEqual(error?.detail.contains(path), true, "\(error?.detail ?? "")")
        #expect(error?.underlying is ParameterError)
        expectEqual(error?.requestSent, false)
    }

    @Test("Archives come back with format, style, encoder and fields", arguments: PropertyList.Format.allCases)
    func archive(format: PropertyList.Format) throws {
        var serializer = PropertyListRequestSerializer(
            format: format, encoder: QueryEncoder(arrays: .indices), queryMethods: [.get, .options])
        serializer.style.namesCharset = true
        serializer.headers = ["X-One": "1", "Authorization": "Bearer t"]
        serializer.properties.timeout = .milliseconds(1_500)
        for given in [serializer, PropertyListRequestSerializer(format: format)] {
            let coder = JSONEncoder()
            coder.outputFormatting = [.sortedKeys]
            let archive = try coder.encode(given)
            let copy = try JSONDecoder().decode(PropertyListRequestSerializer.self, from: archive)
            try expectEqual(coder.encode(copy), archive)
            expectEqual(copy.format, format)
            expectEqual(copy.headers, given.headers)
            expectEqual(copy.properties, given.properties)
            expectEqual(copy.queryMethods, given.queryMethods)
            for method in [Request.Method.get, .delete, .post, .options] {
                let (one, other) = (
                    try request(copy, method, Self.parameters), try request(given, method, Self.parameters)
                )
                #expect(one.url == other.url && one.headers == other.headers)
                expectEqual(one.body?.mediaType, other.body?.mediaType)
                expectEqual((one.body == nil), (other.body == nil))
                if one.body != nil { try expectEqual(bytes(one.body), bytes(other.body)) }
            }
        }
    }

    @Test("An invalid archive is refused", arguments: ["{}", "[]", "7", #"{"format":"openStep"}"#])
    func refusedArchive(text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(PropertyListRequestSerializer.self, from: Data(text.utf8))
        }
    }

    // MARK: Bodies

    private struct Event: Encodable {
        var name: String
        var when = Date(timeIntervalSince1970: 0)
        var data = Data([1])
        var list = [1, 2]
    }

    private struct Refusal: Error, Encodable {
        func encode(to encoder: any Encoder) throws { throw Refusal() }
    }

    @Test("A body of a tree or of a value", arguments: PropertyList.Format.allCases)
    func bodies(format: PropertyList.Format) throws {
        let tree = try Body.propertyList(Self.tree, format: format)
        expectEqual(tree.mediaType, "application/x-plist")
        try expectEqual(PropertyList(parsing: bytes(tree)), Self.tree)
        let value = try Body.propertyList(Event(name: "é<"), format: format)
        expectEqual(value.mediaType, "application/x-plist")
        let body = try bytes(value)
        #expect(body.starts(with: format == .binary ? "bplist00".utf8 : "<?xml version=\"1.0\"".utf8))
        let expected: PropertyList = [
            "name": "é<", "when": .date(Date(timeIntervalSince1970: 0)), "data": .data(Data([1])), "list": [1, 2],
        ]
        try expectEqual(PropertyList(parsing: body), expected)
    }

    @Test("XML is the format where none is named")
    func standardFormat() throws {
        try expectEqual(bytes(Body.propertyList(Self.tree)), Self.tree.serialized(.xml))
        #expect(try bytes(Body.propertyList(Event(name: ""))).starts(with: "<?xml".utf8))
    }

    @Test("A body that cannot be encoded is encodingFailed")
    func badBodies() {
        let tree: PropertyList = ["a": ["\u{1}"]]
        let errors = [
            #expect(throws: SternaError.self) { try Body.propertyList(tree) },
            #expect(throws: SternaError.self) { try Body.propertyList(["a": Refusal()], format: .binary) },
        ]
        for error in errors {
            expectEqual(error?.kind, .encodingFailed)
            expectEqual(error?.phase, .prepare)
        }
        expectEqual(errors[0]?.detail.contains("a[0]"), true)
    }
}
