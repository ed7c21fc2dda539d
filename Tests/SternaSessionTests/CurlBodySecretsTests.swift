import NIOCore
import Sterna
import SternaPropertyList
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("curl commands: secrets in bodies")
struct CurlBodySecretsTests {
    private func command(
        _ draft: RequestDraft, shows: Bool = false, _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> String {
        try mocked(nil, configure).api.curl(for: draft, showsSecrets: shows)
    }

    private func expectHidden(
        _ draft: RequestDraft, _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws {
        let hidden = try command(draft, configure)
        #expect(!hidden.contains("S3CRET"), "\(hidden)")
        #expect(hidden.contains("***"), "\(hidden)")
        #expect(try command(draft, shows: true, configure).contains("S3CRET"))
    }

    private let url = "https://api.example.com/a"

    @Test("Property lists that the library makes", arguments: [PropertyList.Format.xml, .binary])
    func propertyLists(format: PropertyList.Format) throws {
        let trees: [Parameters] = [
            ["user": "shown", "password": "S3CRET"],
            ["deep": ["new_password": ["S3CRET", "S3CRET"], "a": 1] as Parameters],
        ]
        for tree in trees {
            let body = try Body.propertyList(PropertyList(tree), format: format)
            try expectHidden(.post(url, body: body))
            try expectHidden(.post(url, body: .bytes(body.segments[0].bytes, mediaType: "text/xml")))
        }
        let draft = RequestDraft.post(url, parameters: ["password": "S3CRET", "name": "shown"])
        try expectHidden(draft) { $0.requestSerializer = PropertyListRequestSerializer() }
        let text = try command(draft) { $0.requestSerializer = PropertyListRequestSerializer() }
        #expect(text.contains("shown"))
    }

    static let incomplete = [
        "<plist><dict><key>u</key><string>password=S3CRET</string><key>u</key><string>x</string></dict></plist>",
        "<plist><dict><!-- S3CRET --><key>u</key><string>x</string></dict></plist>",
        "<plist><dict><key>password</key><string>S3CRET",
    ]

    @Test("Parts of a property list that its tree lacks are not shown", arguments: incomplete)
    func leftovers(text: String) throws {
        let body = Body.text(text, mediaType: "application/x-plist")
        #expect(!(try command(.post(url, body: body)).contains("S3CRET")))
    }

    static let texts: [(String?, String)] = [
        ("application/x-ndjson", "{\"a\":1}\n{\"password\":\"S3CRET\"}\n"),
        ("application/json-seq", "\u{1E}{\"password\":\"S3CRET\"}\n\u{1E}{\"a\":1}\n"),
        ("application/jsonl", "{\"password\":\"S3CRET\"}\r\n\r\n[]"), (nil, #" {"password":"S3CRET"}"#),
        (nil, #"{"password":"S3CRET""#), ("text/plain", #"{"password":"S3CRET"}"#), (nil, "a=b&password=S3CRET"),
        ("text/plain", "a=b&password=S3CRET"), ("nonsense", #"[{"password":"S3CRET"}]"#),
        ("application/x-www-form-urlencoded", "a=b;password=S3CRET"),
        ("application/x-www-form-urlencoded", "password=\u{301}S3CRET"),
    ]

    @Test("Kinds of JSON, invalid media types, and text without a media type", arguments: texts)
    func kinds(type: String?, text: String) throws {
        try expectHidden(.post(url, body: .bytes(text.utf8, mediaType: type)))
    }

    @Test("Two lines of Content-Type")
    func twoTypes() throws {
        let body = Body.bytes(#"{"password":"S3CRET"}"#.utf8)
        let headers = Headers([("Content-Type", "application/json"), ("Content-Type", "text/plain")])
        try expectHidden(.post(url, body: body, headers: headers))
    }

    static let repeated = [
        #"{"u":{"password":"S3CRET"},"u":1}"#, #"{"a":{"b":{"t":"S3CRET:"},"b":2}}"#, #"[{"a":"S3CRET\":","a":":"}]"#,
    ]

    @Test("JSON with a repeated key shows only the last value", arguments: repeated)
    func duplicates(text: String) throws {
        let draft = RequestDraft.post(url, body: .text(text, mediaType: "application/json"))
        #expect(!(try command(draft).contains("S3CRET")))
        #expect(try command(draft, shows: true).contains("S3CRET"))
    }

    @Test(
        "Without anything to hide the bytes stay",
        arguments: ["{\"a\":\"x:\\\"y:\\\\\"}\n{ }", "[ {\"a\" : 1} , {\"a\":2}]"])
    func kept(text: String) throws {
        let draft = RequestDraft.post(url, body: .text(text, mediaType: "application/x-ndjson"))
        try expectEqual(command(draft), command(draft, shows: true))
        let other = RequestDraft.post(url, body: .text("[note] a & b = c", mediaType: "text/markdown"))
        try expectEqual(command(other), command(other, shows: true))
    }

    private func mixed(_ pieces: [String?], _ type: String? = nil) -> RequestDraft {
        let file = Body.Segment.file(FileRange(path: "/nowhere", offset: 1, length: 5))
        return .post(
            url, body: Body(segments: pieces.map { $0.map { .bytes(Bytes(text: $0)) } ?? file }, mediaType: type))
    }

    @Test("Bytes before and after a file")
    func files() throws {
        try expectHidden(mixed(["password=S3CRET&f=", nil]))
        try expectHidden(mixed(["a=1&pass", "word=S3CRET&f=", nil], "application/x-www-form-urlencoded"))
        try expectHidden(mixed(["password=", nil, "S3CRET&a=shown"], "application/x-www-form-urlencoded"))
        try expectHidden(mixed(["a=", nil, "&password=S3CRET"]))
        try expectHidden(mixed([#"{"password":"S3CRET","f":""#, nil, "\"}"], "application/json"))
        try expectHidden(mixed([#"{"password":"S3CRET","f":""#, nil, "\"}"]))
        try expectHidden(mixed(["<plist><dict><key>password</key><string>S3CRET", nil], "application/x-plist"))
        let text = try command(mixed(["a=shown1&f=", nil, "&b=shown2"], "application/x-www-form-urlencoded"))
        #expect(text.contains("shown1"))
        #expect(text.contains("shown2"))
    }
}

extension Body.Segment {
    fileprivate var bytes: [UInt8] {
        if case .bytes(let bytes) = self { bytes.array } else { [] }
    }
}
