import FoundationEssentials
import Sterna
import Testing

/// Property lists go to Python's plistlib and back in both forms, and stay equal.
@Suite("Interop: property lists", .timeLimit(.minutes(2)))
struct PropertyListReaderTests {
    /// For each line: what plistlib reads in it, with its kinds, and what it writes of that in both forms.
    private static let script = """
        import base64, datetime, json, plistlib, struct, sys
        def shape(value):
            if isinstance(value, bool): return {"bool": value}
            if isinstance(value, str): return {"string": value}
            if isinstance(value, int): return {"integer": str(value)}
            if isinstance(value, float): return {"real": struct.pack(">d", value).hex()}
            if isinstance(value, bytes): return {"data": base64.b64encode(value).decode()}
            if isinstance(value, datetime.datetime):
                return {"date": int((value - datetime.datetime(2001, 1, 1)).total_seconds())}
            if isinstance(value, list): return {"array": [shape(element) for element in value]}
            return {"dictionary": {key: shape(element) for key, element in value.items()}}
        for line in sys.stdin:
            value = plistlib.loads(base64.b64decode(line))
            print(json.dumps({
                "read": shape(value),
                "written": [base64.b64encode(plistlib.dumps(value, fmt=form)).decode()
                            for form in (plistlib.FMT_XML, plistlib.FMT_BINARY)]}))
        """

    private static func isThere() -> Bool { ChildProcess.mayNotSkip || ChildProcess.find("python3") != nil }

    @Test("Both ways, in both forms", .enabled("python3 is not there") { isThere() })
    func plistlib() async throws {
        var random = ParameterGenerator(seed: QueryReaderTests.seed, limits: .init())
        let given = try (0..<300).flatMap { _ in
            let list = Self.list(depth: 0, &random)
            return try PropertyList.Format.allCases.map { (list, Data(try list.serialized($0))) }
        }
        let lines = given.map { $0.1.base64EncodedString() + "\n" }.joined()
        let python = try #require(ChildProcess.find("python3"))
        let output = try await ChildProcess.run([python, "-c", Self.script], input: Array(lines.utf8))
        let answers = String(decoding: output, as: UTF8.self).split(separator: "\n")
        try #require(answers.count == given.count)
        for ((list, bytes), line) in zip(given, answers) {
            let answer = try JSON(parsing: line)
            #expect(answer["read"] == Self.shape(list), "seed \(QueryReaderTests.seed)")
            #expect(try PropertyList(parsing: bytes) == list)
            for text in answer["written"].array ?? [] {
                let written = try #require(Data(base64Encoded: text.string ?? ""))
                #expect(try PropertyList(parsing: written) == list, "seed \(QueryReaderTests.seed)")
            }
        }
    }

    /// A list that both forms hold: whole seconds, and no control characters.
    private static func list(depth: Int, _ random: inout ParameterGenerator) -> PropertyList {
        let kinds = depth < 5 ? 0..<9 : 0..<7
        switch depth == 0 ? 8 : Int.random(in: kinds, using: &random) {
        case 0: return .string(text(&random))
        case 1:
            let magnitude = Int64(1) << Int64.random(in: 0...62, using: &random)
            return .integer(Int64.random(in: -magnitude...magnitude, using: &random))
        case 2: return .unsigned(.random(in: (1 << 63) ... .max, using: &random))
        case 3:
            return .real(
                random.pick([
                    0, -1.5, 1e300, Double.leastNonzeroMagnitude, .random(in: -1...1, using: &random), .infinity,
                ]))
        case 4: return .boolean(random.chance(50))
        case 5:
            return .date(
                Date(timeIntervalSinceReferenceDate: Double(Int.random(in: -1 << 31...1 << 33, using: &random))))
        case 6:
            return .data(
                Data((0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
            )
        case 7: return .array((0..<Int.random(in: 0...20, using: &random)).map { _ in list(depth: depth + 1, &random) })
        default:
            var values: [String: PropertyList] = [:]
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                values[text(&random)] = list(depth: depth + 1, &random)
            }
            return .dictionary(values)
        }
    }

    // plistlib writes a carriage return as a line feed.
    private static func text(_ random: inout ParameterGenerator) -> String {
        let pieces = ["a", "key", "é", "日本", "🐦", "<&>\"'", "]]>", "\n", "\t", " ", "\u{85}", "&amp;"]
        return (0..<Int.random(in: 0...20, using: &random)).map { _ in random.pick(pieces) }.joined()
    }

    private static func shape(_ list: PropertyList) -> JSON {
        switch list {
        case .string(let value): ["string": .string(value)]
        case .integer(let value): ["integer": "\(value)"]
        case .unsigned(let value): ["integer": "\(value)"]
        case .real(let value):
            [
                "real": .string(
                    (0..<8).map { hexadecimal(UInt8(truncatingIfNeeded: value.bitPattern >> (56 - 8 * $0))) }.joined())
            ]
        case .boolean(let value): ["bool": .bool(value)]
        case .date(let value): ["date": .number(JSON.Number(Int64(value.timeIntervalSinceReferenceDate)))]
        case .data(let value): ["data": .string(value.base64EncodedString())]
        case .array(let elements): ["array": .array(elements.map(shape))]
        case .dictionary(let values):
            ["dictionary": .object(JSON.Object(pairs: values.map { ($0.key, shape($0.value)) }))]
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}
