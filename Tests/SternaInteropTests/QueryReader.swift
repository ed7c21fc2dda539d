import SternaPlatform

/// A program that others wrote, which reads queries: one a line on standard input, one line of JSON for each.
struct QueryReader: Sendable, CustomStringConvertible {
    var description: String
    private let program: String?
    private let arguments: [String]
    private var environment: [String: String] = [:]

    /// `urllib.parse` of Python. It takes bare names unless it is strict, so each line begins with whether it is.
    static let python = QueryReader(
        description: "Python's urllib.parse", program: ChildProcess.find("python3"),
        arguments: [
            "-c",
            """
            import json, sys
            from urllib.parse import parse_qsl
            for line in sys.stdin:
                strict, query = line.rstrip("\\n").split(" ", 1)
                # Up to Python 3.11 strict reading does not even take nothing at all.
                pairs = parse_qsl(
                    query, keep_blank_values=True, strict_parsing=strict == "strict", encoding="utf-8", errors="strict"
                ) if query else []
                print(json.dumps({"pairs": pairs}))
            """,
        ])

    /// `parse_str` of PHP, without its limits of 1,000 fields and 64 levels and without this machine's settings.
    static let php = QueryReader(
        description: "PHP's parse_str", program: ChildProcess.find("php"),
        arguments: [
            "-n", "-d", "display_errors=stderr", "-d", "max_input_vars=1000000", "-d", "max_input_nesting_level=1000",
            "-r",
            """
            function shape($value) {
                if (!is_array($value)) return $value;
                $pairs = [];
                foreach ($value as $name => $element) $pairs[] = [(string)$name, shape($element)];
                return ["pairs" => $pairs];
            }
            while (($line = fgets(STDIN)) !== false) {
                parse_str(rtrim($line, "\\n"), $tree);
                echo json_encode(shape($tree), JSON_THROW_ON_ERROR, 10000), "\\n";
            }
            """,
        ])

    /// `qs` of node without its limits of 1,000 fields, 5 levels and 20 indices, and with no name kept for prototypes.
    ///
    /// Debian's node looks for Debian's modules where they are; a node of another origin has to be told.
    static let qs = QueryReader(
        description: "node's qs", program: ChildProcess.find("node", "nodejs"),
        arguments: [
            "-e",
            """
            const qs = require('qs')
            const shape = (value) => value === null || typeof value === 'string' ? value
                : Array.isArray(value) ? { list: value.map(shape) }
                : { pairs: Object.keys(value).map((name) => [name, shape(value[name])]) }
            const options = {
                depth: 1000, parameterLimit: Infinity, arrayLimit: 100000, plainObjects: true, strictNullHandling: true
            }
            const lines = require('fs').readFileSync(0, 'utf8').split('\\n').slice(0, -1)
            for (const line of lines) console.log(JSON.stringify(shape(qs.parse(line, options))))
            """,
        ],
        environment: [
            "NODE_PATH": [ProcessInfo.processInfo.environment["NODE_PATH"], "/usr/share/nodejs"]
                .compactMap { $0 }.joined(separator: ":")
        ])

    /// Whether it can be run, or has to be because this is CI.
    func isThere() async -> Bool {
        ChildProcess.mayNotSkip ? true : (try? await read([])) != nil
    }

    /// What it makes of lines.
    func read(_ lines: [String]) async throws -> [ReadValue] {
        guard let program else { throw ChildProcess.Failure(description: "\(self) is not installed") }
        let input = lines.map { $0 + "\n" }.joined().utf8
        let output = try await ChildProcess.run([program] + arguments, environment: environment, input: Array(input))
        let decoder = JSONDecoder()
        let values = try output.split(separator: 0x0A).map { try decoder.decode(ReadValue.self, from: Data($0)) }
        guard values.count == lines.count else {
            throw ChildProcess.Failure(description: "\(self) read \(values.count) of \(lines.count) lines")
        }
        return values
    }
}
