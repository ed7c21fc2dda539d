import NIOCore
import SternaCore

/// Decides when a token is used, refreshed or given up: a state machine without I/O and clock.
struct TokenRule: Sendable {
    /// The limits of refreshes.
    struct Limits: Sendable {
        /// How long before its expiry a token is refreshed; at most half of its lifetime.
        var leeway: TimeAmount
        /// The maximum number of refreshes within ``window``.
        var mostRefreshes: Int
        var window: TimeAmount
        /// Whether tokens can be refreshed.
        var canRefresh: Bool
    }

    /// A token that a request carries.
    struct Ticket: Sendable, Hashable {
        let token: AccessToken

        /// The unique number of the token.
        let number: UInt64

        /// The number of failed refreshes when the request received it.
        var failures: UInt64 = 0
    }

    /// How a request proceeds.
    enum Decision: Sendable, Hashable {
        case use(Ticket)
        /// Sends the request without a token: there is none, and it cannot be refreshed.
        case send
        /// Waits for a refresh, which the request begins if it is the first.
        case wait(refresh: UInt64, begins: Bool)
        /// The token was rejected, and cannot be refreshed.
        case giveUp
        /// The token was rejected, and a refresh has failed since the request received it.
        case failed
        /// The window permits no further refresh, and there is no token, or only a rejected one.
        case tooMany
    }

    private let limits: Limits
    private var current: Ticket?

    /// When the current token must be refreshed.
    private var renewal = NIODeadline.distantFuture

    /// Whether the server has rejected the current token.
    private var isRejected = false

    /// The number of the refresh under way.
    private var refresh: UInt64?

    /// The times of the last refreshes, at most as many as the window permits.
    private var begun: [NIODeadline] = []
    private var lastNumber: UInt64 = 0

    /// The number of refreshes that have failed.
    private var failures: UInt64 = 0

    init(limits: Limits) { self.limits = limits }

    var token: AccessToken? { current?.token }

    /// Returns whether a token is the current one.
    func isCurrent(_ ticket: Ticket) -> Bool { current?.number == ticket.number }

    /// The number of the refresh under way; nil for none.
    var currentRefresh: UInt64? { refresh }

    /// Decides before a request is sent.
    mutating func ask(at now: NIODeadline) -> Decision {
        if let refresh { return .wait(refresh: refresh, begins: false) }
        guard let current else { return limits.canRefresh ? begin(at: now) : .send }
        let isDue = isRejected || renewal <= now
        guard isDue, limits.canRefresh else { return .use(stamped(current)) }
        let decision = begin(at: now)
        // An expired token may still be valid until the server rejects it.
        return decision == .tooMany && !isRejected ? .use(stamped(current)) : decision
    }

    private func stamped(_ ticket: Ticket) -> Ticket {
        var ticket = ticket
        ticket.failures = failures
        return ticket
    }

    /// Decides after a server has rejected a request with a token.
    ///
    /// If the token was replaced meanwhile, it is not refreshed again. Requests that were under way at the same time share one
    /// refresh, even a failed one.
    mutating func rejected(_ ticket: Ticket, at now: NIODeadline) -> Decision {
        reject(ticket)
        if let refresh { return .wait(refresh: refresh, begins: false) }
        guard let current, current.number != ticket.number else {
            guard limits.canRefresh else { return .giveUp }
            return failures != ticket.failures ? .failed : begin(at: now)
        }
        return ask(at: now)
    }

    /// Records that a token was rejected, so that it is refreshed before it is sent again.
    mutating func reject(_ ticket: Ticket) {
        if current?.number == ticket.number, limits.canRefresh { isRejected = true }
    }

    /// Records the end of a refresh; returns the new token's ticket, or nil for a failed or superseded refresh.
    mutating func refreshed(_ number: UInt64, with token: AccessToken?, at now: NIODeadline) -> Ticket? {
        guard refresh == number else { return nil }
        refresh = nil
        guard let token else {
            failures &+= 1
            return nil
        }
        // A lifetime of zero or less cannot be right for a new token, so it counts as unknown.
        return adopt(token, lifetime: token.lifetime.flatMap { $0 > .zero ? $0 : nil }, at: now)
    }

    /// Replaces the token, which supersedes a refresh under way.
    mutating func replace(by token: AccessToken?, at now: NIODeadline) {
        refresh = nil
        begun = []
        guard let token else {
            current = nil
            isRejected = false
            return
        }
        _ = adopt(token, lifetime: token.lifetime, at: now)
    }

    private mutating func adopt(_ token: AccessToken, lifetime: Duration?, at now: NIODeadline) -> Ticket {
        lastNumber &+= 1
        let ticket = Ticket(token: token, number: lastNumber, failures: failures)
        current = ticket
        isRejected = false
        renewal = .distantFuture
        if let lifetime {
            let good = max(.zero, TimeAmount(clamping: lifetime))
            renewal = now + max(good - max(.zero, limits.leeway), .nanoseconds(good.nanoseconds / 2))
        }
        return ticket
    }

    private mutating func begin(at now: NIODeadline) -> Decision {
        begun.removeAll { now - $0 >= limits.window }
        guard begun.count < limits.mostRefreshes else { return .tooMany }
        begun.append(now)
        lastNumber &+= 1
        refresh = lastNumber
        return .wait(refresh: lastNumber, begins: true)
    }
}
