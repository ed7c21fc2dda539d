import HTTPTypes
import NIOCore
import SternaCore

/// Carries out what ``CacheRule`` decides for one GET or HEAD request.
struct CacheTransaction: Sendable {
    let plan: CachePlan

    /// The request that is forwarded, with the jar's cookies.
    let request: Request
    let asked: CacheRequest
    let policy: CachePolicy
    let settings: CacheRuleSettings
    private let partition: CachePartition

    /// The key of the request's URL and its ``CacheSpace``, for responses that all identities share.
    let key: CacheKey

    /// Whether the request only refreshes a stale response, and no caller reads its response.
    private let isRefresh: Bool
    let stored: [StoredEntry]
    let next: Chain

    var cache: ResponseCache { plan.cache }

    /// The stored responses, as the rules read them.
    private let responses: [StoredResponse]

    /// The current time in seconds since 1970.
    var now: Int64 { cache.clock() / 1_000 }

    /// Looks up the stored responses of a request.
    nonisolated(nonsending) init(
        _ plan: CachePlan, _ request: Request, _ policy: CachePolicy, partition: CachePartition,
        secret: IdentitySecret?, _ next: Chain
    ) async {
        (self.plan, self.request, self.policy, self.partition, self.next) = (plan, request, policy, partition, next)
        var asked = CacheRequest(request)
        // Signatures are added below the cache; they are credentials to the rules like an Authorization field.
        if request.isSigned { asked.fields[.authorization] = "signed" }
        self.asked = asked
        isRefresh = false
        settings = plan.cache.ruleSettings(secret: secret, secretFields: request.options[SecretHeadersKey.self])
        key = CacheRequestKey.key(of: request.url, plan.space.suffix(for: request))
        var found: [StoredEntry] = []
        // A reload needs them, too, since its response replaces one of them.
        for variant in await plan.cache.storage.variants(of: key.within(partition.bytes)) {
            if let entry = StoredEntry(variant, settings: settings) { found.append(entry) }
        }
        for variant in await plan.cache.storage.variants(of: key) {
            if let entry = StoredEntry(variant, settings: settings) { found.append(entry) }
        }
        stored = found
        responses = found.map(\.head.response)
    }

    /// Makes the same transaction for the call that refreshes a stale response.
    private init(_ other: CacheTransaction, request: Request) {
        (plan, policy, settings, partition, key) = (
            other.plan, other.policy, other.settings, other.partition, other.key
        )
        (stored, responses, next, asked) = (other.stored, other.responses, other.next, other.asked)
        isRefresh = true
        self.request = request
    }

    // MARK: Answering

    nonisolated(nonsending) func run() async throws -> Response {
        let decision = CacheRule.decide(asked, stored: responses, policy: policy, settings: settings, now: now)
        var field = CacheStatusField(decision)
        switch decision {
        case .serve(let served): return serve(stored[served.index], served, field, .cache)
        case .serveStale(let served, _, let refresh):
            if let refresh { self.refresh(refresh) }
            return serve(stored[served.index], served, field, .cache)
        case .gatewayTimeout: return Self.unanswered(request, field)
        case .validate(let validation, let reason): return try await validate(validation, reason, field)
        case .forward(let reason, let adding):
            var request = request
            for name in Set(adding.map(\.name)) { request.headers[name] = adding[name] }
            let (response, times) = try await send(request, reason)
            if response.source == .cache { return response }
            let head = times.head(of: response)
            field.forwardStatus = head.status
            return try await take(response, head, reason, field, validation: nil)
        }
    }

    /// When a request was sent and when its response arrived, in seconds since 1970.
    private struct Times {
        let sent: Int64
        let arrived: Int64

        func head(of response: Response) -> CacheResponse {
            CacheResponse(response.status.code, response.headers, requestTime: sent, responseTime: arrived)
        }
    }

    /// Sends a request; if the server cannot be reached, returns a stale response where the rules allow one.
    nonisolated(nonsending) private func send(
        _ request: Request, _ reason: ForwardReason
    ) async throws -> (Response, Times) {
        let sent = now
        do {
            let response = try await next(request)
            return (response, Times(sent: sent, arrived: now))
        } catch {
            guard let kind = (error as? SternaError)?.kind, Self.isUnreachable(kind),
                let stale = afterFailure(status: nil, reason)
            else { throw error }
            return (stale, Times(sent: sent, arrived: now))
        }
    }

    /// Whether an error means that the server could not be reached.
    private static func isUnreachable(_ kind: SternaError.Kind) -> Bool {
        switch kind {
        case .hostNotFound, .connectionFailed, .proxyFailed, .connectionClosed, .writeFailed, .timedOut, .truncated:
            true
        default: false
        }
    }

    private func afterFailure(status: Int?, _ reason: ForwardReason) -> Response? {
        guard
            let (served, stale) = CacheRule.responseAfterFailure(
                status: status, asked, stored: responses, policy: policy, settings: settings, now: now)
        else { return nil }
        return serve(
            stored[served.index], served, CacheStatusField(served, stale, after: reason, status: status), .cache)
    }

    // MARK: Validation

    nonisolated(nonsending) private func validate(
        _ validation: CacheValidation, _ reason: ForwardReason, _ field: CacheStatusField
    ) async throws -> Response {
        var request = request
        for name in Set(validation.fields.map(\.name)) { request.headers[name] = validation.fields[name] }
        let (response, times) = try await send(request, reason)
        if response.source == .cache { return response }
        var field = field
        field.forwardStatus = response.status.code
        return try await take(response, times.head(of: response), reason, field, validation: validation)
    }

    /// Handles a response of the network: stores it, or serves the stored response that it confirms.
    nonisolated(nonsending) private func take(
        _ response: Response, _ head: CacheResponse, _ reason: ForwardReason, _ field: CacheStatusField,
        validation: CacheValidation?
    ) async throws -> Response {
        switch CacheRule.judge(head, to: asked, validation: validation, stored: responses, settings: settings) {
        case .failed:
            if let stale = afterFailure(status: head.status, reason) {
                response.body.cancel()
                return stale
            }
            return await store(response, head, field)
        case .current(let index, let updates, let keeps):
            response.body.cancel()
            return await confirmed(index, updates, keeps: keeps, field)
        case .callers(let updates):
            await apply(updates)
            return marked(response, field)
        case .unknown:
            response.body.cancel()
            // The 304 matches no stored response: the request is sent again without conditions.
            let (response, times) = try await send(request, reason)
            if response.source == .cache { return response }
            var field = field
            field.forwardStatus = response.status.code
            return await store(response, times.head(of: response), field)
        case .replaced:
            if request.method == .head {
                await apply(CacheRule.updates(byHead: head, to: asked, stored: responses, settings: settings))
                return marked(response, field)
            }
            return await store(response, head, field)
        }
    }

    /// Serves a stored response that the server has validated.
    nonisolated(nonsending) private func confirmed(
        _ index: Int, _ updates: [StoredUpdate], keeps: Bool, _ field: CacheStatusField
    ) async -> Response {
        await apply(updates, except: keeps ? nil : index)
        if !keeps { await cache.storage.remove(stored[index].variant.id) }
        let entry = stored[index]
        let response = updates.first { $0.index == index }?.response ?? entry.head.response
        let keeps = keeps && (entry.variant.id.key != key || CacheRule.isForEveryone(response.control))
        var content = ServedResponse.Content.whole
        if case .serve(let found) = ConditionRule.content(of: response, for: asked) { content = found }
        let now = now
        var served = ServedResponse(
            index: index, content: content, age: response.freshness.age(at: now),
            timeLeft: response.freshness.timeLeft(at: now))
        if !response.extent.isWhole, content == .whole { served.content = .head }
        var field = field
        field.timeLeft = served.timeLeft
        field.isStored = keeps
        return serve(
            StoredEntry(entry.variant, StoredHead(url: entry.head.url, response)), served, field, .revalidated)
    }

    /// Applies the changes that a 304 or a response to HEAD makes to stored responses.
    nonisolated(nonsending) private func apply(_ updates: [StoredUpdate], except skipped: Int? = nil) async {
        for update in updates where stored.indices.contains(update.index) && update.index != skipped {
            let entry = stored[update.index]
            guard let response = update.response else {
                await cache.storage.remove(entry.variant.id)
                continue
            }
            let head = StoredHead(url: entry.head.url, response)
            // New fields for one identity must not stay in a response that all identities share.
            let mayStay = entry.variant.id.key != key || CacheRule.isForEveryone(response.control)
            // A response that now varies on further fields keeps the number of its former variant.
            guard head.isCodable, mayStay else {
                await cache.storage.remove(entry.variant.id)
                continue
            }
            await cache.identities.add(partition)
            _ = await cache.storage.update(entry.variant.id, head: head.coded)
        }
    }

    // MARK: Refreshing

    /// The time limit of a background refresh.
    private static let longestRefresh = TimeAmount.minutes(10)

    /// Validates a stale response in the background, while the caller is served (RFC 5861, 3).
    private func refresh(_ validation: CacheValidation) {
        let entry = stored[validation.index]
        guard let call = request.call, cache.beginRefresh(of: entry.variant.id) else { return }
        var request = request
        // The caller's call ends with its response, this one at the latest with the session.
        let total = min(request.timeouts.amounts.total, Self.longestRefresh)
        request.join(Call(deadline: call.clock.now + total, clock: call.clock, scope: plan.calls))
        request.delivery = .head
        request.uploadProgress = nil
        request.state.course.reading = nil
        let transaction = CacheTransaction(self, request: request)
        let (id, own) = (entry.variant.id, request.call)
        cache.refreshes.run {
            defer { transaction.cache.endRefresh(of: id) }
            do {
                let field = CacheStatusField(.validate(validation, .stale))
                let response = try await transaction.validate(validation, .stale, field)
                if response.source == .network { for try await _ in response.body {} }
            } catch {
                // The stale response stays stored, and the next request tries again.
            }
            own?.releaseLease()
        }
    }
}

/// A stored response as the store returned it, with its decoded head.
struct StoredEntry: Sendable {
    let variant: CachedVariant
    let head: StoredHead

    init(_ variant: CachedVariant, _ head: StoredHead) { (self.variant, self.head) = (variant, head) }

    /// Decodes the head; nil if it is damaged, or of another version.
    init?(_ variant: CachedVariant, settings: CacheRuleSettings) {
        guard
            let head = variant.known.decoded({ bytes in
                StoredHead(bytes, bodyLength: variant.length, settings: settings)
            })
        else { return nil }
        self.init(variant, head)
    }
}

extension CacheTransaction {
    /// Makes the response that a stored one is served as.
    func serve(
        _ entry: StoredEntry, _ served: ServedResponse, _ field: CacheStatusField, _ source: ResponseSource
    ) -> Response {
        cache.storage.noteUse(of: entry.variant.id)
        var status = entry.head.response.status
        let section: FieldSection
        if served.content == .whole, served.withheld.isEmpty {
            section = FieldSection(checkedLines: entry.head.lines(age: served.age, field))
        } else {
            var made = CacheFields.served(entry.head.response, as: served)
            field.append(to: &made.fields)
            status = made.status
            section = FieldSection(made.fields)
        }
        var response = Response(
            status: .init(code: min(max(status, 100), 999)), section: section, body: body(of: entry, served.content),
            url: request.url)
        response.source = source
        response.recorder = request.recorder
        return response
    }

    private func body(of entry: StoredEntry, _ content: ServedResponse.Content) -> ResponseBody {
        switch content {
        case .head, .notModified: return ResponseBody()
        case .whole:
            switch entry.variant.body {
            case .whole(let bytes): return ResponseBody(bytes)
            case .reader(let reader): return ResponseBody(StoredBody(reader, 0..<reader.length))
            }
        case .part(let range, _):
            guard let stored = entry.head.response.extent.storedRange(of: range) else { return ResponseBody() }
            switch entry.variant.body {
            case .whole(let bytes):
                let start = bytes.readerIndex + Int(stored.lowerBound)
                return ResponseBody(bytes.getSlice(at: start, length: stored.count) ?? Bytes())
            case .reader(let reader): return ResponseBody(StoredBody(reader, stored))
            }
        }
    }

    /// Adds a Cache-Status member to a response of the network.
    private func marked(_ response: Response, _ field: CacheStatusField) -> Response {
        var response = response
        var fields = response.headers
        field.append(to: &fields)
        response.headers = fields
        return response
    }

    /// Returns the 504 for an only-if-cached request without a usable stored response (RFC 9111, 5.2.1.7).
    static func unanswered(_ request: Request, _ field: CacheStatusField) -> Response {
        var fields = HTTPFields()
        field.append(to: &fields)
        fields[.contentLength] = "0"
        var response = Response(status: .gatewayTimeout, section: FieldSection(fields), url: request.url)
        response.source = .cache
        response.note = field.detail.map { "Nothing was sent: \($0)." }
        response.recorder = request.recorder
        return response
    }

    static func unanswered(_ request: Request, _ reason: String) -> Response {
        var field = CacheStatusField(.gatewayTimeout(.method))
        field.detail = reason
        return unanswered(request, field)
    }
}

extension StoredHead {
    /// Returns the field lines of a stored response that is served with its whole body.
    func lines(age: Int64, _ field: CacheStatusField) -> Bytes {
        var all = Bytes()
        // Reserves room for what most hits add, so that the bytes are moved once.
        all.reserveCapacity(lines.readableBytes + 200)
        all.writeImmutableBuffer(lines)
        all.writeStaticString("Age: ")
        all.writeString("\(min(max(0, age), CacheControl.longest))")
        all.writeStaticString("\r\nCache-Status: ")
        field.write(to: &all)
        all.writeStaticString("\r\n")
        return all
    }
}

extension StoredExtent {
    /// Returns the position of a range of the representation in the stored body; nil if part of the range is not stored.
    func storedRange(of range: Range<Int64>) -> Range<Int64>? {
        guard contains(range) else { return nil }
        guard case .parts(let ranges, _) = self else { return range }
        var before: Int64 = 0
        for stored in ranges.ranges {
            if stored.contains(range.lowerBound) {
                let start = before + (range.lowerBound - stored.lowerBound)
                return start..<start + (range.upperBound - range.lowerBound)
            }
            before += stored.upperBound - stored.lowerBound
        }
        return nil
    }
}

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
