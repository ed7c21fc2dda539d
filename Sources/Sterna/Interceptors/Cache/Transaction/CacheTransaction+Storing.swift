import HTTPTypes
import NIOCore
import SternaCore

extension CacheTransaction {
    /// Stores a response of the network while the caller reads its body, if the rules allow; returns the response for the caller.
    nonisolated(nonsending) func store(
        _ response: Response, _ head: CacheResponse, _ field: CacheStatusField
    ) async -> Response {
        var field = field
        switch CacheRule.mayStore(asked, head, policy: policy, settings: settings) {
        case .refuse(let refusal):
            field.isStored = false
            field.addDetail(refusal.rawValue)
            await dropReplaced(by: head)
            return marked(response, field)
        case .store(let plan):
            guard self.plan.willStore?(response, request) ?? true else {
                field.isStored = false
                field.addDetail("cache.willStore returned false")
                await dropReplaced(by: head)
                return marked(response, field)
            }
            guard let entry = await begin(plan, head) else {
                field.isStored = false
                field.addDetail("the cache refused it")
                await dropReplaced(by: head)
                return marked(response, field)
            }
            field.isStored = true
            guard let whole = response.body.whole else {
                var response = marked(response, field)
                response.body = ResponseBody(StoringBody(ClaimedBody(response.body), entry, isForStoreAlone: isRefresh))
                return response
            }
            if await entry.append(whole) {
                await entry.finish()
            } else {
                field.isStored = false
                field.addDetail("the cache refused it")
            }
            return marked(response, field)
        }
    }

    /// Removes the stored response that an unstored response of the server replaces, so that it is not served again.
    private nonisolated(nonsending) func dropReplaced(by head: CacheResponse) async {
        if let id = replaced(by: head) { await cache.storage.remove(id) }
    }

    /// Returns the stored response that the server's response replaces; nil if none.
    private func replaced(by head: CacheResponse) -> CacheEntryID? {
        guard request.method == .get, !CacheStatusCodes.isServerError(head.status), head.status != 304,
            head.status != 412, head.status != 416, head.status != 206,
            let index = CacheRule.select(responses, for: asked, settings)
        else { return nil }
        return stored[index].variant.id
    }

    /// Begins the entry of a response; nil if its head exceeds the limits of the coding, or the store refuses it.
    private nonisolated(nonsending) func begin(_ plan: StorePlan, _ head: CacheResponse) async -> PendingEntry? {
        let storageKey = plan.isForEveryone ? key : key.within(partition.bytes)
        if !plan.isForEveryone { await cache.identities.add(partition) }
        var former: Former?
        let former1 = stored.indices.first {
            responses[$0].variant == plan.variant && stored[$0].variant.id.key == storageKey
        }
        if plan.part != nil, let index = former1 {
            switch CacheRule.combine(responses[index], with: plan, of: head, to: asked, settings: settings) {
            case .combined(let new): former = Former(entry: stored[index], new: new)
            case .replaces: break
            }
        }
        var kept = CacheResponse(
            plan.status, plan.fields, requestTime: head.requestTime, responseTime: head.responseTime)
        kept.fields = plan.fields
        let extent: StoredExtent
        if let part = plan.part {
            extent =
                part.length == part.range.upperBound && part.range.lowerBound == 0
                ? .whole(part.range.upperBound) : .parts(ByteRanges([part.range]), length: part.length)
        } else {
            extent = .whole(plan.contentLength ?? 0)
        }
        let own = StoredHead(
            url: Redaction.show(request.url.removingUserinfo()),
            StoredResponse(kept, variant: plan.variant, extent: extent, settings: settings))
        guard own.isCodable else { return nil }
        // The same response in the other partition, or under a former variant's number, must not be served any more.
        let others = stored.map(\.variant.id).enumerated().filter { index, id in
            responses[index].variant == plan.variant && id != former?.entry.variant.id
                && (id.key != storageKey || id.variant != plan.variant.number)
        }.map(\.element)
        if let former {
            return PendingEntry(
                cache,
                CombiningWriter(
                    cache, former, plan, own.url, isInMemoryOnly: policy.storage == .allowedInMemoryOnly),
                nil, settings: settings, removing: others)
        }
        guard
            let writer = await cache.storage.store(
                storageKey, variant: plan.variant.number, head: own.coded, length: plan.contentLength,
                isInMemoryOnly: policy.storage == .allowedInMemoryOnly)
        else { return nil }
        return PendingEntry(
            cache, writer, plan.contentLength == nil ? own : nil, settings: settings, removing: others,
            replacing: replaced(by: head))
    }

    /// A stored response, and the response that a further part makes of it.
    struct Former: Sendable {
        let entry: StoredEntry
        let new: StoredResponse
    }
}

extension CacheStatusField {
    /// Adds to the detail why the response is not stored.
    mutating func addDetail(_ text: String) { detail = detail.map { "\($0); not stored: \(text)" } ?? text }
}
