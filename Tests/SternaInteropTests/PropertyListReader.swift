import Sterna
import SternaPlatform
import SternaPropertyList

/// Python's `plistlib`, which reads and writes property lists: one a line on standard input, one line for each.
///
/// Values pass in JSON in which text is the hexadecimal of its UTF-8 and a real that of its bits, so that equal lines
/// mean equal values.
struct PropertyListReader: Sendable {
    /// From a file in base64 to its value.
    static let reading = PropertyListReader(
        """
        for line in sys.stdin:
            print(json.dumps(shown(plistlib.loads(base64.b64decode(line))), separators=(",", ":")))
        """)

    /// From a format's name and a value to a file in base64.
    static let writing = PropertyListReader(
        """
        for line in sys.stdin:
            name, value = line.split(" ", 1)
            format = {"xml": plistlib.FMT_XML, "binary": plistlib.FMT_BINARY}[name]
            print(base64.b64encode(plistlib.dumps(made(json.loads(value)), fmt=format)).decode())
        """)

    private let script: String

    private init(_ end: String) {
        script =
            """
            import base64, datetime, json, plistlib, struct, sys
            microsecond = datetime.timedelta(microseconds=1)
            start = datetime.datetime(2001, 1, 1)
            def shown(value):
                if isinstance(value, bool): return ["bool", value]
                if isinstance(value, int): return ["integer", str(value)]
                if isinstance(value, float): return ["real", struct.pack(">d", value).hex()]
                if isinstance(value, str): return ["string", value.encode().hex()]
                if isinstance(value, bytes): return ["data", value.hex()]
                if isinstance(value, datetime.datetime): return ["date", str((value - start) // microsecond)]
                if isinstance(value, list): return ["array", [shown(element) for element in value]]
                if isinstance(value, dict):
                    return ["dictionary", sorted([key.encode().hex(), shown(value[key])] for key in value)]
                raise TypeError(type(value))
            def made(tagged):
                kind, value = tagged
                if kind == "bool": return value
                if kind == "integer": return int(value)
                if kind == "real": return struct.unpack(">d", bytes.fromhex(value))[0]
                if kind == "string": return bytes.fromhex(value).decode()
                if kind == "data": return bytes.fromhex(value)
                if kind == "date": return start + int(value) * microsecond
                if kind == "array": return [made(element) for element in value]
                if kind == "dictionary": return {bytes.fromhex(key).decode(): made(member) for key, member in value}
                raise TypeError(kind)

            """ + end
    }

    /// Whether it can be run, or has to be because this is CI.
    func isThere() async -> Bool { ChildProcess.mayNotSkip ? true : (try? await run([])) != nil }

    /// What it answers to lines.
    func run(_ lines: [String]) async throws -> [String] {
        guard let program = ChildProcess.find("python3") else {
            throw ChildProcess.Failure(description: "python3 is not installed")
        }
        let output = try await ChildProcess.run(
            [program, "-c", script], input: Array(lines.map { $0 + "\n" }.joined().utf8))
        let answers = output.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
        guard answers.count == lines.count else {
            throw ChildProcess.Failure(description: "plistlib answered \(answers.count) of \(lines.count) lines")
        }
        return answers
    }
}

extension PropertyList {
    /// The value as the reader shows it.
    var shown: String {
        switch self {
        case .boolean(let value): "[\"bool\",\(value)]"
        case .integer(let value): "[\"integer\",\"\(value)\"]"
        case .unsigned(let value): "[\"integer\",\"\(value)\"]"
        case .real(let value): "[\"real\",\"\(Self.hexadecimal(value.bitPattern.bigEndianBytes))\"]"
        case .string(let text): "[\"string\",\"\(Self.hexadecimal(text.utf8))\"]"
        case .data(let data): "[\"data\",\"\(Self.hexadecimal(data))\"]"
        // Eighths of a second are exact in both.
        case .date(let date): "[\"date\",\"\(Int64(date.timeIntervalSinceReferenceDate * 8) * 125_000)\"]"
        case .array(let elements): "[\"array\",[\(elements.map(\.shown).joined(separator: ","))]]"
        case .dictionary(let members):
            "[\"dictionary\",["
                + members.map { (Self.hexadecimal($0.key.utf8), $0.value) }.sorted { $0.0 < $1.0 }
                .map { "[\"\($0.0)\",\($0.1.shown)]" }.joined(separator: ",") + "]]"
        }
    }

    private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        var text = ""
        for byte in bytes { text += (byte < 16 ? "0" : "") + String(byte, radix: 16) }
        return text
    }
}

extension UInt64 {
    fileprivate var bigEndianBytes: [UInt8] { (0..<8).reversed().map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) } }
}
