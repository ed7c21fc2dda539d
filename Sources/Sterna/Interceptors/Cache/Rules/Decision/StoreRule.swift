import HTTPTypes
import SternaCore

/// The decision whether a response is stored.
enum StoreDecision: Sendable, Hashable {
    case store(StorePlan)
    case refuse(StoreRefusal)
}

/// What is stored of a response, and for which identities.
struct StorePlan: Sendable, Hashable {
    /// The status code with which it is served; 200 for a partial response.
    var status: Int

    /// The fields that are stored (RFC 9111, 3.1).
    var fields: HTTPFields

    /// The values of the request fields that the response varies on.
    var variant: VaryKey

    /// The range of a 206, and the complete length if it is known; nil for a complete response.
    var part: Part?

    /// The required length of the body; nil if the response does not state it.
    var contentLength: Int64?

    /// Whether all identities share the response, since it is marked `public`.
    var isForEveryone: Bool

    struct Part: Sendable, Hashable {
        var range: Range<Int64>
        var length: Int64?
    }
}

/// Why a response is not stored.
enum StoreRefusal: String, Sendable, Hashable, CaseIterable {
    case policy = "the policy does not store"
    case method = "only responses to GET are stored"
    case requestNoStore = "the request has no-store"
    case interim = "the response is an interim one"
    case conditional = "the status speaks of the request's conditions or range"
    case momentary = "the status speaks of this request alone"
    case unknownStatus = "the status is unknown"
    case mustUnderstand = "the response asks for its status to be understood"
    case responseNoStore = "the response has no-store"
    case isPrivate = "the response is private and the cache is shared"
    case authorization = "the request had credentials and the response does not permit a shared cache to store it"
    case varyAnything = "the response varies on more than fields"
    case notCacheable = "neither its fields nor its status permit to store the response"
    case contentLength = "its Content-Length cannot be read"
    case range = "its range cannot be used"
    case noStrongValidator = "a part without a strong validator cannot be combined"
}

extension CacheRule {
    /// Decides whether a response may be stored (RFC 9111, 3).
    static func mayStore(
        _ request: CacheRequest, _ response: CacheResponse, policy: CachePolicy = .protocolRules,
        settings: CacheRuleSettings = CacheRuleSettings()
    ) -> StoreDecision {
        guard policy.stores else { return .refuse(.policy) }
        guard request.method == .get else { return .refuse(.method) }
        if let refusal = CacheStatusCodes.refusal(response.status) { return .refuse(refusal) }
        if CacheControl.Request(request.fields).noStore { return .refuse(.requestNoStore) }
        let control = CacheControl.Response(response.fields[values: .cacheControl])
        let isUnderstood = CacheStatusCodes.isUnderstood(response.status)
        if control.mustUnderstand, !isUnderstood { return .refuse(.mustUnderstand) }
        // A status that the cache implements overrides no-store beside must-understand (RFC 9111, 5.2.2.3).
        if control.noStore, !control.mustUnderstand || control.isMalformed { return .refuse(.responseNoStore) }
        if settings.isShared {
            if control.isPrivate == .everything { return .refuse(.isPrivate) }
            guard !request.fields.contains(.authorization) || permitsSharing(control) else {
                return .refuse(.authorization)
            }
        }
        guard isCacheable(response, control, settings) else { return .refuse(.notCacheable) }
        guard let variant = VaryKey(Vary(response.fields), request: request.fields, secrets: settings.secrets) else {
            return .refuse(.varyAnything)
        }
        var plan = StorePlan(
            status: response.status, fields: CacheFields.stored(response.fields, control, settings), variant: variant,
            isForEveryone: isForEveryone(control))
        if response.fields.contains(.contentLength) {
            let lines = response.fields[values: .contentLength]
            guard let line = lines.first, lines.allSatisfy({ $0 == line }), let length = ContentRange.number(line.utf8)
            else { return .refuse(.contentLength) }
            plan.contentLength = length
        }
        guard response.status == 206 else { return .store(plan) }
        return part(of: response, request, plan)
    }

    /// Returns whether all identities may share a response: it is marked `public`, and no part of it `private`.
    static func isForEveryone(_ control: CacheControl.Response) -> Bool {
        control.isPublic && control.isPrivate == .absent
    }

    /// Adds the range of a 206 (RFC 9111, 3.3).
    private static func part(
        of response: CacheResponse, _ request: CacheRequest, _ plan: StorePlan
    ) -> StoreDecision {
        var plan = plan
        let lines = response.fields[values: .contentRange]
        guard request.fields.contains(.range), lines.count == 1, let line = lines.first,
            case .part(let range, let length)? = ContentRange(line), !isMultipart(response.fields)
        else { return .refuse(.range) }
        let count = range.upperBound - range.lowerBound
        guard plan.contentLength == nil || plan.contentLength == count else { return .refuse(.range) }
        guard EntityValidator(FieldSection(response.fields)) != nil else { return .refuse(.noStrongValidator) }
        plan.contentLength = count
        plan.status = 200
        plan.part = .init(range: range, length: length)
        plan.fields[.contentRange] = nil
        plan.fields[.contentLength] = nil
        return .store(plan)
    }

    /// Returns whether the body has several ranges, each with a head of its own (RFC 9110, 15.3.7.2).
    private static func isMultipart(_ fields: HTTPFields) -> Bool {
        fields[values: .contentType].contains { DirectiveList.lowercased($0.utf8).hasPrefix("multipart/byteranges") }
    }

    /// Returns whether a shared cache may store responses to requests with credentials (RFC 9111, 3.5).
    private static func permitsSharing(_ control: CacheControl.Response) -> Bool {
        guard !control.isMalformed else { return false }
        // An unreadable s-maxage counts as 0.
        return control.isPublic || control.mustRevalidate || (control.sharedMaxAge ?? 0) > 0
    }

    /// Returns whether a response is marked as cacheable, or has a status that is (RFC 9111, 3).
    private static func isCacheable(
        _ response: CacheResponse, _ control: CacheControl.Response, _ settings: CacheRuleSettings
    ) -> Bool {
        control.isPublic || control.maxAge != nil || response.fields.contains(.expires)
            || (settings.isShared ? control.sharedMaxAge != nil : control.isPrivate != .absent)
            || CacheStatusCodes.isHeuristic(response.status)
    }
}
