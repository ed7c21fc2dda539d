import SternaCore
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Query: arrays")
struct QueryArrayStyleTests {
    static let nested: Parameters = [
        "l": [
            ["n": 1, "t": ["b", "a"]] as Parameters, ["t": [["x": [3]], ["y": [2]]]] as Parameters, 7,
            [8, [9]] as ParameterValue,
        ] as ParameterValue
    ]

    static let cases: [(QueryEncoder.ArrayStyle, Parameters, String)] = [
        (
            .brackets, nested,
            "l[][n]=1 l[][t][]=b l[][t][]=a l[][t][][x][]=3 l[][t][][y][]=2 l[]=7 l[][]=8 l[][][]=9"
        ),
        (.none, nested, "l[n]=1 l[t]=b l[t]=a l[t][x]=3 l[t][y]=2 l=7 l=8 l=9"),
        (
            .indices, nested,
            "l[0][n]=1 l[0][t][0]=b l[0][t][1]=a l[1][t][0][x][0]=3 l[1][t][1][y][0]=2 l[2]=7 l[3][0]=8 l[3][1][0]=9"
        ),
        (
            .custom { "\($0).\($1)" }, nested,
            "l.0[n]=1 l.0[t].0=b l.0[t].1=a l.1[t].0[x].0=3 l.1[t].1[y].0=2 l.2=7 l.3.0=8 l.3.1.0=9"
        ),
        (.custom { name, _ in "\(name):list" }, ["a": [1, 2]], "a:list=1 a:list=2"),
        (.indices, ["a": [nil, 1, nil] as [Int?]], "a[0] a[1]=1 a[2]"),
        (.indices, ["a": [[Int](), [1]]], "a[1][0]=1"),
        (.indices, ["": [1]], "[0]=1"),
        (.none, ["": [1]], "=1"),
        (.indices, ["s": [2, 1] as Set<Int>], "s=1 s=2"),
        (.indices, ["s": [["b", "a"]] as Set<[String]>], "s[0]=b s[1]=a"),
        (.brackets, ["a": [ParameterValue]()], ""),
    ]

    @Test("Each style has its names", arguments: cases.indices)
    func names(index: Int) throws {
        let (style, parameters, expected) = Self.cases[index]
        let fields = try QueryEncoder(arrays: style).fields(parameters)
        expectEqual(fields.map(\.text).joined(separator: " "), expected)
    }

    @Test("Eleven elements keep their order in every style, sorted or not", arguments: [true, false])
    func order(sorts: Bool) throws {
        let elements = [10, 3, 7, 1, 9, 2, 8, 0, 6, 4, 5]
        let styles: [QueryEncoder.ArrayStyle] = [.brackets, .none, .indices, .custom { name, _ in name }]
        for style in styles {
            let fields = try QueryEncoder(arrays: style, sortsKeys: sorts).fields(["a": elements])
            expectEqual(fields.map(\.value), elements.map(String.init))
        }
    }

    @Test("What the closure makes is escaped, and cannot make another field")
    func closureIsEscaped() throws {
        let encoder = QueryEncoder(arrays: .custom { name, index in "\(name)&x=\(index)#" })
        try expectEqual(encoder.encode(["a": ["v"]]), "a%26x%3D0%23=v")
    }

    @Test("Indices written out, escaped")
    func escaped() throws {
        try expectEqual(
            QueryEncoder(arrays: .indices).encode(["foo": [["bar": 2], ["qux": 3], ["quy": 4]]]),
            "foo%5B0%5D%5Bbar%5D=2&foo%5B1%5D%5Bqux%5D=3&foo%5B2%5D%5Bquy%5D=4")
    }
}
