public import Dispatch
import SternaCore
import Synchronization

extension RequestSettings {
    /// The completion group of this request's task in place of the session's, ``SessionSettings/completionGroup``; nil for none.
    ///
    /// A request that is awaited has no task: with a group of its own it fails with `invalidRequest`. So does a ready request that
    /// was built of such a draft.
    public var completionGroup: DispatchGroup? {
        get { state.choices.completionGroup ?? session?.settings.completionGroup }
        set { state.choices.completionGroup = .some(newValue) }
    }
}

/// The membership of a task in its completion group, which it leaves only once.
final class GroupMembership: Sendable {
    private let group: DispatchGroup
    private let hasLeft = Atomic<Bool>(false)

    /// Enters the group of a request; nil if it has none.
    init?(_ settings: RequestSettings, of session: SessionSettings) {
        guard let group = settings.state.choices.completionGroup ?? session.completionGroup else { return nil }
        self.group = group
        group.enter()
    }

    // A task that was never resumed leaves when it is released.
    deinit { leave() }

    func leave() {
        if !hasLeft.exchange(true, ordering: .relaxed) { group.leave() }
    }
}
