import HTTPTypes
import NIOCore
import SternaCore
import SternaSerialization
import Synchronization
import Testing

@testable import SternaTestSupport

@Suite("Request serializers: default header fields")
struct SerializerHeaderTests {
    private func sent(
        _ serializer: some RequestSerializer, _ own: HTTPFields = [:], _ method: Request.Method = .get
    ) throws -> HTTPFields {
        let request = Request(method, try HTTPURL("https://h/"), headers: own)
        return try serializer.serialized(request, with: nil).headers
    }

    private func name(_ text: String) throws -> HTTPField.Name { try #require(HTTPField.Name(text)) }

    @Test("Set, read in any case, replaced, removed")
    func changes() throws {
        var serializer = HTTPRequestSerializer()
        serializer.headers = [:]
        expectNil(serializer.headers["X-One"])
        expectEqual(serializer.headers.dictionary, [:])
        serializer.headers["X-One"] = "1"
        serializer.headers["Accept-Language"] = "a"
        expectEqual(serializer.headers["x-oNE"], "1")
        expectEqual(serializer.headers.dictionary, ["X-One": "1", "Accept-Language": "a"])
        serializer.headers["x-one"] = "2"
        expectEqual(serializer.headers["X-One"], "2")
        expectEqual(serializer.headers.lines.count, 2)
        try expectEqual(sent(serializer)[values: name("X-One")], ["2"])
        serializer.headers["X-ONE"] = nil
        expectNil(serializer.headers["X-One"])
        serializer.headers["ACCEPT-language"] = nil
        expectEqual(serializer.headers.dictionary, [:])
        serializer.headers["Never-There"] = nil
        #expect(try sent(serializer).isEmpty)
    }

    @Test("A repeated name is a line of its own, and one entry of the dictionary")
    func repeated() throws {
        var serializer = JSONRequestSerializer()
        serializer.headers = ["X-One": "1", "x-one": "2"]
        expectEqual(serializer.headers.dictionary, ["X-One": "1, 2"])
        try expectEqual(sent(serializer)[values: name("X-One")], ["1", "2"])
        try expectEqual(sent(serializer, [try name("x-ONE"): "own"])[values: name("X-One")], ["own"])
        serializer.headers["X-One"] = "3"
        try expectEqual(sent(serializer)[values: name("X-One")], ["3"])
    }

    @Test("User-Agent is there by default, and can be replaced and removed")
    func userAgent() throws {
        var serializer = HTTPRequestSerializer()
        expectEqual(serializer.headers["user-agent"]?.hasPrefix("Sterna/"), true)
        expectEqual(serializer.headers.dictionary["User-Agent"], serializer.headers["User-Agent"])
        serializer.headers["user-agent"] = "own"
        try expectEqual(sent(serializer)[values: .userAgent], ["own"])
        serializer.headers["User-Agent"] = nil
        try expectNil(sent(serializer)[.userAgent])
    }

    static let owns: [(String, String)] = [("X-Client", "own"), ("x-client", "own"), ("X-CLIENT", "")]

    @Test("A default never overrides the request's own, whatever the case of its name", arguments: owns)
    func own(field: String, value: String) throws {
        var serializer = HTTPRequestSerializer()
        serializer.headers["X-Client"] = "default"
        serializer.headers["Content-Type"] = "x/default"
        let fields = try sent(serializer, [try name(field): value, .contentType: "x/own"], .post)
        expectEqual(fields[values: try name("X-Client")], [value])
        expectEqual(fields[values: .contentType], ["x/own"])
    }

    @Test("Every method and every serializer has them")
    func everywhere() throws {
        for method in AFNetworking4ParityTests.methods {
            var form = HTTPRequestSerializer(style: .afnetworking2)
            form.headers["X-One"] = "1"
            var json = JSONRequestSerializer()
            json.headers["X-One"] = "1"
            try expectEqual(sent(form, [:], method)[try name("X-One")], "1")
            try expectEqual(sent(json, [:], method)[try name("X-One")], "1")
        }
    }

    static let credentials: [(Authorization, String)] = [
        (.basic("Aladdin", "open sesame"), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
        (.basic("käthe", "pä:ss"), "Basic a8OkdGhlOnDDpDpzcw=="),
        (.bearer("mF_9.B5f-4.1JqM"), "Bearer mF_9.B5f-4.1JqM"),
        (.token("abc123"), "Token token=\"abc123\""),
        (.token(#"a"b\c"#), #"Token token="a\"b\\c""#),
        (.token(#"\""#), #"Token token="\\\"""#),
        (.token(""), "Token token=\"\""),
    ]

    @Test("Basic, Bearer, Token, then cleared", arguments: credentials.indices)
    func authorization(index: Int) throws {
        let (authorization, expected) = Self.credentials[index]
        var serializer = HTTPRequestSerializer()
        serializer.setAuthorization(.bearer("before"))
        serializer.setAuthorization(authorization)
        expectEqual(serializer.headers["authorization"], expected)
        try expectEqual(sent(serializer)[values: .authorization], [expected])
        try expectEqual(sent(serializer, [.authorization: "Own x"])[values: .authorization], ["Own x"])
        serializer.headers["Authorization"] = nil
        expectNil(serializer.headers["Authorization"])
        try expectNil(sent(serializer)[.authorization])
        serializer.headers["Authorization"] = nil
    }

    @Test("Many tasks that change copies change only their own")
    func copies() async throws {
        let shared = HTTPRequestSerializer()
        let before = shared.headers.dictionary
        let counts = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<64 {
                group.addTask {
                    var copy = shared
                    for round in 0..<50 {
                        copy.headers["X-Number"] = "\(number).\(round)"
                        copy.setAuthorization(.bearer("\(number)"))
                        copy.headers[round.isMultiple(of: 2) ? "User-Agent" : "X-None"] = nil
                        let request = Request(.get, try HTTPURL("https://h/"))
                        let fields = try copy.serialized(request, with: ["a": round]).headers
                        guard let name = HTTPField.Name("X-Number"), fields[name] == "\(number).\(round)",
                            fields[.authorization] == "Bearer \(number)", fields[.userAgent] == nil
                        else { return false }
                    }
                    return true
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        expectEqual(counts, 64)
        expectEqual(shared.headers.dictionary, before)
    }

    private final class Shared: Sendable {
        let serializer = Mutex(HTTPRequestSerializer())
    }

    @Test("A serializer in a mutex can be changed and read by many tasks")
    func sharedByTasks() async throws {
        let shared = Shared()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    shared.serializer.withLock { $0.headers["X-\(number)"] = "\(number)" }
                    _ = shared.serializer.withLock { $0 }.headers.dictionary
                }
            }
        }
        let dictionary = shared.serializer.withLock { $0.headers.dictionary }
        expectEqual(dictionary.count { $0.key.hasPrefix("X-") }, 200)
    }

    static let bad: [(String, String)] = [
        ("X-Key", "s3cret\r\nX-Evil: 1"), ("X-Key", "s3cret\u{0}"), ("X Key", "s3cret"), ("", "s3cret"),
        ("X\r\n", "s3cret"),
    ]

    @Test("A field that cannot be sent throws, and shows no value", arguments: bad)
    func unsendable(name: String, value: String) throws {
        var serializer = JSONRequestSerializer()
        serializer.headers[name] = value
        let error = #expect(throws: SternaError.self) { try sent(serializer) }
        expectEqual(error?.kind, .invalidHeader)
        expectEqual(error.map { "\($0)" }?.contains("s3cret"), false)
        serializer.headers[name] = nil
        #expect(throws: Never.self) { try sent(serializer) }
    }
}
