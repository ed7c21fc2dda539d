import HTTPTypes
import NIOCore
import SternaCore
import SternaSerialization
import Synchronization
import Testing

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
        #expect(serializer.value(forHeader: "X-One") == nil)
        #expect(serializer.headerDictionary == [:])
        serializer.setValue("1", forHeader: "X-One")
        serializer.setValue("a", forHeader: "Accept-Language")
        #expect(serializer.value(forHeader: "x-oNE") == "1")
        #expect(serializer.headerDictionary == ["X-One": "1", "Accept-Language": "a"])
        serializer.setValue("2", forHeader: "x-one")
        #expect(serializer.value(forHeader: "X-One") == "2")
        #expect(serializer.headers.lines.count == 2)
        #expect(try sent(serializer)[values: name("X-One")] == ["2"])
        serializer.setValue(nil, forHeader: "X-ONE")
        #expect(serializer.value(forHeader: "X-One") == nil)
        serializer.removeHeader("ACCEPT-language")
        #expect(serializer.headerDictionary == [:])
        serializer.removeHeader("Never-There")
        #expect(try sent(serializer).isEmpty)
    }

    @Test("A repeated name is a line of its own, and one entry of the dictionary")
    func repeated() throws {
        var serializer = JSONRequestSerializer()
        serializer.headers = ["X-One": "1", "x-one": "2"]
        #expect(serializer.headerDictionary == ["X-One": "1, 2"])
        #expect(try sent(serializer)[values: name("X-One")] == ["1", "2"])
        #expect(try sent(serializer, [try name("x-ONE"): "own"])[values: name("X-One")] == ["own"])
        serializer.setValue("3", forHeader: "X-One")
        #expect(try sent(serializer)[values: name("X-One")] == ["3"])
    }

    @Test("User-Agent is there by default, and can be replaced and removed")
    func userAgent() throws {
        var serializer = HTTPRequestSerializer()
        #expect(serializer.value(forHeader: "user-agent")?.hasPrefix("Sterna/") == true)
        #expect(serializer.headerDictionary["User-Agent"] == serializer.value(forHeader: "User-Agent"))
        serializer.setValue("own", forHeader: "user-agent")
        #expect(try sent(serializer)[values: .userAgent] == ["own"])
        serializer.removeHeader("User-Agent")
        #expect(try sent(serializer)[.userAgent] == nil)
    }

    static let owns: [(String, String)] = [("X-Client", "own"), ("x-client", "own"), ("X-CLIENT", "")]

    @Test("A default never overrides the request's own, whatever the case of its name", arguments: owns)
    func own(field: String, value: String) throws {
        var serializer = HTTPRequestSerializer()
        serializer.headers["X-Client"] = "default"
        serializer.headers["Content-Type"] = "x/default"
        let fields = try sent(serializer, [try name(field): value, .contentType: "x/own"], .post)
        #expect(fields[values: try name("X-Client")] == [value])
        #expect(fields[values: .contentType] == ["x/own"])
    }

    @Test("Every method and every serializer has them")
    func everywhere() throws {
        for method in AFNetworking4ParityTests.methods {
            var form = HTTPRequestSerializer(style: .afnetworking2)
            form.setValue("1", forHeader: "X-One")
            var json = JSONRequestSerializer()
            json.setValue("1", forHeader: "X-One")
            #expect(try sent(form, [:], method)[try name("X-One")] == "1")
            #expect(try sent(json, [:], method)[try name("X-One")] == "1")
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
        #expect(serializer.value(forHeader: "authorization") == expected)
        #expect(try sent(serializer)[values: .authorization] == [expected])
        #expect(try sent(serializer, [.authorization: "Own x"])[values: .authorization] == ["Own x"])
        serializer.clearAuthorization()
        #expect(serializer.value(forHeader: "Authorization") == nil)
        #expect(try sent(serializer)[.authorization] == nil)
        serializer.clearAuthorization()
    }

    @Test("Many tasks that change copies change only their own")
    func copies() async throws {
        let shared = HTTPRequestSerializer()
        let before = shared.headerDictionary
        let counts = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<64 {
                group.addTask {
                    var copy = shared
                    for round in 0..<50 {
                        copy.setValue("\(number).\(round)", forHeader: "X-Number")
                        copy.setAuthorization(.bearer("\(number)"))
                        copy.removeHeader(round.isMultiple(of: 2) ? "User-Agent" : "X-None")
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
        #expect(counts == 64)
        #expect(shared.headerDictionary == before)
    }

    private final class Shared: Sendable {
        let serializer = Mutex(HTTPRequestSerializer())
    }

    @Test("One that is shared in a mutex can be changed and read by many tasks")
    func sharedByTasks() async throws {
        let shared = Shared()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    shared.serializer.withLock { $0.setValue("\(number)", forHeader: "X-\(number)") }
                    _ = shared.serializer.withLock { $0 }.headerDictionary
                }
            }
        }
        let dictionary = shared.serializer.withLock { $0.headerDictionary }
        #expect(dictionary.count { $0.key.hasPrefix("X-") } == 200)
    }

    static let bad: [(String, String)] = [
        ("X-Key", "s3cret\r\nX-Evil: 1"), ("X-Key", "s3cret\u{0}"), ("X Key", "s3cret"), ("", "s3cret"),
        ("X\r\n", "s3cret"),
    ]

    @Test("A field that cannot be sent throws, and shows no value", arguments: bad)
    func unsendable(name: String, value: String) throws {
        var serializer = JSONRequestSerializer()
        serializer.setValue(value, forHeader: name)
        let error = #expect(throws: SternaError.self) { try sent(serializer) }
        #expect(error?.kind == .invalidHeader)
        #expect(error.map { "\($0)" }?.contains("s3cret") == false)
        serializer.removeHeader(name)
        #expect(throws: Never.self) { try sent(serializer) }
    }
}
