import NIOCore
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

/// Forms with files as curl's own options.
@Suite("curl commands: forms with files")
struct CurlFormTests {
    @Test("Files are named, texts are written out, secrets are not")
    func command() throws {
        let folder = try TestFolder()
        let file = try folder.write(Array("a,b".utf8), to: "t.csv")
        var form = MultipartForm()
        form.append("Ada", name: "name")
        form.append("s3cret", name: "user[password]")
        form.append(file: file, name: "table")
        form.append(file: file, name: "raw", fileName: "a; b.bin", mediaType: "x/y")
        let draft = RequestDraft.post("http://example.com/", body: try form.body())
        let hidden = try Session().curl(for: draft)
        #expect(
            hidden.contains(
                " --form-string 'name=Ada' --form-string 'user[password]=***' -F 'table=@\(file);type=text/csv;filename=t.csv'"
            ), "\(hidden)")
        #expect(hidden.hasSuffix(" -F 'raw=@\(file);type=x/y;filename=\"a; b.bin\"'"), "\(hidden)")
        #expect(!hidden.contains("Content-Type"))
        #expect(!hidden.contains("printf"))
        #expect(try Session().curl(for: draft, showsSecrets: true).contains("user[password]=s3cret"))
    }

    @Test("A form that curl's options cannot express is written as bytes")
    func others() throws {
        let folder = try TestFolder()
        let file = try folder.write(Array("a,b".utf8), to: "t.csv")
        let changes: [(inout MultipartForm) -> Void] = [
            { $0.append(file: file, name: "a=b") }, { $0.append(file: file, name: "a", fileName: "b\\c") },
            { $0.append(Bytes(copying: [0, 255]), name: "a") }, { $0.append("x", name: "a\\b") },
            { $0.append(file: file, name: "") },
        ]
        for change in changes {
            var form = MultipartForm()
            form.append(file: file, name: "file")
            change(&form)
            let text = try Session().curl(for: .post("http://example.com/", body: try form.body()), showsSecrets: true)
            #expect(text.contains("cat "), "\(text)")
            #expect(!text.contains(" -F "), "\(text)")
        }
    }

    struct Seen: Sendable {
        var type: String
        var body: [UInt8]

        /// The body with one boundary for all.
        var normal: String {
            let boundary = MediaType(type)?["boundary"] ?? "none"
            return String(decoding: body, as: UTF8.self).replacing(boundary, with: "B")
        }
    }

    @Test(
        "A real curl sends the same parts",
        .enabled(if: Shell.curl != nil || Shell.isRequired, "curl is not installed"),
        arguments: ["plain.csv", "it's.bin", "with blank.txt", "$(touch x).bin", "-n", "@a", "a;b,c", "é.png", "a\"b"])
    func sent(name: String) async throws {
        try #require(Shell.curl != nil, "CI has to have curl")
        let folder = try TestFolder()
        let file = try folder.write(Array("content\r\n\0\u{FF}".utf8), to: name)
        var form = MultipartForm()
        form.append("@\(name)", name: "text")
        form.append("<x;type=a/b \"q\" 'it''s' \\ $(x)\nsecond", name: "user[na me]")
        form.append("", name: "empty")
        form.append(file: file, name: "whole")
        form.append(Bytes(text: "in \"memory\"\\;type=x/y"), name: "memory", fileName: "m.json")
        form.append(file: file, name: "typed", fileName: "other name.txt", mediaType: "text/plain; charset=utf-8")
        let seen = Mutex<[Seen]>([])
        try await TestServer.withServer { server in
            server.route(nil, "/*") { request in
                let body = try await request.body.collect()
                seen.withLock { $0.append(Seen(type: request.headers["Content-Type"] ?? "", body: body)) }
                return ServerResponse()
            }
            let api = try Session(baseURL: server.url) { $0.responseSerializer = .data }
            let draft = RequestDraft.post("a", body: try form.body())
            let command = try api.curl(for: draft, showsSecrets: true)
            // A quotation mark in a file's name is escaped on the wire, and left to the bytes.
            #expect(command.contains(" -F "), "\(command)")
            try await api.send(draft)
            for shell in Shell.all {
                try await expectEqual(Shell.run(command, by: shell, in: folder.path), 0, "\(command)")
            }
        }
        let all = seen.withLock { $0 }
        expectEqual(all.count, 1 + Shell.all.count)
        let own = try #require(all.first)
        for other in all { expectEqual(other.normal, own.normal) }
    }
}
