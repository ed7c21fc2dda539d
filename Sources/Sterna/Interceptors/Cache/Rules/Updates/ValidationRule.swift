import HTTPTypes
import SternaCore

/// What the response to a conditional request means for stored responses.
enum ValidationOutcome: Sendable {
    /// The server has confirmed a stored response, which answers the request.
    ///
    /// - Parameters:
    ///   - updates: all responses that the 304 updates, the one that answers among them.
    ///   - keeps: whether the answer stays in the cache.
    case current(index: Int, updates: [StoredUpdate], keeps: Bool)
    /// A 304 to the caller's own conditions: the response is the caller's; it may update stored ones.
    ///
    /// Here and above, an update may also remove a response that may no longer be stored.
    case callers(updates: [StoredUpdate])
    /// A 304 for none of the stored responses: the request has to be sent again without the cache's conditions.
    case unknown
    /// A server error in place of an answer: see ``CacheRule/answerAfterFailure(status:_:stored:policy:settings:now:)``.
    case failed
    /// Any other response is an answer of its own.
    case replaced
}

/// A stored response with new fields.
struct StoredUpdate: Sendable {
    /// The place among the stored responses.
    var index: Int

    /// What it is now; nil if it may not be used any more.
    var response: StoredResponse?
}

extension CacheRule {
    /// Judges the response to a request with which a stored response was to be validated (RFC 9111, 4.3.3).
    ///
    /// - Parameters:
    ///   - request: the request as the caller made it.
    ///   - validation: what the cache added; nil if the caller's request went out as it was.
    static func judge(
        _ response: CacheResponse, to request: CacheRequest, validation: CacheValidation?, stored: [StoredResponse],
        settings: CacheRuleSettings = CacheRuleSettings()
    ) -> ValidationOutcome {
        if CacheStatusCodes.isServerError(response.status) { return .failed }
        guard response.status == 304 else { return .replaced }
        let places = selected(by: response, among: stored, for: request, validation: validation, settings)
        let mayKeep = !CacheControl.Request(request.fields).noStore
        let asGet = CacheRequest(.get, request.url, request.fields)
        let updates = places.compactMap { place -> StoredUpdate? in
            let new = updated(stored[place], by: response, to: request, settings)
            if place == validation?.index { return StoredUpdate(index: place, response: new) }
            // A request with no-store leaves no trace, and a 304 with it takes what it is about out of the cache.
            guard mayKeep else { return nil }
            let mayStay = new.map { self.mayStay($0, asGet, settings: settings) } ?? false
            return StoredUpdate(index: place, response: mayStay ? new : nil)
        }
        guard let validation else { return .callers(updates: updates) }
        guard let own = updates.first(where: { $0.index == validation.index }), stored.indices.contains(own.index)
        else { return .unknown }
        guard let answer = own.response else { return .unknown }
        let keeps = mayStay(answer, request, settings: settings)
        return .current(index: own.index, updates: updates, keeps: keeps)
    }

    /// Whether an updated response may stay in the cache.
    private static func mayStay(
        _ new: StoredResponse, _ request: CacheRequest, settings: CacheRuleSettings
    ) -> Bool {
        var head = new.response
        // It is not stored in the first place, but each 304 spares the body of one that is.
        if new.fitsNoRequest { head.fields[.vary] = nil }
        if case .store = mayStore(request, head, settings: settings) { return true }
        return false
    }

    /// Returns the places of the responses that a 304 updates, of those that fit the request's fields.
    ///
    /// A 304 to the cache's own conditions for one response confirms that, whatever validators it states: servers that compress send
    /// `W/"x"` or `"x-gzip"` with the content, and `"x"` with the 304. Browsers do so, against RFC 9111, 4.3.4.
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

    /// Returns the places of the responses that have the validators of a 304 (RFC 9111, 4.3.4).
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
        // A tag that cannot be read says nothing.
        if response.fields.contains(.eTag) { return [] }
        if let modified = Freshness.date(response.fields, .lastModified) {
            return newest(stored, fitting) { Freshness.date($0.fields, .lastModified) == modified }
        }
        if response.fields.contains(.lastModified) { return [] }
        // A server that states no validator speaks of the one that it was asked for.
        if let validation { return stored.indices.contains(validation.index) ? [validation.index] : [] }
        guard fitting.count == 1, EntityTag(stored[fitting[0]].fields) == nil,
            !stored[fitting[0]].fields.contains(.lastModified)
        else { return [] }
        return fitting
    }

    private static func newest(
        _ stored: [StoredResponse], _ places: [Int], where matches: (StoredResponse) -> Bool
    ) -> [Int] {
        let found = places.filter { matches(stored[$0]) }
        return found.max { (stored[$0].date, stored[$0].responseTime) < (stored[$1].date, stored[$1].responseTime) }
            .map { [$0] } ?? []
    }

    /// Returns a stored response with the fields of a 304, of a response to HEAD, or of a further part.
    ///
    /// It varies on the fields that either names, with the values of this request; nil if it does not fit the request, whose values
    /// are then not those of the stored response.
    static func updated(
        _ stored: StoredResponse, by response: CacheResponse, to request: CacheRequest, _ settings: CacheRuleSettings
    ) -> StoredResponse? {
        var fields = CacheFields.updated(stored.fields, by: response.fields, isNotModified: response.status == 304)
        let old = Vary(stored.fields)
        let vary = old.union(Vary(response.fields))
        if Vary(fields) != vary {
            fields[values: .vary] = vary == old ? stored.fields[values: .vary] : [vary.fieldValue]
        }
        // A weak date stays weak, although the response now has a later Date than it (RFC 9110, 8.8.2.2).
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
