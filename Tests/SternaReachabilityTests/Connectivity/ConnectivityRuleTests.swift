import HTTPTypes
import NIOCore
import SternaCore
import SternaPlatform
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Which requests wait for the network")
struct ConnectivityRuleTests {
    private static func error(_ kind: SternaError.Kind, _ code: CInt? = nil) -> SternaError {
        SternaError(
            kind, phase: .connect, "It failed.", underlying: code.map { IOError(errnoCode: $0, reason: "connect") })
    }

    /// The URL, whether the default route was lost before, whether another one may lead to the host, the error, and whether it waits.
    static let failures: [(String, Bool, Bool, SternaError.Kind, Bool)] = [
        ("http://example.com/", false, false, .connectionClosed, true),
        ("http://example.com/", false, true, .timedOut, true),
        // A network without a default route: its requests fail for other reasons.
        ("http://192.168.1.10/", true, true, .connectionClosed, false),
        ("http://192.168.1.10/", false, true, .timedOut, false),
        ("http://printer/", true, true, .connectionClosed, false),
        ("http://printer/", true, true, .hostNotFound, true),
        ("http://192.168.1.10/", true, false, .timedOut, true),
        ("http://127.0.0.1/", true, false, .timedOut, false),
        ("http://[::1]/", true, false, .timedOut, false),
        ("http://localhost/", true, false, .timedOut, false),
        ("http://example.com/", false, false, .unacceptableStatus, false),
    ]

    @Test("A failed request waits only if the loss of the network may be the cause", arguments: failures.indices)
    func after(index: Int) throws {
        let (url, wasAway, hasOtherRoute, kind, waits) = Self.failures[index]
        let request = Request(.get, try HTTPURL(url))
        let error = Self.error(kind)
        expectEqual(
            ConnectivityRule.holdsAfter(
                error, request, RoutePath(.notReachable), wasAway: wasAway, hasOtherRoute: hasOtherRoute), waits)
        #expect(
            !ConnectivityRule.holdsAfter(
                error, request, RoutePath(.reachable(.cable)), wasAway: wasAway, hasOtherRoute: hasOtherRoute))
    }

    @Test("A host that has refused the connection was reached; a POST is sent once")
    func others() throws {
        let url = try HTTPURL("http://example.com/")
        func holds(_ request: Request, _ error: SternaError) -> Bool {
            ConnectivityRule.holdsAfter(
                error, request, RoutePath(.notReachable), wasAway: false, hasOtherRoute: false)
        }
        #expect(!holds(Request(.get, url), Self.error(.connectionFailed, ECONNREFUSED)))
        #expect(holds(Request(.get, url), Self.error(.connectionFailed, ENETUNREACH)))
        #expect(!holds(Request(.post, url), Self.error(.connectionFailed, ENETUNREACH)))
    }
}
