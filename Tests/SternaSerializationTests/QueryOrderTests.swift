import SternaCore
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Query: order of keys")
struct QueryOrderTests {
    private static let parameters: Parameters = [
        "z": 1, "b": ["y": 2, "x": [["q": 3, "p": 4] as Parameters, ["a": 5]]] as Parameters, "A": 6,
        "a": [9, 8, 7],
    ]

    @Test("Sorted at every level, elements where they were")
    func sorted() throws {
        try expectEqual(
            QueryEncoder(sortsKeys: true).encode(Self.parameters),
            "A=6&a%5B%5D=9&a%5B%5D=8&a%5B%5D=7&b%5Bx%5D%5B%5D%5Bp%5D=4&b%5Bx%5D%5B%5D%5Bq%5D=3"
                + "&b%5Bx%5D%5B%5D%5Ba%5D=5&b%5By%5D=2&z=1")
    }

    @Test("Without sorting keys keep the given order at every level")
    func given() throws {
        try expectEqual(
            QueryEncoder(sortsKeys: false).encode(Self.parameters),
            "z=1&b%5By%5D=2&b%5Bx%5D%5B%5D%5Bq%5D=3&b%5Bx%5D%5B%5D%5Bp%5D=4&b%5Bx%5D%5B%5D%5Ba%5D=5"
                + "&A=6&a%5B%5D=9&a%5B%5D=8&a%5B%5D=7")
    }

    @Test("By Unicode scalars, not by UTF-16 units or a language's rules")
    func scalars() throws {
        let parameters: Parameters = ["\u{1F600}": 1, "\u{FFFD}": 2, "é": 3, "f": 5, "E": 6, "": 7]
        let names = try QueryEncoder().fields(parameters).map(\.name)
        expectEqual(names, ["", "E", "f", "é", "\u{FFFD}", "\u{1F600}"])
    }

    @Test("AFNetworking's styles sort, the others keep")
    func styles() throws {
        let parameters: Parameters = ["b": 1, "a": 2]
        try expectEqual(QueryEncoder.afnetworking4.encode(parameters), "a=2&b=1")
        try expectEqual(QueryEncoder.afnetworking2.encode(parameters), "a=2&b=1")
        try expectEqual(QueryEncoder.whatwgForm.encode(parameters), "b=1&a=2")
    }

    @Test("A set has the order of its texts, whatever the keys have", arguments: [true, false])
    func sets(sorts: Bool) throws {
        let encoder = QueryEncoder(sortsKeys: sorts)
        try expectEqual(encoder.encode(["s": [10, 9, 100, -1] as Set<Int>]), "s=-1&s=10&s=100&s=9")
    }
}
