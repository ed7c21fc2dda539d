import HTTPTypes
import NIOCore
import SternaCore
import SternaPlatform
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Forms filled in field by field")
struct FormBuilderTests {
    private func text(_ form: FormBuilder) async throws -> String {
        String(decoding: try await MultipartFormTests.bytes(#require(try form.body())), as: UTF8.self)
    }

    @Test("add keeps earlier values, set replaces them; a nil value is empty, a nil key is ignored")
    func values() async throws {
        var form = FormBuilder()
        form.add("1", for: "a")
        form.add("", for: "empty")
        form.add("2 é&=", for: "a")
        form.add(nil, for: "nil")
        form.add("lost", for: nil)
        form.add(3, for: "n")
        try await expectEqual(text(form), "a=1&empty=&a=2%20%C3%A9%26%3D&nil=&n=3")
        try expectEqual(form.body()?.mediaType, "application/x-www-form-urlencoded; charset=utf-8")
        form.set("x", for: "a")
        form.set(true, for: "n")
        form.set("lost", for: nil)
        try await expectEqual(text(form), "empty=&nil=&a=x&n=1")
        form.namesCharset = false
        try expectEqual(form.body()?.mediaType, "application/x-www-form-urlencoded")
    }

    @Test("Without values there is no body, in either format", arguments: FormBuilder.Format.allCases)
    func nothing(format: FormBuilder.Format) throws {
        var form = FormBuilder()
        form.format = format
        form.add("lost", for: nil)
        try expectNil(form.body())
        form.add(nil, for: "a")
        #expect(try form.body() != nil)
    }

    @Test("A standard method in another case is that method", arguments: ["get", "Head", "dELETE"])
    func methodCase(name: String) throws {
        var form = FormBuilder()
        let method = try #require(Request.Method(name))
        expectEqual(form.method(for: method), .post)
        form.changesMethodToPost = false
        expectEqual(form.method(for: method), method.normalized)
    }

    @Test("With a file the body is multipart, values before files")
    func files() async throws {
        let file = try ScratchFile("content", name: "a.csv")
        var form = FormBuilder()
        form.boundary = "B"
        try form.add(file: file.path, for: "file")
        form.add("v", for: "value")
        form.add(Data("d".utf8), for: "data")
        form.add(Data("e".utf8), for: "data", fileName: "e.png", mediaType: "x/y")
        let expected = [
            "--B", "Content-Disposition: form-data; name=\"value\"", "", "v",
            "--B", "Content-Disposition: form-data; name=\"file\"; filename=\"a.csv\"", "Content-Type: text/csv", "",
            "content",
            "--B", "Content-Disposition: form-data; name=\"data\"; filename=\"file\"",
            "Content-Type: application/octet-stream", "", "d",
            "--B", "Content-Disposition: form-data; name=\"data\"; filename=\"e.png\"", "Content-Type: x/y", "", "e",
            "--B--", "",
        ]
        try await expectEqual(text(form), expected.joined(separator: "\r\n"))
        try expectEqual(form.body()?.mediaType, "multipart/form-data; charset=utf-8; boundary=B")
        form.set(Data("only".utf8), for: "data")
        try form.set(file: file.path, for: "file", fileName: "b")
        let set = try await text(form)
        #expect(
            set.contains("only") && !set.contains("e.png") && set.contains("filename=\"b\"") && !set.contains("a.csv"))
        expectEqual(form.format, .urlEncoded)
        var plain = FormBuilder()
        plain.format = .multipart
        plain.add("1", for: "a")
        try expectEqual(plain.body()?.mediaType?.hasPrefix("multipart/form-data"), true)
    }

    @Test("A missing file is an error when it is added, and what was there stays")
    func missing() async throws {
        var form = FormBuilder()
        form.add(Data("kept".utf8), for: "f")
        #expect(throws: SternaError.self) { try form.add(file: "/none/at/all", for: "f") }
        #expect(throws: SternaError.self) { try form.set(file: "/none/at/all", for: "f") }
        #expect(throws: SternaError.self) { try form.set(file: "/none/at/all", for: nil) }
        #expect(try await text(form).contains("kept"))
    }

    @Test("Everything is in the character set of the form")
    func charset() async throws {
        var form = FormBuilder()
        form.encoding = .latin1
        form.add("é", for: "ü")
        try await expectEqual(text(form), "%FC=%E9")
        form.add("日", for: "a")
        expectEqual(#expect(throws: SternaError.self) { try form.body() }?.kind, .encodingFailed)
    }

    @Test("GET, HEAD and DELETE become POST unless told otherwise; a method of one's own stays")
    func methods() throws {
        var form = FormBuilder()
        for (method, sent) in [
            ("GET", "POST"), ("HEAD", "POST"), ("DELETE", "POST"), ("PUT", "PUT"), ("PURGE", "PURGE"),
        ] {
            let method = try #require(Request.Method(rawValue: method))
            expectEqual(form.method(for: method).rawValue, sent)
        }
        form.changesMethodToPost = false
        for method in [Request.Method.get, .head, .delete, .put] { expectEqual(form.method(for: method), method) }
    }

    @Test("The description is readable and hides secrets")
    func description() throws {
        let file = try ScratchFile("content", name: "a.csv")
        var form = FormBuilder()
        form.add("Ada\u{1B}[2J", for: "name")
        form.add("s3cret", for: "password")
        form.add(String(repeating: "long", count: 1_000), for: "text")
        try form.add(file: file.path, for: "file")
        let text = "\(form)"
        #expect(text.contains("name = Ada") && !text.contains("\u{1B}"))
        #expect(text.contains("password = ***") && !text.contains("s3cret"))
        #expect(text.contains("file = file “a.csv”, text/csv, 7 B"))
        #expect(text.utf8.count < 1_000)
    }

    static let known: [(String, String)] = [
        ("a.png", "image/png"), ("/x/y/A.JPG", "image/jpeg"), ("a.tar.gz", "application/gzip"), ("a.mp4", "video/mp4"),
        ("a.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        ("a.js", "text/javascript"),
        ("a.ts", "video/mp2t"), ("a.yaml", "application/yaml"), ("a.heic", "image/heic"), ("a.woff2", "font/woff2"),
        ("a.swift", "text/x-swift"), ("a.plist", "application/x-plist"), ("a", "application/octet-stream"),
        (".profile", "application/octet-stream"), ("a.", "application/octet-stream"), ("", "application/octet-stream"),
        ("a.unknown", "application/octet-stream"), ("dir.png/a", "application/octet-stream"),
        ("a." + String(repeating: "x", count: 1_000), "application/octet-stream"), ("a.md", "text/markdown"),
    ]

    @Test("Media types by the extension", arguments: known)
    func types(name: String, type: String) {
        expectEqual(MediaType.ofFile(named: name), type)
    }
}
