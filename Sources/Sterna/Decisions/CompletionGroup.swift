public import Dispatch
import SternaCore
import Synchronization

extension RequestSettings {
    /// The completion group of this request's task; nil, the default, keeps that of the session,
    /// ``SessionSettings/completionGroup``.
    public var completionGroup: DispatchGroup? {
        get { state.choices.completionGroup }
        set { state.choices.completionGroup = newValue }
    }
}

/// The place of a task in its completion group, which it leaves once.
final class GroupMembership: Sendable {
    private let group: DispatchGroup
    private let hasLeft = Atomic<Bool>(false)

    /// Enters the group of a request; nil if it has none.
    init?(_ settings: RequestSettings, of session: SessionSettings) {
        guard let group = settings.completionGroup ?? session.completionGroup else { return nil }
        self.group = group
        group.enter()
    }

    // A task that was never resumed leaves when it is released.
    deinit { leave() }

    func leave() {
        if !hasLeft.exchange(true, ordering: .relaxed) { group.leave() }
    }
}
