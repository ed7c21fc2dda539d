import HTTPTypes
import SternaCore

extension CacheRule {
    /// Returns the changes that a response to HEAD makes to stored responses (RFC 9111, 4.3.5).
    ///
    /// Responses that match the request's fields are updated if validators and length agree, and otherwise removed.
    static func updates(
        byHead response: CacheResponse, to request: CacheRequest, stored: [StoredResponse],
        settings: CacheRuleSettings = CacheRuleSettings()
    ) -> [StoredUpdate] {
        guard request.method == .head, response.status == 200,
            !CacheControl.Request(request.fields).noStore
        else { return [] }
        return stored.indices.compactMap { index in
            let old = stored[index]
            guard old.status == 200, old.variant.matches(request.fields, secrets: settings.secrets) else { return nil }
            guard agrees(response.fields, with: old),
                let new = updated(old, by: response, to: request, settings),
                case .store = mayStore(
                    CacheRequest(.get, request.url, request.fields), new.response, settings: settings)
            else { return StoredUpdate(index: index, response: nil) }
            return StoredUpdate(index: index, response: new)
        }
    }

    private static func agrees(_ fields: HTTPFields, with old: StoredResponse) -> Bool {
        if fields.contains(.eTag) {
            guard let tag = EntityTag(fields), EntityTag(old.fields) == tag else { return false }
        }
        if fields.contains(.lastModified) {
            let modified = Freshness.date(fields, .lastModified)
            guard modified != nil, modified == Freshness.date(old.fields, .lastModified) else { return false }
        }
        guard fields.contains(.contentLength) else { return true }
        let lengths = fields[values: .contentLength]
        return lengths.allSatisfy { line in
            ContentRange.number(line.utf8).map { old.extent.length == nil || $0 == old.extent.length } ?? false
        }
    }
}
