import Sterna
import SternaPlatform
import Testing

/// What `QueryEncoder` writes, read by programs that others wrote, is equal to what was given.
///
/// Every run has a seed of its own; `STERNA_INTEROP_SEED` gives it that of a run that failed.
@Suite("Interop: readers of queries")
struct QueryReaderTests {
    typealias Arrays = QueryExpectation.Arrays
    typealias Limits = ParameterGenerator.Limits

    static let seed =
        ProcessInfo.processInfo.environment["STERNA_INTEROP_SEED"].flatMap { UInt64($0) } ?? .random(in: 1 ... .max)

    // MARK: Python

    @Test(
        "Python's urllib.parse reads every name and value back",
        .enabled("python3 is not there") { await isThere(.python) },
        .timeLimit(.minutes(5)), arguments: Arrays.allCases)
    func python(arrays: Arrays) async throws {
        // No name is out of bounds but the empty one: with no value either, nothing of it would be left in the query.
        let limits = Limits { name, isAtTop in !isAtTop || !name.isEmpty }
        try await check(.python, arrays, limits) { expectation, parameters in
            expectation.flat(parameters)
        } line: { expectation, query in
            (expectation.nulls == .bareKey ? "loose " : "strict ") + query
        }
    }

    // MARK: PHP

    @Test(
        "PHP's parse_str reads the tree back", .enabled("php is not there") { await isThere(.php) },
        .timeLimit(.minutes(5)), arguments: [Arrays.brackets, .indices, .custom])
    func php(arrays: Arrays) async throws {
        // Of a name that comes again PHP keeps the last value: no sets, and no arrays without brackets. A bare pair of
        // brackets begins a new element each time, so an element of several fields needs its index.
        let limits = Limits(arrays: arrays == .brackets ? .ofScalars : .ofAnything, sets: .never) { name, isAtTop in
            // To PHP a name ends at a NUL.
            guard !name.isEmpty, !name.utf8.contains(0) else { return false }
            // It makes variables of names: blanks and dots become underscores, brackets begin an index.
            if isAtTop { return !name.utf8.contains { " .[".utf8.contains($0) } }
            // An index goes to the next closing bracket, and one white space is no index at all.
            return !name.utf8.contains(UInt8(ascii: "]"))
                && !["\t", "\n", "\u{B}", "\u{C}", "\r", " "].contains { name.utf8.elementsEqual($0.utf8) }
        }
        try await check(.php, arrays, limits) { expectation, parameters in
            expectation.tree(parameters, showsLists: false, showsNull: false)
        }
    }

    // MARK: node

    @Test(
        "node's qs reads the tree back", .enabled("node or its qs is not there") { await isThere(.qs) },
        .timeLimit(.minutes(5)), arguments: Arrays.allCases)
    func qs(arrays: Arrays) async throws {
        // As in PHP, bare brackets are for scalars. A name that comes again makes an array, if it does come again.
        let elements: Limits.Arrays =
            switch arrays {
            case .brackets: .ofScalars
            case .none: .ofSeveralScalars
            case .indices, .custom: .ofAnything
            }
        let limits = Limits(arrays: elements, sets: .underNames) { name, isAtTop in
            // Brackets within brackets are not found as a pair.
            guard !name.isEmpty, !name.utf8.contains(where: { "[]".utf8.contains($0) }) else { return false }
            // A dictionary of numbers is an array to it.
            return isAtTop || !name.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        }
        try await check(.qs, arrays, limits) { expectation, parameters in
            expectation.tree(parameters, showsLists: true, showsNull: true)
        }
    }

    // MARK: Plumbing

    private static func isThere(_ reader: QueryReader) async -> Bool { await reader.isThere() }

    /// Sixty levels, and thousands of fields.
    private static let large: Parameters = {
        var deep = ParameterValue.string("bottom")
        for level in 0..<60 { deep = level % 2 == 0 ? .array([deep]) : .dictionary(["level": deep]) }
        let members = (0..<3_000).map { ParameterValue.dictionary(["id": $0, "name": "n \($0)"] as Parameters) }
        return Parameters(pairs: [("deep", deep), ("long", .array(members))])
    }()

    private func check(
        _ reader: QueryReader, _ arrays: Arrays, _ limits: Limits,
        expected: (QueryExpectation, Parameters) -> ReadValue,
        line: (QueryExpectation, String) -> String = { $1 }, location: SourceLocation = #_sourceLocation
    ) async throws {
        var generator = ParameterGenerator(seed: Self.seed, limits: limits)
        var cases: [(expectation: QueryExpectation, parameters: Parameters, line: String)] = []
        for _ in 0..<400 {
            let expectation = QueryExpectation(arrays, choosingBy: &generator)
            let parameters = generator.parameters()
            let query = try expectation.encoder.encode(parameters)
            cases.append((expectation, parameters, line(expectation, query)))
        }
        if arrays == .indices {
            let expectation = QueryExpectation(arrays, choosingBy: &generator)
            cases.append((expectation, Self.large, line(expectation, try expectation.encoder.encode(Self.large))))
        }
        var failures = 0
        for (number, (read, given)) in zip(try await reader.read(cases.map(\.line)), cases).enumerated() {
            let wanted = expected(given.expectation, given.parameters)
            // A tree of names has an order only as far as it has arrays, and sorting is not what is tested here; but names
            // that stand beside each other in the given order have to come so.
            let keepsOrder = reader.description == QueryReader.python.description && !given.expectation.sortsKeys
            let isEqual = keepsOrder ? read == wanted : read.sortedByName == wanted.sortedByName
            guard !isEqual, failures < 3 else { continue }
            failures += 1
            Issue.record(
                """
                \(reader), seed \(Self.seed), number \(number), \(given.expectation)
                query    \(given.line)
                expected \(String(wanted.description.prefix(20_000)))
                read     \(String(read.description.prefix(20_000)))
                """, sourceLocation: location)
        }
        #expect(Set(cases.map(\.line)).count > 300, "the generator repeats itself")
    }
}
