import HTTPTypes
import SternaCore

/// Which requests share a transfer, and which responses several requests may use: the rules, as pure functions.
///
/// RFC 9111, 4, lets a cache collapse requests where it may use the response for all of them. Here all have the same identity, fields and
/// cookies, so what remains are responses that speak of one request, and those that the server forbids to use for another. A response
/// need not be storable by its status: a 500 or a 302 without a lifetime answers identical requests of one program just as well, and sending
/// all of them again at once would hit a server that is failing.
enum CoalescingRule {
    /// Why a request is sent for itself.
    enum RequestRefusal: String, Sendable, Hashable, CaseIterable {
        case method = "only GET and HEAD requests share"
        case content = "the request has content"
        case noStore = "the request has no-store"
        case upgrade = "the request asks for another protocol"
    }

    /// Why a response is used for one request alone.
    enum ResponseRefusal: String, Sendable, Hashable, CaseIterable {
        case momentary = "the status speaks of one request"
        case unrequestedPart = "a part was not asked for"
        case setsCookies = "the response sets cookies"
        case variesOnAnything = "the response varies on more than fields"
        case noStore = "the response has no-store"
        case noCache = "the response has no-cache"
        case mustRevalidate = "the response is stale at once and must be validated"
    }

    /// The fields of a response that may forbid it. Many responses have none of them, and so are looked at once.
    private static let decidingFields = FieldNameList(["set-cookie", "vary", "cache-control"])

    /// Returns why a request does not share; nil if it may.
    static func refusal(_ request: Request) -> RequestRefusal? {
        guard request.method == .get || request.method == .head else { return .method }
        guard request.body == nil else { return .content }
        let fields = request.headers
        if fields.contains(.upgrade) { return .upgrade }
        if fields.contains(.cacheControl), CacheControl.Request(fields).noStore { return .noStore }
        return nil
    }

    /// Returns why a response answers one request alone; nil if it may answer identical ones, too.
    ///
    /// - Parameter asksForRange: whether the requests have a Range field; evaluated for a part alone.
    static func refusal(
        status: Int, _ fields: FieldSection, asksForRange: @autoclosure () -> Bool
    ) -> ResponseRefusal? {
        switch CacheStatusCodes.refusal(status) {
        // A challenge, a refused connection, or too many requests: each request has to learn of it, and to act.
        case .interim?, .momentary?, .unknownStatus?: return .momentary
        // 304, 412 and 416 answer conditions and ranges, which are the same for all.
        default: break
        }
        if status == 206, !asksForRange() { return .unrequestedPart }
        if fields.present(decidingFields) == 0 { return nil }
        // It may begin a session on the server for each request.
        if fields.contains(.setCookie) { return .setsCookies }
        // It matches no other request (RFC 9111, 4.1).
        if Vary(lines: fields[values: .vary]) == .anything { return .variesOnAnything }
        let control = CacheControl.Response(fields[values: .cacheControl])
        // RFC 9111, 5.2.2.3 and 5.2.2.5: no-store is void where the status is understood and the response asks for that.
        let isUnderstood = control.mustUnderstand && CacheStatusCodes.isUnderstood(status) && !control.isMalformed
        if control.noStore, !isUnderstood { return .noStore }
        // It "MUST NOT be used to satisfy any other request" without validation (RFC 9111, 5.2.2.4). With names of fields it concerns these
        // fields alone, but leaving them out would change the response.
        if control.noCache != .absent { return .noCache }
        // Stale from the beginning: only must-revalidate forbids to use it (RFC 9111, 4.2.4 and 5.2.2.2). What is merely stale may be used,
        // because the program has asked for it.
        if control.mustRevalidate || control.isMalformed {
            let freshness = Freshness(
                status: status, fields.fields, control, requestTime: 0, responseTime: 0, settings: CacheRuleSettings())
            if freshness.lifetime <= freshness.initialAge { return .mustRevalidate }
        }
        // `private` allows it: all requests have the same identity.
        return nil
    }
}
