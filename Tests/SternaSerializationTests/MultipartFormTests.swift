import NIOCore
import SternaCore
import SternaPlatform
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Multipart forms")
struct MultipartFormTests {
    /// All of a body's bytes, read in pieces of a size.
    static func bytes(_ body: Body, pieces: Int = 1 << 20) async throws -> [UInt8] {
        var reader = BodyReader(body)
        var all: [UInt8] = []
        while let piece = try await reader.next(upTo: pieces) {
            #expect((1...pieces).contains(piece.readableBytes))
            all += piece.readableBytesView
        }
        return all
    }

    private func text(_ form: MultipartForm) async throws -> String {
        let body = try #require(try form.body())
        let bytes = try await Self.bytes(body)
        if let length = body.length { expectEqual(length, Int64(bytes.count)) }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("Fields, data and files, with the first, the inner and the last boundary")
    func whole() async throws {
        let file = try ScratchFile("content of the file", name: "notes.TXT")
        var form = MultipartForm(boundary: "B")
        form.append("Ada", name: "name")
        form.append(36, name: "age")
        form.append(Data([0x61, 0x0D, 0x0A]), name: "raw")
        form.append(Data("<x/>".utf8), name: "icon", fileName: "i.svg")
        form.append(file: file.path, name: "notes")
        form.append(file: URL(filePath: file.path), name: "again", fileName: "n", mediaType: "text/x")
        form.append(headers: ["Content-Disposition": "form-data; name=own", "X-A": "b"], body: .text("t"))
        expectEqual(form.count, 7)
        expectEqual(form.mediaType, "multipart/form-data; boundary=B")
        let expected = [
            "--B", "Content-Disposition: form-data; name=\"name\"", "", "Ada",
            "--B", "Content-Disposition: form-data; name=\"age\"", "", "36",
            "--B", "Content-Disposition: form-data; name=\"raw\"", "", "a\r\n",
            "--B", "Content-Disposition: form-data; name=\"icon\"; filename=\"i.svg\"", "Content-Type: image/svg+xml",
            "",
            "<x/>",
            "--B", "Content-Disposition: form-data; name=\"notes\"; filename=\"notes.TXT\"", "Content-Type: text/plain",
            "", "content of the file",
            "--B", "Content-Disposition: form-data; name=\"again\"; filename=\"n\"", "Content-Type: text/x", "",
            "content of the file",
            "--B", "Content-Disposition: form-data; name=own", "X-A: b", "", "t",
            "--B--", "",
        ]
        try await expectEqual(text(form), expected.joined(separator: "\r\n"))
        try expectEqual(form.body()?.mediaType, form.mediaType)
        try expectEqual(form.body()?.isReplayable, true)
    }

    @Test(
        "A given boundary inside of text or data is an error, at the start of any line and as the start of a longer one"
    )
    func boundaryInside() async throws {
        let refused = ["--B", "--B--", "--Bx", "a\r\n--B\r\nb", "a\n--B", "a\r--B", "\r\n\r\n--B", "\n--B"]
        for text in refused {
            let appends: [(inout MultipartForm) -> Void] = [
                { $0.append(text, name: "n") }, { $0.append(Data(text.utf8), name: "n", fileName: "f") },
                { $0.append(.text(text), name: "n") }, { $0.append(["n": text] as Parameters) },
                { $0.append(Data((String(repeating: "x", count: 20_000) + "\n" + text).utf8), name: "n") },
            ]
            for append in appends {
                var form = MultipartForm(boundary: "B")
                append(&form)
                let error = #expect(throws: SternaError.self) { try form.body() }
                #expect(error?.underlying as? BodyFault == .boundaryInside("n"), "\(text)")
            }
            var own = MultipartForm(boundary: "B")
            own.append(headers: ["Content-Disposition": "form-data; name=n"], body: .text(text))
            #expect(throws: SternaError.self) { try own.body() }
        }
        for text in ["", "-", "--", "a--B", "--A", "\r\n-B", "--\r\nB", "\r\n--", " --B"] {
            var form = MultipartForm(boundary: "B")
            form.append(text, name: "n")
            #expect(try await self.text(form).contains("\r\n\r\n\(text)\r\n--B--"))
        }
    }

    @Test("A description has the number of parts and the length, and no content")
    func described() {
        var form = MultipartForm()
        expectEqual("\(form)", "multipart/form-data, 0 parts")
        form.append("hunter2", name: "password")
        #expect("\(form)".hasPrefix("multipart/form-data, 1 part, "))
        var text = ""
        dump(form, to: &text)
        #expect(!(text + "\(form)").contains("hunter2"))
    }

    @Test("Parameters are fields by the rules of queries: data raw, null empty")
    func parameters() async throws {
        var form = MultipartForm(boundary: "B")
        form.append([
            "user": ["name": "Ada", "tags": ["b", "a"]] as Parameters, "data": Data([0xFF]), "none": Parameters.null,
        ])
        let body = try #require(try form.body())
        let bytes = try await Self.bytes(body)
        let names = ["data", "none", "user[name]", "user[tags][]", "user[tags][]"]
        let values: [[UInt8]] = [[0xFF], [], Array("Ada".utf8), Array("b".utf8), Array("a".utf8)]
        var expected: [UInt8] = []
        for (name, value) in zip(names, values) {
            expected +=
                Array("--B\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n".utf8) + value + [13, 10]
        }
        expectEqual(bytes, expected + Array("--B--\r\n".utf8))
    }

    static let styles: [(MultipartForm.NameStyle, String, String, String)] = [
        (.whatwg, "a\"b", "x\"y", "name=\"a%22b\"; filename=\"x%22y\""),
        (.whatwg, "a\r\nb", "x\ny\rz", "name=\"a%0D%0Ab\"; filename=\"x%0Ay%0Dz\""),
        (.whatwg, "a\nb\rc", "f", "name=\"a%0D%0Ab%0D%0Ac\"; filename=\"f\""),
        (.whatwg, "é🐦", "日本.png", "name=\"é🐦\"; filename=\"日本.png\""),
        (.whatwg, "a\\b%22", "C:\\x", "name=\"a\\b%22\"; filename=\"C:\\x\""),
        (.whatwg, "", "", "name=\"\"; filename=\"\""),
        (.raw, "a\"b", "x\"y", "name=\"a\"b\"; filename=\"x\"y\""),
        (.extended, "é", "aé b.png", "name=\"é\"; filename=\"aé b.png\"; filename*=UTF-8''a%C3%A9%20b.png"),
        (.extended, "a", "b.png", "name=\"a\"; filename=\"b.png\""),
    ]

    @Test("Names of parts and files, as each style writes them", arguments: styles)
    func names(style: MultipartForm.NameStyle, name: String, file: String, expected: String) async throws {
        var form = MultipartForm(boundary: "B", nameStyle: style)
        form.append(Data(), name: name, fileName: file, mediaType: "a/b")
        #expect(try await text(form).contains("form-data; \(expected)\r\nContent-Type: a/b\r\n\r\n\r\n--B--\r\n"))
    }

    @Test("Another character set applies to names and text, and is named if namesCharset is set")
    func charset() async throws {
        var form = MultipartForm(boundary: "B", encoding: .latin1, namesCharset: true)
        form.append("é", name: "ü")
        let bytes = try await Self.bytes(try #require(try form.body()))
        #expect(bytes.contains(0xE9) && bytes.contains(0xFC))
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("Content-Type: text/plain; charset="))
        #expect(form.mediaType.hasPrefix("multipart/form-data; charset="))
        form.append("日", name: "a")
        #expect(throws: SternaError.self) { try form.body() }
        form = MultipartForm(encoding: .latin1, encoder: .whatwgForm)
        form.append("日", name: "a")
        #expect(try await self.text(form).contains("\r\n\r\n&#26085;\r\n"))
    }

    @Test("Boundaries: random ones differ, given ones follow the grammar")
    func boundaries() throws {
        let random = (0..<100).map { _ in MultipartForm().boundary }
        expectEqual(Set(random).count, 100)
        for boundary in random {
            #expect(boundary.hasPrefix("Boundary+"))
            expectEqual(boundary.utf8.count, 41)
        }
        expectEqual(MultipartForm(boundary: "a b").mediaType, "multipart/form-data; boundary=\"a b\"")
        for bad in ["", "a ", String(repeating: "a", count: 71), "a\r\nb", "ä", "a;b", "a\"b"] {
            let error = #expect(throws: SternaError.self) { try MultipartForm(boundary: bad).body() }
            #expect(error?.underlying as? BodyFault == .invalidBoundary)
        }
        try expectNil(MultipartForm(boundary: String(repeating: "a", count: 70)).body())
    }

    @Test("Without parts there is no body")
    func empty() throws {
        try expectNil(MultipartForm().body())
        var form = MultipartForm()
        form.append([:] as Parameters)
        #expect(form.isEmpty)
        try expectNil(form.body())
    }

    @Test("Each part that cannot be sent has its own error before anything is sent; the first one counts")
    func errors() throws {
        let folder = FileManager.default.temporaryDirectory.path
        let file = try ScratchFile("x", name: "f")
        let cases: [(BodyFault, (inout MultipartForm) -> Void)] = [
            (
                .notAFileURL(scheme: "https"),
                { $0.append(file: URL(string: "https://a.b/c") ?? URL(filePath: "/"), name: "n") }
            ),
            (.unreachable(path: "/none/at/all", code: 2), { $0.append(file: "/none/at/all", name: "n") }),
            (.directory(path: folder), { $0.append(file: folder, name: "n") }),
            (.notAFile(path: "/dev/null"), { $0.append(file: "/dev/null", name: "n") }),
            (.controlCharacter(in: "the name of a part"), { $0.append("", name: "a\0b") }),
            (.controlCharacter(in: "the name of a file"), { $0.append(Data(), name: "a", fileName: "\u{1B}[2J") }),
            (
                .controlCharacter(in: "the media type of “a”"),
                { $0.append(Data(), name: "a", mediaType: "a/b\r\nX: y") }
            ),
        ]
        for (fault, add) in cases {
            var form = MultipartForm()
            form.append("first", name: "a")
            add(&form)
            form.append(file: "/another/that/is/missing", name: "n")
            let error = #expect(throws: SternaError.self) { try form.body() }
            #expect(error?.underlying as? BodyFault == fault)
            expectEqual(error?.phase, .prepare)
        }
        var form = MultipartForm()
        form.append(headers: ["X": "a\r\nb"], body: .text(""))
        expectEqual(#expect(throws: SternaError.self) { try form.body() }?.kind, .invalidHeader)
        _ = file
    }

    @Test("The length is exact where every part has one, and the body says whether it can be sent again")
    func lengths() async throws {
        let file = try ScratchFile(String(repeating: "f", count: 100_000), name: "f")
        for size in [0, 1, 16_383, 16_384, 16_385, 262_143, 262_144, 262_145] {
            var form = MultipartForm()
            form.append(Data(repeating: 0x61, count: size), name: "data", fileName: "d")
            form.append(file: file.path, name: "file")
            form.append(stream: once(size), length: Int64(size), name: "stream")
            let body = try #require(try form.body())
            #expect(!body.isReplayable)
            let count = try await Self.bytes(body, pieces: 7_919).count
            expectEqual(body.length, Int64(count))
        }
        var form = MultipartForm()
        form.append(stream: once(5), name: "stream")
        try expectNil(form.body()?.length)
    }

    private func once(_ size: Int) -> AsyncStream<Bytes> {
        AsyncStream { continuation in
            for start in stride(from: 0, to: size, by: 10_000) {
                continuation.yield(Bytes(copying: Array(repeating: 0x73, count: min(10_000, size - start))))
            }
            continuation.finish()
        }
    }

    @Test("A hundred thousand small fields take time in proportion, and one run of memory")
    func many() throws {
        func time(_ count: Int) throws -> Duration {
            var body: Body?
            let time = try ContinuousClock().measure { () throws(SternaError) in
                var form = MultipartForm()
                for number in 0..<count { form.append("value", name: "field\(number)") }
                body = try form.body()
            }
            expectEqual(body?.segments.count, 1)
            return time
        }
        _ = try time(1_000)
        let (one, ten) = (try time(10_000), try time(100_000))
        #expect(ten < one * 40)
    }
}

/// A file that lasts as long as a test.
final class ScratchFile: Sendable {
    let path: String
    private let folder: String

    init(_ content: String, name: String) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "sterna-part-\(UUID().uuidString)").path
        path = "\(folder)/\(name)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(content.utf8).write(to: URL(filePath: path))
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }
}
