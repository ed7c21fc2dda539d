import HTTPTypes
import SternaCore

/// The decisions of an HTTP cache (RFC 9111): pure functions without I/O and clock.
///
/// Times are seconds since 1970. Unreadable directives restrict: the response is then not stored, or is validated.
enum CacheRule {
    /// Decides how a request is handled (RFC 9111, 4).
    ///
    /// - Parameters:
    ///   - stored: all responses that are stored under the request's key.
    ///   - now: the current time.
    static func decide(
        _ request: CacheRequest, stored: [StoredResponse], policy: CachePolicy = .protocolRules,
        settings: CacheRuleSettings = CacheRuleSettings(), now: Int64
    ) -> CacheDecision {
        if policy.reading == .reload { return .forward(.reload, adding: policy.asksOrigin ? noCacheFields : [:]) }
        let control = CacheControl.Request(request.fields)
        guard request.method == .get || request.method == .head else {
            return control.onlyIfCached ? .gatewayTimeout(.method) : .forward(.method, adding: [:])
        }
        let asksNever = control.onlyIfCached || policy.reading == .cachedOnly
        func forward(_ reason: ForwardReason) -> CacheDecision {
            asksNever ? .gatewayTimeout(reason) : .forward(reason, adding: [:])
        }
        // A cache must not evaluate these (RFC 9111, 4.3.2).
        if request.fields.contains(.ifMatch) || request.fields.contains(.ifUnmodifiedSince) {
            return forward(.requestConditions)
        }
        guard let index = select(stored, for: request, settings) else { return forward(stored.isEmpty ? .miss : .vary) }
        let response = stored[index]
        let content: ServedResponse.Content
        switch ConditionRule.content(of: response, for: request) {
        case .serve(let found): content = found
        case .ask(let reason): return forward(reason)
        }
        let served = ServedResponse(
            index: index, content: content, age: response.freshness.age(at: now),
            timeLeft: response.freshness.timeLeft(at: now), withheld: withheld(response))
        let obstacle = obstacle(to: served, response, control, policy)
        guard let obstacle else { return .serve(served) }
        let validation = validation(of: response, at: index, for: request, policy)
        if let reason = staleReason(served, response, control, policy, settings) {
            let refresh =
                reason == .whileRevalidate && !asksNever ? validation ?? refresh(at: index, for: request) : nil
            return .serveStale(served, reason, refresh: refresh)
        }
        if asksNever { return .gatewayTimeout(obstacle) }
        return validation.map { .validate($0, obstacle) } ?? .forward(obstacle, adding: [:])
    }

    /// Returns the stored response that is served because the server failed; nil if none may be (RFC 9111, 4.2.4; RFC 5861, 4).
    ///
    /// - Parameter status: the status code of the server's response; nil if the server could not be reached.
    static func responseAfterFailure(
        status: Int?, _ request: CacheRequest, stored: [StoredResponse], policy: CachePolicy = .protocolRules,
        settings: CacheRuleSettings = CacheRuleSettings(), now: Int64
    ) -> (ServedResponse, StaleReason)? {
        guard request.method == .get || request.method == .head, policy.reading != .reload,
            status.map(CacheStatusCodes.isServerError) ?? true
        else { return nil }
        let control = CacheControl.Request(request.fields)
        guard !control.noCache, let index = select(stored, for: request, settings) else { return nil }
        let response = stored[index]
        guard !request.fields.contains(.ifMatch), !request.fields.contains(.ifUnmodifiedSince),
            case .serve(let content) = ConditionRule.content(of: response, for: request)
        else { return nil }
        let served = ServedResponse(
            index: index, content: content, age: response.freshness.age(at: now),
            timeLeft: response.freshness.timeLeft(at: now), withheld: withheld(response))
        guard response.control.noCache != .everything, served.timeLeft > 0 || !response.forbidsStale(settings) else {
            return nil
        }
        let limit = max(response.control.staleIfError ?? -1, control.staleIfError ?? -1)
        // An unreadable stale-if-error counts as 0, which permits no stale response.
        if limit > 0 || limit == 0 && served.timeLeft > 0, -served.timeLeft <= limit, isAcceptable(served, control) {
            return (served, .ifError)
        }
        return status == nil && policy.fallsBackToStored && isAcceptable(served, control) ? (served, .unreachable) : nil
    }

    // MARK: Steps

    /// Returns the index of the most recent stored response that matches the request's fields; nil if none does (RFC 9111, 4 and
    /// 4.1).
    static func select(
        _ stored: [StoredResponse], for request: CacheRequest, _ settings: CacheRuleSettings
    ) -> Int? {
        var best: Int?
        for (index, response) in stored.enumerated()
        where response.variant.matches(request.fields, secrets: settings.secrets) {
            guard let former = best.map({ stored[$0] }) else {
                best = index
                continue
            }
            if (response.date, response.responseTime) > (former.date, former.responseTime) { best = index }
        }
        return best
    }

    /// Returns why a stored response must not be served without validation; nil if it may be.
    private static func obstacle(
        to served: ServedResponse, _ response: StoredResponse, _ control: CacheControl.Request, _ policy: CachePolicy
    ) -> ForwardReason? {
        if control.noCache { return .requestNoCache }
        if response.fitsNoRequest { return .vary }
        if response.control.noCache == .everything { return .responseNoCache }
        guard served.timeLeft > 0 else {
            if response.control.isMalformed { return .malformed }
            return response.control.mustRevalidate ? .mustRevalidate : .stale
        }
        if let limit = control.maxAge, served.age > limit { return .requestMaxAge }
        if let least = control.minFresh, served.timeLeft < least { return .requestMinFresh }
        // A fresh immutable response is not validated, even for a reload (RFC 8246, 2).
        return policy.reading == .revalidate && !response.control.immutable ? .policyRevalidate : nil
    }

    /// Returns why a response is served although it must be validated; nil if it must not be.
    private static func staleReason(
        _ served: ServedResponse, _ response: StoredResponse, _ control: CacheControl.Request, _ policy: CachePolicy,
        _ settings: CacheRuleSettings
    ) -> StaleReason? {
        guard !control.noCache, policy.reading != .revalidate, served.timeLeft <= 0,
            !response.forbidsStale(settings), control.maxAge.map({ served.age <= $0 }) ?? true
        else { return nil }
        let staleness = -served.timeLeft
        // An unreadable max-stale counts as 0, which permits no stale response.
        if let limit = control.maxStale, limit > 0, staleness <= limit || limit == CacheControl.longest {
            return .maxStale
        }
        // A request with max-age or min-fresh accepts no stale response (RFC 9111, 5.2.1.1 and 5.2.1.3).
        guard isAcceptable(served, control) else { return nil }
        if policy.reading == .anyAge { return .policy }
        if policy.reading == .cachedOnly { return .offline }
        guard let limit = response.control.staleWhileRevalidate, limit > 0, staleness <= limit else { return nil }
        return .whileRevalidate
    }

    /// Returns whether the request's max-age and min-fresh accept a response, which may be stale.
    private static func isAcceptable(_ served: ServedResponse, _ control: CacheControl.Request) -> Bool {
        if let limit = control.maxAge, served.timeLeft <= 0 || served.age > limit { return false }
        if let least = control.minFresh, served.timeLeft < least { return false }
        return true
    }

    private static func withheld(_ response: StoredResponse) -> Set<String> {
        if case .fields(let names) = response.control.noCache { names } else { [] }
    }

    /// Returns the request that validates a response; nil if the response has no validator, if the caller's request has conditions
    /// of its own, and for HEAD, whose responses update stored ones without conditions.
    private static func validation(
        of response: StoredResponse, at index: Int, for request: CacheRequest, _ policy: CachePolicy
    ) -> CacheValidation? {
        guard request.method == .get, !request.fields.contains(.ifNoneMatch),
            !request.fields.contains(.ifModifiedSince)
        else { return nil }
        var fields = conditions(for: response)
        guard !fields.isEmpty else { return nil }
        if policy.reading == .revalidate, !request.fields.contains(.cacheControl) {
            // Intermediate caches have to validate, too.
            fields[.cacheControl] = "max-age=0"
        }
        return CacheValidation(index: index, fields: fields)
    }

    /// Returns the conditional fields that validate a response (RFC 9111, 4.3.1); empty if it has no validator.
    static func conditions(for response: StoredResponse) -> HTTPFields {
        var fields = HTTPFields()
        fields[.ifNoneMatch] = EntityTag.condition(for: response.fields)
        if Freshness.date(response.fields, .lastModified) != nil {
            fields[.ifModifiedSince] = response.fields[values: .lastModified].first
        }
        return fields
    }

    /// Returns the background request for a response without a validator; nil if its response could not replace the stored one.
    private static func refresh(at index: Int, for request: CacheRequest) -> CacheValidation? {
        guard request.method == .get, !request.fields.contains(.ifNoneMatch), !request.fields.contains(.ifModifiedSince)
        else { return nil }
        return CacheValidation(index: index, fields: [:])
    }

    private static var noCacheFields: HTTPFields {
        var fields: HTTPFields = [.cacheControl: "no-cache"]
        if let pragma = CacheControl.pragma { fields[pragma] = "no-cache" }
        return fields
    }
}
