/// A current step of the call, which cancellation ends: an attempt on a connection, or a pause before one.
package protocol CallStep: AnyObject, Sendable {
    /// Called from any thread when the call is cancelled.
    func callCancelled()

    /// Called from any thread when a call that may give up its connections is paused.
    func callPaused()

    /// Called from any thread when the call's limits resume after ``Call/pause()``.
    func callResumed()

    /// Called from any thread when the call's priority has changed.
    func callPriorityChanged()
}

extension CallStep {
    package func callPaused() {}
    package func callPriorityChanged() {}
}

/// The steps of a call that are under way, and whether it was cancelled.
struct CallSteps: Sendable {
    private var last: (any CallStep)?

    // Attempts concurrent with the last one, such as a download's ranges on several connections.
    private var others: [any CallStep] = []

    private(set) var isCancelled = false

    /// Whether neither an attempt nor a wait is under way.
    var isEmpty: Bool { last == nil }

    /// The steps, the last one first.
    var all: [any CallStep] { last.map { [$0] + others } ?? [] }

    /// Begins a step; returns false if the call was cancelled.
    mutating func begin(_ step: any CallStep) -> Bool {
        guard !isCancelled else { return false }
        if let last, last !== step { others.append(last) }
        last = step
        return true
    }

    /// Ends a step, and returns it: the reference may be the last, and is released after unlocking.
    mutating func end(_ step: any CallStep) -> (any CallStep)? {
        guard last === step else { return others.firstIndex { $0 === step }.map { others.remove(at: $0) } }
        defer { last = others.popLast() }
        return last
    }

    /// Lets no further step begin; returns the steps to cancel.
    mutating func cancel() -> [any CallStep] {
        isCancelled = true
        return all
    }
}
