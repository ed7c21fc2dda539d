import HTTPTypes
import SternaCore

/// How the response to a conditional request changes stored responses.
enum ValidationOutcome: Sendable {
    /// The server has validated a stored response, which is served.
    ///
    /// - Parameters:
    ///   - updates: the changes to all responses that the 304 updates, including the one that is served.
    ///   - keeps: whether the served response stays in the cache.
    case current(index: Int, updates: [StoredUpdate], keeps: Bool)
    /// A 304 to the caller's own conditions: the caller receives it, and it may update stored responses.
    ///
    /// Here and above, an update may also remove a response that must not be stored any longer.
    case callers(updates: [StoredUpdate])
    /// A 304 that matches no stored response: the request has to be sent again without the cache's conditions.
    case unknown
    /// A server error: see ``CacheRule/responseAfterFailure(status:_:stored:policy:settings:now:)``.
    case failed
    /// Any other response, which replaces the stored one.
    case replaced
}

/// A change to a stored response.
struct StoredUpdate: Sendable {
    /// The index among the stored responses.
    var index: Int

    /// The updated response; nil if it must be removed.
    var response: StoredResponse?
}

extension CacheRule {
    /// Judges the response to a request that validated a stored response (RFC 9111, 4.3.3).
    ///
    /// - Parameters:
    ///   - request: the caller's request.
    ///   - validation: the conditions that the cache added; nil if it forwarded the caller's request unchanged.
    static func judge(
        _ response: CacheResponse, to request: CacheRequest, validation: CacheValidation?, stored: [StoredResponse],
        settings: CacheRuleSettings = CacheRuleSettings()
    ) -> ValidationOutcome {
        if CacheStatusCodes.isServerError(response.status) { return .failed }
        guard response.status == 304 else { return .replaced }
        let indices = selected(by: response, among: stored, for: request, validation: validation, settings)
        let mayKeep = !CacheControl.Request(request.fields).noStore
        let asGet = CacheRequest(.get, request.url, request.fields)
        let updates = indices.compactMap { index -> StoredUpdate? in
            let new = updated(stored[index], by: response, to: request, settings)
            if index == validation?.index { return StoredUpdate(index: index, response: new) }
            // A request with no-store changes nothing. A 304 with no-store removes the responses that it matches.
            guard mayKeep else { return nil }
            let mayStay = new.map { self.mayStay($0, asGet, settings: settings) } ?? false
            return StoredUpdate(index: index, response: mayStay ? new : nil)
        }
        guard let validation else { return .callers(updates: updates) }
        guard let own = updates.first(where: { $0.index == validation.index }), stored.indices.contains(own.index)
        else { return .unknown }
        guard let answer = own.response else { return .unknown }
        let keeps = mayStay(answer, request, settings: settings)
        return .current(index: own.index, updates: updates, keeps: keeps)
    }

    /// Returns whether an updated response may stay in the cache.
    private static func mayStay(
        _ new: StoredResponse, _ request: CacheRequest, settings: CacheRuleSettings
    ) -> Bool {
        var head = new.response
        // A response with `Vary: *` is not stored at first, but one that is stored saves its body at each 304.
        if new.fitsNoRequest { head.fields[.vary] = nil }
        if case .store = mayStore(request, head, settings: settings) { return true }
        return false
    }

    /// Returns the indices of the responses that a 304 updates, among those that match the request's fields.
    ///
    /// A 304 to the cache's conditions for one response validates that one, whatever validators it states: servers that compress
    /// send `W/"x"` or `"x-gzip"` with the content, and `"x"` with the 304. Browsers do the same, contrary to RFC 9111, 4.3.4.
    private static func selected(
        by response: CacheResponse, among stored: [StoredResponse], for request: CacheRequest,
        validation: CacheValidation?, _ settings: CacheRuleSettings
    ) -> [Int] {
        let fitting = stored.indices.filter { stored[$0].variant.matches(request.fields, secrets: settings.secrets) }
        let found = identified(by: response, among: stored, fitting, validation: validation)
        guard let validation, validation.namesOneResponse, fitting.contains(validation.index),
            !found.contains(validation.index)
        else { return found }
        return [validation.index]
    }

    /// Returns the indices of the responses with the validators of a 304 (RFC 9111, 4.3.4).
    private static func identified(
        by response: CacheResponse, among stored: [StoredResponse], _ fitting: [Int], validation: CacheValidation?
    ) -> [Int] {
        let tag = EntityTag(response.fields)
        if let tag, !tag.isWeak {
            return fitting.filter { EntityTag(stored[$0].fields)?.isStronglyEqual(tag) ?? false }
        }
        if let tag {
            return newest(stored, fitting) { EntityTag($0.fields)?.isWeaklyEqual(tag) ?? false }
        }
        // An unreadable tag identifies no response.
        if response.fields.contains(.eTag) { return [] }
        if let modified = Freshness.date(response.fields, .lastModified) {
            return newest(stored, fitting) { Freshness.date($0.fields, .lastModified) == modified }
        }
        if response.fields.contains(.lastModified) { return [] }
        // A 304 without validators is about the response that was validated.
        if let validation { return stored.indices.contains(validation.index) ? [validation.index] : [] }
        guard fitting.count == 1, EntityTag(stored[fitting[0]].fields) == nil,
            !stored[fitting[0]].fields.contains(.lastModified)
        else { return [] }
        return fitting
    }

    private static func newest(
        _ stored: [StoredResponse], _ indices: [Int], where matches: (StoredResponse) -> Bool
    ) -> [Int] {
        let found = indices.filter { matches(stored[$0]) }
        return found.max { (stored[$0].date, stored[$0].responseTime) < (stored[$1].date, stored[$1].responseTime) }
            .map { [$0] } ?? []
    }

    /// Returns a stored response, updated by the fields of a 304, of a response to HEAD, or of a further part.
    ///
    /// It varies on the fields that either Vary names, with this request's values; nil if the stored response does not match the
    /// request, whose values are then not its own.
    static func updated(
        _ stored: StoredResponse, by response: CacheResponse, to request: CacheRequest, _ settings: CacheRuleSettings
    ) -> StoredResponse? {
        var fields = CacheFields.updated(stored.fields, by: response.fields, isNotModified: response.status == 304)
        let old = Vary(stored.fields)
        let vary = old.union(Vary(response.fields))
        if Vary(fields) != vary {
            fields[values: .vary] = vary == old ? stored.fields[values: .vary] : [vary.fieldValue]
        }
        // A weak date must not become strong because of the later Date (RFC 9110, 8.8.2.2).
        if EntityValidator(FieldSection(stored.fields)) == nil, EntityValidator(FieldSection(fields)) != nil {
            fields[.date] = nil
        }
        var head = CacheResponse(
            stored.status, fields, requestTime: response.requestTime, responseTime: response.responseTime)
        var variant = stored.variant
        if vary != old {
            guard stored.variant.matches(request.fields, secrets: settings.secrets) else { return nil }
            variant = VaryKey(vary, request: request.fields, secrets: settings.secrets) ?? stored.variant
        }
        head.fields = CacheFields.stored(fields, CacheControl.Response(fields[values: .cacheControl]), settings)
        return StoredResponse(head, variant: variant, extent: stored.extent, settings: settings)
    }
}
