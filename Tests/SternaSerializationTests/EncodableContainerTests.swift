import SternaCore
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Encodable as a query: containers")
struct EncodableContainerTests {
    enum Key: String, CodingKey { case one, two, three, four, five }

    struct Manual: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode("x", forKey: .one)
            var nested = container.nestedContainer(keyedBy: Key.self, forKey: .two)
            try nested.encode(1, forKey: .one)
            try nested.encodeNil(forKey: .two)
            var deeper = nested.nestedUnkeyedContainer(forKey: .three)
            try deeper.encode("a")
            try deeper.encodeNil()
            var inArray = deeper.nestedContainer(keyedBy: Key.self)
            try inArray.encode(true, forKey: .one)
            var listInArray = deeper.nestedUnkeyedContainer()
            try listInArray.encode([1, 2])
            try listInArray.encode(contentsOf: [3, 4])
            expectEqual(deeper.count, 4)
            expectEqual(listInArray.count, 3)
            var list = container.nestedUnkeyedContainer(forKey: .three)
            try list.encode(Single(text: "s"))
            try Single(text: "t").encode(to: list.superEncoder())
            try Single(text: "u").encode(to: container.superEncoder(forKey: .four))
            try Single(text: "v").encode(to: container.superEncoder())
            _ = container.nestedContainer(keyedBy: Key.self, forKey: .five)
        }
    }

    struct Single: Encodable {
        var text: String
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
    }

    @Test("Nested containers, super encoders and single values")
    func manual() throws {
        let fields = try QueryEncoder(arrays: .indices, sortsKeys: false).fields(Parameters(encoding: Manual()))
        expectEqual(
            fields.map(\.text),
            [
                "one=x", "two[one]=1", "two[two]", "two[three][0]=a", "two[three][1]", "two[three][2][one]=1",
                "two[three][3][0][0]=1", "two[three][3][0][1]=2", "two[three][3][1]=3", "two[three][3][2]=4",
                "three[0]=s", "three[1]=t", "four=u", "super=v",
            ])
    }

    class Base: Encodable {
        var one = "one"
        var two = 2
    }

    final class Shared: Base {
        var four = [1, 2]
        override func encode(to encoder: any Encoder) throws {
            try super.encode(to: encoder)
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(four, forKey: .four)
        }
    }

    final class Apart: Base {
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode("x", forKey: .five)
            try super.encode(to: container.superEncoder())
        }
    }

    final class Keyed: Base {
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try super.encode(to: container.superEncoder(forKey: .four))
        }
    }

    @Test("Classes and their superclasses")
    func classes() throws {
        try expectEqual(QueryEncoder().encode(Base()), "one=one&two=2")
        try expectEqual(QueryEncoder().encode(Shared()), "four%5B%5D=1&four%5B%5D=2&one=one&two=2")
        try expectEqual(QueryEncoder().encode(Apart()), "five=x&super%5Bone%5D=one&super%5Btwo%5D=2")
        try expectEqual(QueryEncoder().encode(Keyed()), "four%5Bone%5D=one&four%5Btwo%5D=2")
    }

    struct Wrapper<Value: Encodable>: Encodable {
        var value: Value
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    @Test("A single value that is a dictionary is one at the top, too")
    func singleDictionary() throws {
        try expectEqual(QueryEncoder().encode(Wrapper(value: ["a": 1])), "a=1")
        try expectEqual(QueryEncoder().encode(Wrapper(value: Wrapper(value: Base()))), "one=one&two=2")
        try expectEqual(QueryEncoder().encode(Optional(Base())), "one=one&two=2")
        try expectEqual(QueryEncoder().encode(["k": Wrapper(value: [Wrapper(value: 1)])]), "k%5B%5D=1")
    }

    struct Delegating: Encodable {
        func encode(to encoder: any Encoder) throws { try ["a": [1]].encode(to: encoder) }
    }

    struct Nothing: Encodable {
        func encode(to encoder: any Encoder) throws {}
    }

    struct EmptyKeyed: Encodable {
        func encode(to encoder: any Encoder) throws { _ = encoder.container(keyedBy: Key.self) }
    }

    @Test("An encoder can be passed on, and values that encode nothing add nothing")
    func handedOn() throws {
        try expectEqual(QueryEncoder().encode(Delegating()), "a%5B%5D=1")
        try expectEqual(QueryEncoder().encode(EmptyKeyed()), "")
        try expectEqual(QueryEncoder().encode(Nothing()), "")
        try expectEqual(QueryEncoder().encode(["k": Nothing()]), "")
    }

    struct Twice: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(1, forKey: .one)
            try container.encode(2, forKey: .two)
            var again = encoder.container(keyedBy: Key.self)
            try again.encode(3, forKey: .one)
        }
    }

    @Test("A key that is encoded twice has its last value")
    func twice() throws {
        try expectEqual(QueryEncoder().encode(Twice()), "one=3&two=2")
    }

    struct Paths: Encodable {
        struct Inner: Encodable {
            func encode(to encoder: any Encoder) throws {
                expectEqual(encoder.codingPath.map(\.stringValue), ["one", "0", "two"])
                var container = encoder.singleValueContainer()
                expectEqual(container.codingPath.map(\.stringValue), ["one", "0", "two"])
                try container.encode(1)
            }
        }
        func encode(to encoder: any Encoder) throws {
            #expect(encoder.codingPath.isEmpty)
            var container = encoder.container(keyedBy: Key.self)
            var list = container.nestedUnkeyedContainer(forKey: .one)
            expectEqual(list.codingPath.map(\.stringValue), ["one"])
            var nested = list.nestedContainer(keyedBy: Key.self)
            expectEqual(nested.codingPath.map(\.stringValue), ["one", "0"])
            expectEqual(nested.codingPath.last?.intValue, 0)
            try nested.encode(Inner(), forKey: .two)
        }
    }

    @Test("Coding paths say where each value stands")
    func codingPaths() throws {
        try expectEqual(QueryEncoder().encode(Paths()), "one%5B%5D%5Btwo%5D=1")
    }
}
