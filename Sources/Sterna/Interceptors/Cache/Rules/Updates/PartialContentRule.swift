import HTTPTypes
import SternaCore

/// How a 206 changes a stored response (RFC 9111, 3.4).
enum PartOutcome: Sendable {
    /// Its bytes are combined with the stored ones; this is the new stored response.
    case combined(StoredResponse)
    /// It belongs to another representation, and replaces the stored response.
    case replaces
}

extension CacheRule {
    /// The maximum number of separate ranges of a stored response.
    static let mostRanges = 64

    /// Decides whether a part is combined with a stored response, which requires the same strong validator (RFC 9110, 15.3.7.3).
    ///
    /// - Parameter plan: what ``mayStore(_:_:policy:settings:)`` returned for the 206.
    static func combine(
        _ stored: StoredResponse, with plan: StorePlan, of response: CacheResponse, to request: CacheRequest,
        settings: CacheRuleSettings = CacheRuleSettings()
    ) -> PartOutcome {
        guard stored.status == 200, let part = plan.part,
            let validator = EntityValidator(FieldSection(response.fields)),
            EntityValidator(FieldSection(stored.fields)) == validator,
            // Different content codings are different representations, even with equal tags (RFC 9110, 8.8.3.3).
            stored.fields[values: .contentEncoding] == response.fields[values: .contentEncoding],
            part.length == nil || stored.extent.length == nil || part.length == stored.extent.length,
            let new = updated(stored, by: response, to: request, settings)
        else { return .replaces }
        let length = stored.extent.length ?? part.length
        guard length.map({ part.range.upperBound <= $0 }) ?? true else { return .replaces }
        switch stored.extent {
        case .whole: return .combined(new)
        case .parts(var ranges, _):
            ranges.insert(part.range)
            guard ranges.ranges.count <= mostRanges, length.map({ ranges.end <= $0 }) ?? true else { return .replaces }
            let extent: StoredExtent =
                if let length, ranges.contains(0..<length) { .whole(length) } else { .parts(ranges, length: length) }
            return .combined(
                StoredResponse(new.response, variant: new.variant, extent: extent, settings: settings))
        }
    }
}
