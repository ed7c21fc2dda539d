import HTTPTypes
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Cache-Status (RFC 9211)")
struct CacheStatusFieldTests {
    private static let served = ServedResponse(index: 0, content: .whole, age: 5, timeLeft: 55)

    static let rows: [(CacheDecision, String)] = [
        (.serve(served), #"Sterna; hit; ttl=55; detail="fresh""#),
        (
            .serveStale(.init(index: 0, content: .whole, age: 9, timeLeft: -4), .maxStale, refresh: nil),
            #"Sterna; hit; ttl=-4; detail="the request accepts a stale response""#
        ),
        (.forward(.miss, adding: [:]), #"Sterna; fwd=uri-miss; detail="nothing is stored for the URL""#),
        (.forward(.reload, adding: [:]), #"Sterna; fwd=bypass; detail="the policy ignores stored responses""#),
        (
            .validate(.init(index: 0, fields: [:]), .stale),
            #"Sterna; fwd=stale; detail="the stored response is stale""#
        ),
        (
            .gatewayTimeout(.vary),
            #"Sterna; detail="only a stored response may answer, but no stored response fits the request's fields""#
        ),
    ]

    @Test("A decision has its member", arguments: rows)
    func decisions(decision: CacheDecision, text: String) { expectEqual(CacheStatusField(decision).text, text) }

    @Test("A member has the later parameters, and follows the members of other caches")
    func later() {
        var field = CacheStatusField(.validate(.init(index: 0, fields: [:]), .stale))
        (field.forwardStatus, field.isStored, field.isCollapsed, field.timeLeft) = (304, true, true, 60)
        field.detail = "a \"b\" \\ \u{E9}\n"
        expectEqual(
            field.text, #"Sterna; fwd=stale; fwd-status=304; ttl=60; stored; collapsed; detail="a \"b\" \\ ???""#)
        var fields: HTTPFields = ["Cache-Status": "Edge; hit"].reduce(into: [:]) { fields, pair in
            if let name = CacheStatusField.name { fields[name] = pair.value }
        }
        field.append(to: &fields)
        expectEqual(fields[values: "Cache-Status"].first, "Edge; hit")
        expectEqual(fields[values: "Cache-Status"].count, 2)
        let stale = CacheStatusField(Self.served, .ifError, after: .stale, status: 503)
        #expect(stale.text.hasPrefix("Sterna; fwd=stale; fwd-status=503; ttl=55; detail=\"the server failed"))
    }

    @Test("Every reason has valid text, and a token of RFC 9211")
    func reasons() {
        let tokens = ["bypass", "method", "uri-miss", "vary-miss", "miss", "request", "stale", "partial"]
        for reason in ForwardReason.allCases { #expect(tokens.contains(reason.token)) }
        for words in ForwardReason.allCases.map(\.rawValue) + StaleReason.allCases.map(\.rawValue)
            + StoreRefusal.allCases.map(\.rawValue)
        {
            #expect(words.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
        }
    }

    @Test("Numbers beyond the range of structured fields are clamped")
    func numbers() {
        var served = Self.served
        served.timeLeft = .min
        #expect(CacheStatusField(.serve(served)).text.contains("ttl=-999999999999999;"))
    }
}
