import SternaCore
import SternaPlatform
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Query: booleans, data, nulls and spaces")
struct QueryValueStyleTests {
    private struct Refusal: Error, CustomStringConvertible {
        var description: String { "no data here" }
    }

    private static func hexadecimal(_ data: Data) -> String {
        data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    static let cases: [(QueryEncoder, Parameters, String)] = [
        (QueryEncoder(booleans: .numeric), ["a": [true, false], "d": ["k": true]], "a[]=1 a[]=0 d[k]=1"),
        (QueryEncoder(booleans: .literal), ["a": [true, false], "d": ["k": true]], "a[]=true a[]=false d[k]=true"),
        (QueryEncoder(booleans: .literal), ["one": 1, "zero": 0, "text": "1"], "one=1 text=1 zero=0"),
        (QueryEncoder(data: .base64), ["d": Data("data".utf8)], "d=ZGF0YQ=="),
        (QueryEncoder(data: .base64), ["d": Data()], "d="),
        (QueryEncoder(data: .base64), ["d": [Data([0xFF, 0xEF]), Data([0])]], "d[]=/+8= d[]=AA=="),
        (QueryEncoder(data: .custom { hexadecimal($0) }), ["a": ["d": Data([0, 0xAB])]], "a[d]=00ab"),
        (QueryEncoder(data: .custom { hexadecimal($0) }), ["s": [Data([2]), Data([1])] as Set<Data>], "s=01 s=02"),
        (QueryEncoder(nulls: .bareKey), ["a": Parameters.null, "d": ["k": Parameters.null]], "a d[k]"),
        (QueryEncoder(nulls: .emptyValue), ["a": Parameters.null, "d": ["k": Parameters.null]], "a= d[k]="),
        (QueryEncoder(nulls: .literal), ["a": Parameters.null, "d": ["k": Parameters.null]], "a=null d[k]=null"),
        (QueryEncoder(nulls: .omitted), ["a": Parameters.null, "d": ["k": Parameters.null]], ""),
        (QueryEncoder(nulls: .emptyValue), ["a": [nil, 1] as [Int?]], "a[]= a[]=1"),
        (QueryEncoder(nulls: .literal), ["a": [nil, 1] as [Int?]], "a[]=null a[]=1"),
        (QueryEncoder(arrays: .indices, nulls: .omitted), ["a": [nil, 1, nil, 3] as [Int?]], "a[1]=1 a[3]=3"),
        (QueryEncoder(nulls: .literal), ["a": "null", "b": "", "c": Parameters.null], "a=null b= c=null"),
    ]

    @Test("Each style has its fields", arguments: cases.indices)
    func fields(index: Int) throws {
        let (encoder, parameters, expected) = Self.cases[index]
        let fields = try encoder.fields(parameters)
        expectEqual(fields.map(\.text).joined(separator: " "), expected)
    }

    static let spaces: [(QueryEncoder, String, String)] = [
        (QueryEncoder(spaces: .percent), " a  b ", "%20a%20%20b%20"),
        (QueryEncoder(spaces: .plus), " a  b ", "+a++b+"),
        (QueryEncoder(spaces: .percent), "+ %20", "%2B%20%2520"),
        (QueryEncoder(spaces: .plus), "+ %20", "%2B+%2520"),
        (QueryEncoder(spaces: .plus), "\u{A0}\t\u{3000}", "%C2%A0%09%E3%80%80"),
        (QueryEncoder(spaces: .plus), "replace with spaces", "replace+with+spaces"),
    ]

    @Test("Spaces in names and values", arguments: spaces.indices)
    func spaceStyles(index: Int) throws {
        let (encoder, text, expected) = Self.spaces[index]
        try expectEqual(encoder.encode(["k": text]), "k=\(expected)")
        try expectEqual(encoder.encode([text: 1]), "\(expected)=1")
    }

    @Test("What the data's closure throws has the key path")
    func dataThrows() {
        let encoder = QueryEncoder(data: .custom { _ in throw Refusal() })
        let error = #expect(throws: ParameterError.self) {
            try encoder.encode(["a": [["d": Data()]]])
        }
        expectEqual(error?.keyPath, "a[0].d")
        expectEqual(error?.description.contains("no data here"), true)
    }
}
