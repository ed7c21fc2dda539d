import Sterna
import Synchronization
import Testing

// Types of a program that imports `Sterna` alone. This package is not the library's, so names of the access level `package` do not
// exist here: the file compiles only as long as the public protocols can be implemented, and as their methods' arguments can be used.

private enum TenantKey: RequestOptionKey {
    static let defaultValue = "public"
    static var name: String? { "tenant" }
}

extension RequestSettings {
    fileprivate var tenant: String {
        get { options[TenantKey.self] }
        set { options[TenantKey.self] = newValue }
    }
}

private struct Stamp: Interceptor {
    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        var request = request
        request.headers["X-Tenant"] = request.options[TenantKey.self]
        request.headers["X-Call"] = request.call.map { "\($0.id)" }
        var response = try await next(request)
        if request.isIdempotent, response.status == .serviceUnavailable { response = try await next(request) }
        response.headers["X-Path"] = request.url.path
        if let whole = response.body.whole { response.body = ResponseBody(Bytes(text: whole.text.lowercased())) }
        return response
    }
}

/// Returns the content of requests, in pieces if there is any.
private final class Echo: Transport {
    private let seen = Mutex<[Request]>([])
    private let statuses: Mutex<ArraySlice<Int>>

    var requests: [Request] { seen.withLock { $0 } }

    init(statuses: [Int] = []) { self.statuses = Mutex(statuses[...]) }

    nonisolated(nonsending) func send(_ request: Request) async throws -> Response {
        seen.withLock { $0.append(request) }
        if let deadline = request.deadline, deadline <= .now {
            throw SternaError(.timedOut, phase: .wait, "The deadline has passed.")
        }
        let status = statuses.withLock { $0.popFirst() } ?? 200
        guard let body = request.body else {
            return Response(status: .init(code: status), body: ResponseBody(Bytes(text: "EMPTY")), url: request.url)
        }
        var reader = BodyReader(body)
        var pieces: [Bytes] = []
        while let piece = try await reader.next(upTo: 4) {
            pieces.append(piece)
            request.uploadProgress?(TransferProgress(completed: 1, total: body.length))
        }
        var response = Response(status: .init(code: status), body: ResponseBody(Pieces(pieces)), url: request.url)
        response.headers["Content-Type"] = request.headers["Content-Type"]
        return response
    }
}

private final class Pieces: BodyStream {
    private let rest: Mutex<ArraySlice<Bytes>?>
    let length: Int64?

    init(_ pieces: [Bytes]) {
        rest = Mutex(pieces[...])
        length = pieces.reduce(0) { $0 + Int64($1.count) }
    }

    func next() async throws -> Bytes? {
        try rest.withLock { rest in
            guard rest != nil else { throw SternaError(.cancelled, phase: .read, "The body was cancelled.") }
            return rest?.popFirst()
        }
    }

    func cancel() { rest.withLock { $0 = nil } }

    var trailers: HTTPFields? { nil }
}

private struct Line: BodyPiece {
    var text: String

    var bodyBytes: Bytes { Bytes(text: text + "\n") }
}

private struct Bird: URLConvertible, ParameterConvertible {
    var number: Int

    func urlReference() -> String { "birds/\(number)" }

    var parameterValue: ParameterValue { .dictionary(["number": number, "order": Order.terns]) }

    enum Order: String, ParameterConvertible {
        case terns
    }
}

private struct Photo: FileReference {
    var path: String?

    func filePath() throws(SternaError) -> String {
        guard let path else { throw SternaError(.fileUnreadable, phase: .prepare, "The photo has no file.") }
        return path
    }
}

/// Stores credentials as texts, as a keychain or a database does.
private final class TextCredentials: CredentialStore {
    private struct Entry {
        var user: String?
        var secret: String
    }

    private let entries = Mutex<[String: Entry]>([:])

    func credential(for space: ProtectionSpace) async throws -> Credential? {
        entries.withLock { $0[Self.key(space)] }.map { entry in
            entry.user.map { Credential(user: $0, password: entry.secret) } ?? .bearer(entry.secret)
        }
    }

    func setCredential(_ credential: Credential?, for space: ProtectionSpace) async throws {
        entries.withLock {
            $0[Self.key(space)] = credential.map { Entry(user: $0.user, secret: $0.secret) }
        }
    }

    private static func key(_ space: ProtectionSpace) -> String { "\(space.origin) \(space.realm ?? "")" }
}

private struct Patience: RequestRetrier, RequestAdapter {
    func retry(_ request: Request, after outcome: RetryOutcome, _ progress: RetryProgress) async -> RetryDecision {
        guard progress.retries < 2, progress.elapsed < .seconds(60) else { return .deliver }
        switch outcome {
        case .response(let response) where response.status.code == 409: return .retry(after: .zero)
        case .failure(let error as SternaError) where error.kind == .invalidMethod: return .fail(error)
        default: return .undecided
        }
    }

    func adapt(_ request: Request, _ progress: RetryProgress) async throws -> Request {
        var request = request
        request.headers["X-Attempt"] = "\(progress.retries + 1)"
        return request
    }
}

private struct Loopback: HostResolver {
    func resolve(_ host: String, _ families: AddressFamilies) async throws -> ResolvedHost {
        let addresses = [IPAddress("127.0.0.1"), IPAddress("::1")].compactMap { $0 }
        return ResolvedHost(addresses.filter { families.contains($0) }, timeToLive: .seconds(1))
    }
}

private final class Login: ProxyAuthenticator {
    func authorization(for challenge: ProxyChallenge) async throws -> ProxyAuthorization? {
        guard challenge.refusedCount == 0, challenge.proxy.port > 0, challenge.response.status.code == 407 else {
            return nil
        }
        if challenge.offers("Digest") { return .password("ada", "secret") }
        let names = challenge.challenges.map(\.scheme)
        return .each { request in Authorization(names.first ?? "Basic", "\(request.method.rawValue) \(request.target)")
        }
    }
}

private struct LinesSerializer: RequestSerializer {
    func serialize(_ parameters: Parameters?, into request: inout Request) throws {
        guard let parameters else { return }
        request.body = .text(parameters.keys.joined(separator: "\n"), mediaType: "text/x-lines")
    }

    func prepare(_ request: inout Request) throws { request.headers["Accept"] = "text/x-lines" }

    func appendQuery(_ parameters: Parameters, to request: inout Request) throws {
        try request.appendQuery(parameters, by: .whatwgForm)
    }
}

/// One with AFNetworking's settings.
private struct KeysSerializer: ConfigurableRequestSerializer {
    var settings = SerializerSettings()

    func serialize(_ parameters: Parameters?, into request: inout Request) throws {
        guard let parameters else { return }
        if settings.goesIntoURL(request.method) { return try appendQuery(parameters, to: &request) }
        request.body = .text(parameters.keys.joined(separator: ","), mediaType: "text/x-keys")
    }
}

private struct WordsSerializer: ResponseSerializer {
    struct Silence: Error {}

    var validation = ResponseValidation(mediaTypes: ["text/x-lines"])
    var takesLong: Bool { true }

    func value(of response: Response, body: Bytes) throws -> Words {
        body.isEmpty ? .emptyValue : Words(all: body.text.split(separator: "\n").map(String.init))
    }

    func validate(_ response: Response, body: Bytes) throws {
        if response.headers["X-Silent"] != nil { throw Silence() }
    }
}

private struct Words: EmptyRepresentable, Sendable, Equatable {
    var all: [String]

    static var emptyValue: Words { Words(all: []) }
}

@Suite("The public protocols, implemented with `import Sterna` alone") struct PublicProtocolsTests {
    private func session(
        _ transport: Echo, _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> Session {
        try Session(baseURL: "https://example.com") {
            $0.network.transport = transport
            configure(&$0)
        }
    }

    @Test("Interceptors, options, transports, body streams and pieces") func chain() async throws {
        let transport = Echo(statuses: [503])
        let api = try session(transport) { $0.interceptors = [Stamp()] }
        let reply = try await api.get(Bird(number: 7)) { $0.tenant = "blue" }
        #expect(try await reply.text() == "empty")
        #expect(reply.headers["X-Path"] == "/birds/7")
        #expect(transport.requests.map { $0.headers["X-Tenant"] } == ["blue", "blue"])
        let lines = AsyncStream<Line> { stream in
            for text in ["one", "two"] { stream.yield(Line(text: text)) }
            stream.finish()
        }
        #expect(try await api.post("lines", body: .stream(lines)).text() == "one\ntwo\n")
        let stream = Pieces([])
        stream.cancel()
        await #expect(throws: SternaError.self) { try await stream.next() }
    }

    @Test("Serializers, parameters and files") func serializers() async throws {
        let api = try session(Echo())
        let words = try await api.post("words", parameters: ["one": 1, "two": 2]) {
            $0.requestSerializer = LinesSerializer()
        }.value(by: WordsSerializer())
        #expect(words == Words(all: ["one", "two"]))
        let keys = try await api.post("keys", parameters: ["a": Bird(number: 7), "b": 1]) {
            var serializer = KeysSerializer()
            serializer.headers["X-Keys"] = "1"
            $0.requestSerializer = serializer
        }
        #expect(try await keys.text() == "a,b")
        let empty = try await api.get("words", parameters: ["bird": Bird(number: 7)]) {
            $0.requestSerializer = KeysSerializer()
        }
        #expect(empty.url.query?.contains("terns") == true)
        await #expect(throws: SternaError.self) { try await api.upload(file: Photo(), to: "photos") }
    }

    @Test("Retriers and adapters") func retries() async throws {
        let transport = Echo(statuses: [409, 409])
        let api = try session(transport) {
            $0.retriers = [Patience()]
            $0.adapters = [Patience()]
        }
        try await api.get("a")
        #expect(transport.requests.map { $0.headers["X-Attempt"] } == ["1", "2", "3"])
    }

    @Test("Stores of credentials, which need the secret") func credentials() async throws {
        let store = TextCredentials()
        let space = ProtectionSpace(origin: try HTTPURL("https://example.com/").origin, realm: "Staff")
        for credential in [Credential(user: "ada", password: "secret"), .bearer("token")] {
            try await store.setCredential(credential, for: space)
            #expect(try await store.credential(for: space) == credential)
        }
        try await store.setCredential(nil, for: space)
        #expect(try await store.credential(for: space) == nil)
        #expect(!"\(Credential(user: "ada", password: "hidden"))".contains("hidden"))
    }

    @Test("Resolvers and authenticators are settings") func network() async throws {
        #expect(try await Loopback().resolve("example.com", .ipv4).addresses.map(\.description) == ["127.0.0.1"])
        var options = EngineOptions()
        options.resolver = Loopback()
        let engine = Engine(options: options)
        let api = try Session(baseURL: "http://example.com") {
            $0.network.engine = engine
            $0.network.proxies.authenticator = Login()
        }
        #expect(api.baseURL?.host == "example.com")
    }
}
