package import SternaCore

/// The means by which another module reports a session's calls as spans of a trace; see ``SessionSettings/Events/spans``.
// A class, since each call reads it from the settings, and its members are large to copy.
package final class SpanSetting: Sendable {
    /// Sees each request that the transport gets, below all interceptors that may change it.
    package let requests: any Interceptor

    /// Sees each call once, above all other interceptors; nil for none.
    package let calls: (any Interceptor)?

    /// Whether spans are recorded at present. The addresses of connections are recorded only for calls that begin meanwhile.
    package let isActive: @Sendable () -> Bool

    /// Makes the list of calls that join a coalesced request.
    package let joinedCalls: @Sendable () -> any JoinedCalls

    package init(
        requests: any Interceptor, calls: (any Interceptor)?, isActive: @escaping @Sendable () -> Bool,
        joinedCalls: @escaping @Sendable () -> any JoinedCalls
    ) {
        (self.requests, self.calls, self.isActive, self.joinedCalls) = (requests, calls, isActive, joinedCalls)
    }
}

/// The calls that share a coalesced request which another call has begun.
package protocol JoinedCalls: AnyObject, Sendable {
    /// Adds the call of the current task.
    func add()
}

/// The option key of a coalesced request, for the calls that join it.
package enum JoinedCallsKey: RequestOptionKey {
    package static var defaultValue: (any JoinedCalls)? { nil }
}
