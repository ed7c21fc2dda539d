import Sterna
import SternaPlatform
import SternaPropertyList
import Testing

@testable import SternaTestSupport

/// What is written is read by Python's `plistlib` as it was given, and what that writes is read back.
@Suite("Interop: property lists")
struct PropertyListReaderTests {
    private static let seed = QueryReaderTests.seed

    private static func isThere() async -> Bool { await PropertyListReader.reading.isThere() }

    @Test(
        "plistlib reads what is written", .enabled("python3 is not there") { await isThere() }, .timeLimit(.minutes(5)),
        arguments: PropertyList.Format.allCases)
    func writing(format: PropertyList.Format) async throws {
        let trees = Self.trees(for: format) + [[.real(-0.0), .real(0)], ["\r": "a\r\nb\r"]]
        let lines = try trees.map { Data(try $0.serialized(format)).base64EncodedString() }
        expectEqual(try await PropertyListReader.reading.run(lines), trees.map(\.shown), trees, format)
    }

    @Test(
        "What plistlib writes is read", .enabled("python3 is not there") { await isThere() }, .timeLimit(.minutes(5)),
        arguments: PropertyList.Format.allCases)
    func reading(format: PropertyList.Format) async throws {
        let trees = Self.trees(for: format)
        let files = try await PropertyListReader.writing.run(trees.map { "\(format.rawValue) \($0.shown)" })
        let read = try files.map { file in
            try PropertyList(parsing: try #require(Data(base64Encoded: file))).shown
        }
        expectEqual(read, trees.map(\.shown), trees, format)
    }

    private func expectEqual(
        _ read: [String], _ expected: [String], _ trees: [PropertyList], _ format: PropertyList.Format,
        location: SourceLocation = #_sourceLocation
    ) {
        let different = zip(read, expected).enumerated().filter { $0.element.0 != $0.element.1 }
        for (number, (read, expected)) in different.prefix(3) {
            Issue.record(
                """
                \(format), seed \(Self.seed), number \(number)
                expected \(String(expected.prefix(20_000)))
                read     \(String(read.prefix(20_000)))
                """, sourceLocation: location)
        }
        #expect(different.isEmpty, sourceLocation: location)
        #expect(Set(expected).count > 250, "the generator repeats itself", sourceLocation: location)
    }

    // MARK: Values

    private static func trees(for format: PropertyList.Format) -> [PropertyList] {
        var generator = ParameterGenerator(seed: seed, limits: .init())
        let any = (0..<400).map { _ in
            let parameters = generator.parameters()
            return tree(.dictionary(parameters), format, &generator)
        }
        let deep: PropertyList = (0..<60).reduce("bottom") { tree, level in level % 2 == 0 ? [tree] : ["level": tree] }
        let wide = PropertyList.array((0..<3_000).map { ["id": .integer($0), "name": .string("n \($0)")] })
        let edges: PropertyList = [
            .integer(.min), .integer(.max), .unsigned(1 << 63), .unsigned(.max), .integer(-1), 0, 127, 128, 255, 256,
            65_535,
            65_536, .integer(1 << 31), .integer(1 << 32), .real(.infinity), .real(-.infinity),
            .real(.greatestFiniteMagnitude),
            .real(.leastNonzeroMagnitude), .real(1e21), .data(Data()), .data(Data(repeating: 0xFB, count: 70_000)),
            .string(String(repeating: "é😀", count: 40_000)), .string(String(repeating: "a", count: 70_000)), [], [:],
            "",
        ]
        return any + [deep, wide, edges] + lengths
    }

    /// Texts and containers about the length where a count leaves its marker.
    private static let lengths: [PropertyList] = (13...17).map { count in
        let numbers = (0..<count).map { PropertyList.integer(Int64($0)) }
        return [
            .array(numbers), .dictionary(Dictionary(uniqueKeysWithValues: numbers.map { ("k\($0.shown)", $0) })),
            .string(String(repeating: "a", count: count)), .string(String(repeating: "日", count: count)),
            .data(Data(repeating: 1, count: count)),
        ]
    }

    /// The value without null and decimals, with dates of all years of Python, and with text that the format can hold.
    private static func tree(
        _ value: ParameterValue, _ format: PropertyList.Format, _ generator: inout ParameterGenerator
    ) -> PropertyList {
        switch value {
        case .null, .decimal: return .string("none")
        case .bool(let value): return .boolean(value)
        case .integer(let value): return .integer(value)
        case .unsigned(let value): return .unsigned(value)
        case .double(let value): return .real(value)
        case .string(let value): return .string(text(value, format))
        case .date:
            let seconds = Double(Int64.random(in: -63_113_904_000...252_423_993_599, using: &generator))
            let eighths = format == .xml ? 0 : Double(Int.random(in: 0..<8, using: &generator)) / 8
            return .date(Date(timeIntervalSinceReferenceDate: seconds + eighths))
        case .data(let value): return .data(value)
        case .array(let elements), .set(let elements): return .array(elements.map { tree($0, format, &generator) })
        case .dictionary(let parameters):
            var members: [String: PropertyList] = [:]
            for (name, value) in parameters { members[text(name, format)] = tree(value, format, &generator) }
            return .dictionary(members)
        }
    }

    /// XML has no control characters, and plistlib writes its line ends as LF.
    private static func text(_ text: String, _ format: PropertyList.Format) -> String {
        guard format == .xml else { return text }
        let kept = text.unicodeScalars.filter { scalar in
            scalar.value >= 0x20 ? scalar.value & ~1 != 0xFFFE : scalar == "\t" || scalar == "\n"
        }
        return String(String.UnicodeScalarView(kept))
    }
}
