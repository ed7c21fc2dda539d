import HTTPTypes
import SternaCore

@testable import Sterna

/// Short forms for tables of the cache's rules. Responses are made at `made` and arrive then.
enum CacheRuleScene {
    /// Wed, 01 Jan 2025 00:00:00 GMT.
    static let made: Int64 = 1_735_689_600
    static let date = "Wed, 01 Jan 2025 00:00:00 GMT"
    static let hourBefore = "Tue, 31 Dec 2024 23:00:00 GMT"
    static let hourLater = "Wed, 01 Jan 2025 01:00:00 GMT"
    static let url = "https://api.example.com/v1/a?x=1"

    static func url(_ text: String = url) -> HTTPURL {
        // The texts of tests are valid.
        guard let url = try? HTTPURL(text) else { preconditionFailure(text) }
        return url
    }

    static func fields(_ lines: [String]) -> HTTPFields {
        HTTPFields(
            lines.map { line in
                let colon = line.firstIndex(of: ":") ?? line.endIndex
                guard let name = HTTPField.Name(String(line[..<colon])) else { preconditionFailure(line) }
                return HTTPField(name: name, value: String(line[colon...].dropFirst().drop { $0 == " " }))
            })
    }

    static func request(
        _ lines: [String] = [], _ method: HTTPRequest.Method = .get, _ text: String = url
    ) -> CacheRequest {
        CacheRequest(method, url(text), fields(lines))
    }

    static func response(
        _ lines: [String] = [], status: Int = 200, sent: Int64 = made, arrived: Int64 = made
    ) -> CacheResponse {
        CacheResponse(status, fields(lines), requestTime: sent, responseTime: arrived)
    }

    /// A stored response of 100 bytes with a Date.
    static func stored(
        _ lines: [String], status: Int = 200, variant: VaryKey = .none, extent: StoredExtent = .whole(100),
        arrived: Int64 = made, settings: CacheRuleSettings = CacheRuleSettings()
    ) -> StoredResponse {
        let dated = lines.contains { $0.hasPrefix("Date:") } ? lines : lines + ["Date: \(date)"]
        return StoredResponse(
            response(dated, status: status, sent: arrived, arrived: arrived), variant: variant, extent: extent,
            settings: settings)
    }

    static var shared: CacheRuleSettings {
        var settings = CacheRuleSettings()
        settings.isShared = true
        return settings
    }

    /// A decision as one or two words.
    static func text(_ decision: CacheDecision) -> String {
        switch decision {
        case .serve(let served): "serve" + text(served.content)
        case .serveStale(let served, let reason, let refresh):
            "stale \(reason)" + text(served.content) + (refresh == nil ? "" : " + refresh")
        case .validate(_, let reason): "validate \(reason)"
        case .forward(let reason, _): "forward \(reason)"
        case .gatewayTimeout(let reason): "504 \(reason)"
        }
    }

    private static func text(_ content: ServedResponse.Content) -> String {
        switch content {
        case .whole: ""
        case .head: " head"
        case .part(let range, _): " \(range.lowerBound)..<\(range.upperBound)"
        case .notModified: " 304"
        }
    }

    static func decide(
        _ request: [String], _ response: [String], after seconds: Int64, policy: CachePolicy = .protocolRules,
        settings: CacheRuleSettings = CacheRuleSettings()
    ) -> String {
        text(
            CacheRule.decide(
                Self.request(request), stored: [stored(response, settings: settings)], policy: policy,
                settings: settings, now: made + seconds))
    }

    /// The reason of a refusal, or the kind of storing: `store`, `store public`, `store part`.
    static func mayStore(
        _ request: CacheRequest, _ response: CacheResponse, settings: CacheRuleSettings = CacheRuleSettings()
    ) -> String {
        switch CacheRule.mayStore(request, response, settings: settings) {
        case .refuse(let refusal): "\(refusal)"
        case .store(let plan): "store" + (plan.isForEveryone ? " public" : "") + (plan.part == nil ? "" : " part")
        }
    }
}
