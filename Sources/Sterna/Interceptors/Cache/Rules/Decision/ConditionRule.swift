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
        let accepted = request.fields[values: .acceptEncoding]
        return response.fields[values: .contentEncoding].allSatisfy { line in
            line.utf8.split(separator: UInt8(ascii: ",")).allSatisfy {
                let coding = Self.coding($0)
                return coding.isEmpty || coding == "identity" || accepts(coding, accepted)
            }
        }
    }

    /// Whether Accept-Encoding accepts a coding (RFC 9110, 12.5.3): by name, or by `*` if it is not named.
    private static func accepts(_ name: String, _ lines: [String]) -> Bool {
        var (named, others): (Bool?, Bool) = (nil, false)
        for item in lines.flatMap({ $0.utf8.split(separator: UInt8(ascii: ",")) }) {
            var parts = item.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)[...]
            guard let first = parts.popFirst() else { continue }
            let isAccepted = parts.allSatisfy { part in
                let weight = DirectiveList.lowercased(Blanks.trimmed(part))
                return weight.hasPrefix("q=") && (Double(weight.dropFirst(2)) ?? 0) > 0
            }
            switch coding(first) {
            case name: named = isAccepted && named != false
            case "*": others = isAccepted
            default: continue
            }
        }
        return named ?? others
    }

    /// Returns a coding's name in lower case; `x-gzip` is gzip (RFC 9110, 8.4.1.3).
    private static func coding(_ text: Substring.UTF8View) -> String {
        let name = DirectiveList.lowercased(Blanks.trimmed(text))
        return name == "x-gzip" ? "gzip" : name
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
