import SternaCore
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Query: options")
struct QueryOptionsTests {
    static let cases: [(QueryEncoder, Parameters, String)] = [
        (QueryEncoder(arrays: .none), ["a": [1, 2]], "a=1&a=2"),
        (QueryEncoder(arrays: .none), ["a": [["b": 1], ["b": 2]]], "a%5Bb%5D=1&a%5Bb%5D=2"),
        (QueryEncoder(arrays: .indices), ["a": [1, 2]], "a%5B0%5D=1&a%5B1%5D=2"),
        (QueryEncoder(arrays: .indices), ["a": [["b": 1], ["b": 2]]], "a%5B0%5D%5Bb%5D=1&a%5B1%5D%5Bb%5D=2"),
        (
            QueryEncoder(arrays: .indices), ["a": [[7], [8, 9]]],
            "a%5B0%5D%5B0%5D=7&a%5B1%5D%5B0%5D=8&a%5B1%5D%5B1%5D=9"
        ),
        (QueryEncoder(arrays: .custom { "\($0).\($1 + 1)" }), ["a": [7, 8], "b": 1], "a.1=7&a.2=8&b=1"),
        (
            QueryEncoder(arrays: .custom { _, index in "x\(index)" }), ["a": [["k": 7], ["k": 8]]],
            "x0%5Bk%5D=7&x1%5Bk%5D=8"
        ),
        (QueryEncoder(booleans: .literal), ["t": true, "f": false], "f=false&t=true"),
        (QueryEncoder(booleans: .literal), ["s": [true, false] as Set<Bool>], "s=false&s=true"),
        (QueryEncoder(spaces: .plus), ["a b": "c d+e"], "a+b=c+d%2Be"),
        (QueryEncoder(nulls: .emptyValue), ["a": Parameters.null], "a="),
        (QueryEncoder(nulls: .literal), ["a": Parameters.null], "a=null"),
        (QueryEncoder(nulls: .omitted), ["a": Parameters.null, "b": 1], "b=1"),
        (QueryEncoder(nulls: .omitted), ["a": [nil, 1] as [Int?]], "a%5B%5D=1"),
        (QueryEncoder(sortsKeys: false), ["b": 1, "a": ["d": 1, "c": 2] as Parameters], "b=1&a%5Bd%5D=1&a%5Bc%5D=2"),
    ]

    @Test("Each option has its text", arguments: cases.indices)
    func option(index: Int) throws {
        let (encoder, parameters, expected) = Self.cases[index]
        try expectEqual(encoder.encode(parameters), expected)
    }

    @Test("A set of null keeps the null style")
    func nullInSet() throws {
        let set: Set<Int?> = [nil, 1]
        try expectEqual(QueryEncoder().encode(["s": set]), "s&s=1")
        try expectEqual(QueryEncoder(nulls: .omitted).encode(["s": set]), "s=1")
    }

    @Test("Depth is taken up to the limit and refused above it", arguments: ["array", "dictionary", "set"])
    func depth(kind: String) throws {
        func nested(_ levels: Int) -> Parameters {
            var value = ParameterValue.integer(1)
            for _ in 1..<levels {
                switch kind {
                case "array": value = .array([value])
                case "set": value = .set([value])
                default: value = .dictionary(["k": value])
                }
            }
            return ["top": value]
        }
        let suffix = kind == "array" ? "[]" : kind == "set" ? "" : "[k]"
        try expectEqual(
            QueryEncoder().fields(nested(512)),
            [
                .init(name: "top" + String(repeating: suffix, count: 511), value: "1")
            ])
        let error = #expect(throws: ParameterError.self) { try QueryEncoder().encode(nested(513)) }
        expectEqual(error?.reason, .tooDeep(limit: 512))
        expectEqual(error?.keyPath.hasPrefix("top"), true)
    }

    @Test("A thousand nested pairs come out in order")
    func manyPairs() throws {
        var inner = Parameters()
        for number in (0..<1000).reversed() { inner["k\(1000 + number)"] = number }
        let text = try QueryEncoder().encode(["p": inner])
        expectEqual(text, (0..<1000).map { "p%5Bk\(1000 + $0)%5D=\($0)" }.joined(separator: "&"))
    }
}
