import NIOCore
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

/// The printed command, run by real shells and a real curl, sends what the session sends.
@Suite(
    "curl commands: the same bytes",
    .enabled(if: Shell.curl != nil || Shell.isRequired, "curl is not installed"))
struct CurlBytesTests {
    /// A request as a server got it.
    struct Seen: Sendable, Equatable, CustomStringConvertible {
        var method: String
        var target: String
        var lines: [String]
        var body: [UInt8]

        var description: String {
            "\(method) \(target)\n\(lines.joined(separator: "\n"))\n\(body.count) bytes: \(body.prefix(200))"
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var input: [UInt8]
        var make: @Sendable (TestFolder) throws -> RequestDraft

        init(_ name: String, input: [UInt8] = [], _ make: @escaping @Sendable (TestFolder) throws -> RequestDraft) {
            testDescription = name
            self.input = input
            self.make = make
        }
    }

    /// Runs a draft by the session and by every shell, and compares what came.
    private func compare(_ row: Row, _ configure: (inout SessionSettings) -> Void = { _ in }) async throws {
        try #require(Shell.curl != nil, "CI has to have curl")
        let folder = try TestFolder()
        let seen = Mutex<[Seen]>([])
        try await TestServer.withServer { server in
            server.route(nil, "/*") { request in
                let body = try await request.body.collect()
                let lines = request.headers.map { "\($0.name): \($0.value)" }.sorted()
                seen.withLock {
                    $0.append(Seen(method: request.method, target: request.target, lines: lines, body: body))
                }
                return ServerResponse()
            }
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.responseSerializer = .data
                configure(&$0)
            }
            let draft = try row.make(folder)
            let command = try api.curl(for: draft, showsSecrets: true)
            #expect(!command.isEmpty)
            let names = folder.names
            try await api.send(try row.make(folder))
            for shell in Shell.all {
                let status = try await Shell.run(command, by: shell, in: folder.path, input: row.input)
                expectEqual(status, 0, "\(shell): \(command.prefix(2_000))")
            }
            expectEqual(folder.names, names)
        }
        let all = seen.withLock { $0 }
        expectEqual(all.count, 1 + Shell.all.count)
        let own = try #require(all.first)
        for other in all.dropFirst() {
            expectEqual(other.method, own.method)
            expectEqual(other.target, own.target)
            expectEqual(other.lines, own.lines)
            expectEqual(other.body, own.body, "\(other) – \(own)")
        }
    }

    private static func method(_ name: String) throws -> Request.Method { try #require(Request.Method(name)) }

    static let verbs: [Row] =
        ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE", "REPORT", "M-SEARCH"].flatMap { name in
            [
                Row("\(name) alone") { _ in RequestDraft(try method(name), "a") },
                Row("\(name) with parameters") { _ in
                    RequestDraft(try method(name), "a", parameters: ["b": "c d", "e": [1, 2]])
                },
            ]
        }
        + ["GET", "DELETE", "POST", "PUT", "PATCH", "OPTIONS", "PURGE"].flatMap { name in
            [
                Row("\(name) with a body") { _ in RequestDraft(try method(name), "a", body: .text("text")) },
                Row("\(name) with an empty body") { _ in RequestDraft(try method(name), "a", body: .bytes([])) },
            ]
        }

    @Test("Verbs", arguments: verbs)
    func verb(row: Row) async throws { try await compare(row) }

    static let urls = [
        "a?b[]=1&b[]=2", "a?b={c,d}", "a[1-3]", "a{b}", "a%5B1%5D", "a?x=%24%28touch%20x%29", "a?x=$(touch%20x)`touch`",
        "a?x='y'", "a?x=%27;touch%20x;%27", "a?x=\"y\"", "a?x=é", "a?a=b&c=d;e", "a!b", "a~b/*", "a?", "a?#b", "a?b#c",
        "./-a", "a\\b", "a?%00%0A", "a//b/../c/./d", "a/%2e%2e/b", "?x=1", "a?x=%", "a?&&=&", "a|b^c`d",
    ]

    @Test("URLs with characters that are special to a shell or to curl", arguments: urls)
    func url(reference: String) async throws {
        try await compare(Row(reference) { _ in .get(reference) })
    }

    @Test("A Host field of the caller's")
    func host() async throws {
        try await compare(Row("user") { _ in .get("a", headers: ["Host": "example.com"]) })
    }

    static let fields: [Headers] = [
        ["X-A": "it's \"quoted\" $(touch x) `touch x` \\ %s !x"], ["X-A": ""],
        ["X-A": "a;b", "X-B": "@file", "X-C": "-d"],
        ["X-A": "a  b"], ["X-A": "tab\tin"], ["X-A": "é"], ["Accept": ""], ["Accept": "text/plain"], ["User-Agent": ""],
        ["User-Agent": "Own/1.0 (it's)"], ["Content-Type": ""], ["Content-Type": "text/x; a=\"b c\""],
        ["Accept-Encoding": ""], ["Accept-Encoding": "identity"], ["Accept-Encoding": "gzip, deflate, br"],
        ["Cookie": "a=b; c=\"d\""], ["Authorization": "Basic YTpi"], ["Range": "bytes=0-3"], ["Expect": ""],
        ["Connection": "close"], ["Referer": "http://a/b"], ["X-A": ";"], ["X-A": ":"], ["Te": "trailers"],
        ["If-None-Match": "\"x\", W/\"y\""], ["X-Case-OF-name": "v"], ["x-lower": "v"],
    ]

    @Test("Header fields", arguments: fields, ["GET", "POST"])
    func field(headers: Headers, method: String) async throws {
        try await compare(
            Row("\(headers)") { _ in
                RequestDraft(try Self.method(method), "a", parameters: ["k": "v"], headers: headers)
            })
    }

    @Test("A repeated header field")
    func twice() async throws {
        var headers = Headers()
        headers.append("X-A", "1")
        headers.append("X-A", "2")
        try await compare(Row("twice") { [headers] _ in .get("a", headers: headers) })
    }

    @Test(
        "Credentials, when asked for",
        arguments: [Authorization.basic("it's", "p$(touch x):w"), .bearer("abc=="), .token("t\"x")])
    func authorization(authorization: Authorization) async throws {
        try await compare(Row("authorization") { _ in .get("a?token=t&api_key=k") }) {
            $0.auth.header = authorization
        }
    }

    static let texts: [(String, [UInt8])] = [
        ("one letter", Array("a".utf8)), ("at sign", Array("@file".utf8)), ("at and minus", Array("@-".utf8)),
        ("quote", Array("it's ''quoted''".utf8)), ("only quotes", Array("'''".utf8)), ("double", Array("\"a\"".utf8)),
        ("percent", Array("100% %s %d %n %%".utf8)), ("backslash", Array("a\\b\\n\\0\\\\c\\".utf8)),
        ("newline", Array("a\nb\r\nc\n".utf8)), ("newlines at the end", Array("a\n\n\n".utf8)), ("one newline", [10]),
        ("tab", Array("a\tb".utf8)), ("dollar", Array("$(touch x) `touch x` $HOME ${HOME} ~".utf8)),
        ("history", Array("!! !x #y".utf8)), ("minus", Array("-n".utf8)), ("two minus", Array("--data x".utf8)),
        ("control", Array(0...31) + [127]), ("octal digits behind", [1, 0x31, 0x32, 0x33, 0xFF, 0x37]),
        ("NUL", [0]), ("NUL and text", [0x61, 0, 0x62]), ("0xFF", [0xFF]), ("every byte", Array(0...255)),
        ("every byte, thrice", Array(0...255) + Array(0...255) + Array(0...255)),
        ("binary beginning with minus", [0x2D, 0x6E, 0xFF]), ("binary with percent", [0x25, 0x73, 0xFF, 0x25]),
        ("binary with quotes", [0x27, 0xFF, 0x27, 0x5C, 0x27]), ("accents", Array("Zoë 🐦".utf8)),
        ("marks", Array("\u{FEFF}a\u{202E}b\u{2028}c".utf8)), ("equals", Array("a=b&c=d".utf8)),
        ("just below what is shown", [UInt8](repeating: 0x61, count: 32 << 10)),
        ("just above what is shown", [UInt8](repeating: 0x61, count: (32 << 10) + 1)),
        ("1,000 bytes", [UInt8](repeating: 0x27, count: 1_000)),
        ("1,001 bytes", [UInt8](repeating: 0x62, count: 1_001)),
        ("1 MB of text", [UInt8](repeating: 0x61, count: 1_000_000)),
        ("1 MB of bytes", noise(1_000_000)),
    ]

    @Test("Bodies", arguments: texts)
    func body(name: String, bytes: [UInt8]) async throws {
        try await compare(Row(name) { _ in .post("a", body: .bytes(bytes)) })
    }

    @Test("Bodies with a media type, and the serializers' forms and JSON")
    func serialized() async throws {
        let parameters: Parameters = [
            "it's": "a b&c=d'\"\\", "list": ParameterValue.array([1, 2.5, true]), "né": "é\n",
        ]
        try await compare(Row("typed") { _ in .put("a", body: .text("it's", mediaType: "text/x; a='b'")) })
        for serializer: any RequestSerializer in [HTTPRequestSerializer(), JSONRequestSerializer()] {
            for method: Request.Method in [.get, .post, .delete, .put] {
                try await compare(
                    Row("parameters") { _ in RequestDraft(method, "a", parameters: parameters, query: ["q": "x y"]) }
                ) { $0.requestSerializer = serializer }
            }
        }
    }

    static let files = [
        "plain.bin", "it's.bin", "with blank.bin", "$(touch x).bin", "-n", "@a", "`touch x`", "a;b", "é", "new\nline",
    ]

    @Test("Files, whole and in part", arguments: files)
    func file(name: String) async throws {
        let content = Array(0...255) + Array("\r\n\0".utf8)
        try await compare(Row("whole") { .put("a", body: try .file(try $0.write(content, to: name))) })
        try await compare(
            Row("part") {
                let path = try $0.write(content, to: name)
                return .put("a", body: Body(segments: [.file(FileRange(path: path, offset: 10, length: 200))]))
            })
        try await compare(
            Row("joined") {
                let path = try $0.write(content, to: name)
                return .put(
                    "a",
                    body: Body(segments: [
                        .bytes(Bytes(text: "-%s\\'\n")), .file(FileRange(path: path, offset: 0, length: 259)),
                        .file(FileRange(path: path, offset: 258, length: 1)), .bytes(Bytes(copying: [0, 255])),
                    ]))
            })
    }

    @Test("An empty file, and an empty part of one")
    func emptyFile() async throws {
        try await compare(Row("empty") { .put("a", body: try .file(try $0.write([], to: "e"))) })
        try await compare(
            Row("empty part") {
                let path = try $0.write([1, 2, 3], to: "e")
                return .put("a", body: Body(segments: [.file(FileRange(path: path, offset: 1, length: 0))]))
            })
    }

    @Test("The content of a stream is read from standard input")
    func stream() async throws {
        let content = Array(0...255) + Array("\n".utf8)
        try await compare(
            Row("stream", input: content) { _ in
                .post(
                    "a",
                    body: .stream(
                        AsyncStream { continuation in
                            continuation.yield(Bytes(copying: content))
                            continuation.finish()
                        }))
            })
    }

    @Test("A request without Accept and User-Agent")
    func bare() async throws {
        try await compare(Row("bare") { _ in .get("a", parameters: ["a[b]": "c"]) }) { settings in
            settings.headers["Accept"] = ""
            settings.headers["User-Agent"] = ""
        }
    }
}
