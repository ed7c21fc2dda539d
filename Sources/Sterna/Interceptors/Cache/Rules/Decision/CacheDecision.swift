import HTTPTypes

/// What a cache does with a request.
enum CacheDecision: Sendable, Hashable {
    /// A stored response answers.
    case serve(CachedAnswer)
    /// A stale response answers; ``StaleReason`` says why it may.
    ///
    /// With a refresh, the server is asked in the background, and its response updates the cache.
    case serveStale(CachedAnswer, StaleReason, refresh: CacheValidation?)
    /// The server is asked whether a stored response is current.
    case validate(CacheValidation, ForwardReason)
    /// The server is asked as if there was no cache.
    ///
    /// - Parameter adding: fields that the request gets for it.
    case forward(ForwardReason, adding: HTTPFields)
    /// The request may only be answered from the cache, which has no response for it: 504.
    case gatewayTimeout(ForwardReason)
}

/// How a stored response answers a request.
struct CachedAnswer: Sendable, Hashable {
    enum Content: Sendable, Hashable {
        /// The stored response as it is.
        case whole
        /// Its head alone, for HEAD.
        case head
        /// A part of it: 206.
        case part(Range<Int64>, length: Int64?)
        /// Nothing: 304, since the caller's own conditions are met.
        case notModified
    }

    /// The place of the response among the stored ones.
    var index: Int

    var content: Content

    /// The age in seconds.
    var age: Int64

    /// For how long the response stays fresh, in seconds; 0 or less for a stale one.
    var timeLeft: Int64

    /// The fields that may not be served without the server's consent (RFC 9111, 5.2.2.4), in lower case.
    var withheld: Set<String> = []
}

/// A conditional request for a stored response (RFC 9111, 4.3.1).
struct CacheValidation: Sendable, Hashable {
    /// The place of the response among the stored ones.
    var index: Int

    /// The fields that the request gets; none for a response without a validator, which is loaded anew.
    var fields: HTTPFields

    /// Whether the fields have the validators of one response: a 304 can then be about that alone, whatever validators it states.
    ///
    /// Of a list of tags, only the ETag of the 304 says which is current.
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

/// Why a stale response answers.
enum StaleReason: String, Sendable, Hashable, CaseIterable {
    case maxStale = "the request accepts a stale response"
    case whileRevalidate = "the response may be served stale while it is revalidated"
    case ifError = "the server failed and the response may be served stale then"
    case unreachable = "the server cannot be reached and the policy accepts a stale response"
    case policy = "the policy accepts a stale response"
    case offline = "the policy never asks the server and accepts a stale response"
}

/// Why a request goes to the server.
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

    /// The value of `fwd` (RFC 9211, 2.2).
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
