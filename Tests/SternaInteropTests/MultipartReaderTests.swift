import Sterna
import SternaPlatform
import Testing

@testable import SternaTestSupport

/// Forms of several parts, read by parsers that others wrote: Werkzeug's, and multipart and python-multipart of PyPI.
@Suite("Interop: readers of multipart forms", .timeLimit(.minutes(5)))
struct MultipartReaderTests {
    private static let python = "\(ChildProcess.package)/.build/interop/venv/bin/python"

    private static func isThere() -> Bool { ChildProcess.mayNotSkip || access(python, X_OK) == 0 }

    /// For each line of media type and body: what the three read, as lists of name, file name or null, and content.
    private static let script = """
        import base64, io, json, sys
        import multipart, python_multipart
        from werkzeug.formparser import FormDataParser
        from werkzeug.http import parse_options_header

        class Pieces:
            # A body that comes as it was read, whatever is asked for.
            def __init__(self, body, sizes): self.body, self.sizes, self.rest, self.start = body, iter(sizes), 0, 0
            def read(self, count=-1):
                self.rest = self.rest or next(self.sizes, 0)
                size = min(self.rest, count) if count >= 0 else self.rest
                self.rest -= size
                self.start += size
                return self.body[self.start - size:self.start]

        def text(value): return value.decode() if isinstance(value, bytes) else value
        def coded(value): return base64.b64encode(value.encode() if isinstance(value, str) else value or b"").decode()

        def werkzeug(kind, body, sizes):
            # It takes half of a line end for content where pieces are that small, whoever sends them.
            if any(size < 1024 for size in sizes[:-1]): sizes = [len(body)]
            essence, options = parse_options_header(kind)
            parser = FormDataParser(max_form_memory_size=None, max_form_parts=None, silent=False)
            _, form, files = parser.parse(Pieces(body, sizes), essence, len(body), options)
            return ([[name, None, coded(value)] for name, value in form.items(multi=True)]
                    + [[name, file.filename, coded(file.read())] for name, file in files.items(multi=True)])

        def plain(kind, body, sizes):
            boundary = multipart.parse_options_header(kind)[1]["boundary"]
            parser = multipart.MultipartParser(Pieces(body, sizes), boundary, len(body), part_limit=100000,
                                               memory_limit=1 << 28, memfile_limit=1 << 26)
            return [[part.name, part.filename, coded(part.raw)] for part in parser]

        def python(kind, body, sizes):
            found = []
            def file(part):
                part.file_object.seek(0)
                found.append([text(part.field_name), text(part.file_name), coded(part.file_object.read())])
            parser = python_multipart.create_form_parser(
                {"Content-Type": kind.encode(), "Content-Length": str(len(body)).encode()},
                lambda part: found.append([text(part.field_name), None, coded(part.value)]), file)
            pieces = Pieces(body, sizes)
            while piece := pieces.read(): parser.write(piece)
            parser.finalize()
            return found

        for line in sys.stdin:
            case = json.loads(line)
            body = base64.b64decode(case["body"])
            readers = (werkzeug, plain, python)
            print(json.dumps([reader(case["type"], body, case["sizes"]) for reader in readers]))
        """

    private struct Part: Equatable {
        var name: String
        var file: String?
        var content: Data
    }

    /// What the readers make of our bodies, each given to them in the pieces in which it was read.
    private static func read(_ bodies: [Body], pieces: Int = 64 << 10) async throws -> [[[Part]]] {
        var lines = ""
        for body in bodies {
            var reader = BodyReader(body)
            var bytes = Data()
            var sizes: [JSON] = []
            while let piece = try await reader.next(upTo: pieces) {
                let piece = piece.array
                bytes.append(contentsOf: piece)
                sizes.append(.number(.init(piece.count)))
            }
            expectEqual(body.length, Int64(bytes.count))
            let line: JSON = [
                "type": .string(body.mediaType ?? ""), "body": .string(bytes.base64EncodedString()),
                "sizes": .array(sizes),
            ]
            lines += try line.serializedString() + "\n"
        }
        let output = try await ChildProcess.run([python, "-c", script], input: Array(lines.utf8))
        return try String(decoding: output, as: UTF8.self).split(separator: "\n").map { line in
            try (JSON(parsing: line).array ?? []).map { reader in
                (reader.array ?? []).map { part in
                    Part(
                        name: part[0].string ?? "", file: part[1].string,
                        content: Data(base64Encoded: part[2].string ?? "") ?? Data())
                }
            }
        }
    }

    /// What each reader makes of a name, which none of them takes back as it was: Werkzeug knows `%22` and takes a backslash
    /// for an escape, multipart knows all three escapes, python-multipart none of them but the backslash's.
    private static func seen(_ name: String, by reader: Int) -> String {
        // By scalars: CR and LF together are one character.
        let escapes: [Unicode.Scalar: String] = ["\"": "%22", "\r": "%0D", "\n": "%0A"]
        let backslash = name.hasSuffix("\\") || name.contains("\\\"") ? "%5C" : "\\"
        let wire = name.unicodeScalars.map { $0 == "\\" ? backslash : escapes[$0] ?? String($0) }.joined()
        switch reader {
        case 0: return wire.replacing("\\", with: "").replacing("%22", with: "\"")
        case 1: return wire.replacing("%22", with: "\"").replacing("%0D", with: "\r").replacing("%0A", with: "\n")
        default: return wire
        }
    }

    static let names = [
        "plain", "a b", "a\"b", "\"", "a\r\nb", "a;b=c", "a'b", "a\\b", "%22", "100%25", "é", "日本語", "🐦‍⬛", "[x][]",
        "a:b/c", "=?UTF-8?B?w6k=?=", "a\\", "dir\\sub\\", "a\\\"b", String(repeating: "n", count: 900), " lead", "a,b",
    ]

    @Test("Names of every kind, of fields and of files", .enabled("the readers are not there") { isThere() })
    func names() async throws {
        let bodies = try Self.names.map { name in
            var form = MultipartForm()
            form.append("value", name: name)
            form.append(Data("content".utf8), name: name, fileName: name.replacing("/", with: "_"))
            return try #require(try form.body())
        }
        for (name, readers) in zip(Self.names, try await Self.read(bodies)) {
            for (reader, parts) in readers.enumerated() {
                let file = Self.seen(name.replacing("/", with: "_"), by: reader)
                let name = Self.seen(name, by: reader)
                expectEqual(
                    parts,
                    [
                        Part(name: name, file: nil, content: Data("value".utf8)),
                        Part(name: name, file: file, content: Data("content".utf8)),
                    ], "reader \(reader)")
            }
        }
    }

    @Test(
        "Contents of sizes around the edges of buffers, in order", .enabled("the readers are not there") { isThere() })
    func sizes() async throws {
        let sizes = [0, 1, 16_383, 16_384, 16_385, 262_143, 262_144, 262_145]
        var form = MultipartForm()
        var expected: [Part] = []
        for size in sizes {
            // Line ends and hyphens, which a reader looks at for boundaries.
            let content = Data((0..<size).map { [0x0D, 0x0A, 0x2D, 0x2D, UInt8(truncatingIfNeeded: $0)][$0 % 5] })
            form.append(content, name: "data\(size)", fileName: "f")
            expected.append(Part(name: "data\(size)", file: "f", content: content))
        }
        let file = try Self.file(of: 262_145)
        defer { try? FileManager.default.removeItem(atPath: file) }
        form.append(file: file, name: "file", fileName: "x.bin")
        expected.append(Part(name: "file", file: "x.bin", content: Data(repeating: 0x66, count: 262_145)))
        for readers in try await Self.read([try #require(try form.body())]) {
            for parts in readers { expectEqual(parts, expected) }
        }
    }

    @Test(
        "Read in pieces of a few bytes, of files, streams and fields",
        .enabled("the readers are not there") { isThere() },
        arguments: [1, 2, 7, 4_096])
    func pieces(size: Int) async throws {
        let file = try Self.file(of: 5_000)
        defer { try? FileManager.default.removeItem(atPath: file) }
        let content = Data((0..<3_000).map { [0x0D, 0x0A, 0x2D, 0x2D, 0x42][$0 % 5] })
        var form = MultipartForm()
        form.append("é", name: "\"ü\"")
        form.append(content, name: "data", fileName: "d")
        form.append(file: file, name: "file", fileName: "x.bin")
        form.append(.bytes(content), name: "raw", fileName: "")
        form.append("", name: "last")
        let expected = [
            Part(name: "\"ü\"", file: nil, content: Data("é".utf8)), Part(name: "data", file: "d", content: content),
            Part(name: "file", file: "x.bin", content: Data(repeating: 0x66, count: 5_000)),
            Part(name: "raw", file: "", content: content), Part(name: "last", file: nil, content: Data()),
        ]
        let body = try #require(try form.body())
        let bodies = try await Self.read([body], pieces: size)
        let readers = try #require(bodies.first)
        expectEqual(readers.count, 3)
        for (reader, parts) in readers.enumerated() {
            // Werkzeug gives the fields first; python-multipart leaves escapes as they are.
            let inOrder =
                reader == 0 ? expected.filter { $0.file == nil } + expected.filter { $0.file != nil } : expected
            let named = inOrder.map { Part(name: Self.seen($0.name, by: reader), file: $0.file, content: $0.content) }
            expectEqual(parts, named, "reader \(reader)")
        }
    }

    private static func file(of size: Int) throws -> String {
        let path = FileManager.default.temporaryDirectory.appending(path: "sterna-\(UUID().uuidString)").path
        try Data(repeating: 0x66, count: size).write(to: URL(filePath: path))
        return path
    }

    @Test("A thousand fields and a form filled in field by field", .enabled("the readers are not there") { isThere() })
    func many() async throws {
        var form = MultipartForm()
        for number in 0..<1_000 { form.append("value \(number)", name: "field") }
        var filled = FormBuilder()
        filled.add("1", for: "a")
        filled.add(nil, for: "b")
        filled.add(Data("d".utf8), for: "c")
        let all = try await Self.read([try #require(try form.body()), try #require(try filled.body())])
        for parts in all[0] {
            expectEqual(parts.map(\.content), (0..<1_000).map { Data("value \($0)".utf8) })
        }
        for parts in all[1] {
            expectEqual(parts.map(\.name), ["a", "b", "c"])
            expectEqual(parts.map(\.file), [nil, nil, "file"])
        }
    }
}
