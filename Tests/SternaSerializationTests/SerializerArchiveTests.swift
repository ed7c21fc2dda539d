import HTTPTypes
import NIOCore
import SternaCore
import SternaPlatform
import SternaSerialization
import Testing

@testable import SternaTestSupport

/// Codable and copies: what NSSecureCoding and NSCopying are to AFNetworking's serializers.
@Suite("Request serializers: archives")
struct SerializerArchiveTests {
    private static func archive(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return try encoder.encode(value)
    }

    private static let parameters: Parameters = [
        "oneTwo": ["b c": Parameters.null, "a/?": [true, false]] as Parameters,
        "aDate": Date(timeIntervalSince1970: 1.5),
        "aList": [["k": 1], ["k": 2]],
    ]

    static let encoders: [QueryEncoder] = {
        var encoders: [QueryEncoder] = [.afnetworking4, .afnetworking2, .whatwgForm]
        let arrays: [QueryEncoder.ArrayStyle] = [.brackets, .none, .indices]
        encoders += arrays.map { QueryEncoder(arrays: $0) }
        encoders += QueryEncoder.BooleanStyle.allCases.map { QueryEncoder(booleans: $0) }
        let dates: [QueryEncoder.DateStyle] = [.iso8601, .seconds, .milliseconds, .description]
        encoders += dates.map { QueryEncoder(dates: $0) }
        let keys: [QueryEncoder.KeyStyle] = [.asIs, .snakeCase, .kebabCase, .capitalized]
        encoders += keys.map { QueryEncoder(keys: $0) }
        let nesting: [QueryEncoder.NestingStyle] = [.brackets, .dots]
        encoders += nesting.map { QueryEncoder(nesting: $0) }
        encoders += QueryEncoder.NullStyle.allCases.map { QueryEncoder(nulls: $0) }
        encoders += QueryEncoder.SpaceStyle.allCases.map { QueryEncoder(spaces: $0) }
        encoders += QueryEncoder.UnencodableStyle.allCases.map { QueryEncoder(unencodable: $0) }
        encoders += [.utf8, .latin1, .windows1252].map { QueryEncoder(encoding: $0) }
        encoders += [true, false].map { QueryEncoder(sortsKeys: $0) }
        encoders += [.init(""), .init("abc[]!"), .unreserved].map { QueryEncoder(allowed: $0) }
        return encoders
    }()

    @Test("Every encoder option comes back", arguments: encoders.indices)
    func option(index: Int) throws {
        let encoder = Self.encoders[index]
        let archive = try Self.archive(encoder)
        let copy = try JSONDecoder().decode(QueryEncoder.self, from: archive)
        try expectEqual(Self.archive(copy), archive)
        try expectEqual(copy.encode(Self.parameters), encoder.encode(Self.parameters))
        expectEqual(copy.allowedInNames, encoder.allowedInNames)
        expectEqual(copy.allowedInValues, encoder.allowedInValues)
        expectEqual(copy.encoding, encoder.encoding)
        expectEqual(copy.unencodable, encoder.unencodable)
    }

    @Test("Options that differ have archives that differ")
    func different() throws {
        let archives = try Set(Self.encoders.map(Self.archive))
        #expect(archives.count >= 22)
    }

    private static func change(_ serializer: inout some ConfigurableRequestSerializer) {
        serializer.style = .afnetworking2
        serializer.encoder.arrays = .indices
        serializer.headers = ["X-One": "1", "x-one": "2", "Authorization": "Bearer t"]
        serializer.destination = .url
        serializer.queryMethods = [.post, .options]
        serializer.properties.timeout = .milliseconds(1_500)
        serializer.properties.cachePolicy = .returnCacheDataElseLoad
        serializer.properties.handlesCookies = false
        serializer.properties.networkServiceType = .background
        serializer.properties.allowsCellularAccess = false
        serializer.properties.usesPipelining = true
    }

    private func check<Serializer: ConfigurableRequestSerializer>(_ serializer: Serializer) throws -> Serializer {
        let archive = try Self.archive(serializer)
        let copy = try JSONDecoder().decode(Serializer.self, from: archive)
        try expectEqual(Self.archive(copy), archive)
        expectEqual(copy.headers, serializer.headers)
        expectEqual(copy.destination, serializer.destination)
        expectEqual(copy.queryMethods, serializer.queryMethods)
        expectEqual(copy.properties, serializer.properties)
        expectEqual(copy.style.namesCharset, serializer.style.namesCharset)
        expectEqual(copy.style.sendsEmptyForm, serializer.style.sendsEmptyForm)
        for method in AFNetworking4ParityTests.methods {
            for parameters in [nil, [:], Self.parameters] as [Parameters?] {
                let request = Request(method, try HTTPURL("https://h/?x"))
                let one = try copy.serialized(request, with: parameters)
                let other = try serializer.serialized(request, with: parameters)
                expectEqual(one.headers, other.headers)
                expectEqual(one.timeouts, other.timeouts)
                expectEqual(one.properties, other.properties)
                #expect(
                    try Carried(copy, method, "https://h/", parameters)
                        == Carried(serializer, method, "https://h/", parameters))
            }
        }
        return copy
    }

    @Test("Serializers come back, changed or not")
    func serializers() throws {
        var form = HTTPRequestSerializer()
        _ = try check(form)
        Self.change(&form)
        _ = try check(form)
        var json = JSONRequestSerializer()
        try expectEqual(check(json).options, [])
        json.options = [.pretty, .sortedKeys, .escapesSlashes]
        Self.change(&json)
        json.destination = .method
        try expectEqual(check(json).options, [.pretty, .sortedKeys, .escapesSlashes])
    }

    static let closures: [(String, QueryEncoder)] = [
        ("arrays", QueryEncoder(arrays: .custom { name, _ in name })),
        ("data", QueryEncoder(data: .custom { _ in "" })),
        ("dates", QueryEncoder(dates: .custom { _ in "" })),
        ("keys", QueryEncoder(keys: .custom { $0 })),
        ("nesting", QueryEncoder(nesting: .custom { $0 + $1 })),
    ]

    @Test("A closure cannot be archived, and the error says which", arguments: closures.indices)
    func closure(index: Int) {
        let (name, encoder) = Self.closures[index]
        let form = HTTPRequestSerializer(encoder: encoder)
        let json = JSONRequestSerializer(encoder: encoder)
        let errors = [
            #expect(throws: EncodingError.self) { try Self.archive(encoder) },
            #expect(throws: EncodingError.self) { try Self.archive(form) },
            #expect(throws: EncodingError.self) { try Self.archive(json) },
        ]
        for error in errors {
            guard case .invalidValue(_, let context) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            expectEqual(context.codingPath.last?.stringValue, name)
        }
    }

    @Test("A query encoding cannot be archived until a style replaces it")
    func queryEncoding() throws {
        var serializer = HTTPRequestSerializer()
        serializer.queryEncoding = { _, _ in "x" }
        #expect(throws: EncodingError.self) { try Self.archive(serializer) }
        serializer.style = .afnetworking4
        #expect(throws: Never.self) { try Self.archive(serializer) }
    }

    static let broken = [
        "[]", "7", "\"x\"", "{\"arrays\":\"rounded\"}", "{\"arrays\":\"custom\"}", "{\"nulls\":\"\"}",
        "{\"dates\":7}", "{\"encoding\":\"klingon\"}", "{\"sortsKeys\":\"yes\"}",
    ]

    @Test("An invalid archive is refused", arguments: broken)
    func refused(text: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(QueryEncoder.self, from: Data(text.utf8)) }
    }

    @Test("An archive cannot keep unsafe characters unescaped, and bad header fields still throw")
    func hostile() throws {
        let text = "{\"allowedInNames\":\"&=a\",\"allowedInValues\":\"%\"}"
        let encoder = try JSONDecoder().decode(QueryEncoder.self, from: Data(text.utf8))
        try expectEqual(encoder.encode(["a&=": "%"]), "a%26%3D=%25")
        var serializer = HTTPRequestSerializer()
        serializer.headers = ["X": "a\r\nY: b"]
        let copy = try JSONDecoder().decode(HTTPRequestSerializer.self, from: try Self.archive(serializer))
        let error = #expect(throws: SternaError.self) {
            try copy.serialized(Request(.get, try HTTPURL("https://h/")), with: nil)
        }
        expectEqual(error?.kind, .invalidHeader)
    }

    @Test("A copy is independent")
    func copies() throws {
        var serializer = HTTPRequestSerializer(style: .afnetworking2)
        let copy = serializer
        Self.change(&serializer)
        serializer.style = .whatwgForm
        #expect(copy.headers != serializer.headers)
        #expect(try Carried(copy, .get, "https://h/", ["a": ["b": 1]]).target == "/?a[b]=1")
    }
}
