import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Request properties")
struct RequestPropertiesTests {
    private func sent(
        _ properties: (inout RequestProperties) -> Void, session: (inout SessionSettings) -> Void = { _ in },
        request: (inout RequestSettings) -> Void = { _ in }
    ) async throws -> Request {
        var serializer = HTTPRequestSerializer()
        properties(&serializer.properties)
        let (api, mock) = try mocked {
            $0.requestSerializer = serializer
            session(&$0)
        }
        try await api.get("a", request)
        return try #require(mock.requests.first)
    }

    private func each(_ timeouts: Timeouts) -> [Duration] {
        [timeouts.connect, timeouts.tls, timeouts.firstByte, timeouts.betweenBytes]
    }

    @Test("Properties that were not set are not passed on, and the time-out is 60 s")
    func unset() async throws {
        let request = try await sent { _ in }
        expectEqual(request.properties, RequestProperties())
        expectEqual(request.timeouts, Timeouts())
        expectEqual(request.timeouts.firstByte, .seconds(60))
        expectEqual(request.timeouts.betweenBytes, .seconds(60))
        let properties = RequestProperties()
        expectNil(properties.timeout)
        expectNil(properties.cachePolicy)
        expectNil(properties.handlesCookies)
        expectNil(properties.networkServiceType)
        expectNil(properties.allowsCellularAccess)
        expectNil(properties.usesPipelining)
    }

    @Test("The time-out reaches the request, in place of the session's")
    func timeout() async throws {
        let request = try await sent {
            $0.timeout = .seconds(7)
        } session: {
            $0.timeout = .seconds(3)
        }
        expectEqual(each(request.timeouts), Array(repeating: .seconds(7), count: 4))
        expectEqual(request.timeouts.total, Timeouts().total)
        expectEqual(request.properties.timeout, .seconds(7))
        let unset = try await sent { _ in
        } session: {
            $0.timeout = .seconds(3)
        }
        expectEqual(each(unset.timeouts), Array(repeating: .seconds(3), count: 4))
    }

    @Test("The request's own time-outs take precedence")
    func ownTimeout() async throws {
        let one = try await sent {
            $0.timeout = .seconds(7)
        } request: {
            $0.timeout = .seconds(2)
        }
        expectEqual(each(one.timeouts), Array(repeating: .seconds(2), count: 4))
        var timeouts = Timeouts()
        timeouts.connect = .seconds(1)
        let all = try await sent {
            $0.timeout = .seconds(7)
        } request: {
            $0.timeouts = timeouts
        }
        expectEqual(all.timeouts, timeouts)
    }

    @Test("A time-out of zero, or without an end, is clamped to the valid range")
    func range() async throws {
        for timeout in [Duration.zero, .seconds(-5)] {
            try await expectEqual(sent { $0.timeout = timeout }.timeouts.connect, .milliseconds(1))
        }
        #expect(try await sent { $0.timeout = .seconds(Int64.max) }.timeouts.connect > .seconds(3_000_000_000))
    }

    @Test("Each of the other properties is passed on by itself", arguments: 0..<5)
    func others(index: Int) async throws {
        var expected = RequestProperties()
        switch index {
        case 0: expected.cachePolicy = .reloadIgnoringLocalCacheData
        case 1: expected.handlesCookies = false
        case 2: expected.networkServiceType = .voip
        case 3: expected.allowsCellularAccess = false
        default: expected.usesPipelining = true
        }
        let request = try await sent { $0 = expected }
        expectEqual(request.properties, expected)
        expectEqual(request.timeouts, Timeouts())
        #expect(request.headers.filter { $0.name.canonicalName.hasPrefix("cache") }.isEmpty)
    }

    @Test("A value that is the default counts as set")
    func defaults() async throws {
        let request = try await sent {
            $0.cachePolicy = .useProtocolCachePolicy
            $0.handlesCookies = true
        }
        expectEqual(request.properties.cachePolicy, .useProtocolCachePolicy)
        expectEqual(request.properties.handlesCookies, true)
        expectNil(request.properties.allowsCellularAccess)
    }

    @Test("The properties of a request's own serializer replace those of the session's")
    func perRequest() async throws {
        var json = JSONRequestSerializer()
        json.properties.cachePolicy = .returnCacheDataDontLoad
        let request = try await sent {
            $0.timeout = .seconds(7)
            $0.handlesCookies = false
        } request: {
            $0.requestSerializer = json
        }
        expectEqual(request.properties, json.properties)
        expectEqual(request.timeouts, Timeouts())
    }
}
