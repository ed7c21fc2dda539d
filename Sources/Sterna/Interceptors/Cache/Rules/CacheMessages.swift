import HTTPTypes
import SternaCore

/// The parts of a request that the rules read.
struct CacheRequest: Sendable {
    var method: HTTPRequest.Method
    var url: HTTPURL
    var fields: HTTPFields

    init(_ method: HTTPRequest.Method = .get, _ url: HTTPURL, _ fields: HTTPFields = [:]) {
        (self.method, self.url, self.fields) = (method, url, fields)
    }

    init(_ request: Request) { self.init(request.method, request.url, request.headers) }
}

/// The parts of a response that the rules read: its head, and when it was requested and received.
struct CacheResponse: Sendable {
    var status: Int
    var fields: HTTPFields

    /// When the request was sent, in seconds since 1970.
    var requestTime: Int64

    /// When the head arrived, in seconds since 1970.
    var responseTime: Int64

    init(_ status: Int, _ fields: HTTPFields, requestTime: Int64, responseTime: Int64) {
        (self.status, self.fields) = (status, fields)
        (self.requestTime, self.responseTime) = (requestTime, responseTime)
    }
}

/// A stored response: its head, its variant, and which bytes of its body are stored. Fields are parsed once.
struct StoredResponse: Sendable {
    /// The status code with which it is served; 200 also if only a part of the body is stored.
    let status: Int
    let fields: HTTPFields
    let requestTime: Int64
    let responseTime: Int64

    /// The values of the request fields that the response varies on.
    let variant: VaryKey

    /// The bytes of the body that are stored.
    let extent: StoredExtent

    let control: CacheControl.Response

    /// Whether no request selects it, since a 304 said `Vary: *`: it is validated for each request.
    let fitsNoRequest: Bool
    let freshness: Freshness

    /// When the server made it, in seconds since 1970: its Date, or the time at which it arrived.
    let date: Int64

    init(
        _ response: CacheResponse, variant: VaryKey, extent: StoredExtent, settings: CacheRuleSettings
    ) {
        status = response.status
        fields = response.fields
        (requestTime, responseTime) = (response.requestTime, response.responseTime)
        self.variant = variant
        self.extent = extent
        var control = CacheControl.Response(response.fields[values: .cacheControl])
        fitsNoRequest = Vary(response.fields) == .anything
        if fitsNoRequest { control.noCache = .everything }
        self.control = control
        freshness = Freshness(
            status: response.status, response.fields, control, requestTime: requestTime, responseTime: responseTime,
            settings: settings)
        date = Freshness.date(response.fields, .date) ?? response.responseTime
    }

    /// The head as a response.
    var response: CacheResponse {
        CacheResponse(status, fields, requestTime: requestTime, responseTime: responseTime)
    }

    /// Returns whether the response must not be served once it is stale.
    func forbidsStale(_ settings: CacheRuleSettings) -> Bool { control.forbidsStale(isShared: settings.isShared) }
}

/// The stored bytes of a representation.
enum StoredExtent: Sendable, Hashable {
    /// All bytes; the length is that of the stored body.
    case whole(Int64)
    /// Some ranges (RFC 9111, 3.3); the complete length is nil if no part stated it.
    case parts(ByteRanges, length: Int64?)

    /// The length of the complete representation in bytes; nil if unknown.
    var length: Int64? {
        switch self {
        case .whole(let length), .parts(_, .some(let length)): length
        case .parts: nil
        }
    }

    /// Returns whether all bytes of a range are stored.
    func contains(_ range: Range<Int64>) -> Bool {
        switch self {
        case .whole(let length): range.lowerBound >= 0 && range.upperBound <= length
        case .parts(let ranges, _): ranges.contains(range)
        }
    }

    var isWhole: Bool { if case .whole = self { true } else { false } }
}
