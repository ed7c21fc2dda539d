import HTTPTypes
import SternaCore
import SternaTesting
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Alt-Svc: known alternatives")
struct AltSvcStoreTests {
    private func origin(_ text: String) throws -> Origin { try HTTPURL(text).origin }

    private func field(_ text: String) throws -> AltSvcField { try #require(AltSvcField([text])) }

    @Test("New alternatives replace earlier ones, and they expire") func replacing() throws {
        var state = AltSvcState()
        let origin = try origin("https://example.com/")
        state.note(try field(#"h3=":1"; ma=10, h2=":2"; ma=20"#), from: origin, at: 0)
        expectEqual(state.services(for: origin, at: 9_999).map(\.port), [1, 2])
        expectEqual(state.services(for: origin, at: 10_000).map(\.port), [2])
        #expect(state.services(for: origin, at: 20_000).isEmpty)
        state.note(try field(#"h3=":3""#), from: origin, at: 1_000)
        expectEqual(state.services(for: origin, at: 1_000).map(\.port), [3])
        #expect(state.services(for: try self.origin("https://example.com:8443/"), at: 0).isEmpty)
        #expect(state.services(for: try self.origin("http://example.com/"), at: 0).isEmpty)
        state.note(.clear, from: origin, at: 1_000)
        expectEqual(state.count, 0)
    }

    @Test("The response's age is subtracted from the lifetime") func age() throws {
        var state = AltSvcState()
        let origin = try origin("https://example.com/")
        state.note(try field(#"h3=":1"; ma=10"#), from: origin, age: 4, at: 0)
        expectEqual(state.services(for: origin, at: 5_999).count, 1)
        #expect(state.services(for: origin, at: 6_000).isEmpty)
        state.note(try field(#"h3=":1"; ma=10"#), from: origin, age: 10, at: 0)
        expectEqual(state.count, 0)
        for now in [Int64.min, .max] {
            state.note(try field(#"h3=":1"; ma=9999999999"#), from: origin, age: .max, at: now)
            state.note(try field(#"h3=":1"; ma=9999999999"#), from: origin, age: .min, at: now)
        }
    }

    @Test("A change of network removes all alternatives without persist=1") func network() throws {
        var state = AltSvcState()
        let (one, other) = (try origin("https://a.test/"), try origin("https://b.test/"))
        state.note(try field(#"h3=":1"; persist=1, h3=":2""#), from: one, at: 0)
        state.note(try field(#"h3=":3""#), from: other, at: 0)
        state.networkChanged()
        expectEqual(state.services(for: one, at: 0).map(\.port), [1])
        expectEqual(state.count, 1)
        state.removeAll()
        expectEqual(state.count, 0)
    }

    @Test("The number of origins is limited: the oldest are evicted first") func limit() throws {
        var state = AltSvcState(limit: 16)
        for index in 0..<40 {
            state.note(try field(#"h3=":1""#), from: try origin("https://h\(index).test/"), at: Int64(index))
            #expect(state.count <= 16)
        }
        #expect(state.services(for: try origin("https://h39.test/"), at: 40).count == 1)
        #expect(state.services(for: try origin("https://h0.test/"), at: 40).isEmpty)
    }

    @Test(
        "Alternatives come only from verified responses over TLS, and a 421 removes them",
        arguments: [
            ("https://example.com/", true, 200, true), ("https://example.com/", false, 200, false),
            ("http://example.com/", true, 200, false), ("https://127.0.0.1/", true, 404, true),
            ("https://example.com/", true, 421, false),
        ])
    func learning(url: String, isVerified: Bool, status: Int, learns: Bool) async throws {
        let store = AltSvcStore(clock: { 0 })
        let mock = MockTransport { _ in .init(status: status, headers: ["Alt-Svc": #"h3=":443""#]) }
        let state = NetworkState(cookieJar: nil, hsts: nil, alternatives: store) { _ in isVerified }
        let chain = Chain([NetworkStateInterceptor(state: state)], transport: mock)
        let response = try await chain(Request(.get, try HTTPURL(url)))
        #expect(store.services(for: try origin(url)).isEmpty != learns)
        expectEqual(response.alternativeServices.count, 1)
    }
}
