import Sterna
import SternaTesting

@testable import SternaTestSupport

/// Makes sessions under the name of the type on a mock or a test server, so that an example's own text runs without the network.
///
///     let Session = SessionMaker(mock)
///     let api = try Session(baseURL: "https://api.example.com") { $0.timeout = .seconds(5) }
struct SessionMaker {
    private let make: (String?, (inout SessionSettings) -> Void) throws -> Session

    /// Makes sessions that a mock answers.
    init(_ mock: MockTransport) {
        make = { base, configure in try mocked(base, by: mock, configure).api }
    }

    /// Makes sessions whose base URL is a server's, whatever the example says.
    init(_ server: TestServer) {
        make = { _, configure in try Session(baseURL: server.url, configure) }
    }

    func callAsFunction(
        baseURL: String?, _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> Session {
        try make(baseURL, configure)
    }

    func callAsFunction(_ configure: (inout SessionSettings) -> Void = { _ in }) throws -> Session {
        try make(nil, configure)
    }
}
