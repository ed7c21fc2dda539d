import HTTPTypes
import NIOCore
import SternaCore

/// A member of Cache-Status, which says how a cache handled a request (RFC 9211).
struct CacheStatusField: Sendable, Hashable {
    enum Outcome: Sendable, Hashable {
        /// A stored response was served without a request to the server.
        case hit
        /// The request was forwarded.
        case forwarded(ForwardReason)
        /// The request must not be forwarded, and no stored response was usable.
        case unanswered(ForwardReason)
    }

    /// The name of the cache, a token of structured fields.
    static let cache = "Sterna"

    static let name = HTTPField.Name("Cache-Status")

    var outcome: Outcome

    /// The status code of the response to the forwarded request.
    var forwardStatus: Int?

    /// The remaining freshness lifetime in seconds; negative for a stale response.
    var timeLeft: Int64?

    /// Whether the server's response was stored, or still is after a validation; nil for a hit, for HEAD, and for a 304 to the
    /// caller's own conditions.
    var isStored: Bool?

    /// Whether the request shared another request's transfer.
    var isCollapsed: Bool?

    /// The reason in words.
    var detail: String?

    /// Makes the member for a decision, before the response to a forwarded request has arrived.
    init(_ decision: CacheDecision) {
        switch decision {
        case .serve(let served):
            outcome = .hit
            timeLeft = served.timeLeft
            detail = served.content == .notModified ? "the request's conditions are met" : "fresh"
        case .serveStale(let served, let reason, _):
            outcome = .hit
            timeLeft = served.timeLeft
            detail = reason.rawValue
        case .validate(_, let reason), .forward(let reason, _):
            outcome = .forwarded(reason)
            detail = reason.rawValue
        case .gatewayTimeout(let reason):
            outcome = .unanswered(reason)
            detail = "only a stored response may answer, but \(reason.rawValue)"
        }
    }

    /// Makes the member for a stale response that is served because the server failed.
    init(_ served: ServedResponse, _ reason: StaleReason, after forward: ForwardReason, status: Int?) {
        outcome = .forwarded(forward)
        forwardStatus = status
        timeLeft = served.timeLeft
        detail = reason.rawValue
    }

    /// The serialized member (RFC 9211, 2; RFC 9651, 4.1).
    var text: String {
        var bytes = Bytes()
        write(to: &bytes)
        return String(buffer: bytes)
    }

    /// Appends ``text`` to bytes.
    func write(to bytes: inout Bytes) {
        bytes.writeString(Self.cache)
        switch outcome {
        case .hit: bytes.writeStaticString("; hit")
        case .forwarded(let reason):
            bytes.writeStaticString("; fwd=")
            bytes.writeString(reason.token)
            if let forwardStatus {
                bytes.writeStaticString("; fwd-status=")
                bytes.writeString(String(forwardStatus))
            }
        case .unanswered: break
        }
        if let timeLeft {
            bytes.writeStaticString("; ttl=")
            bytes.writeString(String(min(max(-Self.largest, timeLeft), Self.largest)))
        }
        if isStored == true { bytes.writeStaticString("; stored") }
        if isCollapsed == true { bytes.writeStaticString("; collapsed") }
        if let detail {
            bytes.writeStaticString("; detail=")
            Self.write(quoted: detail, to: &bytes)
        }
    }

    /// Adds the member after those of caches nearer to the server (RFC 9211, 2).
    func append(to fields: inout HTTPFields) {
        guard let name = Self.name else { return }
        fields.append(HTTPField(name: name, value: text))
    }

    /// Returns a Cache-Status value with `collapsed` added to this cache's member, for a request that shared another request's
    /// transfer (RFC 9211, 2.6); nil if this cache did not forward the request, or the member has the parameter already.
    static func collapsed(_ value: String) -> String? {
        guard value.hasPrefix("\(cache); fwd="), !value.contains("; collapsed") else { return nil }
        // `detail` is the last parameter, and the only one that can contain a semicolon.
        guard let detail = value.firstRange(of: "; detail=") else { return value + "; collapsed" }
        return value[..<detail.lowerBound] + "; collapsed" + value[detail.lowerBound...]
    }

    /// The largest integer of structured fields (RFC 9651, 3.3.1).
    private static let largest: Int64 = 999_999_999_999_999

    private static func write(quoted text: String, to bytes: inout Bytes) {
        let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
        bytes.writeInteger(quote)
        for byte in text.utf8 {
            if byte == quote || byte == backslash { bytes.writeInteger(backslash) }
            bytes.writeInteger(byte >= 0x20 && byte < 0x7F ? byte : UInt8(ascii: "?"))
        }
        bytes.writeInteger(quote)
    }
}
