import HTTPTypes
import NIOCore
import SternaCore
import Synchronization

/// Shares one transfer among identical requests that are in flight at the same time.
///
/// Its place in the chain is below the interceptors that add fields, and above the cache, which then forwards one request. A
/// request joins a transfer only until the head of the response arrives, since a later request asks for a later state of the
/// resource. For the same reason the end of a request with an unsafe method closes the transfers of its origin that began before.
struct CoalescingInterceptor: Interceptor {
    let plan: CoalescingPlan

    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        guard CookieRules.isSafe(request.method) else {
            // The request may have changed resources of the origin, even if it failed.
            defer { plan.transfers.close(request.url.origin) }
            return try await next(request)
        }
        guard request.options[CoalescingUseKey.self], let call = request.call,
            CoalescingRule.refusal(request) == nil, let key = await plan.key(of: request)
        else { return try await next(request) }
        return try await share(request, key, call, next)
    }

    // A function of its own, since its locals would otherwise occupy memory in every waiting request.
    @inline(never)
    nonisolated(nonsending) private func share(
        _ request: Request, _ key: CoalescingKey, _ call: Call, _ next: Chain
    ) async throws -> Response {
        guard !Task.isCancelled, !call.isCancelled else { throw SharedReader.cancelled(.wait).at(request) }
        let (transfer, number, isFirst) = plan.transfers.join(key) {
            SharedTransfer(request, key, Call(outlasting: call, scope: plan.calls), plan)
        }
        let reader = SharedReader(transfer, number, request, plan.deadlines)
        if isFirst {
            transfer.start(Self.shared(request, transfer), next)
        } else {
            transfer.joinedCalls?.add()
            Self.raise(transfer.call, for: request)
        }
        do {
            guard reader.begin() else { throw SharedReader.cancelled(.wait).at(request) }
            switch try await reader.outcome() {
            case .own: break
            case .shared(let head, let isStreamed):
                var response = head
                // The first request's response needs no change, which would copy it.
                if !isFirst {
                    response = Self.collapsed(head)
                    response.recorder = request.recorder
                    response.url = request.url
                }
                if isStreamed {
                    response.body = ResponseBody(
                        SharedBody(reader, head, to: request, window: plan.limits.window, next))
                } else {
                    reader.finish()
                }
                return response
            }
        } catch {
            reader.finish()
            throw error
        }
        reader.finish()
        return try await next(request)
    }

    /// Returns the request of a transfer, which has a call of its own.
    private static func shared(_ request: Request, _ transfer: SharedTransfer) -> Request {
        var request = request
        let call = transfer.call
        call.priority = request.call?.priority ?? request.priority
        request.join(call)
        request.deadline = nil
        request.uploadProgress = nil
        // A change of the state copies it.
        if request.state.course.reading != nil { request.state.course.reading = nil }
        if let calls = transfer.joinedCalls { request.options[JoinedCallsKey.self] = calls }
        return request
    }

    /// Raises the priority of a transfer that waits for a connection to that of a more urgent request.
    private static func raise(_ call: Call, for request: Request) {
        let wanted = request.call?.priority ?? request.priority
        if let present = call.priority, wanted > present { call.priority = wanted }
    }

    /// Returns the head for a request that did not begin the transfer: Cache-Status says so.
    private static func collapsed(_ response: Response) -> Response {
        guard let name = CacheStatusField.name else { return response }
        var values = response.section[values: name]
        guard let last = values.last, let field = CacheStatusField.collapsed(last) else { return response }
        var response = response
        values[values.count - 1] = field
        response.headers[values: name] = values
        return response
    }
}

/// The transfers of a session, and the settings by which requests share them.
// A class, since each waiting request keeps a copy of the interceptor.
final class CoalescingPlan: Sendable {
    struct Limits: Sendable {
        /// How far, in bytes, the fastest reader of a body may be ahead of the slowest before it waits.
        var window: Int64 = 4 << 20

        /// The total time for which the readers of a body wait for slower ones.
        var patience = TimeAmount.seconds(1)
    }

    let transfers = SharedTransfers()
    let time: LoopClock
    let deadlines: DeadlineWatch
    let limits: Limits

    /// The calls that end with the session.
    let calls: CallScope

    private let spans: SpanSetting?
    private let identity: RequestIdentity

    /// Identities in flight are never stored, so all sessions of the process use one key.
    private static let secret = IdentitySecret()

    init(_ settings: SessionSettings, calls: CallScope) {
        identity = RequestIdentity(settings)
        time = settings.network.engine.loopClock
        deadlines = DeadlineWatch(time)
        limits = settings.coalescingLimits
        spans = settings.events.spans
        self.calls = calls
    }

    /// Makes the list of calls that join a transfer; nil unless its request is reported as a span.
    func makeJoinedCalls() -> (any JoinedCalls)? { spans?.isActive() == true ? spans?.joinedCalls() : nil }

    /// Returns the key of a request; nil if it cannot be compared with others.
    nonisolated(nonsending) func key(of request: Request) async -> CoalescingKey? {
        var cookies = request.headers[.cookie]
        // An interceptor below adds the jar's cookies, which a login may change between two requests.
        if let jar = identity.jar, !jar.isUnused {
            if jar.isUnread { try? await jar.load() }
            cookies = jar.added(to: request, identity.cookieSecurity).headers[.cookie]
        }
        return CoalescingKey(request, cookies: cookies, partition: identity.partition(of: request, Self.secret))
    }
}

/// The transfers of a session that requests may join.
final class SharedTransfers: Sendable {
    // A structure, since the runtime would have to look up a bare dictionary's type to destroy it.
    private struct State {
        var open: [CoalescingKey: SharedTransfer] = [:]
    }

    private let state = Mutex(State())

    /// The number of transfers that requests may join.
    var count: Int { state.withLock { $0.open.count } }

    /// The number of requests that read these transfers.
    var readers: Int { state.withLock { $0.open.values.reduce(0) { $0 + $1.readerCount } } }

    /// Joins a transfer, or makes one; returns the number of the new reader, and whether it is the first.
    func join(_ key: CoalescingKey, _ make: () -> SharedTransfer) -> (SharedTransfer, Int, Bool) {
        state.withLock { state in
            // One look-up finds a transfer, or the empty entry of a new one.
            Self.join(&state.open[key], make)
        }
    }

    private static func join(
        _ entry: inout SharedTransfer?, _ make: () -> SharedTransfer
    ) -> (SharedTransfer, Int, Bool) {
        if let known = entry, let number = known.join() { return (known, number, false) }
        let new = make()
        entry = new
        return (new, new.join() ?? 0, true)
    }

    /// Closes a transfer to further requests.
    func remove(_ transfer: SharedTransfer) {
        let removed = state.withLock { state -> SharedTransfer? in
            guard state.open[transfer.key] === transfer else { return nil }
            return state.open.removeValue(forKey: transfer.key)
        }
        _ = removed
    }

    /// Closes the transfers of an origin to further requests.
    func close(_ origin: Origin) {
        let closed = state.withLock { state in
            let closed = state.open.filter { $0.value.origin == origin }
            for key in closed.keys { state.open[key] = nil }
            return closed
        }
        _ = closed
    }
}
