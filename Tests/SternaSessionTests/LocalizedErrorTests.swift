import Foundation
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// What `localizedDescription` says of the library's errors.
@Suite("localizedDescription of errors")
struct LocalizedErrorTests {
    @Test("What happened, without the URL")
    func ownWords() throws {
        var error = SternaError(.timedOut, phase: .wait, "The server did not begin to answer within 1 s.")
        error.url = "https://example.com/"
        expectEqual((error as any Error).localizedDescription, "The server did not begin to answer within 1 s.")
        expectNil((error as NSError).localizedFailureReason)
        expectEqual((error as NSError).localizedRecoverySuggestion, "Give it more time, or send it later.")
    }

    @Test("With the server's message, on one line")
    func serverWords() throws {
        var error = SternaError(.unacceptableStatus, phase: .read, "The server answered 404.")
        error.serverMessage = "no such\nbird"
        expectEqual(error.localizedDescription, "The server answered 404. The server says: no such bird")
        expectEqual((error as NSError).localizedFailureReason, "no such bird")
    }

    @Test("Errors of other layers")
    func causes() throws {
        let url = #expect(throws: HTTPURL.ParseError.self) { try HTTPURL("ftp://host/") }
        expectEqual(url?.localizedDescription.hasPrefix("The scheme \"ftp\" is not supported"), true)
        let json = #expect(throws: JSON.ParseError.self) { try JSON(parsing: "[1,") }
        expectEqual(json?.localizedDescription, json?.description)
        let trust = TrustFailure(.hostName, "it is for another host", advice: "Check the name.")
        #expect(trust.localizedDescription.contains("it is for another host"))
        expectEqual((trust as NSError).localizedRecoverySuggestion, "Check the name.")
    }

    @Test("A failed request") func request() async throws {
        let (api, _) = try mocked(by: MockTransport { _ in .json(["message": "no such bird"], status: 404) })
        do {
            try await api.get("birds/0")
            Issue.record("It must throw.")
        } catch {
            #expect(error.localizedDescription.hasSuffix("The server says: no such bird"))
        }
    }
}
