import HTTPTypes
import SternaCore

/// Evaluates a request's own conditions and range against a stored response (RFC 9111, 4.3.2; RFC 9110, 13 and 14).
enum ConditionRule {
    enum Result: Sendable, Hashable {
        case serve(ServedResponse.Content)
        /// Only the server can evaluate them.
        case ask(ForwardReason)
    }

    /// Returns the part of a stored response that satisfies a request with its conditions and range.
    static func content(of response: StoredResponse, for request: CacheRequest) -> Result {
        let fields = request.fields
        // Conditions apply only to 200 (RFC 9110, 13.2.1).
        if response.status == 200 {
            if fields.contains(.ifNoneMatch) {
                guard let list = EntityTagList(fields[values: .ifNoneMatch]) else { return .ask(.requestConditions) }
                if list.contains(EntityTag(response.fields)) { return .serve(.notModified) }
            } else if let since = Freshness.date(fields, .ifModifiedSince) {
                let modified = Freshness.date(response.fields, .lastModified) ?? response.date
                if modified <= since { return .serve(.notModified) }
            }
        }
        if request.method == .head { return .serve(.head) }
        let whole = response.extent.isWhole ? Result.serve(.whole) : .ask(.partial)
        guard response.status == 200, let asked = RangeRequest(fields) else { return whole }
        if fields.contains(.ifRange), !isCurrent(response, fields[values: .ifRange]) { return whole }
        if asked == .other || response.extent.isWhole && !isExpected(response, request) { return .ask(.requestRange) }
        let length = response.extent.length
        guard let range = asked.range(of: length) else { return .ask(length == nil ? .partial : .requestRange) }
        guard response.extent.contains(range) else { return .ask(.partial) }
        return .serve(.part(range, length: length))
    }

    /// Whether a range refers to the stored bytes: they have no content coding, or one that the request accepts.
    ///
    /// A server that compresses and omits `Vary` applies ranges to the uncompressed content.
    private static func isExpected(_ response: StoredResponse, _ request: CacheRequest) -> Bool {
        let accepted = DirectiveList.lowercased(request.fields[values: .acceptEncoding].joined(separator: ",").utf8)
        return response.fields[values: .contentEncoding].allSatisfy { coding in
            let coding = DirectiveList.lowercased(Blanks.trimmed(coding.utf8))
            return coding == "identity" || accepted.contains(coding)
        }
    }

    /// Whether If-Range matches the stored response by the strong comparison (RFC 9110, 13.1.5).
    private static func isCurrent(_ response: StoredResponse, _ lines: [String]) -> Bool {
        guard lines.count == 1, let line = lines.first else { return false }
        if let tag = EntityTag(line) { return EntityTag(response.fields)?.isStronglyEqual(tag) ?? false }
        guard let date = HTTPDate.seconds(line), let modified = Freshness.date(response.fields, .lastModified) else {
            return false
        }
        // A date is a strong validator if the response's Date is at least a second later (RFC 9110, 8.8.2.2).
        return date == modified && Freshness.date(response.fields, .date).map { $0 > modified } ?? false
    }
}
