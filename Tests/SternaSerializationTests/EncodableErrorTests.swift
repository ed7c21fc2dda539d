import SternaCore
import SternaPlatform
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Encodable as a query: errors")
struct EncodableErrorTests {
    enum Status: String, Encodable { case active }

    static let unnamed: [any Encodable & Sendable] = [
        "text", 1, 1.5, true, [1], ["a"], [["a": 1]], Date(timeIntervalSince1970: 0), Data([1]), Set([1]), Decimal(1),
        UUID(), Status.active, Int?.none, [String: Int]?.none,
    ]

    @Test("A top-level value without names is an error with an empty key path", arguments: unnamed.indices)
    func top(index: Int) {
        func check(_ value: some Encodable) {
            let error = #expect(throws: ParameterError.self) { try QueryEncoder().encode(value) }
            expectEqual(error?.keyPath, "")
            guard case .notEncodable = error?.reason else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
        check(Self.unnamed[index])
    }

    private struct Refusal: Error, CustomStringConvertible {
        var description: String { "refused it" }
    }

    enum Key: String, CodingKey { case inner, list, bad }

    struct Thrower: Encodable {
        enum Kind { case error, encodingError, inNested, inSingle, inNestedUnkeyed, inSuper, inOwnSuper, inParameters }
        var kind: Kind
        func encode(to encoder: any Encoder) throws {
            switch kind {
            case .error: throw Refusal()
            case .encodingError:
                throw EncodingError.invalidValue(
                    self,
                    .init(codingPath: encoder.codingPath + [Key.bad], debugDescription: "refused it"))
            case .inNested:
                var container = encoder.container(keyedBy: Key.self)
                var nested = container.nestedContainer(keyedBy: Key.self, forKey: .bad)
                try nested.encode(Thrower(kind: .error), forKey: .inner)
            case .inNestedUnkeyed:
                var container = encoder.container(keyedBy: Key.self)
                var nested = container.nestedUnkeyedContainer(forKey: .bad)
                try nested.encode(1)
                try nested.encode(Thrower(kind: .encodingError))
            case .inSuper:
                var container = encoder.container(keyedBy: Key.self)
                try Thrower(kind: .encodingError).encode(to: container.superEncoder())
            case .inOwnSuper:
                var container = encoder.container(keyedBy: Key.self)
                var list = container.nestedUnkeyedContainer(forKey: .inner)
                var own = list.superEncoder().container(keyedBy: Key.self)
                try own.encode(Thrower(kind: .error), forKey: .bad)
            case .inParameters:
                var container = encoder.container(keyedBy: Key.self)
                try container.encode([Thrower(kind: .encodingError)], forKey: .list)
            case .inSingle:
                var container = encoder.singleValueContainer()
                try container.encode(Thrower(kind: .encodingError))
            }
        }
    }

    static let throwers: [(Thrower.Kind, String)] = [
        (.error, ""), (.encodingError, "bad"), (.inNested, "bad.inner"), (.inNestedUnkeyed, "bad[1].bad"),
        (.inSingle, "bad"), (.inSuper, "super.bad"), (.inOwnSuper, "inner[0].bad"), (.inParameters, "list[0].bad"),
    ]

    struct Outer: Encodable {
        var list: [Item]
        struct Item: Encodable {
            var inner: Thrower?
        }
    }

    @Test("What a member throws has its key path", arguments: throwers.indices)
    func thrown(index: Int) {
        let (kind, path) = Self.throwers[index]
        let top = #expect(throws: ParameterError.self) { try QueryEncoder().encode(Thrower(kind: kind)) }
        expectEqual(top?.keyPath, path)
        let outer = Outer(list: [.init(), .init(inner: Thrower(kind: kind))])
        let deep = #expect(throws: ParameterError.self) { try QueryEncoder().encode(outer) }
        expectEqual(deep?.keyPath, "list[1].inner" + (path.isEmpty ? "" : ".\(path)"))
        expectEqual(deep?.description.contains("refused it"), true)
        let inDictionary = #expect(throws: ParameterError.self) {
            try QueryEncoder().encode(["k": ["j": Thrower(kind: kind)]])
        }
        expectEqual(inDictionary?.keyPath, "k.j" + (path.isEmpty ? "" : ".\(path)"))
    }

    struct Dated: Encodable {
        var list = [["when": Date(timeIntervalSince1970: .infinity)]]
    }

    @Test("A value that cannot be written has its key path")
    func written() {
        let error = #expect(throws: ParameterError.self) { try QueryEncoder().encode(Dated()) }
        expectEqual(error?.keyPath, "list[0].when")
        expectEqual(error?.reason, .dateOutOfRange)
    }

    final class Loop: Encodable {
        var next: Loop?
        private enum Key: CodingKey { case next }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encodeIfPresent(next, forKey: .next)
        }
    }

    @Test("A value that holds itself is too deep")
    func loop() {
        let loop = Loop()
        loop.next = loop
        let error = #expect(throws: ParameterError.self) { try QueryEncoder().encode(loop) }
        expectEqual(error?.reason, .tooDeep(limit: Parameters.maximumDepth))
        expectEqual(error?.keyPath.hasPrefix("next.next.next"), true)
        loop.next = nil
    }

    struct Endless: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(self)
        }
    }

    @Test("A value that encodes itself in its own place is too deep")
    func endless() {
        let error = #expect(throws: ParameterError.self) { try QueryEncoder().encode(Endless()) }
        expectEqual(error?.reason, .tooDeep(limit: Parameters.maximumDepth))
    }

    struct Levels: Encodable {
        var count: Int
        enum Key: CodingKey { case k }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            for _ in 1..<count { container = container.nestedContainer(keyedBy: Key.self, forKey: .k) }
            try container.encode(1, forKey: .k)
        }
    }

    struct Lists: Encodable {
        var count: Int
        enum Key: CodingKey { case k }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            var list = container.nestedUnkeyedContainer(forKey: .k)
            for _ in 1..<count { list = list.nestedUnkeyedContainer() }
            try list.encode(1)
        }
    }

    @Test("Nested containers are taken up to the limit and refused above it, 10,000 levels among them")
    func levels() throws {
        let most = Parameters.maximumDepth
        try expectEqual(
            QueryEncoder().fields(Parameters(encoding: Levels(count: most))),
            [.init(name: "k" + String(repeating: "[k]", count: most - 1), value: "1")])
        for count in [most + 1, 10_000] {
            let keyed = #expect(throws: ParameterError.self) { try QueryEncoder().encode(Levels(count: count)) }
            expectEqual(keyed?.reason, .tooDeep(limit: most))
            expectEqual(keyed?.keyPath.hasPrefix("k.k.k"), true)
            let lists = #expect(throws: ParameterError.self) { try QueryEncoder().encode(Lists(count: count)) }
            expectEqual(lists?.reason, .tooDeep(limit: most))
            expectEqual(lists?.keyPath.hasPrefix("k[0][0]"), true)
        }
    }
}
