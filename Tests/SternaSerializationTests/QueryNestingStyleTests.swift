import SternaCore
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Query: nested names")
struct QueryNestingStyleTests {
    static let cases: [(QueryEncoder, Parameters, String)] = [
        (QueryEncoder(nesting: .dots), ["a": ["b": ["c": 1]]], "a.b.c=1"),
        (QueryEncoder(nesting: .brackets), ["a": ["b": ["c": 1]]], "a[b][c]=1"),
        (QueryEncoder(nesting: .dots), ["a": [["b": 1], ["c": 2]]], "a[].b=1 a[].c=2"),
        (QueryEncoder(arrays: .indices, nesting: .dots), ["a": [["b": [7]]]], "a[0].b[0]=7"),
        (QueryEncoder(arrays: .none, nesting: .dots), ["a": [["b": [7]]]], "a.b=7"),
        (QueryEncoder(nesting: .dots), ["a.b": ["c.d": 1]], "a.b.c.d=1"),
        (QueryEncoder(nesting: .dots), ["": ["": 1]], ".=1"),
        (QueryEncoder(nesting: .dots), ["a": ["s": [2, 1] as Set<Int>]], "a.s=1 a.s=2"),
        (QueryEncoder(nesting: .dots), ["a": ["n": Parameters.null]], "a.n"),
        (QueryEncoder(nesting: .custom { "\($0)->\($1)" }), ["a": ["b": ["c": 1]]], "a->b->c=1"),
        (QueryEncoder(nesting: .custom { "\($1)(\($0))" }), ["a": ["b": [["c": 1]]]], "c(b(a)[])=1"),
        (QueryEncoder(nesting: .custom { _, key in key }), ["a": ["b": 1], "b": 2], "b=1 b=2"),
        (
            QueryEncoder(keys: .snakeCase, nesting: .custom { "\($0)/\($1)" }), ["oneTwo": ["threeFour": 1]],
            "one_two/three_four=1"
        ),
    ]

    @Test("Each style has its names", arguments: cases.indices)
    func names(index: Int) throws {
        let (encoder, parameters, expected) = Self.cases[index]
        let fields = try encoder.fields(parameters)
        expectEqual(fields.map(\.text).joined(separator: " "), expected)
    }

    @Test("A closure is not asked for the names at the top")
    func top() throws {
        let encoder = QueryEncoder(nesting: .custom { _, _ in "never" })
        try expectEqual(encoder.encode(["a": 1, "b": [1], "c": [1] as Set<Int>]), "a=1&b%5B%5D=1&c=1")
    }

    @Test("Dots are kept, and what a closure makes is escaped")
    func escaped() throws {
        try expectEqual(QueryEncoder(nesting: .dots).encode(["a": ["b c": 1]]), "a.b%20c=1")
        try expectEqual(QueryEncoder(nesting: .custom { "\($0)&\($1)=" }).encode(["a": ["b": 1]]), "a%26b%3D=1")
    }
}
