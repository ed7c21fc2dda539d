import HTTPTypes
import Sterna
import SternaTesting
import Testing

/// A typical mistake of the library's user, made for real, and the essential words of its error.
struct Mistake: Sendable, CustomTestStringConvertible {
    /// What is wrong, as the row's name.
    let testDescription: String
    /// The kinds that the error may have: a peer's close can be seen in several ways.
    let kinds: Set<SternaError.Kind>
    /// Words that say what happened.
    let what: [String]
    /// Words that say what to do.
    let remedy: [String]
    /// Makes the mistake.
    let make: @Sendable () async throws -> Outcome

    /// The error, and the words that say where it happened.
    struct Outcome: Sendable {
        let error: SternaError
        let place: [String]
    }

    init(
        _ name: String, _ kinds: SternaError.Kind..., what: String..., remedy: String...,
        make: @escaping @Sendable () async throws -> Outcome
    ) {
        testDescription = name
        self.kinds = Set(kinds)
        self.what = what
        self.remedy = remedy
        self.make = make
    }

    /// Returns the error of work that is expected to fail.
    static func failure(
        at place: String..., isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Void
    ) async throws -> Outcome {
        do {
            try await work()
        } catch {
            return Outcome(error: try #require(error as? SternaError), place: place)
        }
        throw SternaError(.invalidRequest, phase: .decode, "The mistake has no consequence.")
    }

    /// Makes a session with an engine of its own that sends each request once.
    static func session(
        _ base: String? = nil, _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> Session {
        try Session(baseURL: base) {
            $0.network.engine = Engine()
            $0.retry = .none
            $0.network.proxies = .none
            configure(&$0)
        }
    }

    /// Makes a session on a mock that gives each request the same answer.
    static func mocked(
        _ answer: ServerResponse, _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> Session {
        try session("https://api.example.com/v1/") {
            $0.network.transport = MockTransport { _ in answer }
            configure(&$0)
        }
    }

    /// Sends a request whose query has a secret to a mock that gives it the answer.
    static func answered(
        _ answer: ServerResponse, reading: (Reply) async throws -> Void = { _ in },
        _ configure: (inout SessionSettings) -> Void = { _ in }
    ) async throws -> Outcome {
        let api = try mocked(answer, configure)
        return try await failure(at: "https://api.example.com/v1/a?token=***") {
            try await reading(try await api.get("a?token=s3cret"))
        }
    }

    /// A page of HTML, as servers send for errors.
    static func page(_ status: Int = 200) -> ServerResponse {
        .text("<h1>Nothing here</h1>", mediaType: "text/html", status: status)
    }

    /// Gets a path of a test server with the session's settings; the query has a secret.
    static func getting(
        _ path: String, from options: TestServer.Options = .init(),
        _ configure: (inout SessionSettings) -> Void = { _ in }
    ) async throws -> Outcome {
        try await TestServer.withServer(options) { server in
            let api = try session(server.url, configure)
            return try await failure(at: "GET \(server.url(path))?token=***") {
                try await api.get("\(path)?token=s3cret")
            }
        }
    }
}
