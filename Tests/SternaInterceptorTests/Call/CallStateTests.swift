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
        #expect(request.state.choices.usesToken)
        #expect(request.carried == nil)
        #expect(request.isBare)
    }

    @Test("Copies are independent")
    func copiesAreIndependent() throws {
        var first = try request()
        first.state.course.formerRetries = 1
        var second = first
        second.state.course.formerRetries = 2
        let third = second
        second.state.access.dropsCredentials = true
        expectEqual([first, second, third].map { $0.state.course.formerRetries }, [1, 2, 2])
        expectEqual([first, second, third].map { $0.state.access.dropsCredentials }, [false, true, false])
    }

    @Test("One owner changes its state in place")
    func oneOwnerChangesItsStateInPlace() throws {
        var request = try request()
        request.state.course.formerRetries = 1
        let before = request.carried.map { ObjectIdentifier($0) }
        request.state.access.carriesToken = true
        expectEqual(request.carried.map { ObjectIdentifier($0) }, before)
    }

    @Test("A request of user code gets the state of the call")
    func requestsOfUserCodeGetTheStateOfTheCall() throws {
        var former = try request()
        former.join(Call(deadline: .distantFuture))
        former.state.access.dropsCredentials = true
        former.state.course.history = RetryHistory()
        var other = try request()
        other.state.course.formerRetries = 7
        other.continues(former)
        #expect(other.call === former.call)
        #expect(other.state.access.dropsCredentials)
        #expect(other.state.course.history === former.state.course.history)
        expectEqual(other.state.course.formerRetries, 0)
    }

    @Test("Settings of one request do not reach the next request")
    func settingsOfOneRequestReachItsAttempts() async throws {
        let (api, mock) = try mocked()
        try await api.get("a") {
            $0.cookies.isOn = false
            $0.auth.usesTokens = false
        }
        try await api.get("b")
        expectEqual(mock.requests.map { $0.state.choices.handlesCookies }, [false, nil])
        expectEqual(mock.requests.map { $0.state.choices.usesToken }, [false, true])
    }
}
