import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("curl commands: what they show")
struct CurlSecretsTests {
    private let secret = "S3CRET"

    private func command(
        _ draft: RequestDraft, shows: Bool = false, base: String? = "https://api.example.com",
        _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> String {
        try mocked(base, configure).api.curl(for: draft, showsSecrets: shows)
    }

    private func expectHidden(
        _ draft: RequestDraft, base: String? = "https://api.example.com",
        _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws {
        let hidden = try command(draft, base: base, configure)
        #expect(!hidden.contains(secret), "\(hidden)")
        #expect(hidden.contains("***"), "\(hidden)")
        let shown = try command(draft, shows: true, base: base, configure)
        #expect(!shown.contains("***"), "\(shown)")
    }

    @Test(
        "Header fields",
        arguments: [
            "Authorization", "authorization", "Proxy-Authorization", "Cookie", "X-API-Key", "X-Auth-Token", "Api-Key",
            "X-Csrf-Token", "Private-Token", "X-Amz-Security-Token", "Secret", "Password",
        ])
    func fields(name: String) throws {
        try expectHidden(.get("a", headers: [name: "x \(secret)"]))
        #expect(try command(.get("a", headers: [name: secret]), shows: true).contains(secret))
    }

    @Test("Secret header fields of the session or the request")
    func marked() throws {
        try expectHidden(.get("a", headers: ["X-Own": secret])) { $0.auth.secretHeaders = ["x-own"] }
        var draft = RequestDraft.get("a", headers: ["X-Own": secret])
        draft.settings.auth.secretHeaders = ["X-OWN"]
        try expectHidden(draft)
        #expect(try command(.get("a", headers: ["X-Own": "shown"])).contains("shown"))
    }

    @Test("Credentials of the session, and of the URL")
    func credentials() throws {
        try expectHidden(.get("a")) { $0.auth.header = .bearer("S3CRET") }
        let basic = try command(.get("a")) { $0.auth.header = .basic("user", "S3CRET") }
        #expect(!basic.contains(Authorization.basic("user", secret).fieldValue))
        let userinfo = RequestDraft.get("https://user:\(secret)@example.com/a")
        try expectHidden(userinfo, base: nil)
        let shown = try command(userinfo, shows: true, base: nil)
        #expect(shown.contains(Authorization.basic("user", secret).fieldValue))
        let url = try HTTPURL("https://user:\(secret)@example.com/a")
        #expect(!Request(.get, url).curl().contains(secret))
    }

    static let names = [
        "token", "access_token", "api_key", "apikey", "API-Key", "password", "user[password]", "login.password",
        "client_secret", "sig", "X-Amz-Signature", "%70assword", "code",
    ]

    @Test("Query, form and JSON members, by their names", arguments: names)
    func members(name: String) throws {
        try expectHidden(.get("a?x=1&\(name)=\(secret)&y=2"))
        guard !name.contains("%") else { return }
        try expectHidden(.post("a", parameters: ["x": 1, name: secret]))
        try expectHidden(.get("a", parameters: ["x": 1, name: secret]))
        let deep: ParameterValue = .array([ParameterValue.dictionary([name: ParameterValue.string(secret)])])
        let trees: [Parameters] = [[name: secret], ["deep": ParameterValue.dictionary(["list": deep])]]
        for parameters in trees {
            try expectHidden(.post("a", parameters: parameters)) { $0.requestSerializer = JSONRequestSerializer() }
        }
    }

    @Test("A secret that is a list or a dictionary is hidden whole")
    func containers() throws {
        let values: [ParameterValue] = [
            [secret], ["a": ParameterValue.string(secret)], [ParameterValue.array([.string(secret)])],
        ]
        for value in values {
            try expectHidden(.post("a", parameters: ["password": value])) {
                $0.requestSerializer = JSONRequestSerializer()
            }
            try expectHidden(.post("a", parameters: ["password": value]))
            try expectHidden(.get("a", parameters: ["password": value]))
        }
    }

    @Test(
        "Bodies of one's own with a type",
        arguments: [
            ("application/json; charset=utf-8", #"{"password":"S3CRET"}"#),
            ("application/vnd.api+json", #"[{"token":"S3CRET"}]"#),
            ("Application/X-WWW-Form-Urlencoded", "a=b&password=S3CRET"), ("text/json", #"{"secret":{"a":"S3CRET"}}"#),
        ])
    func bodies(type: String, body: String) throws {
        try expectHidden(.post("a", body: .text(body, mediaType: type)))
        try expectHidden(.post("a", body: .text(body, mediaType: "text/plain"), headers: ["Content-Type": type]))
        let pieces = body.utf8.count / 2
        let halves = [Array(body.utf8.prefix(pieces)), Array(body.utf8.dropFirst(pieces))]
        try expectHidden(
            .post("a", body: Body(segments: halves.map { .bytes(Bytes(copying: $0)) }, mediaType: type)))
    }

    @Test(
        "JSON that is none, or too deep to be read, shows no secret",
        arguments: [#"{"password":"S3CRET""#, "{\"password\":\"S3CRET\"}x"])
    func brokenJSON(body: String) throws {
        let hidden = try command(.post("a", body: .text(body, mediaType: "application/json")))
        #expect(!hidden.contains(secret), "\(hidden)")
    }

    @Test("Everything that is not secret is unchanged, byte for byte")
    func kept() throws {
        for body in [#"{ "a" : 1.0e0 , "b":[ ] }"#, "{}", "[1]"] {
            let draft = RequestDraft.post("a", body: .text(body, mediaType: "application/json"))
            #expect(try command(draft).contains(body))
            try expectEqual(command(draft), command(draft, shows: true))
        }
        let form = RequestDraft.post("a", parameters: ["name": "x y", "keyboard": "z", "tokens_used": 5])
        try expectEqual(command(form), command(form, shows: true))
    }

    static let hostile = [
        "$(touch x)", "`touch x`", "'; touch x; '", "a\ntouch x\n", "\\'; touch x #", "${IFS}", "\u{1B}[2J", "!!",
    ]

    @Test(
        "Nothing in a command is run but curl", .enabled(if: Shell.curl != nil || Shell.isRequired), arguments: hostile)
    func injection(text: String) async throws {
        try #require(Shell.curl != nil, "CI has to have curl")
        let folder = try TestFolder()
        try await TestServer.withServer { server in
            let api = try Session(baseURL: server.url) { $0.network.engine = Engine() }
            let field = text.filter { !$0.isNewline && $0 != "\u{1B}" }
            let drafts: [RequestDraft] = [
                .post("a", parameters: [text: text], query: [text: text], headers: ["X-A": field]),
                .get("a/\(text)?\(text)=\(text)#\(text)"), .post("a", body: .text(text)),
                .post("a", body: .text(text + "\0"), headers: ["Content-Type": field, "Authorization": field]),
                .post(
                    "a",
                    body: .text(#"{"\#(field)":"\#(field)","password":"\#(field)"}"#, mediaType: "application/json")),
                .put(
                    "a",
                    body: Body(segments: [
                        .file(FileRange(path: text, offset: 1, length: 5)), .bytes(Bytes(text: text)),
                    ])),
                .put("a", body: Body(segments: [.file(FileRange(path: text, offset: 0, length: 5))])),
            ]
            for draft in drafts {
                for shows in [false, true] {
                    let command = try api.curl(for: draft, showsSecrets: shows)
                    for shell in Shell.all { _ = try await Shell.run(command, by: shell, in: folder.path) }
                    #expect(folder.names.isEmpty, "\(command)")
                    #expect(!command.unicodeScalars.contains("\u{1B}"))
                    #expect(!command.unicodeScalars.contains("\0"))
                }
            }
        }
    }

    @Test("Secrets are hidden from the process's arguments as well as from the text, in a pipe")
    func binary() throws {
        let body = Array("password=S3CRET&x=".utf8) + [0, 255]
        let draft = RequestDraft.post("a", body: .bytes(body, mediaType: "application/x-www-form-urlencoded"))
        #expect(!(try command(draft).contains(secret)))
    }

    @Test("A draft that cannot be sent, and one without a URL, have no command")
    func refused() throws {
        #expect(throws: SternaError.self) { try command(.get("http://[")) }
        #expect(throws: SternaError.self) { try command(.get("a", headers: ["A B": "c"])) }
        let error = #expect(throws: SternaError.self) {
            try command(.post("a", parameters: ["n": Double.nan])) { $0.requestSerializer = JSONRequestSerializer() }
        }
        expectEqual(error?.kind, .encodingFailed)
    }

    @Test("A command is one line where the body is, and begins with curl")
    func line() throws {
        let text = try command(.get("a"))
        #expect(text.hasPrefix("curl "))
        #expect(!text.contains { $0.isNewline })
    }
}
