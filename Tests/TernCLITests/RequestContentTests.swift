import Sterna
import Testing

@testable import SternaTestSupport
@testable import TernCLI

@Suite struct RequestContentTests {
    private func content(
        _ arguments: [String], as format: FieldFormat = .json, style: RequestStyle? = nil
    ) throws -> RequestContent {
        try RequestContent(try arguments.map { try ItemParser.parse($0) }, as: format, style: style)
    }

    private func text(_ body: Body?) -> String? {
        guard let body, case .bytes(let bytes) = body.segments.first else { return nil }
        return bytes.text
    }

    @Test(arguments: [
        (["a=1", "b:=2", "c:=null"], #"{"a":"1","b":2,"c":null}"#),
        (["b=1", "a=2", "b=3"], #"{"b":"3","a":"2"}"#),
        (["u[name]=Ada", "u[tags][]=x", "u[tags][]=y"], #"{"u":{"name":"Ada","tags":["x","y"]}}"#),
        (["l[0]=a", "l[1]:=true"], #"{"l":["a",true]}"#),
        (["a[=1", "b]=2", "[c]=3", "d[x]y=4"], #"{"a[":"1","b]":"2","[c]":"3","d[x]y":"4"}"#),
        (["n:=123456789012345678901234567890"], #"{"n":123456789012345678901234567890}"#),
    ])
    func makesJSON(_ arguments: [String], _ expected: String) throws {
        let content = try content(arguments)
        expectEqual(text(content.body), expected)
        expectEqual(content.body?.mediaType, "application/json")
    }

    @Test func makesForms() throws {
        let content = try content(["a=1 & 2", "a=3", "n:=[1]"], as: .form)
        expectEqual(text(content.body), "a=1%20%26%202&a=3&n=%5B1%5D")
        expectEqual(content.body?.mediaType, "application/x-www-form-urlencoded")
    }

    @Test(arguments: [
        (StyleName.afnetworking4, "a%5B%5D=1&a%5B%5D=x&b%5Bc%5D=1&q=/%20?"),
        (.afnetworking2, "a[]=1&a[]=x&b[c]=1&q=%2F%20%3F"),
        (.whatwg, "q=%2F+%3F&b%5Bc%5D=1&a%5B%5D=1&a%5B%5D=x"),
    ])
    func writesFormsInAStyle(_ name: StyleName, _ expected: String) throws {
        let content = try content(["q=/ ?", #"b:={"c":true}"#, #"a:=[1,"x"]"#, "z==1"], as: .form, style: name.style)
        expectEqual(text(content.body), expected)
        expectEqual(content.query, "z=1")
        let charset = name == .afnetworking2 ? "; charset=utf-8" : ""
        expectEqual(content.body?.mediaType, "application/x-www-form-urlencoded" + charset)
    }

    @Test func keepsRepeatedQueryFields() throws {
        let content = try content(["q==a b", "q==c&d"])
        expectEqual(content.query, "q=a%20b&q=c%26d")
        expectNil(content.body)
    }

    @Test func sortsHeaders() throws {
        let content = try content(["Accept:text/csv", "X-Empty;", "User-Agent:"])
        expectEqual(content.headers.lines.map(\.name), ["Accept", "X-Empty"])
        expectEqual(content.removedHeaders, ["user-agent"])
    }

    @Test func namesHeadersWithSecrets() throws {
        let content = try content(["X-Api-Key:k3y", "Accept:text/csv", "X-Auth-Token:t", "Cookie:"])
        expectEqual(content.secretHeaders, ["X-Api-Key", "X-Auth-Token"])
    }

    @Test(arguments: [["n:=1.", "x=1"], ["l[1]=a"], ["@/dev/null", "@/dev/null"]])
    func refuses(_ arguments: [String]) {
        #expect(throws: UsageError.self) { try content(arguments) }
    }

    @Test(arguments: ["@/nonexistent/file", "a=@/nonexistent/file", "a:=@/nonexistent/file", "@/"])
    func namesFilesThatCannotBeRead(_ argument: String) {
        let error = #expect(throws: SternaError.self) { try content([argument]) }
        expectEqual(error?.kind, .fileUnreadable)
    }

    @Test(arguments: [
        ("a.json", "application/json"), ("dir.d/a.TXT", "text/plain"), ("a", "application/octet-stream"),
        (".json", "application/octet-stream"), ("a.json.bak", "application/x-trash"), ("x/y.png", "image/png"),
    ])
    func knowsFileTypes(_ path: String, _ type: String) {
        expectEqual(MediaType.ofFile(named: path), type)
    }
}
