import HTTPTypes

/// How a cache handles a request.
enum CacheDecision: Sendable, Hashable {
    /// A fresh stored response is served.
    case serve(ServedResponse)
    /// A stale response is served, for the given reason.
    ///
    /// With `refresh`, it is also validated in the background, and the server's response updates the cache.
    case serveStale(ServedResponse, StaleReason, refresh: CacheValidation?)
    /// A stored response is validated with the server.
    case validate(CacheValidation, ForwardReason)
    /// The request is forwarded without validating a stored response.
    ///
    /// - Parameter adding: the fields that are added to it.
    case forward(ForwardReason, adding: HTTPFields)
    /// Only a stored response may be served, and none is usable: 504.
    case gatewayTimeout(ForwardReason)
}

/// How a stored response satisfies a request.
struct ServedResponse: Sendable, Hashable {
    enum Content: Sendable, Hashable {
        /// The response as it is stored.
        case whole
        /// Only its head, for HEAD.
        case head
        /// A range of its body: 206.
        case part(Range<Int64>, length: Int64?)
        /// No content, since the caller's own conditions are met: 304.
        case notModified
    }

    /// The index of the response among the stored ones.
    var index: Int

    var content: Content

    /// The age in seconds.
    var age: Int64

    /// The remaining freshness lifetime in seconds; 0 or less for a stale response.
    var timeLeft: Int64

    /// The names, in lower case, of fields that must not be served without validation (RFC 9111, 5.2.2.4).
    var withheld: Set<String> = []
}

/// A conditional request that validates a stored response (RFC 9111, 4.3.1).
struct CacheValidation: Sendable, Hashable {
    /// The index of the response among the stored ones.
    var index: Int

    /// The fields that are added to the request; none if the response has no validator, and is requested anew.
    var fields: HTTPFields

    /// Whether the fields have the validators of one response only, so that a 304 confirms that one, whatever validators it states.
    ///
    /// For a list of tags, the 304's ETag decides.
    var namesOneResponse: Bool {
        let lines = fields[values: .ifNoneMatch]
        guard let line = lines.first else { return fields[values: .ifModifiedSince].count == 1 }
        guard lines.count == 1 else { return false }
        return switch EntityTagList(lines) {
        case .any?: false
        case .tags(let tags)?: tags.count == 1
        case nil: EntityTag.isOneText(line)
        }
    }
}

/// Why a stale response is served.
enum StaleReason: String, Sendable, Hashable, CaseIterable {
    case maxStale = "the request accepts a stale response"
    case whileRevalidate = "the response may be served stale while it is revalidated"
    case ifError = "the server failed and the response may be served stale then"
    case unreachable = "the server cannot be reached and the policy accepts a stale response"
    case policy = "the policy accepts a stale response"
    case offline = "the policy never asks the server and accepts a stale response"
}

/// Why a request is forwarded to the server.
enum ForwardReason: String, Sendable, Hashable, CaseIterable {
    case method = "only GET and HEAD are answered from the cache"
    case reload = "the policy ignores stored responses"
    case miss = "nothing is stored for the URL"
    case vary = "no stored response fits the request's fields"
    case requestNoCache = "the request has no-cache"
    case requestMaxAge = "the stored response is older than the request's max-age"
    case requestMinFresh = "the stored response does not stay fresh for the request's min-fresh"
    case requestConditions = "the request has conditions that only the server can judge"
    case requestRange = "the request has a range that only the server can answer"
    case policyRevalidate = "the policy revalidates stored responses"
    case responseNoCache = "the stored response has no-cache"
    case malformed = "the stored Cache-Control cannot be read"
    case mustRevalidate = "the stored response is stale and must be revalidated"
    case stale = "the stored response is stale"
    case partial = "the stored part does not have all bytes"

    /// The value of the parameter `fwd` (RFC 9211, 2.2).
    var token: String {
        switch self {
        case .method: "method"
        case .reload: "bypass"
        case .miss: "uri-miss"
        case .vary: "vary-miss"
        case .requestNoCache, .requestMaxAge, .requestMinFresh, .requestConditions, .requestRange, .policyRevalidate:
            "request"
        case .responseNoCache, .malformed, .mustRevalidate, .stale: "stale"
        case .partial: "partial"
        }
    }
}
