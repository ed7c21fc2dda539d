import HTTPTypes
import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport

/// What cannot be encoded fails before anything is sent, with its place.
@Suite("Parameters that cannot be encoded")
struct UnencodableParametersTests {
    private struct Refusal: Error, CustomStringConvertible {
        var description: String { "refused it" }
    }

    private static func deep() -> Parameters {
        var value = ParameterValue.integer(1)
        for _ in 0..<1_000 { value = .array([value]) }
        return ["deep": value]
    }

    private static let throwing = QueryEncoder(
        data: .custom { _ in throw Refusal() }, dates: .custom { _ in throw Refusal() })

    private static let latin = QueryEncoder(encoding: .latin1)

    /// The serializer, the method, the parameters, and the key path.
    static let cases: [(any RequestSerializer, Request.Method, Parameters, String)] = {
        let form = HTTPRequestSerializer()
        let json = JSONRequestSerializer()
        let date = Date(timeIntervalSince1970: .nan)
        var cases: [(any RequestSerializer, Request.Method, Parameters, String)] = []
        for method in [Request.Method.get, .post] {
            cases += [
                (form, method, ["a": ["b": [date]]], "a.b[0]"),
                (form, method, deep(), "deep[0]"),
                (HTTPRequestSerializer(encoder: throwing), method, ["a": [["d": Data()]]], "a[0].d"),
                (HTTPRequestSerializer(encoder: throwing), method, ["a": ["d": [date]]], "a.d[0]"),
                (HTTPRequestSerializer(encoder: latin), method, ["u": ["n": "†"]], "u.n"),
                (HTTPRequestSerializer(encoder: latin), method, ["u": ["†": [1]]], "u.†"),
                (json, method, ["a": ["b": [date]]], "a.b[0]"),
                (json, method, deep(), "deep[0]"),
            ]
        }
        cases += [
            (json, .post, ["a": Double.nan], "a"),
            (json, .put, ["a": [1, Double.infinity]], "a[1]"),
            (json, .patch, ["u": ["s": [["x": -Double.infinity]]]], "u.s[0].x"),
            (json, .post, ["f": Float.nan], "f"),
            (json, .post, ["s": [Double.nan] as Set<Double>], "s[0]"),
        ]
        return cases
    }()

    @Test("encodingFailed with the key path, and nothing is sent", arguments: cases.indices)
    func refused(index: Int) async throws {
        let (serializer, method, parameters, keyPath) = Self.cases[index]
        let (api, mock) = try mocked { $0.requestSerializer = serializer }
        let error = await #expect(throws: SternaError.self) {
            try await api.request(method, "a", parameters: parameters)
        }
        try check(error, keyPath, method)
        let (plain, plainMock) = try mocked()
        let own = await #expect(throws: SternaError.self) {
            try await plain.request(method, "a", parameters: parameters) { $0.requestSerializer = serializer }
        }
        try check(own, keyPath, method)
        #expect(mock.requests.isEmpty)
        #expect(plainMock.requests.isEmpty)
    }

    @Test("Parameters in `query:`, and those next to a body, fail in the same way")
    func query() async throws {
        let (api, mock) = try mocked()
        let parameters: Parameters = ["a": ["d": Date(timeIntervalSince1970: .infinity)]]
        let query = await #expect(throws: SternaError.self) { try await api.post("a", query: parameters) }
        try check(query, "a.d", .post)
        let beside = await #expect(throws: SternaError.self) {
            try await api.post("a", parameters: parameters, body: .text("x"))
        }
        try check(beside, "a.d", .post)
        #expect(mock.requests.isEmpty)
    }

    private func check(_ error: SternaError?, _ keyPath: String, _ method: Request.Method) throws {
        let error = try #require(error)
        expectEqual(error.kind, .encodingFailed)
        expectEqual(error.phase, .prepare)
        #expect(!error.requestSent)
        #expect(error.detail.contains(keyPath))
        #expect(error.url == "https://api.example.com/v1/a")
        expectEqual(error.method, method)
        let underlying = error.underlying
        expectEqual(
            (underlying as? ParameterError)?.keyPath.hasPrefix(keyPath), true, "\(String(describing: underlying))")
    }

    @Test("Errors of the closure that replaces the encoding", arguments: [Request.Method.get, .post, .delete])
    func closure(method: Request.Method) async throws {
        var serializer = HTTPRequestSerializer()
        serializer.queryEncoding = { _, _ in throw Refusal() }
        let (api, mock) = try mocked { $0.requestSerializer = serializer }
        let error = await #expect(throws: SternaError.self) {
            try await api.request(method, "a", parameters: ["k": 1])
        }
        expectEqual(error?.kind, .encodingFailed)
        expectEqual(error?.phase, .prepare)
        #expect(error?.underlying is Refusal)
        expectEqual(error?.detail.contains("refused it"), true)
        #expect(mock.requests.isEmpty)
        serializer.style = .afnetworking4
        try await api.with { $0.requestSerializer = serializer }.request(method, "a", parameters: ["k": 1])
        expectEqual(mock.requests.count, 1)
    }

    private struct Throwing: RequestSerializer {
        var error: any Error & Sendable
        func serialize(_ parameters: Parameters?, into request: inout Request) throws { throw error }
    }

    @Test("Errors of a custom serializer")
    func custom() async throws {
        let (api, mock) = try mocked { $0.requestSerializer = Throwing(error: Refusal()) }
        let error = await #expect(throws: SternaError.self) { try await api.get("a") }
        expectEqual(error?.kind, .encodingFailed)
        #expect(error?.underlying is Refusal)
        let cancelled = await #expect(throws: SternaError.self) {
            try await api.get("a") { $0.requestSerializer = Throwing(error: CancellationError()) }
        }
        expectEqual(cancelled?.kind, .cancelled)
        #expect(mock.requests.isEmpty)
    }

    private struct Unwritable: Encodable {
        var list = [1.0, .nan]
    }

    @Test("A body of an Encodable value that cannot be encoded is an error")
    func encodableBody() {
        let error = #expect(throws: SternaError.self) { try Body.json(Unwritable()) }
        expectEqual(error?.kind, .encodingFailed)
        expectEqual(error?.phase, .prepare)
        #expect(error?.underlying is EncodingError)
        expectEqual(error?.detail.contains("list"), true)
    }

    @Test("A tree or a form that cannot be encoded is an error with the path of the value")
    func body() {
        let tree = #expect(throws: SternaError.self) {
            try Body.json(["a": [1, .number(JSON.Number(Double.nan))]])
        }
        let form = #expect(throws: SternaError.self) {
            try Body.form(["a": ["d": Date(timeIntervalSince1970: .nan)]])
        }
        expectEqual(tree?.kind, .encodingFailed)
        expectEqual(tree?.detail.contains("a[1]"), true)
        expectEqual(form?.kind, .encodingFailed)
        expectEqual(form?.detail.contains("a.d"), true)
    }

    @Test("A number that JSON cannot represent is encoded in a query")
    func fallback() async throws {
        let (api, mock) = try mocked { $0.requestSerializer = JSONRequestSerializer() }
        try await api.get("a", parameters: ["n": Double.infinity])
        expectEqual(mock.requests.first?.url.query, "n=inf")
    }

    @Test("The error does not show secret parameters")
    func secrets() async throws {
        let (api, _) = try mocked()
        let parameters: Parameters = ["password": "s3cret", "d": Date(timeIntervalSince1970: .nan)]
        let error = await #expect(throws: SternaError.self) {
            try await api.get("a?token=s3cret", parameters: parameters)
        }
        expectEqual(error.map { "\($0)" + String(reflecting: $0) + dumped($0) }?.contains("s3cret"), false)
    }
}
