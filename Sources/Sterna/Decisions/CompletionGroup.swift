public import Dispatch
import SternaCore
import Synchronization

extension RequestSettings {
    /// What one request's task does in place of the session's.
    public struct Tasks: SettingsGroup, Sendable {
        var settings: RequestSettings

        /// The completion group of this request's task in place of the session's, ``SessionSettings/Tasks/completionGroup``; nil
        /// for none.
        ///
        /// A request that is awaited has no task: with a group of its own it fails with `invalidRequest`. So does a ready request
        /// that was built of such a draft.
        public var completionGroup: DispatchGroup? {
            get { settings.state.choices.completionGroup ?? settings.session?.settings.tasks.completionGroup }
            set { settings.state.choices.completionGroup = .some(newValue) }
        }

        mutating func replace(by other: Self) { replaceChoice(\.completionGroup, by: other) }
    }
}

/// The membership of a task in its completion group, which it leaves only once.
final class GroupMembership: Sendable {
    private let group: DispatchGroup
    private let hasLeft = Atomic<Bool>(false)

    /// Enters the group of a request; nil if it has none.
    init?(_ settings: RequestSettings, of session: SessionSettings) {
        guard let group = settings.state.choices.completionGroup ?? session.tasks.completionGroup else { return nil }
        self.group = group
        group.enter()
    }

    // A task that was never resumed leaves when it is released.
    deinit { leave() }

    func leave() {
        if !hasLeft.exchange(true, ordering: .relaxed) { group.leave() }
    }
}
