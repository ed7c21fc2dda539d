import HTTPTypes
import NIOCore
import SternaCore
import SternaTesting
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// What the requests of one call carry.
@Suite("Call state")
struct CallStateTests {
    private func request() throws -> Request { Request(.get, try HTTPURL("http://a.test/")) }

    @Test("Reading makes no state")
    func readingMakesNoState() throws {
        let request = try request()
        #expect(request.state.usesToken)
        #expect(request.carried == nil)
        #expect(request.isBare)
    }

    @Test("Copies are independent")
    func copiesAreIndependent() throws {
        var first = try request()
        first.state.formerRetries = 1
        var second = first
        second.state.formerRetries = 2
        let third = second
        second.state.dropsCredentials = true
        expectEqual([first, second, third].map(\.state.formerRetries), [1, 2, 2])
        expectEqual([first, second, third].map(\.state.dropsCredentials), [false, true, false])
    }

    @Test("One owner changes its state in place")
    func oneOwnerChangesItsStateInPlace() throws {
        var request = try request()
        request.state.formerRetries = 1
        let before = request.carried.map { ObjectIdentifier($0) }
        request.state.carriesToken = true
        expectEqual(request.carried.map { ObjectIdentifier($0) }, before)
    }

    @Test("A request of user code gets the state of the call")
    func requestsOfUserCodeGetTheStateOfTheCall() throws {
        var former = try request()
        former.join(Call(deadline: .distantFuture))
        former.state.dropsCredentials = true
        former.state.history = RetryHistory()
        var other = try request()
        other.state.formerRetries = 7
        other.continues(former)
        #expect(other.call === former.call)
        #expect(other.state.dropsCredentials)
        #expect(other.state.history === former.state.history)
        expectEqual(other.state.formerRetries, 0)
    }

    @Test("What is set for one request reaches it alone")
    func settingsOfOneRequestReachItsAttempts() async throws {
        let (api, mock) = try mocked()
        try await api.get("a") {
            $0.handlesCookies = false
            $0.usesTokenAuthentication = false
        }
        try await api.get("b")
        expectEqual(mock.requests.map(\.state.handlesCookies), [false, nil])
        expectEqual(mock.requests.map(\.state.usesToken), [false, true])
    }
}
