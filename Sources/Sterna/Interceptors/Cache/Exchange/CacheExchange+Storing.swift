import HTTPTypes
import NIOCore
import SternaCore

extension CacheExchange {
    /// Stores a response of the network while its body is read, if it may be stored; returns the response for the caller.
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
            guard self.plan.willCache?(response, request) ?? true else {
                field.isStored = false
                field.addDetail("the program does not store it")
                await dropReplaced(by: head)
                return marked(response, field)
            }
            guard let entry = await begin(plan, head) else {
                field.isStored = false
                field.addDetail("the cache does not take it")
                await dropReplaced(by: head)
                return marked(response, field)
            }
            field.isStored = true
            guard let whole = response.body.whole else {
                var response = marked(response, field)
                response.body = ResponseBody(TeeBody(ClaimedBody(response.body), entry, isForStoreAlone: isRefresh))
                return response
            }
            if await entry.append(whole) {
                await entry.finish()
            } else {
                field.isStored = false
                field.addDetail("the cache does not take it")
            }
            return marked(response, field)
        }
    }

    /// Removes the stored response in whose place the server has sent one that is not stored, since it would answer again.
    private nonisolated(nonsending) func dropReplaced(by head: CacheResponse) async {
        if let id = replaced(by: head) { await cache.storage.remove(id) }
    }

    /// The stored response that the server's response replaces; nil if there is none.
    private func replaced(by head: CacheResponse) -> CacheEntryID? {
        guard request.method == .get, !CacheStatusCodes.isServerError(head.status), head.status != 304,
            head.status != 412, head.status != 416, head.status != 206,
            let index = CacheRule.select(responses, for: asked, settings)
        else { return nil }
        return stored[index].variant.id
    }

    /// Begins the entry of a response; nil if the store does not take it.
    private nonisolated(nonsending) func begin(_ plan: StorePlan, _ head: CacheResponse) async -> NewEntry? {
        let place = plan.isForEveryone ? key : key.within(partition.bytes)
        if !plan.isForEveryone { await cache.identities.add(partition) }
        var former: Former?
        let former1 = stored.indices.first {
            responses[$0].variant == plan.variant && stored[$0].variant.id.key == place
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
        // The same response in the other partition, or with the number of a former variant, must not answer any more.
        let others = stored.map(\.variant.id).enumerated().filter { index, id in
            responses[index].variant == plan.variant && id != former?.entry.variant.id
                && (id.key != place || id.variant != plan.variant.number)
        }.map(\.element)
        if let former {
            return NewEntry(
                cache,
                CombiningWriter(
                    cache, former, plan, own.url, isInMemoryOnly: policy.storage == .allowedInMemoryOnly),
                nil, settings: settings, removing: others)
        }
        guard
            let writer = await cache.storage.store(
                place, variant: plan.variant.number, head: own.coded, length: plan.contentLength,
                isInMemoryOnly: policy.storage == .allowedInMemoryOnly)
        else { return nil }
        return NewEntry(
            cache, writer, plan.contentLength == nil ? own : nil, settings: settings, removing: others,
            replacing: replaced(by: head))
    }

    /// A stored part, and what it becomes with a further one.
    struct Former: Sendable {
        let entry: StoredEntry
        let new: StoredResponse
    }
}

extension CacheStatusField {
    /// Adds why a response is not stored to the reason.
    mutating func addDetail(_ text: String) { detail = detail.map { "\($0); not stored: \(text)" } ?? text }
}
